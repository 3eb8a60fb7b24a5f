/**
 * `harn trace RUN`: what the agents of a recorded run did, as a tree. The run is played again from its journal, unseen and
 * with nothing outside touched, while the tree is built from the events of its agents; so a run that was interrupted can
 * be looked at like one that ended.
 */

import { RunTree, runEvents } from "../../events/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  outputWidth,
  print,
  reportAsJson,
  reportFailure,
  UsageError,
} from "../../host/command/index.ts";
import { onState } from "../../interp/index.ts";
import { replayRecord, treeJson, treeMarkdown, treeText } from "../../run/index.ts";
import type { traceFlags } from "../flags/running.ts";

export type TraceFlags = FlagsOf<typeof traceFlags>;

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
