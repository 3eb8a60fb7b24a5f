/**
 * Options as a program gives them, checked by name and kind: a name that means nothing is told with what it may have been meant for.
 * Each record of options has one table, whose keys are those of its type: one that is added to the type is missing in the table.
 */
import { editDistance, nearest } from "../diagnostics/nearest.ts";
import { harnError } from "./errors.ts";
import type { ScriptSource } from "./types.ts";

/** What an option takes, in words, and whether it is that. */
export interface Kind {
  readonly words: string;
  fits(value: unknown): boolean;
  /** What of a value does not fit, where that is not all of it: said of the option `name`. */
  readonly culprit?: (name: string, value: unknown) => string | undefined;
}

const kind = (words: string, fits: (value: unknown) => boolean, culprit?: Kind["culprit"]): Kind => ({
  words,
  fits,
  ...(culprit === undefined ? {} : { culprit }),
});

const isPlainRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const text = kind("a text that is not empty", (value) => typeof value === "string" && value !== "");
const nameForm = /^[A-Za-z0-9_.-]{1,100}$/;
/** Of a run, and of a flow. `last` is the newest run on a command line; `.` and `..` are folders. */
export const name = kind(
  "a name of 1 to 100 letters, digits, `_`, `-` and `.` that is not `last`",
  (value) => typeof value === "string" && nameForm.test(value) && !["last", ".", ".."].includes(value),
);
export const anyText = kind("a text", (value) => typeof value === "string");
export const bool = kind("true or false", (value) => typeof value === "boolean");
export const fn = kind("a function", (value) => typeof value === "function");
export const anything = kind("any value", () => true);
export const record = kind("an object", isPlainRecord);
export const signal = kind("an AbortSignal", (value) => value instanceof AbortSignal);
export const schema = kind(
  "a schema that follows Standard Schema (zod, valibot, arktype)",
  (value) => value !== null && ["object", "function"].includes(typeof value) && "~standard" in Object(value),
);
export const countFrom = (least: number): Kind =>
  kind(`a whole number from ${least}`, (value) => Number.isSafeInteger(value) && (value as number) >= least);
export const oneOfWords = (...words: readonly unknown[]): Kind => {
  const expected = words.map((word) => JSON.stringify(word)).join(", ");
  const isWord = (value: unknown): boolean => words.includes(value);
  const texts = words.filter((word) => typeof word === "string");
  // A word that is none of them is no secret.
  return kind(expected, isWord, (name, value) => {
    if (typeof value !== "string" || value.length > 20) return undefined;
    const near = nearest(value, texts);
    const meant = near === undefined ? "" : `: did you mean ${JSON.stringify(near)}?`;
    return `\`${name}\` is ${JSON.stringify(value)}, expected ${expected}${meant}`;
  });
};
/** A word that is nearly `memory` would be the name of a folder. */
const isMisspelt = (value: string): boolean =>
  value !== "memory" && /^\w{5,}$/.test(value) && editDistance(value.toLowerCase(), "memory", 2) <= 2;
export const store = kind(
  'a folder, "memory", or false',
  (value) => value === false || (typeof value === "string" && value !== "" && !isMisspelt(value)),
  (name, value) =>
    typeof value === "string" && value !== ""
      ? `\`${name}\` is ${JSON.stringify(value)}: did you mean "memory"? A folder of that name is "./${value}"`
      : undefined,
);
export const listOfKind = (one: Kind): Kind =>
  kind(
    `a list, each ${one.words}`,
    (value) => Array.isArray(value) && value.every((item) => one.fits(item)),
    (name, value) => {
      const at = Array.isArray(value) ? value.findIndex((item) => !one.fits(item)) : -1;
      return at < 0 ? undefined : optionProblem(`${name}[${at}]`, (value as unknown[])[at], one);
    },
  );
export const textsByName = kind(
  "an object of texts",
  (value) => isPlainRecord(value) && Object.values(value as object).every((one) => typeof one === "string"),
  (name, value) => {
    const [key, one] = Object.entries(value ?? {}).find(([, one]) => typeof one !== "string") ?? [];
    return isPlainRecord(value) && key !== undefined
      ? optionProblem(`${name}.${key}`, one, anyText)
      : undefined;
  },
);
export const eitherKind = (...kinds: readonly Kind[]): Kind =>
  kind(
    kinds.map(({ words }) => words).join(", or "),
    (value) => kinds.some((one) => one.fits(value)),
    (name, value) => {
      for (const { culprit } of kinds) {
        const found = culprit?.(name, value);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  );
export const tool = kind(
  "what `tool({…})` gives",
  (value) => isPlainRecord(value) && typeof (value as { call?: unknown }).call === "function",
);

export const iterable = kind("a list, or what else can be gone through", (value) =>
  isFunction(Object(value)[Symbol.iterator]),
);
const isFunction = (value: unknown): boolean => typeof value === "function";
export const harn = kind(
  "what `harn()` gives",
  (value) => isPlainRecord(value) && isFunction((value as { agent?: unknown }).agent),
);
export const run = kind(
  "a run: what `h.run`, `h.agent` and their like give",
  (value) =>
    isPlainRecord(value) &&
    isFunction((value as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator]) &&
    "done" in (value as object),
);

const eachTool = listOfKind(tool);
const nameTwice = (value: unknown): string | undefined => {
  const names = (value as readonly { readonly name: string }[]).map(({ name }) => name);
  return names.find((name, at) => names.indexOf(name) !== at);
};
/** A list of tools: of two of one name only one could be called. */
export const tools = kind(
  eachTool.words,
  (value) => eachTool.fits(value) && nameTwice(value) === undefined,
  (name, value) =>
    eachTool.fits(value)
      ? `two tools of \`${name}\` are called \`${nameTwice(value)}\``
      : eachTool.culprit?.(name, value),
);

const isFile = (value: unknown): boolean => value instanceof URL && value.protocol === "file:";
/** A script that is given as its text. */
const textKinds: Kinds<Extract<ScriptSource, { readonly text: string }>> = { text: anyText, name: text };
const isText = (value: unknown): boolean => isPlainRecord(value) && !(value instanceof URL);
export const source = kind(
  "a path, a URL of a file, or {text}",
  (value) =>
    text.fits(value) ||
    isFile(value) ||
    (isText(value) && givenProblems(value, textKinds, ["text"]).length === 0),
  (name, value) =>
    isText(value) ? `${name}: ${givenProblems(value, textKinds, ["text"]).join("; ")}` : undefined,
);
/** An argument that may be missing. */
export const leftOut = kind("nothing", (value) => value === undefined);
const isNamed = (value: unknown): boolean => text.fits(value) || isFile(value);
export const recorded = kind("the name of a run, or a URL of a file", isNamed);
export const file = kind("a path, or a URL of a file", isNamed);

/** An argument that has a place of its own. */
export function checkWord(where: string, what: string, value: unknown, { words, fits, culprit }: Kind): void {
  if (fits(value)) return;
  const problem = culprit?.(what, value) ?? `${what} is ${shownGiven(value)}, expected ${words}`;
  throw harnError("HARN-LIB-001", `${where}: ${problem}`);
}

/** The table of a record of options. */
export type Kinds<T> = { readonly [K in keyof Required<T>]: Kind };

/** The names that others give to options, and what they are here. */
export type Elsewhere = ReadonlyMap<string, string>;

/** Throws a `HarnError` that names every option that is wrong. `where`: `harn`, `h.run`, …; `needed`: those without which nothing goes. */
export function checkGiven<T>(
  where: string,
  given: unknown,
  kinds: Kinds<T>,
  needed: readonly (keyof T & string)[] = [],
): void {
  const problems = givenProblems(given, kinds, needed);
  if (problems.length > 0) throw harnError("HARN-LIB-001", `${where}: ${problems.join("; ")}`);
}

function givenProblems<T>(given: unknown, kinds: Kinds<T>, needed: readonly (keyof T & string)[]): string[] {
  const problems = problemsOf(given, kinds);
  for (const name of needed)
    if (isPlainRecord(given) && (given as { [name: string]: unknown })[name] === undefined)
      problems.push(`\`${name}\` is missing: ${kinds[name].words}`);
  return problems;
}

/** Those of an agent: of its table, checked, and those that somebody else checks: the rows of `agent_loop`. */
export function agentOptions<T>(
  where: string,
  options: unknown,
  kinds: Kinds<T>,
): { readonly own: T; readonly loop: { readonly [name: string]: unknown } } {
  const isOwn = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(kinds, name);
  const all = isPlainRecord(options) ? Object.entries(options as object) : [];
  const own = Object.fromEntries(all.filter(isOwn));
  const loop = Object.fromEntries(all.filter((entry) => !isOwn(entry)));
  const problems = problemsOf(isPlainRecord(options) ? own : options, kinds);
  if (isPlainRecord(options) && Object.hasOwn(kinds, "prompt") && own.prompt === undefined) {
    const texts = Object.keys(loop).filter((name) => typeof loop[name] === "string");
    const near = nearest("prompt", texts, 2);
    problems.push(near === undefined ? "`prompt` is missing: a text" : noSuchOption(near, "prompt", ""));
  }
  if (problems.length > 0) throw harnError("HARN-LIB-001", `${where}: ${problems.join("; ")}`);
  return { own: own as T, loop };
}

/** What is wrong with each option, in words. */
export function problemsOf<T>(given: unknown, table: Kinds<T>, elsewhere: Elsewhere = new Map()): string[] {
  const kinds = table as { readonly [name: string]: Kind };
  if (!isPlainRecord(given)) return [`the options are ${shownGiven(given)}, not an object`];
  const known = Object.keys(kinds);
  return Object.entries(given as object).flatMap(([name, value]) => {
    if (!Object.hasOwn(kinds, name)) {
      const near = elsewhere.get(name) ?? nearest(name, known);
      return [noSuchOption(name, near, `there are ${known.join(", ")}`)];
    }
    const kind = kinds[name] as Kind;
    return value === undefined || kind.fits(value) ? [] : [optionProblem(name, value, kind)];
  });
}

const optionProblem = (name: string, value: unknown, { culprit, words }: Kind): string =>
  culprit?.(name, value) ?? `\`${name}\` is ${shownGiven(value)}, expected ${words}`;

/** `otherwise`: what to say where nothing is near. */
export const noSuchOption = (name: string, near: string | undefined, otherwise: string): string =>
  `there is no option \`${name}\`${near === undefined ? `; ${otherwise}` : `, did you mean \`${near}\`?`}`;

/** A value in a message: short, and never its contents, which may be a secret. */
function shownGiven(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null || ["boolean", "number", "undefined"].includes(typeof value)) return String(value);
  if (Array.isArray(value)) return "a list";
  return value === "" ? "an empty text" : `a${typeof value === "object" ? "n object" : ` ${typeof value}`}`;
}
