/**
 * The loop directive: how the answer of a run says what becomes of its session. A fenced block at the end of the text
 * (`directive-block.ts`):
 *
 *     answer ─▶ splitDirective: text without the block, the block's JSON ─▶ readDirective: what can be used, what can't and why
 *
 * Models get keys, quotes and fences wrong in all ways; nothing here throws, and one bad wake does not cost the summary.
 */

import type { NewLearning } from "../../../durable/index.ts";
import { BadWake, resolveWake, type Wake } from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import { isJsonObject } from "../../../values/index.ts";
import { directiveKeys, type Fields, parsed, type Split } from "./directive-block.ts";

export interface CustomUse {
  readonly name: string;
  readonly input: Json;
}

export interface Directive {
  /** null: the old one stays. */
  readonly summary: string | null;
  readonly next: "sleep" | "continue";
  readonly wakes: readonly Wake[];
  readonly learnings: readonly NewLearning[];
  readonly uses: readonly CustomUse[];
}

export const noDirective: Directive = { summary: null, next: "sleep", wakes: [], learnings: [], uses: [] };

export const maxWakesAtOnce = 8;
export const maxLearningsAtOnce = 10;
export const maxSummaryLength = 16_000;
/** A block longer than this is not read. */
const maxBlockLength = 200_000;

export interface Read {
  readonly directive: Directive;
  /** What can't be used, for the model and for people. */
  readonly problems: readonly string[];
}

export interface ReadOptions {
  readonly now: number;
  /** Number of the run, for the keys of wakes without one. */
  readonly run: number;
  /** Checks a custom tool call: what is wrong with it, or `undefined`. */
  readonly checkUse: (use: CustomUse) => string | undefined;
}

export function readDirective(split: Split, options: ReadOptions): Read {
  const { block } = split;
  if (block === undefined) return { directive: noDirective, problems: [] };
  const unreadable = (why: string): Read => ({ directive: noDirective, problems: [why] });
  if (block.length > maxBlockLength) return unreadable("the directive is too long");
  const value = parsed(block);
  if (value === undefined) {
    const why = split.open ? "its block is not closed by a line of ```" : parseError(block);
    return unreadable(`the directive can't be read: ${why}`);
  }
  if (!isJsonObject(value)) return unreadable("the directive must be one JSON object");
  return new DirectiveReader(options).read(value);
}

function parseError(block: string): string {
  if (block.trim() === "") return "it is empty";
  try {
    JSON.parse(block);
  } catch (error) {
    return `it is no JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  return "it is no JSON";
}

class DirectiveReader {
  private readonly options: ReadOptions;
  private readonly problems: string[] = [];

  constructor(options: ReadOptions) {
    this.options = options;
  }

  read(argument: Fields): Read {
    const fields = new Map<string, Json>();
    for (const [name, value] of Object.entries(argument)) {
      const key = directiveKeys.get(name);
      if (key === undefined)
        this.problems.push(
          `it has no key \`${name}\`; known are summary, next, queuedWakes, learnings, customTool`,
        );
      else if (value !== undefined && value !== null) fields.set(key, value);
    }
    const directive = {
      summary: this.summary(fields.get("summary")),
      next: this.next(fields.get("next")),
      wakes: this.wakes(fields.get("queuedWakes")),
      learnings: this.learnings(fields.get("learnings")),
      uses: this.uses(fields.get("customTool")),
    };
    return { directive, problems: this.problems };
  }

  private summary(value: Json | undefined): string | null {
    if (value === undefined) return null;
    if (typeof value !== "string") return this.bad("`summary` must be a text", null);
    if (value.length > maxSummaryLength)
      return this.bad(`\`summary\` has ${value.length} characters; at most ${maxSummaryLength}`, null);
    return value.trim() === "" ? null : value.trim();
  }

  private next(value: Json | undefined): Directive["next"] {
    if (value === undefined || value === "sleep") return "sleep";
    return value === "continue"
      ? "continue"
      : this.bad(
          `\`next\` must be "sleep" or "continue"; got ${JSON.stringify(value).slice(0, 80)}`,
          "sleep",
        );
  }

  private wakes(value: Json | undefined): Wake[] {
    const wishes = this.listOf("queuedWakes", value, maxWakesAtOnce);
    const wakes = new Map<string, Wake>();
    for (const [at, wish] of wishes.entries()) {
      try {
        const wake = resolveWake(wish, this.options.now, `run-${this.options.run}-${at + 1}`);
        wakes.set(wake.key, wake);
      } catch (error) {
        if (!(error instanceof BadWake)) throw error;
        this.problems.push(`queuedWakes[${at}]: ${error.message}`);
      }
    }
    return [...wakes.values()];
  }

  private learnings(value: Json | undefined): NewLearning[] {
    const found: NewLearning[] = [];
    for (const [at, one] of this.listOf("learnings", value, maxLearningsAtOnce).entries()) {
      if (typeof one === "string") found.push({ text: one, promote: false });
      else if (isJsonObject(one) && typeof one.text === "string")
        found.push({ text: one.text, promote: one.promote === true });
      else this.problems.push(`learnings[${at}] must be a text, or {"text": …, "promote": true}`);
    }
    return found;
  }

  private uses(value: Json | undefined): CustomUse[] {
    if (value === undefined) return [];
    const argument = Array.isArray(value) ? (value as readonly Json[]) : [value];
    const uses: CustomUse[] = [];
    for (const one of argument) {
      if (!isJsonObject(one) || typeof one.name !== "string") {
        this.problems.push('`customTool` must be {"name": …, "input": {…}}');
        continue;
      }
      const use = { name: one.name, input: one.input ?? {} };
      const problem = this.options.checkUse(use);
      if (problem === undefined) uses.push(use);
      else this.problems.push(problem);
    }
    return uses;
  }

  private listOf(name: string, value: Json | undefined, max: number): readonly Json[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return this.bad(`\`${name}\` must be a list`, []);
    const list = value as readonly Json[];
    if (list.length > max)
      this.problems.push(`\`${name}\` has ${list.length} entries; the first ${max} are taken`);
    return list.slice(0, max);
  }

  private bad<T>(problem: string, instead: T): T {
    this.problems.push(problem);
    return instead;
  }
}
