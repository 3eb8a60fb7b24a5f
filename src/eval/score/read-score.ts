/** The forms of a score: true, 0.7, nil, a label, or a dict; anything else leaves the trial unscored by that scorer. */
import {
  Dict,
  display,
  Float,
  isInt,
  List,
  numberValue,
  type ScriptError,
  textOf,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { evalWords } from "../eval-error.ts";
import { combineDraws, type Score, type ScoreError } from "../plan/index.ts";
import { numbersDict } from "./scorer-kind.ts";

/** `{scorer, draw, value, pass, label, answer, why, parts, meta, error}`. */
export const scoreDict = (score: Score): Dict =>
  Dict.of({
    scorer: score.scorer,
    draw: score.draw,
    value: score.value === null ? null : numberValue(score.value),
    pass: score.pass,
    label: score.label,
    answer: score.answer,
    why: score.why,
    parts: numbersDict(score.parts),
    meta: score.meta,
    error: score.error === null ? null : Dict.of({ code: score.error.code, message: score.error.message }),
  });

/** One draw as it is; several as their verdict, with `draws`. */
export function scoredDict(draws: readonly Score[]): Value {
  const [first] = draws;
  const combined = combineDraws(draws);
  if (first === undefined || combined === undefined) return null;
  if (draws.length === 1) return scoreDict(first);
  return scoreDict({ ...first, ...combined, label: null, draw: draws.length }).with(
    "draws",
    new List(draws.map(scoreDict)),
  );
}

export interface ScoreFor {
  /** Name of the scorer. */
  readonly scorer: string;
  /** From where a value passes; 1 for null. */
  readonly threshold: number | null;
  readonly draw: number;
}

const maxWhy = 100_000;
const keys = new Set(["value", "pass", "label", "answer", "why", "parts", "meta", "error"]);

const empty = {
  value: null,
  pass: null,
  label: null,
  answer: null,
  why: null,
  parts: {},
  meta: null,
  error: null,
} as const;

/** The number of a score: what it says, or that of its verdict. Undefined: it is no number. */
function scoreValue(raw: Value, pass: boolean | null): number | null | undefined {
  if (typeof raw === "boolean") return Number(raw);
  if (raw !== null) return finite(raw);
  return pass === null ? null : Number(pass);
}

/** What a scorer gave, as a score. */
export function scoreFrom(input: Value, { scorer, threshold, draw }: ScoreFor): Score {
  const base = { ...empty, scorer, draw };
  const passes = (value: number): boolean => value >= (threshold ?? 1);
  if (input === null) return base;
  if (typeof input === "boolean") return { ...base, value: input ? 1 : 0, pass: input };
  if (typeof input === "string") return { ...base, label: input };
  const number = finite(input);
  if (number !== undefined) return { ...base, value: number, pass: passes(number) };
  if (!(input instanceof Dict)) return { ...base, error: wrongForm(scorer, shown(input)) };

  const unknown = input.keys().find((key) => !keys.has(key));
  if (unknown !== undefined) return { ...base, error: wrongForm(scorer, `a dict with the key ${unknown}`) };
  if (!["value", "pass", "label", "error"].some((key) => input.has(key)))
    return { ...base, error: wrongForm(scorer, "a dict without a value") };
  const raw = input.get("value") ?? null;
  const said = input.get("pass") ?? null;
  if (said !== null && typeof said !== "boolean")
    return { ...base, error: wrongForm(scorer, `a dict whose pass is ${typeOf(said)}`) };
  const value = scoreValue(raw, said);
  if (value === undefined)
    return { ...base, error: wrongForm(scorer, `a dict whose value is ${shown(raw)}`) };
  const parts = partsOf(input.get("parts") ?? null);
  if (!("numbers" in parts)) return { ...base, error: wrongForm(scorer, wrongPart(parts)) };
  const meta = input.get("meta") ?? null;
  const why = input.get("why") ?? null;
  const label = input.get("label") ?? null;
  return {
    ...base,
    value,
    pass: said ?? (value === null ? null : passes(value)),
    label: label === null ? null : display(label),
    answer: input.get("answer") ?? null,
    why: why === null ? null : cut(display(why)),
    parts: parts.numbers,
    meta: meta instanceof Dict ? meta : null,
    error: errorIn(input.get("error") ?? null),
  };
}

/** What a scorer threw: the trial is unscored by it. */
export const failedScore = (scorer: string, error: ScriptError): Score => ({
  ...empty,
  scorer,
  draw: 1,
  error: { code: error.code === "" ? null : error.code, message: cut(thrownText(error.value)) },
});

function thrownText(value: Value): string {
  const message = value instanceof Dict ? value.get("message") : null;
  return typeof message === "string" ? message : textOf(value);
}

const cut = (text: string): string => (text.length <= maxWhy ? text : `${text.slice(0, maxWhy)}…`);

function finite(value: Value): number | undefined {
  if (isInt(value)) return Number(value);
  return value instanceof Float && Number.isFinite(value.value) ? value.value : undefined;
}

const shown = (value: Value): string => (value instanceof Float ? display(value) : typeOf(value));

const wrongForm = (scorer: string, got: string): ScoreError => ({
  code: "HARN-EVL-032",
  message: evalWords("HARN-EVL-032", { scorer, got }),
});

/** Numbers by name, or the first part that is none with what it is. */
function partsOf(input: Value): { numbers: Record<string, number> } | { part: string; got: string } {
  if (!(input instanceof Dict)) return { numbers: {} };
  const parts: [string, number][] = [];
  for (const [name, part] of input.entries()) {
    const number = typeof part === "boolean" ? Number(part) : finite(part);
    if (part === null) continue;
    if (number === undefined) return { part: name, got: shown(part) };
    parts.push([name, number]);
  }
  return { numbers: Object.fromEntries(parts) };
}

const wrongPart = ({ part, got }: { readonly part: string; readonly got: string }): string =>
  `a dict whose part ${part} is ${got}, not a number`;

/** `{code, message}` of scorers that know why they could not score: judges. */
function errorIn(input: Value): ScoreError | null {
  if (input === null) return null;
  if (!(input instanceof Dict)) return { code: null, message: display(input) };
  const code = input.get("code") ?? null;
  return { code: code === null ? null : display(code), message: display(input.get("message") ?? null) };
}
