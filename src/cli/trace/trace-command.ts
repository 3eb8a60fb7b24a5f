/**
 * `harn trace RUN`: what the agents of a recorded run did, as a tree. The run is played again from its journal, unseen and
 * with nothing outside touched, while the tree is built from the events of its agents; so a run that was interrupted can
 * be looked at like one that ended.
 */

import { RunTree, runEvents } from "../../events/index.ts";
import { type Console, onState } from "../../interp/index.ts";
import { exitCode } from "../exit-codes.ts";
import { reportAsJson, reportError, tell } from "../report.ts";
import { problemText } from "../run/end-of-run.ts";
import { type Replay, recordedReplay } from "../run/recorded-replay.ts";
import { outputWidth } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { treeJson } from "./tree-json.ts";
import { treeMarkdown } from "./tree-markdown.ts";
import { treeText } from "./tree-text.ts";

export interface TraceFlags {
  readonly json?: boolean;
  /** Texts, arguments and results whole. */
  readonly full?: boolean;
  /** As a document. */
  readonly markdown?: boolean;
  readonly script?: string;
}

/** What the run printed is not shown again. */
const silent: Console = { write: () => {}, writeError: () => {} };

export async function traceCommand(which: string, flags: TraceFlags): Promise<number> {
  const tree = new RunTree();
  const wirings = [onState(runEvents, (events) => events.subscribe(tree.add))];
  const replay = await recordedReplay(which, { console: silent, wirings, script: flags.script });
  if (replay === undefined) return exitCode.failed;
  const problem = await outcome(replay);
  if (flags.json === true && flags.markdown === true)
    throw new UsageError("--json and --markdown are two forms: name one");
  if (flags.markdown === true && tree.roots.length > 0) tell(replay.shown(treeMarkdown(tree)));
  else if (flags.json === true) reportAsJson(treeJson(tree, flags.full === true), 2);
  else
    tell(
      tree.roots.length === 0
        ? "No agents in this run.\n"
        : replay.shown(treeText(tree, flags.full === true ? undefined : outputWidth())),
    );
  if (problem === undefined) return exitCode.ok;
  reportError(`harn: ${problem}\n`);
  return exitCode.failed;
}

/** Why the run could not be followed to where it ended; how it ended itself is no matter. */
async function outcome(replay: Replay): Promise<string | undefined> {
  const ended = await replay.play();
  if (ended.kind === "problem" && ended.problem.kind !== "ended-early") return problemText(ended.problem);
  if (ended.kind === "ended" && ended.outcome.internal !== undefined) throw ended.outcome.internal;
  return undefined;
}
