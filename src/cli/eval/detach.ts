/**
 * `--detach`: the set goes on in a process of its own, which outlives the terminal; what it says goes into a log beside the store.
 * The last line of the log says that it has ended, and how.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { exitCode, ownFile, ownStateFolder, reportAsJson } from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { makeFolders } from "../../store/folders.ts";

/** Tells the process in the background which set it works on. */
const variable = "HARN_EVAL_DETACHED";

/** Starts this command again in the background, with `more` arguments; prints `{set, pid, log}`. */
export function detached(set: string, more: readonly string[]): number {
  const folder = join(ownStateFolder(), "logs");
  const log = ownFile(join(folder, `${set}.log`));
  makeFolders(folder, 0o700);
  const output = openSync(log, "a", 0o600);
  const [, script = "", ...args] = process.argv;
  const own = args.filter((text) => text !== "--detach");
  const child = spawn(process.execPath, [...process.execArgv, script, ...own, ...more, "--plain"], {
    detached: true,
    stdio: ["ignore", output, output],
    env: { ...ownProcess().env, [variable]: set },
  });
  closeSync(output);
  child.unref();
  reportAsJson({ set, pid: child.pid ?? null, log });
  return exitCode.ok;
}

/** In that process: the last line of its log. */
export function sayEndOfDetached(): void {
  const set = ownProcess().env[variable];
  if (set === undefined) return;
  delete ownProcess().env[variable];
  process.on(
    "exit",
    (code) => void writeSync(1, `${JSON.stringify({ done: true, exit_code: code, set })}\n`),
  );
}
