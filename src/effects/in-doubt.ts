/**
 * What to do with an effect of which only the intent is known: the process ended while it was in flight, and nobody knows
 * whether it happened.
 */

import type { Json } from "../values/index.ts";
import { ScriptError } from "../values/index.ts";
import type { History } from "./history.ts";
import type { EffectCall, InDoubtRule } from "./port.ts";
import type { Secrets } from "./secrets/secrets.ts";

/** `--on-doubt`. `ask` asks where there is a terminal, and does what is safest for each effect elsewhere. */
export type OnDoubt = "ask" | "redo" | "skip" | "fail";
/** What is done with one effect. */
export type DoubtChoice = Exclude<OnDoubt, "ask">;
export const doubtChoices: readonly DoubtChoice[] = ["redo", "skip", "fail"];

/** The kind of question that a run parks with when it is in doubt about an effect. */
export const doubtQuestion = "doubt";

/** What is known of the last records of a run's history, when a damaged store has lost them. */
export interface LostPart {
  /** So many are missing. */
  readonly records: number;
  /** Pieces of standard output that were shown before they were lost. */
  readonly shown: number;
}

/** Parks the run with a question. */
export interface InDoubtPark {
  readonly park: Json;
}

export interface InDoubtOptions {
  readonly history: Pick<History, "begun">;
  readonly onDoubt: OnDoubt;
  readonly secrets: Secrets;
  /** Asks a person, at once; `undefined` when there is nobody. `text` describes the effect in one line. */
  readonly askInDoubt?: (text: string) => DoubtChoice | undefined;
  /** People are to decide about this one, whatever `onDoubt` says: the run parks with the question. */
  readonly peopleDecide?: (kind: string, inDoubt: InDoubtRule | undefined) => boolean;
  /** What somebody has decided since, by `path#number`. */
  readonly decisions?: ReadonlyMap<string, DoubtChoice>;
  /** It is decided: a decision holds for this once, and nobody needs to be asked any more. */
  readonly onDecided?: (place: string) => void;
  /** Tells the user in a line what is done. */
  readonly reportInDoubt: (text: string) => void;
}

const maxLength = 120;

export class EffectsInDoubt {
  private readonly options: InDoubtOptions;
  constructor(options: InDoubtOptions) {
    this.options = options;
  }

  /**
   * How it ends without being done again; `undefined`: do it again. `before` is what its evidence saw. `lost`: it lies where the
   * history has lost its records, so that others after it may have happened, too.
   */
  decide<T>(
    call: EffectCall<T>,
    before: Json | undefined,
    place: string,
    lost: boolean,
  ): (() => T) | InDoubtPark | undefined {
    switch (call.effect) {
      case "observe":
      case "read":
      case "model":
      case "human":
        return this.again(call, place);
      case "write":
        return this.decideWrite(call, before, place, lost);
    }
  }

  /** It is done again, and knows how often it had been begun. `hasFailed`: it is in no doubt. */
  again<T>(call: EffectCall<T>, place: string, hasFailed = false): undefined {
    const [path = "", number] = place.split("#");
    call.repeated?.(this.options.history.begun(path, Number(number)), hasFailed);
  }

  private decideWrite<T>(
    call: EffectCall<T>,
    before: Json | undefined,
    place: string,
    lost: boolean,
  ): (() => T) | InDoubtPark | undefined {
    const inDoubt = inDoubtOf(call);
    if (inDoubt === "repeat") return this.again(call, place);
    const found = before === undefined ? "unknown" : (call.evidence?.after(before) ?? "unknown");
    if (found === "undone") return undefined;
    if (found === "done") return () => call.result.decode(null);
    const text = this.describe(call);
    if (lost && inDoubt !== "say") return this.decideLost(call, text, place);
    const choice = this.choice(call.kind, inDoubt, text, place);
    if (choice === "park") return this.parked(call, text, inFlightCommand);
    return this.decided(call, choice, place);
  }

  /** What is done with the whole of a lost part: nobody wants to be asked about each effect of it. */
  private lostChoice: DoubtChoice | undefined;

  private decideLost<T>(
    call: EffectCall<T>,
    text: string,
    place: string,
  ): (() => T) | InDoubtPark | undefined {
    const { onDoubt, decisions, askInDoubt, reportInDoubt } = this.options;
    const decided = this.lostChoice ?? decisions?.get(place);
    const choice = decided ?? (onDoubt === "ask" ? askInDoubt?.(`${text}\n  (${lostRecords})`) : onDoubt);
    if (choice === undefined) return this.parked(call, text, lostRecords);
    if (this.lostChoice === undefined)
      reportInDoubt(`${lostRecords}; ${lostWays[choice]}: ${text}, and what follows`);
    this.lostChoice = choice;
    return this.settledBy(call, choice, place, text);
  }

  /** How it ends when it is decided: as `decide` gives it. */
  decided<T>(call: EffectCall<T>, choice: DoubtChoice, place: string): (() => T) | undefined {
    const text = this.describe(call);
    if (choice === "redo")
      this.options.reportInDoubt(`it is not known whether this happened, it is done again: ${text}`);
    if (choice === "skip")
      this.options.reportInDoubt(`it is not known whether this happened, it is skipped: ${text}`);
    return this.settledBy(call, choice, place, text);
  }

  private settledBy<T>(
    call: EffectCall<T>,
    choice: DoubtChoice,
    place: string,
    text: string,
  ): (() => T) | undefined {
    this.options.onDecided?.(place);
    switch (choice) {
      case "redo":
        return this.again(call, place);
      case "skip":
        return () => {
          if (!call.result.fits(null)) throw interrupted(skippedForNothing, text);
          return call.result.decode(null);
        };
      case "fail":
        return () => {
          throw interrupted(interruptedRun, text);
        };
    }
  }

  private choice(
    kind: string,
    inDoubt: InDoubtRule | undefined,
    text: string,
    place: string,
  ): DoubtChoice | "park" {
    const { onDoubt, decisions, peopleDecide } = this.options;
    const decided = decisions?.get(place);
    if (decided !== undefined) return decided;
    if (peopleDecide?.(kind, inDoubt) === true) return "park";
    if (onDoubt !== "ask") return onDoubt;
    if (inDoubt === "say") return "redo";
    return this.options.askInDoubt?.(text) ?? (inDoubt === "park" ? "park" : "fail");
  }

  /** It may have happened, in part or to its end: only somebody who looks can tell. */
  private parked<T>(call: EffectCall<T>, text: string, why: string): InDoubtPark {
    const { reportInDoubt, peopleDecide } = this.options;
    // Where people decide they see the question.
    if (peopleDecide === undefined)
      reportInDoubt(
        `${why}: ${text}\n  decide with \`harn hitl answer RUN redo\`, \`skip\` or \`fail\`, or go on with \`--resume RUN --on-doubt redo|skip|fail\``,
      );
    const { kind } = call;
    const asked = why === inFlightCommand ? "this had begun when the run ended" : why;
    const prompt = `${asked}; run it again, skip it, or let it fail? ${text}`;
    const args = this.options.secrets.hideIn(call.args()) as Json;
    return { park: { request_kind: doubtQuestion, prompt, effect: kind, args, choices: doubtChoices } };
  }

  private describe<T>(call: EffectCall<T>): string {
    const args = JSON.stringify(this.options.secrets.hideIn(call.args()) as Json);
    return `${call.kind} ${args.length > maxLength ? `${args.slice(0, maxLength)}…` : args}`;
  }
}

const inDoubtOf = <T>({ inDoubt }: EffectCall<T>): InDoubtRule | undefined =>
  typeof inDoubt === "function" ? inDoubt() : inDoubt;

const inFlightCommand = "this command had begun when the run ended, and may not be safe to run again";

const lostRecords =
  "the last records of this run are lost, and what it does from here on may have happened before";
const lostWays: Readonly<Record<DoubtChoice, string>> = {
  redo: "it is done again",
  skip: "it is skipped",
  fail: "it fails",
};

/** Of an effect of which nobody knows whether it happened, and that was let fail. */
export const interruptedCode = "HARN-SUS-020";

const interrupted = (why: string, text: string): ScriptError =>
  new ScriptError("runtime", `interrupted: ${why}: ${text}`, { code: interruptedCode });
const skippedForNothing = "this was skipped, and there is no result of it to go on with";
const interruptedRun = "this had begun when the run ended, and it is not known whether it happened";
