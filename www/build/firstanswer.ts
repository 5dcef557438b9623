import { readFileSync } from "node:fs";
import type * as claimkit from "claimkit";
import { type ShortAnswer, shorten } from "../src/engine/report.ts";

/** A text with the engine's answer about it, made when the page is built. */
export interface FirstAnswer {
	text: string;
	answer: ShortAnswer;
}

/** Returns the answer about the text that a first visitor sees, so that it is there before the engine is. */
export function firstAnswer(
	example: string,
	{ validate }: typeof claimkit,
): FirstAnswer {
	const text = readFileSync(example, "utf8");
	return { text, answer: shorten(validate(text), text) };
}
