/**
 * Processor time of one run, in seconds: the best of some rounds that are long enough to be counted. Time on the wall would
 * tell of whatever else the machine does.
 */
export function best(task, rounds = 4) {
  const now = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  // Warm up: compilers at work count as processor time too.
  for (let start = now(); now() - start < 0.4; ) task();
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = now();
    let runs = 0;
    let spent = 0;
    while (spent < 0.25) {
      task();
      runs += 1;
      spent = now() - start;
    }
    least = Math.min(least, spent / runs);
  }
  return least;
}
