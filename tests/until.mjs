// How tests wait: not for a time, but until it is so. The driving extension of VS Code's test has it, too.

const PAUSE = 50;

/** Lets a time pass. This is for tests of which time itself is the subject, and says so beside its call; all others wait `until`. */
export const pass = (milliseconds) =>
	new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Asks again and again until the answer is true or the deadline has passed; returns the last answer. `ask` throws to end it. */
export async function within(seconds, ask) {
	for (const end = Date.now() + seconds * 1000; ; await pass(PAUSE)) {
		const answer = await ask();
		if (answer || Date.now() > end) return answer;
	}
}

/** The same, but fails after the deadline, with what was missed: words, or a function that gives them. */
export async function until(missed, ask, seconds = 30) {
	const answer = await within(seconds, ask);
	if (answer) return answer;
	const what = typeof missed === "function" ? missed() : missed;
	throw new Error(`not within ${seconds} s: ${what}`);
}
