/**
 * JSON in what a model wrote (agents.md §1.3): the whole text, else a fenced block, else the first balanced `{…}` or
 * `[…]`. One pass for the search; a text full of open brackets costs no more than a few times its length.
 */
import { jsonParse, ScriptError, type Value } from "../../values/index.ts";

export interface ExtractedJson {
  readonly value: Value;
  /** It stood inside prose or a fence. */
  readonly lifted: boolean;
}

export function extractJson(text: string): ExtractedJson | undefined {
  const whole = parse(text.trim());
  if (whole !== undefined) return { value: whole, lifted: false };
  const lifted = fencedJson(text) ?? balancedJson(text);
  return lifted === undefined ? undefined : { value: lifted, lifted: true };
}

function fencedJson(text: string): Value | undefined {
  const fence = /```(?:json|JSON)[ \t]*\r?\n/g;
  for (let open = fence.exec(text); open !== null; open = fence.exec(text)) {
    const close = text.indexOf("```", fence.lastIndex);
    if (close === -1) return undefined;
    const value = parse(text.slice(fence.lastIndex, close).trim());
    if (value !== undefined) return value;
    fence.lastIndex = close + 3;
  }
  return undefined;
}

/** How many openings are tried, and how often the text may be read for them: garbage must not cost more. */
const maxCandidates = 100;
const maxPasses = 8;

function balancedJson(text: string): Value | undefined {
  let charactersLeft = text.length * maxPasses;
  const opening = /[{[]/g;
  for (let tried = 0; tried < maxCandidates && charactersLeft > 0; tried++) {
    const open = opening.exec(text);
    if (open === null) return undefined;
    const end = closingOf(text, open.index);
    charactersLeft -= (end === -1 ? text.length : end) - open.index;
    if (end === -1) continue;
    const value = parse(text.slice(open.index, end));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Position after the bracket that closes the one at `from`, strings passed over; -1 when none does. */
function closingOf(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const c = text[at];
    if (inString) {
      if (c === "\\") at++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === "{" || c === "[") depth++;
    else if (c === "}" || c === "]") {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function parse(text: string): Value | undefined {
  if (text === "") return undefined;
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}
