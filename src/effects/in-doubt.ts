/**
 * What to do with an effect of which only the intent is known: the process ended while it was in flight, and nobody knows
 * whether it happened.
 */

import type { Json } from "../values/index.ts";
import { ScriptError } from "../values/index.ts";
import type { EffectCall, InDoubtRule } from "./port.ts";
import type { Secrets } from "./secrets/secrets.ts";

/** `--on-doubt`. `ask` asks where there is a terminal, and does what is safest for each effect elsewhere. */
export type OnDoubt = "ask" | "redo" | "skip" | "fail";
/** What is done with one effect. */
export type DoubtChoice = Exclude<OnDoubt, "ask">;
export const doubtChoices: readonly DoubtChoice[] = ["redo", "skip", "fail"];

/** The kind of question that a run parks with when it is in doubt about an effect. */
export const doubtQuestion = "doubt";

/** Parks the run with a question. */
export interface InDoubtPark {
  readonly park: Json;
}

export interface InDoubtOptions {
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

  /** How it ends without being done again; `undefined`: do it again. `before` is what its evidence saw. */
  decide<T>(
    call: EffectCall<T>,
    before: Json | undefined,
    place: string,
  ): (() => T) | InDoubtPark | undefined {
    switch (call.effect) {
      case "observe":
      case "read":
        return undefined;
      case "model":
      case "human":
        call.repeated?.();
        return undefined;
      case "write":
        return this.decideWrite(call, before, place);
    }
  }

  private decideWrite<T>(
    call: EffectCall<T>,
    before: Json | undefined,
    place: string,
  ): (() => T) | InDoubtPark | undefined {
    const inDoubt = typeof call.inDoubt === "function" ? call.inDoubt() : call.inDoubt;
    if (inDoubt === "repeat") return undefined;
    const found = before === undefined ? "unknown" : (call.evidence?.after(before) ?? "unknown");
    if (found === "undone") return undefined;
    if (found === "done") return () => call.result.decode(null);
    const text = this.describe(call);
    const choice = this.choice(call.kind, inDoubt, text, place);
    if (choice === "park") return this.parked(call, text);
    return this.decided(call, choice, place);
  }

  /** How it ends when it is decided: as `decide` gives it. */
  decided<T>(call: EffectCall<T>, choice: DoubtChoice, place: string): (() => T) | undefined {
    const text = this.describe(call);
    this.options.onDecided?.(place);
    switch (choice) {
      case "redo":
        this.options.reportInDoubt(`it is not known whether this happened, it is done again: ${text}`);
        call.repeated?.();
        return undefined;
      case "skip":
        this.options.reportInDoubt(`it is not known whether this happened, it is skipped: ${text}`);
        return () => {
          if (!call.result.fits(null)) throw skippedForNothing(text);
          return call.result.decode(null);
        };
      case "fail":
        return () => {
          throw interruptedRun(text);
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
  private parked<T>(call: EffectCall<T>, text: string): InDoubtPark {
    const { reportInDoubt, peopleDecide } = this.options;
    // Where people decide they see the question.
    if (peopleDecide === undefined)
      reportInDoubt(
        `this command was under way when the run ended, and may not be safe to run again: ${text}\n` +
          "  decide with `harn hitl answer RUN redo`, `skip` or `fail`, or go on with `--resume RUN --on-doubt redo|skip|fail`",
      );
    const { kind } = call;
    const prompt = `the run ended while this was under way; run it again, skip it, or let it fail? ${text}`;
    const args = this.options.secrets.hideIn(call.args()) as Json;
    return { park: { request_kind: doubtQuestion, prompt, effect: kind, args, choices: doubtChoices } };
  }

  private describe<T>(call: EffectCall<T>): string {
    const args = JSON.stringify(this.options.secrets.hideIn(call.args()) as Json);
    return `${call.kind} ${args.length > maxLength ? `${args.slice(0, maxLength)}…` : args}`;
  }
}

const skippedForNothing = (text: string): ScriptError =>
  new ScriptError(
    "runtime",
    `interrupted: this was skipped, and there is no result of it to go on with: ${text}`,
    { code: "HARN-SUS-020" },
  );

const interruptedRun = (text: string): ScriptError =>
  new ScriptError(
    "runtime",
    `interrupted: the run ended while this was under way, and it is not known whether it happened: ${text}`,
    { code: "HARN-SUS-020" },
  );
