/**
 * Rows of flags. From them come commander's options, the types of what commands take (`FlagsOf`), what is said of a wrong value,
 * completions and the pages. The names are those of rows of options (`src/table/rows.ts`).
 */
import { durationMs } from "../../values/index.ts";
import { UsageError } from "./usage-error.ts";

export interface Flag<T = unknown, Needed extends boolean = boolean> {
  /** What the help calls its value; a flag without one is a switch. */
  readonly value?: string;
  readonly doc: string;
  /** `-q` */
  readonly short?: string;
  /** It has no long name. */
  readonly shortOnly?: true;
  /** The values that there are. */
  readonly choices?: readonly string[];
  /** What a text means; `name` is the flag's own, for what is said of a text that it can't be. */
  readonly read?: (text: string, name: string) => T;
  /** What it comes to when it is given again; without it the last one counts. */
  again?(before: T, now: T): T;
  /** Its value may be left out, which gives true. */
  readonly bare?: true;
  /** There is `--no-NAME`, which gives false; this is what it is for. Without a value it is all there is. */
  readonly off?: string;
  readonly preset?: T;
  readonly needed: Needed;
}

export type Flags = { readonly [key: string]: Flag };

type ValueOf<F> = F extends Flag<infer T, boolean> ? T : never;

type NeededKeys<F extends Flags> = {
  [K in keyof F]: F[K] extends Flag<unknown, infer N> ? (N extends true ? K : never) : never;
}[keyof F];

/** What a command gets of its flags. */
export type FlagsOf<F extends Flags> = { readonly [K in NeededKeys<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, NeededKeys<F>>]?: ValueOf<F[K]>;
};

/** `llmMock` is `--llm-mock`. */
export const flagName = (key: string): string =>
  `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

interface Naming {
  readonly short?: string;
  readonly shortOnly?: true;
}

const wrong = (name: string, expected: string, text: string): UsageError =>
  new UsageError(`${name}: expected ${expected}, got ${text === "" ? '""' : text}`, "HARN-CLI-003");

export const bool = (doc: string, naming: Naming = {}): Flag<boolean, false> => ({
  doc,
  ...naming,
  needed: false,
});

/** A switch that is there only to turn something off: `--no-score`. */
export const off = (doc: string): Flag<false, false> => ({ doc, off: doc, needed: false });

export const text = (value: string, doc: string, naming: Naming = {}): Flag<string, false> => ({
  value,
  doc,
  ...naming,
  needed: false,
});

/** A file or a folder. */
export const path = text;

/** A whole number. */
export function int(
  value: string,
  doc: string,
  { min = 1, max, ...naming }: Naming & { readonly min?: number; readonly max?: number } = {},
): Flag<number, false> {
  const expected = `a whole number from ${min} ${max === undefined ? "on" : `to ${max}`}`;
  const read = (said: string, name: string): number => {
    const number = Number(said);
    if (/^\d+$/.test(said) && Number.isSafeInteger(number) && number >= min && number <= (max ?? number))
      return number;
    throw wrong(name, expected, said);
  };
  return { value, doc, ...naming, read, needed: false };
}

/** A number from 0 on. */
export const number = (value: string, doc: string): Flag<number, false> => ({
  value,
  doc,
  read: flagNumber,
  needed: false,
});

/** Dollars: `5`, `$0.50`. */
export const money = (value: string, doc: string): Flag<number, false> => ({
  value,
  doc,
  read: (said, name) => flagNumber(said.replace(/^\$/u, ""), name),
  needed: false,
});

function flagNumber(said: string, name: string): number {
  const number = Number(said);
  if (said.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw wrong(name, "a number from 0 on", said);
}

/** Milliseconds; a number alone means seconds. */
export const duration = (
  value: string,
  doc: string,
  { min = 1 }: { readonly min?: number } = {},
): Flag<number, false> => ({
  value,
  doc,
  read: (said, name) => {
    const ms = durationMs(said, "s");
    if (ms !== undefined && ms >= min) return ms;
    throw wrong(name, "a duration such as 500ms, 90s, 5m or 2h", said);
  },
  needed: false,
});

/** One of some words. */
export const oneOf = <const W extends readonly string[]>(
  value: string,
  doc: string,
  choices: W,
): Flag<W[number], false> => ({
  value,
  doc,
  choices,
  read: (said, name) => {
    if (choices.includes(said)) return said;
    throw wrong(name, `one of ${choices.join(", ")}`, said);
  },
  needed: false,
});

/** Given several times, or with commas: a list. */
export const names = (value: string, doc: string): Flag<readonly string[], false> => ({
  value,
  doc,
  read: (said) => said.split(",").filter((part) => part !== ""),
  again: (before, now) => [...before, ...now],
  needed: false,
});

/** Given several times: a list of texts as they are. */
export const many = (value: string, doc: string): Flag<readonly string[], false> => ({
  ...names(value, doc),
  read: (said) => [said],
});

/** `NAME=VALUE`, given several times. `value` is what the help calls it: "name=value". */
export const pairs = (value: string, doc: string): Flag<Readonly<Record<string, string>>, false> => ({
  value,
  doc,
  read: (said, name) => {
    const at = said.indexOf("=");
    if (at < 1) throw wrong(name, value.toUpperCase(), said);
    return Object.fromEntries([[said.slice(0, at), said.slice(at + 1)]]);
  },
  again: (before, now) => ({ ...before, ...now }),
  needed: false,
});

/** Given several times: one text with commas. */
export const joined = (value: string, doc: string): Flag<string, false> => ({
  ...text(value, doc),
  again: (before, now) => `${before},${now}`,
});

/** Its value may be left out. */
export const orBare = <T>(flag: Flag<T, false>): Flag<T | true, false> =>
  ({ ...flag, bare: true }) as Flag<T | true, false>;

/** It can be turned off as well. */
export const orOff = <T>(flag: Flag<T, false>, doc: string): Flag<T | false, false> =>
  ({ ...flag, off: doc }) as Flag<T | false, false>;

/** The command needs it. */
export const needed = <T>(flag: Flag<T, false>): Flag<T, true> => ({ ...flag, needed: true });

/** What a flag comes to with one text more. */
export function flagValue<T>(flag: Flag<T>, name: string, said: string, before: T | undefined): T {
  const now = flag.read === undefined ? (said as T) : flag.read(said, name);
  return before === undefined || flag.again === undefined ? now : flag.again(before, now);
}
