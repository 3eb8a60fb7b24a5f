/**
 * Plays a recorded run again for those who look at what its agents did: unseen, and with nothing outside touched. A run of its
 * own, or a trial of an evaluation.
 */
import { Secrets } from "../effects/index.ts";
import { problemError, UsageError } from "../host/command/index.ts";
import { createNodeHost } from "../host/index.ts";
import type { Console, RuntimeOptions } from "../interp/index.ts";
import { type Replay, type RunReplayOptions, recordedReplay } from "./recorded-replay.ts";
import { noOtherScript, trialMeant } from "./trial-set.ts";

export interface ReplayedRecord {
  /** A text with the names of secrets. */
  readonly shown: (text: string) => string;
  /** Why it could not be replayed to its end. */
  readonly problem: UsageError | undefined;
  /** The record ends before the run does. */
  readonly cut: boolean;
}

/** What the run printed is not shown again. */
const silent: Console = { write: () => {}, writeError: () => {} };

/** `wirings` are those of the runtime that it is played in. `undefined`: its script does not compile, which has been reported. */
export async function replayRecord(
  which: string,
  wirings: RuntimeOptions["wirings"],
  { script, onResumed }: Pick<RunReplayOptions, "script" | "onResumed"> = {},
): Promise<ReplayedRecord | undefined> {
  const trial = trialMeant(which);
  if (trial !== undefined) return await replayTrialRecord(trial, wirings, script);
  const replay = await recordedReplay(which, { console: silent, wirings, script, onResumed });
  return replay === undefined
    ? undefined
    : { shown: (text) => replay.shown(text), ...(await outcome(replay)) };
}

/** A trial of an evaluation; its judges have runs of their own, which are not replayed. */
async function replayTrialRecord(
  address: string,
  wirings: RuntimeOptions["wirings"],
  script: string | undefined,
): Promise<ReplayedRecord> {
  if (script !== undefined) throw new UsageError(noOtherScript);
  const { replayTrialNamed } = await import("../eval/local/index.ts");
  const { state, replayed } = await replayTrialNamed(address, wirings);
  const secrets = Secrets.ofEnvironment(createNodeHost().env);
  // One that errored or was stopped ends so again.
  const { broken } = replayed;
  const problem =
    state === "done" && broken != null ? new UsageError(broken.message, "HARN-CLI-030") : undefined;
  return { shown: (text) => secrets.shown(text), problem, cut: broken !== undefined };
}

/** Why the run could not be replayed to where it ended; how it ended itself is no matter. */
async function outcome(replay: Replay): Promise<Pick<ReplayedRecord, "problem" | "cut">> {
  const ended = await replay.play();
  if (ended.kind !== "problem") return { problem: undefined, cut: false };
  const cut = ended.problem.kind === "ended-early";
  return { problem: cut ? undefined : problemError(ended.problem), cut };
}
