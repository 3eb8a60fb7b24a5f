/**
 * The loop directive: how the answer of a run says what becomes of its session. A fenced block at the end of the text
 * (`directive-block.ts`):
 *
 *     answer ─▶ splitDirective: text without the block, the block's JSON ─▶ parseDirective: what can be used, what can't and why
 *
 * Models get keys, quotes and fences wrong in all ways; nothing here throws, and one bad wake does not cost the summary.
 */

import type { NewLearning } from "../../../durable/index.ts";
import { BadWake, resolveWake, type Wake } from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import { parsedJson } from "../../../store/index.ts";
import { isJsonObject } from "../../../values/index.ts";
import { directiveKeys, type Fields, type Split } from "./directive-block.ts";

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

export interface DirectiveRead {
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

export function parseDirective(split: Split, options: ReadOptions): DirectiveRead {
  const { block } = split;
  if (block === undefined) return { directive: noDirective, problems: [] };
  const unreadable = (why: string): DirectiveRead => ({ directive: noDirective, problems: [why] });
  if (block.length > maxBlockLength) return unreadable("the directive is too long");
  const value = parsedJson(block);
  if (value === undefined) {
    const why = split.open ? "its block is not closed by a line of ```" : parseError(block);
    return unreadable(`the directive can't be read: ${why}`);
  }
  if (!isJsonObject(value)) return unreadable("the directive must be one JSON object");
  return parseDirectiveFields(value, options);
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

/** Says what can't be used, and gives what stands for it. */
type Bad = <T>(problem: string, instead: T) => T;

function parseDirectiveFields(argument: Fields, options: ReadOptions): DirectiveRead {
  const problems: string[] = [];
  const bad: Bad = (problem, instead) => {
    problems.push(problem);
    return instead;
  };
  const fields = new Map<string, Json>();
  for (const [name, value] of Object.entries(argument)) {
    const key = directiveKeys.get(name);
    if (key === undefined)
      bad(`it has no key \`${name}\`; known are summary, next, queuedWakes, learnings, customTool`, null);
    else if (value !== undefined && value !== null) fields.set(key, value);
  }
  const directive = {
    summary: directiveSummary(fields.get("summary"), bad),
    next: nextOf(fields.get("next"), bad),
    wakes: wakesOf(fields.get("queuedWakes"), options, bad),
    learnings: learningsOf(fields.get("learnings"), bad),
    uses: directiveUses(fields.get("customTool"), options, bad),
  };
  return { directive, problems };
}

function directiveSummary(value: Json | undefined, bad: Bad): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string") return bad("`summary` must be a text", null);
  if (value.length > maxSummaryLength)
    return bad(`\`summary\` has ${value.length} characters; at most ${maxSummaryLength}`, null);
  return value.trim() === "" ? null : value.trim();
}

const nextOf = (value: Json | undefined, bad: Bad): Directive["next"] =>
  value === undefined || value === "sleep" || value === "continue"
    ? (value ?? "sleep")
    : bad(`\`next\` must be "sleep" or "continue"; got ${JSON.stringify(value).slice(0, 80)}`, "sleep");

function wakesOf(value: Json | undefined, { now, run }: ReadOptions, bad: Bad): Wake[] {
  const wakes = new Map<string, Wake>();
  for (const [at, wish] of listOf("queuedWakes", value, maxWakesAtOnce, bad).entries()) {
    try {
      const wake = resolveWake(wish, now, `run-${run}-${at + 1}`);
      wakes.set(wake.key, wake);
    } catch (error) {
      if (!(error instanceof BadWake)) throw error;
      bad(`queuedWakes[${at}]: ${error.message}`, null);
    }
  }
  return [...wakes.values()];
}

const learningsOf = (value: Json | undefined, bad: Bad): NewLearning[] =>
  listOf("learnings", value, maxLearningsAtOnce, bad).flatMap((one, at) => {
    if (typeof one === "string") return [{ text: one, promote: false }];
    return isJsonObject(one) && typeof one.text === "string"
      ? [{ text: one.text, promote: one.promote === true }]
      : bad(`learnings[${at}] must be a text, or {"text": …, "promote": true}`, []);
  });

function directiveUses(value: Json | undefined, { checkUse }: ReadOptions, bad: Bad): CustomUse[] {
  if (value === undefined) return [];
  const given = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return given.flatMap((one) => {
    if (!isJsonObject(one) || typeof one.name !== "string")
      return bad('`customTool` must be {"name": …, "input": {…}}', []);
    const use = { name: one.name, input: one.input ?? {} };
    const problem = checkUse(use);
    return problem === undefined ? [use] : bad(problem, []);
  });
}

function listOf(name: string, value: Json | undefined, max: number, bad: Bad): readonly Json[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return bad(`\`${name}\` must be a list`, []);
  const list = value as readonly Json[];
  if (list.length > max) bad(`\`${name}\` has ${list.length} entries; the first ${max} are taken`, null);
  return list.slice(0, max);
}
