/** When errors of trials end a set: a task that is broken, or more of them than its author allows. */
import { HostError } from "../../../host/index.ts";
import { StoreError } from "../../../store/index.ts";
import { evalMessage } from "../../eval-error.ts";
import type { TaskSpec } from "../../plan/index.ts";
import { countedText } from "../../report/index.ts";
import type { PlannedTrial } from "../set-plan.ts";
import type { TrialResult, WhySetEnds } from "./trial-executor.ts";

/** First trials of a task that have to end alike for the set to stop. */
const sameErrors = 10;

/** Called for each trial that ended; gives what the set ends with, when it must. */
export class SetErrors {
  private readonly trials: readonly PlannedTrial[];
  /** Oracles beside a set may all fail: that is what they are for. */
  private readonly mayAllFail: boolean;
  /** How many there may be is decided where the other trials are, too. */
  private readonly isPart: boolean;
  /** The errors of the first trials of a task; absent as soon as one of them ended otherwise. */
  private readonly first = new Map<string, string[] | null>();

  constructor(trials: readonly PlannedTrial[], { mayAllFail = false, isPart = false }) {
    this.trials = trials;
    this.mayAllFail = mayAllFail;
    this.isPart = isPart;
  }

  /** `maxErrors` of the set is in the place of its task's. */
  ended({ spec }: PlannedTrial, end: TrialResult, maxErrors: number | null): WhySetEnds | undefined {
    switch (end.kind) {
      case "done":
        this.first.set(spec.name, null);
        return undefined;
      case "broken":
        if (end.isMismatch) return failedSet(evalMessage("HARN-EVL-030", undefined));
        return this.alike(spec, end.message);
      case "errored":
        if (end.error.category === "config") return failedSet(end.error.message);
        return this.alike(spec, end.error.message) ?? this.tooMany(spec, maxErrors ?? spec.maxErrors);
      case "stopped":
        return undefined;
    }
  }

  /** The first trials of a task that all end with the same error say that the task is broken. */
  private alike({ name }: TaskSpec, message: string): WhySetEnds | undefined {
    const errors = this.first.get(name) ?? (this.first.has(name) ? null : []);
    if (this.mayAllFail || this.isPart || errors === null) return undefined;
    this.first.set(name, errors);
    errors.push(message);
    if (errors.length !== sameErrors || errors.some((one) => one !== message)) return undefined;
    return failedSet(evalMessage("HARN-EVL-020", { error: message }));
  }

  private tooMany({ name }: TaskSpec, most: number | null): WhySetEnds | undefined {
    if (most === null || this.isPart) return undefined;
    const own = this.trials.filter((trial) => trial.spec.name === name);
    const errored = own.filter(({ state }) => state === "errored").length;
    const limit = most < 1 ? most * own.length : most;
    if (errored < limit || errored === 0) return undefined;
    const why = `${countedText(errored, "trial")} of ${name} ${errored === 1 ? "has" : "have"} errored, more than max_errors allows`;
    return { state: "incomplete", why, exitCode: 5 };
  }
}

/**
 * In a sentence, what ended a trial that neither its script nor its program threw: the machine, the store, or an error of ours,
 * whose stack goes to whoever gets warnings.
 */
export function whyUncaught(
  { path }: Pick<PlannedTrial, "path">,
  error: unknown,
  onWarning: (text: string) => void,
): string {
  if (error instanceof HostError || error instanceof StoreError) return `${path}: ${error.message}`;
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  onWarning(`internal error, please report it: ${path}: ${stack}`);
  return `internal error at ${path}: ${message}`;
}

const failedSet = (why: string): WhySetEnds => ({ state: "failed", why, exitCode: 2 });
