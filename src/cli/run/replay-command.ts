/**
 * A recorded run played again from its journal alone, with nothing outside touched: as it was (`harn replay`), or unseen, while a
 * tree of what its agents did is built from their events (`harn trace`). So a run that was interrupted can be looked at like one
 * that ended.
 */

import { RunTree, runEvents } from "../../events/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  outputWidth,
  ProcessConsole,
  print,
  reportAsJson,
  reportError,
  reportFailure,
  UsageError,
} from "../../host/command/index.ts";
import { onState } from "../../interp/index.ts";
import { refusedManifest } from "../../manifest/index.ts";
import { report } from "../../program/index.ts";
import {
  noOtherScript,
  recordedReplay,
  replayRecord,
  treeJson,
  treeMarkdown,
  treeText,
  trialMeant,
} from "../../run/index.ts";
import { endOfRun } from "../../run/setup/index.ts";
import type { replayFlags, traceFlags } from "../flags/running.ts";

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

type TraceFlags = FlagsOf<typeof traceFlags>;

export async function traceCommand(which: string, flags: TraceFlags): Promise<number> {
  const tree = new RunTree();
  const wirings = [onState(runEvents, (events) => events.subscribe(tree.add))];
  if (flags.json === true && flags.markdown === true)
    throw new UsageError("--json and --markdown are two forms: name one");
  const onResumed = ({ ended }: { readonly ended: string }): void => tree.resumed(ended);
  const replayed = await replayRecord(which, wirings, { script: flags.script, onResumed });
  if (replayed === undefined) return exitCode.failed;
  const { shown, problem } = replayed;
  if (flags.markdown === true && tree.roots.length > 0) print(shown(treeMarkdown(tree)));
  else if (flags.json === true) reportAsJson(treeJson(tree, flags.full === true), 2);
  else
    print(
      tree.roots.length === 0
        ? "No agents in this run.\n"
        : shown(treeText(tree, flags.full === true ? undefined : outputWidth())),
    );
  return problem === undefined ? exitCode.ok : reportFailure(problem);
}
