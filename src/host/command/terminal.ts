/** What the terminal can show. */
import { fstatSync } from "node:fs";
import { hasDescriptors, ownProcess } from "../../process/index.ts";

/**
 * Whether standard input (0), output (1) or error (2) is a terminal. Node's own answer loads streams and sockets (10 ms), so it is
 * asked only when the descriptor is a device at all.
 */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  if (!isDevice(descriptor)) return false;
  // Never through `process.stdin`: a stream of it would take what is typed.
  if (descriptor === 0) return process.getBuiltinModule("node:tty").isatty(0);
  return (descriptor === 1 ? ownProcess().stdout : ownProcess().stderr).isTTY === true;
}

/** A terminal, or the like of `/dev/null`. */
export function isDevice(descriptor: number): boolean {
  if (!hasDescriptors()) return false;
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Colours: on a terminal, unless NO_COLOR asks for none; FORCE_COLOR asks for them anywhere. */
export const colourOnStderr = (): boolean => colourOn(2);

/** The same for standard output: reports of tests, the REPL. */
export const colourOnStdout = (): boolean => colourOn(1);

function colourOn(descriptor: 1 | 2): boolean {
  const { env } = ownProcess();
  if (env.NO_COLOR) return false;
  return Boolean(env.FORCE_COLOR) || isTerminal(descriptor);
}

export function stderrWidth(): number {
  return (isTerminal(2) ? ownProcess().stderr.columns : 0) || 100;
}

/** Columns of standard output; without end where it is no terminal. */
export function outputWidth(): number {
  return (isTerminal(1) ? ownProcess().stdout.columns : undefined) ?? Number.POSITIVE_INFINITY;
}
