/**
 * What to do with an effect of which only the intent is known: the process ended while it was under way, and nobody knows
 * whether it happened (design.md §4, "A doubtful effect").
 */
import { ScriptError } from "../values/index.ts";
import type { EffectCall, Json } from "./port.ts";
import type { Secrets } from "./secrets.ts";

/** `--on-doubt`. `ask` asks where there is a terminal, and does what is safest for each effect elsewhere. */
export type OnDoubt = "ask" | "redo" | "skip" | "fail";

export interface DoubtOptions {
  readonly onDoubt: OnDoubt;
  readonly secrets: Secrets;
  /** Asks a person, at once; `undefined` when there is nobody. `text` describes the effect in one line. */
  readonly askDoubt?: (text: string) => Exclude<OnDoubt, "ask"> | undefined;
  /** Tells the user in a line what is done. */
  readonly sayDoubt: (text: string) => void;
}

const longest = 120;

export class DoubtfulEffects {
  private readonly options: DoubtOptions;
  constructor(options: DoubtOptions) {
    this.options = options;
  }

  /** How it ends without being done again; `undefined`: do it again. `before` is what its evidence saw. */
  decide<T>(call: EffectCall<T>, before: Json | undefined): (() => T) | undefined {
    switch (call.effect) {
      case "observe":
      case "read":
        return undefined;
      case "model":
      case "human":
        call.repeated?.();
        return undefined;
      case "write":
        return this.decideWrite(call, before);
    }
  }

  private decideWrite<T>(call: EffectCall<T>, before: Json | undefined): (() => T) | undefined {
    if (call.doubtful === "repeat") return undefined;
    const found = before === undefined ? "unknown" : (call.evidence?.after(before) ?? "unknown");
    if (found === "undone") return undefined;
    if (found === "done") return () => call.decode(null);
    const text = this.describe(call);
    switch (this.choice(call, text)) {
      case "redo":
        this.options.sayDoubt(`it is not known whether this happened, it is done again: ${text}`);
        call.repeated?.();
        return undefined;
      case "skip":
        this.options.sayDoubt(`it is not known whether this happened, it is skipped: ${text}`);
        return () => call.decode(null);
      case "fail":
        return () => {
          throw interrupted(text);
        };
    }
  }

  private choice<T>(call: EffectCall<T>, text: string): Exclude<OnDoubt, "ask"> {
    const { onDoubt } = this.options;
    if (onDoubt !== "ask") return onDoubt;
    return this.options.askDoubt?.(text) ?? (call.doubtful === "say" ? "redo" : "fail");
  }

  private describe<T>(call: EffectCall<T>): string {
    const args = JSON.stringify(this.options.secrets.hideIn(call.args()) as Json);
    return `${call.kind} ${args.length > longest ? `${args.slice(0, longest)}…` : args}`;
  }
}

const interrupted = (text: string): ScriptError =>
  new ScriptError(
    "runtime",
    `interrupted: the run ended while this was under way, and it is not known whether it happened: ${text}`,
    { code: "HARN-SUS-020" },
  );
