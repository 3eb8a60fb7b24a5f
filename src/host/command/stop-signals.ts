/** How a process that serves others is stopped: the first signal lets work end, the second, or patience, cuts it off. */

/** How long work may go on after the first signal. */
const patienceMs = 10_000;

/**
 * Calls `stop` for SIGINT, SIGTERM and SIGHUP; `now`: nothing is waited for. `signal` is missing when it is patience that
 * ends. Gives what ends the listening.
 */
export function stopOnSignals(stop: (now: boolean, signal?: NodeJS.Signals) => void): () => void {
  let asked = false;
  let late: NodeJS.Timeout | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = asked;
    asked = true;
    // Before `stop`: what it throws must not leave a process that nothing ends.
    late ??= setTimeout(() => stop(true), patienceMs);
    stop(now, signal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  return () => {
    clearTimeout(late);
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
    process.off("SIGHUP", onSignal);
  };
}
