/** The differences of two texts, as offsets in both: `[fromA, toA, fromB, toB]`. */
export type Changes = [number, number, number, number][];

/** How far ahead of a difference the texts are searched for where they agree again, in lines. */
const LOOK_AHEAD = 400;
/** The number of lines in a row that must agree: one alone is often a bracket or `spec:`. */
const AGREE = 2;

/** Offsets of the lines' starts, and one behind the end. */
function starts(lines: readonly string[]): number[] {
	const offsets = [0];
	for (const line of lines) offsets.push(offsets.at(-1)! + line.length + 1);
	return offsets;
}

/** The next place where both texts agree, or their ends. */
function meet(
	a: readonly string[],
	b: readonly string[],
	i: number,
	j: number,
): [number, number] {
	const agree = (x: number, y: number): boolean => {
		for (let k = 0; k < AGREE; k++)
			if (
				x + k < a.length && y + k < b.length
					? a[x + k] !== b[y + k]
					: x + k < a.length || y + k < b.length
			)
				return false;
		return true;
	};
	for (let ahead = 1; ahead <= LOOK_AHEAD; ahead++) {
		for (let inA = 0; inA <= ahead; inA++) {
			const inB = ahead - inA;
			if (i + inA <= a.length && j + inB <= b.length && agree(i + inA, j + inB))
				return [i + inA, j + inB];
		}
	}
	return [a.length, b.length];
}

/** Returns a change without the equal parts at both its ends. */
function trimmed(
	a: string,
	b: string,
	[fromA, toA, fromB, toB]: Changes[number],
): Changes[number] {
	let [startA, endA, startB, endB] = [fromA, toA, fromB, toB];
	while (startA < endA && startB < endB && a[startA] === b[startB]) {
		startA += 1;
		startB += 1;
	}
	while (endA > startA && endB > startB && a[endA - 1] === b[endB - 1]) {
		endA -= 1;
		endB -= 1;
	}
	return [startA, endA, startB, endB];
}

/** Compares texts line by line, in time that grows with their length: one is made from the other by a few edits. */
export function changesBetween(a: string, b: string): Changes {
	const [linesA, linesB] = [a.split("\n"), b.split("\n")];
	const [atA, atB] = [starts(linesA), starts(linesB)];
	const changes: Changes = [];
	let [i, j] = [0, 0];
	while (i < linesA.length || j < linesB.length) {
		if (i < linesA.length && j < linesB.length && linesA[i] === linesB[j]) {
			i += 1;
			j += 1;
			continue;
		}
		const [nextA, nextB] = meet(linesA, linesB, i, j);
		changes.push(
			trimmed(a, b, [
				Math.min(atA[i]!, a.length),
				Math.min(atA[nextA]!, a.length),
				Math.min(atB[j]!, b.length),
				Math.min(atB[nextB]!, b.length),
			]),
		);
		[i, j] = [nextA, nextB];
	}
	return changes;
}
