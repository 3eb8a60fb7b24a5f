/**
 * The process of a command and those around it: variables of its environment for a while, which what it starts sees too; how a
 * process that serves others is stopped; the desktop's browser.
 */

import { spawn } from "node:child_process";
import { ownProcess } from "../../process/index.ts";

/** Sets variables (`undefined`: takes them away) and gives what puts them back as they were. */
export function setVariables(wanted: Iterable<readonly [string, string | undefined]>): () => void {
  const before = [...wanted].map(([name, value]) => {
    const old = ownProcess().env[name];
    setVariable(name, value);
    return [name, old] as const;
  });
  return () => {
    for (const [name, value] of before.toReversed()) setVariable(name, value);
  };
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete ownProcess().env[name];
  else ownProcess().env[name] = value;
}

/** The version of this build; a test compares it with package.json. */
export const version = "0.1.0";

/** A browser that can't be opened is no failure: whoever calls has printed the address. */
export function openPage(address: string): void {
  const program =
    process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  const child = spawn(program, [address], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
}

/** How long work may go on after the first signal, unless its command says otherwise. */
const usualPatienceMs = 10_000;

/**
 * Calls `stop` for SIGINT, SIGTERM and SIGHUP; `now`: nothing is waited for. `signal` is missing when it is patience that
 * ends; `null` has no end. Gives what ends the listening.
 */
export function stopOnSignals(
  stop: (now: boolean, signal?: NodeJS.Signals) => void,
  patienceMs: number | null = usualPatienceMs,
): () => void {
  let asked = false;
  let late: NodeJS.Timeout | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = asked;
    asked = true;
    // Before `stop`: what it throws must not leave a process that nothing ends.
    if (patienceMs !== null) late ??= setTimeout(() => stop(true), patienceMs);
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
