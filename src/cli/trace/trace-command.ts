/**
 * `harn trace RUN`: what the agents of a recorded run did, as a tree. The run is played again from its journal, unseen and
 * with nothing outside touched, while the tree is built from the events of its agents; so a run that was interrupted can
 * be looked at like one that ended.
 */

import { Secrets } from "../../effects/index.ts";
import { RunTree, runEvents } from "../../events/index.ts";
import { createNodeHost } from "../../host/index.ts";
import { type Console, onState, type RuntimeOptions } from "../../interp/index.ts";
import { exitCode } from "../exit-codes.ts";
import { print, reportAsJson, reportError } from "../report.ts";
import { problemText } from "../run/end-of-run.ts";
import { type Replay, recordedReplay } from "../run/recorded-replay.ts";
import { noOtherScript, trialMeant } from "../runs/trial-set.ts";
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
  if (flags.json === true && flags.markdown === true)
    throw new UsageError("--json and --markdown are two forms: name one");
  const trial = trialMeant(which);
  const replayed =
    trial === undefined
      ? await followRun(which, wirings, flags.script)
      : await followTrial(trial, wirings, flags.script);
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
  if (problem === undefined) return exitCode.ok;
  reportError(`harn: ${problem}\n`);
  return exitCode.failed;
}

interface Replayed {
  /** A text with the names of secrets. */
  readonly shown: (text: string) => string;
  /** Why it could not be followed to its end. */
  readonly problem: string | undefined;
}

async function followRun(
  which: string,
  wirings: RuntimeOptions["wirings"],
  script: string | undefined,
): Promise<Replayed | undefined> {
  const replay = await recordedReplay(which, { console: silent, wirings, script });
  return replay === undefined
    ? undefined
    : { shown: (text) => replay.shown(text), problem: await outcome(replay) };
}

/** A trial of an evaluation; its judges have runs of their own, which are not shown. */
async function followTrial(
  address: string,
  wirings: RuntimeOptions["wirings"],
  script: string | undefined,
): Promise<Replayed> {
  if (script !== undefined) throw new UsageError(noOtherScript);
  const { replayTrialNamed } = await import("../eval/sets/evaluate.ts");
  const { state, replayed } = await replayTrialNamed(address, wirings);
  const secrets = Secrets.ofEnvironment(createNodeHost().env);
  // One that errored or was stopped ends so again.
  const problem = state === "done" ? replayed.broken?.message : undefined;
  return { shown: (text) => secrets.shown(text), problem };
}

/** Why the run could not be followed to where it ended; how it ended itself is no matter. */
async function outcome(replay: Replay): Promise<string | undefined> {
  const ended = await replay.play();
  if (ended.kind === "problem" && ended.problem.kind !== "ended-early") return problemText(ended.problem);
  if (ended.kind === "ended" && ended.outcome.internal !== undefined) throw ended.outcome.internal;
  return undefined;
}
