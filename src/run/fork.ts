/** `harn fork`: a new run that goes like an old one up to a step, and then lives, with something changed. */
import { type HistoryStep, historyBefore, resumePoint, stepsInWords, stepsOf } from "../effects/index.ts";
import { asUsageError, ownStateFolder, runNamed, UsageError } from "../host/command/index.ts";
import { callerWords } from "../process/index.ts";
import { existingStore, type Store, StoreError } from "../store/index.ts";
import { presentFields } from "../values/index.ts";
import { type ResumedRun, resumeRun } from "./resume-run.ts";
import { humanAnswersOf } from "./setup/human-answers.ts";
import { ownResult } from "./setup/own-result.ts";
import type { RunFlags } from "./setup/run-flags.ts";

export interface ForkFlags extends Pick<RunFlags, "provider" | "model" | "onDoubt" | "progress" | "quiet"> {
  readonly at?: string;
  /** Variables of the environment. */
  readonly set?: Readonly<Record<string, string>>;
  readonly result?: string;
  readonly script?: string;
}

export async function forkCommand(which: string, flags: ForkFlags): Promise<number> {
  try {
    const store = existingStore(ownStateFolder());
    if (store === undefined) throw new StoreError("missing", `there is no store in ${ownStateFolder()}`);
    return await resumeRun(forkOfRun(store, runNamed(store, which), flags));
  } catch (error) {
    throw asUsageError(error);
  }
}

/** How a run begins that goes like `name` up to a step. */
export function forkOfRun(store: Store, name: string, flags: ForkFlags): ResumedRun {
  const journal = store.runs.read(name);
  const { history } = resumePoint(journal);
  const steps = stepsOf(history);
  const step = stepAt(flags.at, steps, name);
  const own = flags.result === undefined ? undefined : ownResult(flags.result, step, history);
  const answers = humanAnswersOf(store, name);
  if (own !== undefined) answers.set(step.place, own);
  return {
    store,
    name,
    journal,
    history: historyBefore(journal, history, step, own !== undefined),
    answers,
    shown: 0,
    flags: withoutOwn(flags),
    script: flags.script,
    env: new Map(Object.entries(flags.set ?? {})),
  };
}

function withoutOwn({ provider, model, onDoubt, progress, quiet }: ForkFlags): RunFlags {
  return presentFields({ provider, model, onDoubt, progress, quiet });
}

function stepAt(text: string | undefined, steps: readonly HistoryStep[], name: string): HistoryStep {
  const words = callerWords();
  const number = Number(text);
  const step = Number.isInteger(number) ? steps[number - 1] : undefined;
  if (step !== undefined) return step;
  throw new UsageError(
    text === undefined
      ? `${words.flag("--at", "N")} is needed: the step that is done differently; \`harn runs show ${name}\` numbers them`
      : `${words.flag("--at")}: ${name} has ${stepsInWords(steps)}, there is no step ${text}; \`harn runs show ${name}\` numbers them`,
    "HARN-CLI-002",
  );
}
