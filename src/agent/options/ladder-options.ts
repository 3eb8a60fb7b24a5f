/** The options of compaction by the ladder, read and checked. */

import { nearest } from "../../diagnostics/index.ts";
import { callFields } from "../../model/index.ts";
import { meantField, optionText } from "../../table/index.ts";
import { Callable, Dict, Float, List, thrown, typeOf, type Value } from "../../values/index.ts";
import {
  type Durability,
  type DurabilityRule,
  durabilityClasses,
  isDurability,
} from "../tools/durability.ts";
import { type CompactionPolicy, policyOf } from "./compaction-policy.ts";
import { compactionPolicyFields, compactionRows } from "./context-fields.ts";
import { ladderRows, summarizerFields, verifyFields } from "./ladder-fields.ts";

export type Rung = "clear" | "externalize" | "summarize" | "drop";

/** By aggressiveness. */
export const allRungs: readonly Rung[] = ["clear", "externalize", "summarize", "drop"];

/** How far the ladder goes, and when. */
export interface LadderSettings {
  /** Parts of the budget. */
  readonly soft: number;
  readonly hard: number;
  readonly target: number;
  /** The part of the window from which a pass is made, where that is said in place of `soft`; `null`: it is not. */
  readonly ratio: number | null;
  readonly keepExchanges: number;
  /** Last messages that stay byte for byte. */
  readonly keepMessages: number;
  /** Tokens of persons' older messages that stay; `null`: a tenth of the budget, at most 8,000. */
  readonly userTokens: number | null;
  readonly rungs: ReadonlySet<Rung>;
}

export const usualSettings: LadderSettings = {
  soft: 0.8,
  hard: 0.95,
  target: 0.5,
  ratio: null,
  keepExchanges: 4,
  keepMessages: 0,
  userTokens: null,
  rungs: new Set(allRungs),
};

export interface MustSurvive {
  readonly texts: readonly string[];
  /** In the syntax of the regex builtins. */
  readonly patterns: readonly string[];
  readonly functions: readonly Callable[];
}

export interface LadderOptions {
  /** `fn(messages, room) -> steps`; `null`: the ladder of `std/agent/compaction`. */
  readonly strategy: Callable | null;
  readonly settings: LadderSettings;
  readonly maxInputTokens: number | null;
  readonly durability: readonly DurabilityRule[];
  /** A dict is the route of the model (empty: the loop's); `false`: nobody is asked. */
  readonly summarizer: Dict | Callable | false;
  readonly mustSurvive: MustSurvive;
  readonly minRetention: number;
  readonly probes: number;
  readonly probeModel: string | null;
  readonly verify: Callable | null;
  /** `compact_context` is offered. */
  readonly tool: boolean;
  readonly policy: CompactionPolicy | null;
}

/** Keys that only the ladder has: naming one of them asks for it. */
export const ladderKeys: readonly string[] = ladderRows().map(({ name }) => name);

/** Keys of the other strategies, and what the ladder has for them. */
const others: readonly (readonly [RegExp, string])[] = [
  [/threshold$/, "soft"],
  [/^hard_limit_strategy$|^tool_output/, "rungs"],
  [/^hard_limit/, "hard"],
  [/keep_last/, "keep_exchanges"],
  [/keep_first/, "user_tokens"],
  [/^mask_|^compress_/, "durability"],
  [/callback$|compactor$|^summary$/, "summarizer"],
  [/^target_tokens$/, "target"],
  [/^summarize_prompt$/, 'prompts: {"agent.summarizer": …}'],
];

/** Words that may stand beside the ladder's own keys: names of the strategy, the summarizer's route, a policy. */
const isCommon = (key: string): boolean =>
  key === "enabled" ||
  key === "kind" ||
  key === "type" ||
  compactionPolicyFields.get(key) !== undefined ||
  compactionRows().some(({ name }) => name === key);

/** The one that was meant, else the ladder's own keys. */
function meantByKey(key: string): string {
  const common = compactionRows().map(({ name }) => name);
  const beside = ["enabled", ...common].filter((name) => !others.some(([pattern]) => pattern.test(name)));
  const near = nearest(key, [...ladderKeys, ...beside]);
  return near === undefined ? `the ladder has: ${ladderKeys.join(", ")}` : `did you mean \`${near}\`?`;
}

/** `route`: the summarizer's own provider and model, where the dict names some. */
export function readLadder(
  dict: Dict,
  caller: string,
  route: Dict,
  /** What stands before the names of keys in errors. */
  path = "compaction.",
): LadderOptions {
  return new LadderReader(dict, caller, route, path).read();
}

class LadderReader {
  private readonly dict: Dict;
  private readonly caller: string;
  private readonly route: Dict;
  private readonly path: string;

  constructor(dict: Dict, caller: string, route: Dict, path: string) {
    this.path = path;
    this.dict = dict;
    this.caller = caller;
    this.route = route;
  }

  read(): LadderOptions {
    this.checkKeys();
    const soft = this.part("soft_threshold_percent", this.part("soft", usualSettings.soft));
    const hard = this.part("hard", usualSettings.hard);
    // Below a low soft the usual target would be none.
    const target = this.part("target", Math.min(usualSettings.target, soft * 0.625));
    if (soft >= hard) this.fail("soft", `must be below \`hard\` (${hard}); got ${soft}`);
    if (target >= soft) this.fail("target", `must be below \`soft\` (${soft}); got ${target}`);
    const verify = this.value("verify");
    const checks = verify instanceof Dict ? verify : new Dict();
    if (verify !== null && !(verify instanceof Dict) && !(verify instanceof Callable))
      this.fail("verify", `must be a dict, a closure or nil; got ${typeOf(verify)}`);
    this.known("verify", checks, [...verifyFields.names()]);
    const inner = new LadderReader(checks, this.caller, this.route, this.path);
    const model = checks.get("model") ?? null;
    if (model !== null && typeof model !== "string")
      this.fail("verify.model", `must be a string; got ${typeOf(model)}`);
    const named = this.value("compact_strategy") ?? this.value("strategy");
    return {
      strategy: named instanceof Callable ? named : null,
      settings: {
        soft,
        hard,
        target,
        ratio: this.ratio(),
        keepMessages: this.count("keep_messages", 0) ?? usualSettings.keepMessages,
        keepExchanges: this.count("keep_exchanges", 1) ?? usualSettings.keepExchanges,
        userTokens: this.count("user_tokens", 0),
        rungs: this.rungs(),
      },
      maxInputTokens: this.count("max_input_tokens", 100),
      durability: this.durability(),
      summarizer: this.summarizer(),
      mustSurvive: this.mustSurvive(),
      minRetention: inner.part("min_retention", 0.9, "verify."),
      probes: inner.count("probes", 0, "verify.") ?? 0,
      probeModel: typeof model === "string" ? model : null,
      verify: verify instanceof Callable ? verify : null,
      tool: this.flag("tool"),
      policy: policyOf(this.dict, this.caller),
    };
  }

  private ratio(): number | null {
    if (this.value("threshold_ratio") === null) return null;
    const also = ["soft", "soft_threshold_percent"].find((key) => this.value(key) !== null);
    if (also !== undefined) this.fail("threshold_ratio", `says the same as \`${also}\`: name one of them`);
    return this.part("threshold_ratio", 1);
  }

  private value(key: string): Value {
    return this.dict.get(key) ?? null;
  }

  private fail(key: string, problem: string): never {
    throw thrown(`${this.caller}: \`${this.path}${key}\` ${problem}`);
  }

  private checkKeys(): void {
    for (const key of this.dict.keys()) {
      if (this.value(key) === null) continue;
      if (ladderKeys.includes(key)) continue;
      const [, other] = others.find(([pattern]) => pattern.test(key)) ?? [];
      if (other !== undefined)
        throw thrown(
          `${this.caller}: \`${this.path}${key}\` is of other strategies; the ladder has \`${other}\``,
        );
      if (!isCommon(key)) this.fail(key, `is unknown; ${meantByKey(key)}`);
    }
  }

  /** Names of a dict inside: what nobody reads is an error. */
  private known(path: string, dict: Dict, names: readonly string[]): void {
    const unknown = dict.keys().find((key) => !names.includes(key) && !key.startsWith("_"));
    if (unknown !== undefined)
      this.fail(`${path}.${unknown}`, `is unknown; ${meantField(unknown, names, "there are ")}`);
  }

  /** A part of one. */
  part(key: string, usual: number, prefix = ""): number {
    const value = this.value(key);
    if (value === null) return usual;
    const number = value instanceof Float ? value.value : value;
    if (typeof number !== "number" || !(number > 0) || number > 1)
      this.fail(`${prefix}${key}`, `must be a number above 0 and at most 1; got ${optionText(value)}`);
    return number;
  }

  count(key: string, least: number, prefix = ""): number | null {
    const value = this.value(key);
    if (value === null) return null;
    if (typeof value !== "number" || value < least)
      this.fail(`${prefix}${key}`, `must be an int of ${least} or more; got ${optionText(value)}`);
    return value;
  }

  private flag(key: string): boolean {
    const value = this.value(key) ?? false;
    if (typeof value !== "boolean") this.fail(key, `must be a bool; got ${typeOf(value)}`);
    return value;
  }

  private rungs(): ReadonlySet<Rung> {
    const value = this.value("rungs");
    if (value === null) return usualSettings.rungs;
    if (!(value instanceof List)) this.fail("rungs", `must be a list; got ${typeOf(value)}`);
    const named = value.toArray().map((rung, index) => {
      const found = allRungs.find((name) => name === rung);
      return (
        found ??
        this.fail(`rungs[${index}]`, `must be one of ${allRungs.join(", ")}; got ${optionText(rung)}`)
      );
    });
    if (named.length === 0) this.fail("rungs", `must name at least one of ${allRungs.join(", ")}`);
    return new Set(named);
  }

  private durability(): DurabilityRule[] {
    const value = this.value("durability");
    if (value === null) return [];
    if (!(value instanceof Dict)) this.fail("durability", `must be a dict; got ${typeOf(value)}`);
    return [...value.entries()].map(([glob, input]) => {
      const at = `durability["${glob}"]`;
      if (input instanceof Dict) this.known(at, input, ["class", "keep"]);
      const named = input instanceof Dict ? (input.get("class") ?? null) : input;
      if (!isDurability(named))
        this.fail(at, `must be one of ${durabilityClasses.join(", ")}; got ${optionText(named)}`);
      const keep = input instanceof Dict ? (input.get("keep") ?? null) : null;
      if (keep !== null && !(keep instanceof List))
        this.fail(`${at}.keep`, `must be a list of names; got ${typeOf(keep)}`);
      const names = (keep?.toArray() ?? []).map((name, index) =>
        typeof name === "string"
          ? name
          : this.fail(`${at}.keep[${index}]`, `must be a name; got ${typeOf(name)}`),
      );
      return { glob, class: named as Durability, keep: names };
    });
  }

  private summarizer(): LadderOptions["summarizer"] {
    const value = this.value("summarizer");
    if (value === false || value instanceof Callable) return value;
    if (value === null || value === true) return this.route;
    if (value instanceof Dict) {
      this.checkRoute(value);
      return value;
    }
    return this.fail("summarizer", `must be a bool, a dict or a closure; got ${typeOf(value)}`);
  }

  /** A route may have fields of its provider's own; a misspelling is none. */
  private checkRoute(route: Dict): void {
    for (const key of route.keys()) {
      const near =
        summarizerFields.get(key) === undefined ? nearest(key, summarizerFields.names()) : undefined;
      if (near !== undefined && callFields.get(key) === undefined && !key.startsWith("_"))
        this.fail(`summarizer.${key}`, `is unknown; did you mean \`${near}\`?`);
    }
  }

  private mustSurvive(): MustSurvive {
    const value = this.value("must_survive");
    const texts: string[] = [];
    const patterns: string[] = [];
    const functions: Callable[] = [];
    if (value === null) return { texts, patterns, functions };
    if (!(value instanceof List)) this.fail("must_survive", `must be a list; got ${typeOf(value)}`);
    for (const [index, item] of value.toArray().entries()) {
      if (item instanceof Dict) this.known(`must_survive[${index}]`, item, ["regex"]);
      const pattern = item instanceof Dict ? (item.get("regex") ?? null) : null;
      if (typeof item === "string" && item.trim() !== "") texts.push(item);
      else if (typeof pattern === "string" && pattern !== "") patterns.push(pattern);
      else if (item instanceof Callable) functions.push(item);
      else
        this.fail(`must_survive[${index}]`, `must be a text, {regex} or a closure; got ${optionText(item)}`);
    }
    return { texts, patterns, functions };
  }
}
