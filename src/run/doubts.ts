/** `--on-doubt`: what to do with what was in progress when a run ended. */

import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { type DoubtChoice, doubtChoices, type OnDoubt, type Secrets } from "../effects/index.ts";
import { isTerminal, reportError, UsageError } from "../host/command/index.ts";
import { loadedManifest, Settings } from "../manifest/index.ts";
import type { RunFlags } from "./setup/run-flags.ts";

const ways: readonly OnDoubt[] = ["ask", ...doubtChoices];

export interface InDoubtHandling {
  readonly onDoubt: OnDoubt;
  readonly secrets: Secrets;
  readonly reportInDoubt: (text: string) => void;
  readonly askInDoubt?: (text: string) => DoubtChoice | undefined;
}

/** What to do: as the command line says, else `[resume] on_doubt` of the `harn.toml` above the run's folder. */
export async function onDoubtOf(flags: RunFlags, cwd: string): Promise<OnDoubt> {
  const value = flags.onDoubt;
  if (value === undefined) {
    const settings = new Settings(await loadedManifest(join(cwd, "harn.toml")), "resume");
    return settings.word("on_doubt", ways) ?? "ask";
  }
  if (ways.includes(value as OnDoubt)) return value as OnDoubt;
  throw new UsageError(`--on-doubt: expected one of ${ways.join(", ")}, got ${value}`, "HARN-CLI-003");
}

export function inDoubtHandling(onDoubt: OnDoubt, secrets: Secrets): InDoubtHandling {
  const reportInDoubt = (text: string): void => void reportError(`harn: ${text}\n`);
  if (!isTerminal(0) || !isTerminal(2)) return { onDoubt, secrets, reportInDoubt };
  return { onDoubt, secrets, reportInDoubt, askInDoubt };
}

const answers: Readonly<Record<string, DoubtChoice>> = { a: "redo", s: "skip", f: "fail" };

/** At once: the program stands still until it is decided. Nothing, when the terminal says no more. */
function askInDoubt(text: string): DoubtChoice | undefined {
  reportError(`harn: it is not known whether this happened before the run ended:\n  ${text}\n`);
  const terminal = openTerminal();
  try {
    for (;;) {
      reportError("  Do it [a]gain, [s]kip it, or [f]ail? ");
      const line = answerLine(terminal);
      if (line === undefined) return undefined;
      const answer = answers[line.trim().charAt(0).toLowerCase()];
      if (answer !== undefined) return answer;
    }
  } finally {
    if (terminal !== 0) closeSync(terminal);
  }
}

/** Opened anew: standard input may have been set not to wait, by this process or the one that started it. */
function openTerminal(): number {
  try {
    return openSync("/dev/tty", "r");
  } catch {
    return 0;
  }
}

/** `undefined` at the end of the input. */
function answerLine(terminal: number): string | undefined {
  const byte = Buffer.alloc(1);
  let line = "";
  while (readSync(terminal, byte, 0, 1, null) === 1) {
    if (byte[0] === 10) return line;
    line += byte.toString("latin1");
  }
  return line === "" ? undefined : line;
}
