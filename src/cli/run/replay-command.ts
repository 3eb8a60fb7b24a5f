/** `harn replay`: a recorded run again, from its journal alone. Nothing outside is touched. */

import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, ProcessConsole, reportError, UsageError } from "../../host/command/index.ts";
import { refusedManifest } from "../../manifest/index.ts";
import { report } from "../../program/index.ts";
import { noOtherScript, recordedReplay, trialMeant } from "../../run/index.ts";
import { endOfRun } from "../../run/setup/index.ts";
import type { replayFlags } from "../flags/running.ts";

export type ReplayFlags = FlagsOf<typeof replayFlags>;

export async function replayCommand(file: string, flags: ReplayFlags): Promise<number> {
  const trial = trialMeant(file);
  if (trial !== undefined) {
    if (flags.script !== undefined) throw new UsageError(noOtherScript);
    const { replaySetCommand } = await import("../eval/replay-command.ts");
    return await replaySetCommand(trial, {});
  }
  const console = new ProcessConsole();
  const replay = await recordedReplay(file, { console, script: flags.script });
  if (replay === undefined) return exitCode.failed;
  // A replay touches nothing that the manifest could bound: it only says what a run would say.
  await refusedManifest(replay.journal.header.entry, report);
  const { torn } = replay.journal;
  if (torn !== undefined) {
    reportError(`harn: the last record of ${file} (line ${torn.line}) is torn and was left out\n`);
  }
  const ended = await replay.play();
  console.flush();
  if (ended.kind === "stopped" && !replay.reachedStop()) {
    reportError("harn: the replay was stopped\n");
    return ended.request.exitCode;
  }
  const code = endOfRun(ended, replay.runtime, { replayed: file });
  return ended.kind === "ended" && code === exitCode.ok ? (replay.endedUnnoticed() ?? code) : code;
}
