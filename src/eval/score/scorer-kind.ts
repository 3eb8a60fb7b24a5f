/** What a scorer of the table is, and what it gets to look at. */
import type { Task } from "../../interp/index.ts";
import { type At, type Read, type Rows, type RowTable, row, rows } from "../../table/index.ts";
import {
  Callable,
  type Dict,
  Dict as DictValue,
  display,
  Float,
  invoke1,
  isInt,
  List,
  type MaybePromise,
  numberValue,
  runtimeError,
  type Value,
} from "../../values/index.ts";
import type { ScorerNeed } from "../plan/index.ts";

/** What lies beside this folder: engines that scorers use. */
export interface ScorerTools {
  /** The first match of a regular expression (linear time): groups by number from 0 and by name; undefined for none. */
  find(
    task: Task,
    pattern: string,
    text: string,
  ):
    | { readonly groups: readonly (string | undefined)[]; readonly names: ReadonlyMap<string, number> }
    | undefined;
  /** The groups of a regular expression; throws when it is none. */
  groups(
    task: Task,
    pattern: string,
  ): { readonly count: number; readonly names: ReadonlyMap<string, number> };
  /** What changed from one text to another, as a unified diff. */
  diff(task: Task, before: string, after: string, name: string): string;
}

/** `A`: what the rows of its kind read. */
export interface ScorerInput<A = unknown> {
  readonly task: Task;
  readonly tools: ScorerTools;
  readonly outcome: Dict;
  readonly sample: Dict;
  readonly args: A;
}

interface KindMore<A> {
  /** From where a value passes, where the arguments say nothing else; 1. */
  readonly threshold?: number;
  readonly needs?: readonly ScorerNeed[];
  /** What can be said of the arguments before there is an outcome, beyond names and types: throws what is wrong. */
  check?(made: Pick<ScorerInput<A>, "task" | "tools" | "args">, place: At): void;
  /** What can be said of a sample before there is an outcome: what its `target` must be, where it is something else. */
  lookAt?(made: Pick<ScorerInput<A>, "args" | "sample">): string | undefined;
  /** A score in any of its forms; throws what leaves the trial unscored. */
  score(input: ScorerInput<A>): MaybePromise<Value>;
}

/** A scorer of the table, as builtins are: a row each. */
export interface ScorerKind extends KindMore<unknown> {
  readonly fields: RowTable<Rows>;
}

/** The kind of these rows. */
export const scorerKind = <R extends Rows>(make: () => R, more: KindMore<Read<RowTable<R>>>): ScorerKind => ({
  fields: rows(make, { strict: true }) as unknown as RowTable<Rows>,
  ...(more as KindMore<unknown>),
});

/** What the rows of a kind read. */
export type ScorerArguments<M extends () => Rows> = Read<RowTable<ReturnType<M>>>;

export const expectedRow = (doc: string) =>
  row.value(doc, "a value, or a function of the sample that gives it");

export type ExpectedInput = ScorerInput<{ readonly expected: Value }>;

/** What is judged: the outcome's text. */
export function answerText({ outcome }: ScorerInput): string {
  const text = outcome.get("text") ?? null;
  return typeof text === "string" ? text : text === null ? "" : display(text);
}

/** The argument `expected`, or what its closure gives for the sample; without one the sample's target. */
export async function expectedValue({ args, sample, task }: ExpectedInput): Promise<Value> {
  const { expected } = args;
  if (expected instanceof Callable) return await invoke1(task, expected, sample);
  if (expected !== null) return expected;
  const target = sample.get("target") ?? null;
  if (target === null)
    throw runtimeError("nothing to compare with: the scorer has no `expected` and the sample no `target`");
  return target;
}

/** One or a list of accepted ones. */
export async function acceptedValues(input: ExpectedInput): Promise<readonly Value[]> {
  const value = await expectedValue(input);
  return value instanceof List ? value.toArray() : [value];
}

export async function acceptedTexts(input: ExpectedInput): Promise<string[]> {
  return (await acceptedValues(input)).map((value) => display(value));
}

/** A score: `why` only where it says something. */
export function verdict(
  pass: boolean,
  more: { why?: string; answer?: Value; parts?: Readonly<Record<string, number>> } = {},
): Dict {
  let score = DictValue.of({ value: pass ? 1 : 0, pass });
  if (more.why !== undefined && !pass) score = score.with("why", more.why);
  if (more.answer !== undefined) score = score.with("answer", more.answer);
  if (more.parts !== undefined) score = score.with("parts", numbersDict(more.parts));
  return score;
}

export const unscored = (why: string): Dict => DictValue.of({ value: null, why });

export const numbersDict = (numbers: Readonly<Record<string, number>>): Dict =>
  DictValue.from(Object.entries(numbers).map(([name, value]) => [name, numberValue(value)] as const));

export function asNumber(value: Value): number | undefined {
  if (isInt(value)) return Number(value);
  return value instanceof Float ? value.value : undefined;
}

/** For messages: a text in quotes, cut. */
export const quotedText = (text: string): string =>
  JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`);
