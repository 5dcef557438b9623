const APPLE = /mac|iphone|ipad/i.test(navigator.platform);

/** A key as this keyboard names it: `Mod` is Command on Apple's and Control elsewhere. */
export const keyName = (keys: string): string =>
	keys.replace("Mod", APPLE ? "⌘" : "Ctrl");
