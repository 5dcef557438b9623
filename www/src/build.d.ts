/** The version and the hash of the contents that the build was made from. */
declare const __BUILD__: string;
/** The releases of the engine, as the page was built with it. */
declare const __RELEASES__: readonly {
	release: import("claimkit").MinorRelease;
	lastPatch: import("claimkit").Release;
}[];
/** The engine's answer about the first example. */
declare const __FIRST_ANSWER__: import("../build/firstanswer.ts").FirstAnswer;
