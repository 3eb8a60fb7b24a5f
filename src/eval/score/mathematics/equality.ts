/** Whether two answers are mathematically the same: numbers, expressions, sets, tuples and intervals, equations. Pure. */
import { answerIn, measured, withoutLooks } from "./answer.ts";
import { type Expression, mathExpressionOf } from "./expression.ts";

export interface EqualityOptions {
  /** How far numbers may be apart, as an amount and as a share. */
  readonly abs: number;
  readonly rel: number;
  /** `fraction`: 60 % is 0.6; `same`: the sign says nothing, so that 60 % is 60. */
  readonly percent: "fraction" | "same";
}

type MathAnswer =
  | { readonly kind: "expression"; readonly value: Expression; readonly scale: number; readonly text: string }
  | { readonly kind: "set" | "union"; readonly items: readonly AnswerPart[] }
  | {
      readonly kind: "tuple";
      readonly open: string;
      readonly close: string;
      readonly items: readonly AnswerPart[];
    }
  | { readonly kind: "equation"; readonly items: readonly AnswerPart[] }
  | { readonly kind: "text" };

interface AnswerPart {
  readonly read: MathAnswer;
  readonly unit: string | undefined;
  /** What is compared where it can't be read. */
  readonly text: string;
}

/** Answers in answers: sets of intervals, and no deeper. */
const maxNested = 4;
/** Longer texts are compared letter by letter. */
const maxAnswer = 2000;
/** Members are compared with each other. */
const maxMembers = 200;

/** Whether the answer in `text` is `target`. */
export function mathEqual(text: string, target: string, options: EqualityOptions): boolean {
  const [a, b] = [parseMathAnswer(answerIn(text), options), parseMathAnswer(target, options)];
  return isEqual(a, b, options);
}

/** What is compared of a text, for people to see. */
export const mathAnswer = (text: string): string => withoutLooks(answerIn(text));

function parseMathAnswer(input: string, options: EqualityOptions, depth = 0): AnswerPart {
  const bare = withoutLooks(input);
  const said = withoutVariable(bare);
  const plain = { unit: undefined, text: textForm(said) };
  if (depth > maxNested || said === "" || said.length > maxAnswer)
    return { ...plain, read: { kind: "text" } };
  const nested = (items: readonly string[]): AnswerPart[] =>
    items.slice(0, maxMembers).map((item) => parseMathAnswer(item, options, depth + 1));
  const parts = splitTop(said, /\\cup(?![a-zA-Z])|∪/uy);
  if (parts.length > 1) return { ...plain, read: { kind: "union", items: nested(parts) } };
  const set = /^\\\{(.*)\\\}$/su.exec(said)?.[1] ?? braced(said);
  if (set !== undefined)
    return {
      ...plain,
      read: { kind: "set", items: set.trim() === "" ? [] : nested(splitTop(set, /[,;]/uy)) },
    };
  if (/^(?:\\emptyset|\\varnothing|∅)$/u.test(said)) return { ...plain, read: { kind: "set", items: [] } };
  const pair = /^([([])(.*)([)\]])$/su.exec(said);
  const inside = pair === null ? [] : splitTop(pair[2] ?? "", /[,;]/uy);
  if (pair !== null && inside.length > 1 && hasBalancedBrackets(pair[2] ?? ""))
    return {
      ...plain,
      read: { kind: "tuple", open: pair[1] ?? "", close: pair[3] ?? "", items: nested(inside) },
    };
  const list = splitTop(
    said.replace(/\\text\s*\{\s*(and|or)\s*\}/gu, " $1 "),
    /[,;](?!\d{3}(?!\d))|\s(?:and|or)\s/uy,
  );
  if (list.length > 1) return { ...plain, read: { kind: "set", items: nested(list) } };
  const sides = splitTop(said, /=/uy);
  if (sides.length === 2) return { ...plain, read: { kind: "equation", items: nested(sides) } };
  const both = said.split(/\\pm(?![a-zA-Z])|±/u);
  if (both.length === 2)
    return { ...plain, read: { kind: "set", items: nested(["+", "-"].map((sign) => both.join(sign))) } };
  const { text, unit, isPercent } = measured(said);
  const value = mathExpressionOf(text);
  if (value === undefined) return { ...plain, read: { kind: "text" } };
  const scale = isPercent && options.percent === "fraction" ? 0.01 : 1;
  return { unit, text: textForm(said), read: { kind: "expression", value, scale, text: text.trim() } };
}

/** `x = 5`, `f(x) = 2x` and `x \in S` are 5, 2x and S. */
const withoutVariable = (text: string): string =>
  /^(?:[a-zA-Z]|\\[a-zA-Z]+)(?:_\{?\w+\}?)?(?:\([a-z]\))?\s*(?:=|\\in(?![a-zA-Z])|∈)\s*([^=]+)$/su.exec(
    text,
  )?.[1] ?? text;

/** `{1, 2}` is a set, `{5}` a group of LaTeX. */
function braced(text: string): string | undefined {
  const inner = /^\{(.*)\}$/su.exec(text)?.[1];
  return inner !== undefined && hasBalancedBrackets(inner) && splitTop(inner, /[,;]/uy).length > 1
    ? inner
    : undefined;
}

const opens = "([{";
const closes = ")]}";

/** Whether no bracket closes what was opened outside; brackets of intervals need not fit each other. */
function hasBalancedBrackets(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (opens.includes(char)) depth++;
    if (closes.includes(char)) depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Apart at what stands outside of all brackets. */
function splitTop(text: string, at: RegExp): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let place = 0; place < text.length; ) {
    const char = text[place] as string;
    if (opens.includes(char)) depth++;
    if (closes.includes(char)) depth = Math.max(0, depth - 1);
    at.lastIndex = place;
    const found = depth === 0 && !isThousands(text, place) ? at.exec(text) : null;
    if (found === null || found.index !== place || found[0] === "") {
      place++;
      continue;
    }
    parts.push(text.slice(from, place));
    place += found[0].length;
    from = place;
  }
  parts.push(text.slice(from));
  return parts.length > 1 && parts.some((part) => part.trim() === "") ? [text] : parts;
}

/** A comma within `1,234`: three digits behind it and no more, one to three before. */
const isThousands = (text: string, at: number): boolean =>
  text[at] === "," &&
  /(?:^|[^\d,.])\d{1,3}(?:,\d{3})*$/u.test(text.slice(0, at)) &&
  /^,\d{3}(?:,\d{3})*(?![\d,])/u.test(text.slice(at));

/** What can't be read is compared letter by letter, without case, blanks and LaTeX around words. */
const textForm = (text: string): string =>
  text
    .replace(/\\(?:text|mathrm|textrm|mbox|mathbf|textbf|operatorname)\s*\{([^{}]*)\}/gu, "$1")
    .replace(/\\[dtc]frac/gu, "\\frac")
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replace(/[\s{}]+/gu, "");

function isEqual(a: AnswerPart, b: AnswerPart, options: EqualityOptions): boolean {
  const [x, y] = [a.read, b.read];
  if (a.text !== "" && a.text === b.text && x.kind === y.kind) return true;
  if (x.kind === "expression" && y.kind === "expression") {
    // A unit on one side is no contradiction to none on the other.
    if (a.unit !== undefined && b.unit !== undefined && a.unit !== b.unit) return false;
    return isSameValue(x, y, options);
  }
  if (x.kind === "text" || y.kind === "text") return false;
  if (x.kind === "set" && y.kind === "expression") return isEqual(b, a, options);
  if (x.kind === "expression" && y.kind === "set")
    return y.items.length === 1 && isEqual(a, y.items[0] as AnswerPart, options);
  if (x.kind === "expression" || y.kind === "expression" || x.kind !== y.kind) return false;
  if (x.items.length !== y.items.length) return false;
  if (x.kind === "tuple" && y.kind === "tuple")
    return (
      x.open === y.open &&
      x.close === y.close &&
      x.items.every((item, at) => isEqual(item, y.items[at] as AnswerPart, options))
    );
  return areSameMembers(x.items, y.items, options);
}

/** In any order. */
function areSameMembers(
  a: readonly AnswerPart[],
  b: readonly AnswerPart[],
  options: EqualityOptions,
): boolean {
  const left = [...b];
  return a.every((item) => {
    const at = left.findIndex((other) => isEqual(item, other, options));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Places at which expressions are compared; variables have other values at each. */
const places = [0.7371, 1.9137, -0.6113, 2.3771, -1.4291, 0.2713, 3.1133];

type ReadExpression = Extract<MathAnswer, { readonly kind: "expression" }>;

/** Expressions are the same when they are so wherever they are looked at. */
function isSameValue(x: ReadExpression, y: ReadExpression, { abs, rel }: EqualityOptions): boolean {
  const whole = /^[-+]?\d+$/u;
  if (whole.test(x.text) && whole.test(y.text) && x.scale === y.scale && abs === 0)
    if (BigInt(x.text) === BigInt(y.text)) return true;
    else if (x.text.length > 15 || y.text.length > 15) return false;
  const variables = [...new Set([...x.value.variables, ...y.value.variables])].sort();
  const at = (place: number) => (name: string) => place + 0.3719 * variables.indexOf(name);
  let seen = 0;
  for (const place of variables.length === 0 ? [0] : places) {
    const [a, b] = [x.value.evaluate(at(place)) * x.scale, y.value.evaluate(at(place)) * y.scale];
    if (Number.isNaN(a) && Number.isNaN(b)) continue;
    if (!Number.isFinite(a) || !Number.isFinite(b)) {
      if (a !== b || !x.value.isInfinite || !y.value.isInfinite) return false;
    } else if (Math.abs(a - b) > Math.max(abs, rel * Math.max(Math.abs(a), Math.abs(b)), 1e-12)) return false;
    seen++;
  }
  return seen > 0;
}
