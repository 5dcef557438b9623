const now = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e6;
};

/**
 * Processor time of one run of each task, in seconds: the best of some rounds that are long enough to be counted. The tasks take
 * turns, for what a machine has to give changes from one second to the next. Time on the wall would tell of whatever else it does.
 */
export function bests(tasks, { rounds = 4, seconds = 0.25 } = {}) {
	const run = (task, enough) => {
		const start = now();
		let runs = 0;
		let spent = 0;
		while (spent < enough) {
			task();
			runs += 1;
			spent = now() - start;
		}
		return spent / runs;
	};
	// Warm up: compilers at work count as processor time too.
	for (const task of tasks) run(task, 0.4);
	const least = tasks.map(() => Infinity);
	for (let round = 0; round < rounds; round++)
		for (const [index, task] of tasks.entries())
			least[index] = Math.min(least[index], run(task, seconds));
	return least;
}

/** The same of one task. */
export const best = (task) => bests([task])[0];
