/**
 * Field rows: what the dict parameters of builtins, and the dicts inside them, are made of. Everything that is known
 * about an option comes from its row: reading and refusing it (`field-check.ts`), the report of names that mean nothing,
 * `harn check`, `harn doc NAME` and the reference page.
 *
 * A table is made when somebody first asks for its rows: the start of a run makes none.
 */
import type { CalledWith } from "./known-keys.ts";

/** One key of a dict. A key that is absent or nil has its default; a key that begins with `_` is a program's own note. */
export interface Field {
  readonly name: string;
  /** In the syntax of signatures: `int`, `list<string> | string`, `dict<string, dict>`. Nil always fits. */
  readonly type: string;
  /** The texts that it may be, where it is a text. */
  readonly values?: readonly string[];
  /** As a script writes it; absent: nil, or said in `doc`. */
  readonly default?: string;
  /** Least and greatest number, both included; `null` for no bound. */
  readonly range?: readonly [least: number | null, greatest: number | null];
  /** The one bool that it may be. */
  readonly only?: boolean;
  /** It has to be given. */
  readonly required?: boolean;
  /** It is no empty text. */
  readonly filled?: boolean;
  /** One sentence. */
  readonly doc: string;
  /** What to use instead. */
  readonly deprecated?: string;
  /** The version that brought it. */
  readonly since?: string;
  /** Rows of the dict that it is, of those in its list, or of the values of a `dict<string, dict>`. */
  readonly nested?: FieldTable;
  /**
   * It bounds money, time, tools, paths, network or approval: a misspelling of it, and unknown keys inside it, are errors.
   */
  readonly bounds?: boolean;
  /** What a loop is built around when it begins: its callbacks can't change it while the loop runs. */
  readonly fixed?: boolean;
  /** What the function under it is called with. For the checker. */
  readonly calledWith?: () => CalledWith;
  /** What it means nothing without, at one of its texts. */
  readonly needs?: FieldNeed;
  /** Of an option of agents: what becomes of it for those that work for the agent. A row without one is as the dict that it stands in. */
  readonly below?: Below;
  /** Other names that it may be given by. */
  readonly aliases?: readonly string[];
  /** Never shown, in no message. */
  readonly secret?: boolean;
  /** Why it may be of any type. */
  readonly why?: string;
  /** What its elements are, or the values of its names. */
  readonly item?: Omit<Field, "name">;
  /** What it may be, one by one, where its type is a union. */
  readonly forms?: readonly Omit<Field, "name">[];
  /** Sets that it is in. Who takes or leaves some options of a table names their set (`FieldTable.set`), never the options. */
  readonly sets?: readonly string[];
}

/**
 * What becomes of an agent's option for its delegates, sub-agents and workers: it holds for all of them, whatever they say; all
 * sub-agents, or only delegates for parts of its work, have it unless they say otherwise; or it ends with the agent, because.
 */
export type Below = "holds" | "sub-agents" | "delegates" | { readonly ends: string };

/** A text that means something only where the outermost dict has an option of a set too. */
export interface FieldNeed {
  readonly value: string;
  readonly from: string;
  /** What is missing and what to do, after "PATH is VALUE, but ". */
  readonly otherwise: string;
}

export interface FieldTableMore {
  /** The dict bounds something itself: every unknown key is an error. */
  readonly strict?: boolean;
  /**
   * Keys may have other names too, and why: "a provider's name: fields of its request body". What looks like a misspelling
   * is reported all the same.
   */
  readonly others?: string;
  /** What stands under such a name; anything unless given. */
  readonly othersType?: string;
  /** The reader of the dict refuses unknown names itself, in documented words: a run does not report them before. */
  readonly refusedByReader?: boolean;
  /** The rows are about the dicts of a list only, or about a dict only, where a parameter may be either. */
  readonly form?: "list" | "dict";
  /** And its wrong types: a run does not look at them before. */
  readonly typedByReader?: boolean;
  /** Names that people write, from elsewhere, and the rows that they mean: no misspellings, so suggested as such. */
  readonly meant?: Readonly<Record<string, string>>;
  /** It has the rows of the dict that it stands in, too: pages do not list these again. */
  readonly takesOuterRows?: boolean;
}

/**
 * For tables of model options: vendors' own fields may stand under a provider's name, and are known at run time only. Here
 * because a table takes it when it is made, and making one must not load the agents.
 */
export const providerBodies = {
  others: "a provider's name: fields of the body of requests to it",
  othersType: "dict",
} as const satisfies FieldTableMore;

/** The rows of one dict. */
export class FieldTable {
  readonly strict: boolean;
  readonly others: string | undefined;
  readonly othersType: string;
  readonly refusedByReader: boolean;
  readonly typedByReader: boolean;
  readonly takesOuterRows: boolean;
  readonly form: "list" | "dict" | undefined;
  private readonly meant: ReadonlyMap<string, string>;
  private readonly read: () => readonly Field[];
  private made: ReadonlyMap<string, Field> | undefined;
  private readonly madeSets = new Map<string, ReadonlySet<string>>();

  constructor(read: () => readonly Field[], more: FieldTableMore = {}) {
    this.read = read;
    this.strict = more.strict === true;
    this.others = more.others;
    this.othersType = more.othersType ?? "any";
    this.form = more.form;
    this.meant = new Map(Object.entries(more.meant ?? {}));
    this.typedByReader = more.typedByReader === true;
    this.takesOuterRows = more.takesOuterRows === true;
    this.refusedByReader = more.refusedByReader === true;
  }

  private get byName(): ReadonlyMap<string, Field> {
    this.made ??= new Map(this.read().map((row) => [row.name, row]));
    return this.made;
  }

  /** As they were written. */
  get declared(): readonly Field[] {
    return this.read();
  }

  get rows(): readonly Field[] {
    return [...this.byName.values()];
  }

  get(name: string): Field | undefined {
    return this.byName.get(name);
  }

  /** What a name that no row has means elsewhere; `undefined` for others. */
  meaningOf(name: string): string | undefined {
    return this.meant.get(name);
  }

  names(): Iterable<string> {
    return this.byName.keys();
  }

  /** The names of the rows that are in this set, in the order of the table. Throws when none is. */
  set(name: string): ReadonlySet<string> {
    const known = this.madeSets.get(name);
    if (known !== undefined) return known;
    const names = this.rows.filter(({ sets }) => sets?.includes(name) === true).map((row) => row.name);
    if (names.length === 0) throw new Error(`no field is in the set ${name}`);
    const made = new Set(names);
    this.madeSets.set(name, made);
    return made;
  }
}

/** The table of rows that `read` gives; called once, when they are first needed. */
export const fieldTable = (read: () => readonly Field[], more?: FieldTableMore): FieldTable =>
  new FieldTable(read, more);

type FieldMore = Omit<Field, "name" | "type" | "doc">;

/** A row, shorter to write. */
export const field = (name: string, type: string, doc: string, more?: FieldMore): Field => ({
  name,
  type,
  doc,
  ...more,
});

/** Rows that are handed down in the same way; one that says otherwise itself is left. */
export const below = (what: Below, rows: readonly Field[]): readonly Field[] =>
  rows.map((row) => ({ below: what, ...row }));

/** The rows of another table, without some: options that are handed on. */
export const fieldRowsOf = (table: FieldTable, ...without: readonly string[]): readonly Field[] =>
  table.rows.filter((row) => !without.includes(row.name));

/**
 * What a parameter of a builtin that takes a dict says about it: its rows; or, in words, why it has none: it takes data
 * of any shape, or a handle that another builtin made.
 */
export type DictParam = (() => FieldTable) | string;
