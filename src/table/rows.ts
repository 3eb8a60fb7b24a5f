/**
 * Rows with types: a row says what an option is (type, bounds, default, documentation), the record that code works with is
 * inferred from the rows (`Read<typeof rows>`), and `readRows` reads any dict by them. Everything else that is known about
 * an option follows from the same row, which is a `Field` for pages and the checker (`fields.ts`).
 *
 *     export const verifyRows = rows(() => ({
 *       min_retention: number("The part of exact words that a summary must keep.", 0.9, { min: 0, max: 1 }),
 *       model: text("The model that asks."),
 *     }), { strict: true });
 *     export type VerifyOptions = Read<typeof verifyRows>; // { minRetention: number; model: string | null }
 *     const read = readRows(dict, verifyRows, at("agent_loop", "compaction.verify"));
 *
 * A key that is absent or nil reads as its default, or as null where there is none.
 */
import { type Callable, Dict, display, type List, ScriptError, thrown, type Value } from "../values/index.ts";
import { type At, inside } from "./at.ts";
import { amountOf, fitsOuter, mismatch, refusal, unknownKey, unknownOption } from "./field-mismatch.ts";
import { type Field, FieldTable, type FieldTableMore } from "./fields.ts";

type More = Partial<Omit<Field, "name" | "type" | "doc" | "default">>;

/** One option, or the elements of one: what it is, and what it reads as (`T`; `A` where it is absent). */
export class Row<T, A = null> {
  readonly field: Omit<Field, "name">;
  readonly absent: A;
  readonly isRequired: boolean;
  /** Reads a value of the right type; raises for what its type can't say. */
  readonly convert: (value: Value, place: At) => T;

  constructor(
    field: Omit<Field, "name">,
    absent: A,
    convert: (value: Value, place: At) => T,
    isRequired = false,
  ) {
    this.field = field;
    this.absent = absent;
    this.convert = convert;
    this.isRequired = isRequired;
  }

  /** The same but for some parts of it. */
  private but<U = T, B = A>(other: Partial<Pick<Row<U, B>, "field" | "absent" | "convert">>): Row<U, B> {
    const { field, absent, convert, isRequired } = { ...this, ...other } as unknown as Row<U, B>;
    return new Row(field, absent, convert, isRequired);
  }

  /** What is known of it besides: see `Field`. */
  with(more: More): Row<T, A> {
    return this.but({ field: { ...this.field, ...more } });
  }

  /** It bounds money, time, tools, paths, network or approval. */
  bounds(): Row<T, A> {
    return this.with({ bounds: true });
  }

  /** A running loop's callbacks can't change it. */
  fixed(): Row<T, A> {
    return this.with({ fixed: true });
  }

  /** Other names for it. Naming it twice is refused. */
  alias(...names: readonly string[]): Row<T, A> {
    return this.with({ aliases: names });
  }

  /** It has to be given. */
  required(): Row<T, never> {
    return new Row(this.field, undefined as never, this.convert, true);
  }

  /** Its value is never shown. */
  secret(): Row<T, A> {
    return this.with({ secret: true });
  }

  /** What it reads as where it is absent, when that is no default to show. */
  or<B>(absent: B): Row<T, B> {
    return this.but<T, B>({ absent });
  }

  /** The default in words, where it is no literal. */
  usually(text: string): Row<T, A> {
    return this.but({ field: { ...this.field, default: text } });
  }

  /** What its type can't say: `expected` in words, with the type. */
  where(expected: string, fits: (value: T) => boolean): Row<T, A> {
    const convert = (value: Value, place: At): T => {
      const read = this.convert(value, place);
      if (!fits(read)) throw refusal(place, expected, value, { secret: this.field.secret });
      return read;
    };
    return this.but({ convert });
  }

  /** Reads as something else, its default too. */
  to<U>(convert: (read: T, place: At) => U): Row<U, null extends A ? null : U> {
    const { absent } = this;
    const usual = absent === null || absent === undefined ? absent : convert(absent as unknown as T, nowhere);
    return this.but<U, null extends A ? null : U>({
      absent: usual as null extends A ? null : U,
      convert: (value, place) => convert(this.convert(value, place), place),
    });
  }

  /** It reads as null where it is absent. */
  orNull(): Row<T> {
    return new Row(this.field, null, this.convert);
  }

  /** Of a list: nil among its elements is a mistake. */
  full(): Row<T, A> {
    const { type } = this.field.item!;
    const convert = (value: Value, place: At): T => {
      const index = (value as List).toArray().indexOf(null);
      if (index >= 0) throw refusal(inside(place, `[${index}]`), type, null);
      return this.convert(value, place);
    };
    return this.but({ convert });
  }

  /** Checks and reads a value that is not nil. */
  read(value: Value, place: At): T {
    const { field } = this;
    const wrong = fitsOuter(field, value) ? leafMismatch(field, value) : field.type;
    if (wrong !== undefined) throw refusal(place, wrong, value, { secret: field.secret });
    return this.convert(value, place);
  }
}

/** Elements and forms are looked at where they are read, which knows their places. */
const leafMismatch = (field: Omit<Field, "name">, value: Value): string | undefined =>
  field.item === undefined && field.forms === undefined ? mismatch(field, value) : undefined;

const nowhere: At = { caller: "", path: "" };

type AnyRow = Row<unknown, unknown>;
export type Rows = Readonly<Record<string, AnyRow>>;

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

/** The record that the rows of a table read into: keys as TypeScript writes them. */
export type Read<T> = T extends RowTable<infer R> ? ReadRows<R> : never;
type ReadRows<R extends Rows> = {
  readonly [K in keyof R & string as Camel<K>]: R[K] extends Row<infer T, infer A>
    ? null extends A
      ? T | null
      : T
    : never;
};

/** What a row reads as, or the row that a function makes. */
export type ReadRow<F> = F extends (...args: never[]) => infer R
  ? ReadRow<R>
  : F extends Row<infer T, unknown>
    ? T
    : never;

/** A name of scripts as TypeScript writes it: `max_iterations`, `maxIterations`. */
export const camel = (name: string): string =>
  name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

interface ReadPlan {
  readonly byKey: ReadonlyMap<string, { readonly name: string; readonly as: string; readonly row: AnyRow }>;
  readonly absent: Readonly<Record<string, unknown>>;
  readonly required: readonly { readonly name: string; readonly as: string; readonly row: AnyRow }[];
}

export interface RowTableMore extends FieldTableMore {
  /** Further rows of the dict, for pages and the checker: somebody else reads them. */
  readonly beside?: (own: Iterable<string>) => readonly Field[];
}

/** A table of rows; made when somebody first asks for one. */
export class RowTable<R extends Rows> extends FieldTable {
  private readonly make: () => R;
  private typedRows: R | undefined;
  private planned: ReadPlan | undefined;

  constructor(make: () => R, more: RowTableMore = {}) {
    super(() => [...fieldsOf(this.typed), ...(more.beside?.(this.plan.byKey.keys()) ?? [])], more);
    this.make = make;
  }

  /** The rows as they were written. */
  get typed(): R {
    this.typedRows ??= this.make();
    return this.typedRows;
  }

  get plan(): ReadPlan {
    this.planned ??= planOf(this.typed);
    return this.planned;
  }

  /** What nothing reads as. */
  get usual(): ReadRows<R> {
    return this.plan.absent as ReadRows<R>;
  }
}

/** The table of rows that `make` gives. */
export const rows = <const R extends Rows>(make: () => R, more?: RowTableMore): RowTable<R> =>
  new RowTable(make, more);

/** Rows that have something in common; what one says itself goes before. */
export const alike = <const R extends Rows>(more: More, group: R): R =>
  Object.fromEntries(
    Object.entries(group).map(([name, one]) => [name, one.with({ ...more, ...one.field })]),
  ) as unknown as R;

function fieldsOf(table: Rows): Field[] {
  return Object.entries(table).flatMap(([name, row]) => {
    const field = row.isRequired ? { ...row.field, required: true } : row.field;
    const others = (field.aliases ?? []).map((alias) => ({
      ...field,
      name: alias,
      doc: `Another name for \`${name}\`.`,
    }));
    return [{ ...field, name }, ...others];
  });
}

function planOf(table: Rows): ReadPlan {
  const byKey = new Map<string, { name: string; as: string; row: AnyRow }>();
  const absent: [string, unknown][] = [];
  const required: { name: string; as: string; row: AnyRow }[] = [];
  for (const [name, row] of Object.entries(table)) {
    const entry = { name, as: camel(name), row };
    for (const key of [name, ...(row.field.aliases ?? [])]) byKey.set(key, entry);
    absent.push([entry.as, row.absent]);
    if (row.isRequired) required.push(entry);
  }
  // V8 keeps an object as a hash table, ten times slower to copy and to read, once a dozen properties were assigned to it by `[]`.
  return { byKey, absent: Object.freeze(Object.fromEntries(absent)), required };
}

/**
 * Reads a dict by its rows; throws the first thing that is wrong: a value that does not fit, two names for one option, a
 * required one that is missing, a name that no row has where that is an error (other unknown names are warned of by
 * `checkNames`, before the call).
 */
export function readRows<R extends Rows>(dict: Dict | null, table: RowTable<R>, place: At): ReadRows<R> {
  const { byKey, absent, required } = table.plan;
  if ((dict === null || dict.size === 0) && required.length === 0) return absent as ReadRows<R>;
  // Not `{ ...absent }`: V8 copies property by property at a place that sees the objects of many tables.
  const record: Record<string, unknown> = Object.assign({}, absent);
  const from = new Map<string, string>();
  for (const [key, value] of dict?.entries() ?? []) {
    const entry = byKey.get(key);
    if (entry === undefined) refuseUnknown(table, key, place);
    else if (value !== null) {
      const before = from.get(entry.as);
      if (before !== undefined)
        throw thrown(
          `${place.caller}: ${inside(place, key).path}: says the same as ${JSON.stringify(before)}; name one of them`,
        );
      from.set(entry.as, key);
      record[entry.as] = entry.row.read(value, inside(place, key));
    }
  }
  for (const { name, as, row } of required)
    if (!from.has(as)) {
      const { type } = row.field;
      throw refusal(inside(place, name), type === "any" ? "a value" : type, null);
    }
  return record as ReadRows<R>;
}

function refuseUnknown(table: FieldTable, key: string, place: At): void {
  if (key.startsWith("_") || table.get(key) !== undefined) return;
  const { error, hint, near } = unknownKey(table, key, false);
  if (table.others !== undefined && near === undefined) return;
  if (error)
    throw new ScriptError("thrown", unknownOption(place, key, hint), { code: place.codes?.name ?? "" });
}

// ---------------------------------------------------------------- what a row may be

interface NumberRange {
  readonly min?: number;
  readonly max?: number;
}

/** A default as a script writes it; absent where there is none. */
function shownDefault(absent: unknown, asFloat = false): { readonly default?: string } {
  if (absent === null || absent === undefined) return {};
  if (asFloat && Number.isInteger(absent)) return { default: `${String(absent)}.0` };
  if (["string", "number", "boolean"].includes(typeof absent) || Array.isArray(absent))
    return {
      default: JSON.stringify(absent, undefined, 1)
        .replaceAll(/\n */g, " ")
        .replace(/^\[ (.*) \]$/, "[$1]"),
    };
  return {};
}

const rangeOf = ({ min, max }: NumberRange): More =>
  min === undefined && max === undefined ? {} : { range: [min ?? null, max ?? null] };

const numberFrom = (value: Value): number => amountOf(value) as number;

const as =
  <T>() =>
  (value: Value): T =>
    value as T;

/** A whole number. */
export const int = <A extends number | null = null>(
  doc = "",
  absent = null as A,
  range: NumberRange = {},
): Row<number, A> =>
  new Row({ type: "int", doc, ...shownDefault(absent), ...rangeOf(range) }, absent, numberFrom);

/** An int or a float. */
export const number = <A extends number | null = null>(
  doc = "",
  absent = null as A,
  range: NumberRange = {},
): Row<number, A> =>
  new Row({ type: "float", doc, ...shownDefault(absent, true), ...rangeOf(range) }, absent, numberFrom);

/** A duration, or a whole number of milliseconds; reads as milliseconds. */
export const duration = <A extends number | null = null>(
  doc = "",
  absent = null as A,
  range: NumberRange = {},
): Row<number, A> =>
  new Row({ type: "int | duration", doc, ...shownDefault(absent), ...rangeOf(range) }, absent, numberFrom);

/** A duration, or a number of milliseconds; reads as milliseconds. */
export const time = <A extends number | null = null>(
  doc = "",
  absent = null as A,
  range: NumberRange = {},
): Row<number, A> =>
  new Row(
    { type: "int | duration | float", doc, ...shownDefault(absent), ...rangeOf(range) },
    absent,
    numberFrom,
  );

export const bool = <A extends boolean | null = null>(doc = "", absent = null as A): Row<boolean, A> =>
  new Row({ type: "bool", doc, ...shownDefault(absent) }, absent, as<boolean>());

export const text = <A extends string | null = null>(doc = "", absent = null as A): Row<string, A> =>
  new Row({ type: "string", doc, ...shownDefault(absent) }, absent, as<string>());

/** A text that says something. */
export const words = <A extends string | null = null>(doc = "", absent = null as A): Row<string, A> =>
  text(doc, absent).where("a text that is not blank", (read) => read.trim() !== "");

/** A text that is not empty. */
export const filled = <A extends string | null = null>(doc = "", absent = null as A): Row<string, A> =>
  text(doc, absent).with({ filled: true });

/** What something is called, in ids and paths. */
export const id = (doc = ""): Row<string> =>
  text(doc).where("1 to 64 letters, digits, `_`, `.` or `-`", (read) => /^[A-Za-z0-9_.-]{1,64}$/.test(read));

/** One of some texts. */
export const oneOf = <const T extends string, A extends T | null = null>(
  values: readonly T[],
  doc = "",
  absent = null as A,
): Row<T, A> => new Row({ type: "string", doc, values, ...shownDefault(absent) }, absent, as<T>());

/** One value only. */
export const exactly = <const T extends string | number | boolean>(value: T): Row<T> =>
  typeof value === "boolean"
    ? new Row({ type: "bool", doc: "", only: value }, null, as<T>()).where(
        String(value),
        (read) => read === value,
      )
    : new Row({ type: JSON.stringify(value), doc: "" }, null, as<T>());

export const closure = <A extends null = null>(doc = "", absent = null as A): Row<Callable, A> =>
  new Row({ type: "closure", doc }, absent, as<Callable>());

/** The dict that a table of rows is about; without a table, any dict, as it is. */
export function dict<R extends Rows>(table: RowTable<R>, doc?: string): Row<ReadRows<R>>;
export function dict(table: null, doc?: string): Row<Dict>;
export function dict(table: RowTable<Rows> | null, doc = ""): Row<unknown> {
  if (table === null) return new Row({ type: "dict", doc }, null, dictFrom);
  return new Row({ type: "dict", doc, nested: table }, null, (value, place) =>
    readRows(dictFrom(value, place), table, place),
  );
}

function dictFrom(value: Value, place: At): Dict {
  if (!(value instanceof Dict)) throw refusal(place, "dict", value);
  return value;
}

/** A list of elements; nil among them counts as not given. */
export function list<T>(
  item: Row<T>,
  doc: string,
  absent: readonly NoInfer<T>[],
): Row<readonly T[], readonly T[]>;
export function list<T>(item: Row<T>, doc?: string): Row<readonly T[]>;
export function list<T>(
  item: Row<T>,
  doc = "",
  absent: readonly T[] | null = null,
): Row<readonly T[], unknown> {
  const field = {
    type: `list<${item.field.type}>`,
    doc,
    item: item.field,
    ...nestedOf(item),
    ...shownDefault(absent),
  };
  return new Row(field, absent, (value, place) =>
    (value as List)
      .toArray()
      .flatMap((one, index) => (one === null ? [] : [item.read(one, inside(place, `[${index}]`))])),
  );
}

/** A dict with names of the program's own, each with such a value. */
export const map = <T>(item: Row<T>, doc = ""): Row<ReadonlyMap<string, T>> =>
  new Row(
    { type: `dict<string, ${item.field.type}>`, doc, item: item.field, ...nestedOf(item) },
    null,
    (value, place) => {
      const read = new Map<string, T>();
      for (const [key, one] of dictFrom(value, place).entries())
        if (one !== null) read.set(key, item.read(one, inside(place, key)));
      return read;
    },
  );

type TypeOf<R> = R extends Row<infer T, unknown> ? T : never;

/** One of several forms: the first whose type fits reads it. */
export const either = <const F extends readonly AnyRow[], A = null>(
  forms: F,
  doc = "",
  absent = null as A,
): Row<TypeOf<F[number]>, A> => {
  const nested = forms.map(({ field }) => field.nested).find((table) => table !== undefined);
  const values = forms.map(({ field }) => field.values ?? []).find((texts) => texts.length > 0);
  return new Row(
    {
      type: forms.map(({ field }) => field.type).join(" | "),
      doc,
      forms: forms.map(({ field }) => field),
      ...(values === undefined ? {} : { values }),
      ...(nested === undefined ? {} : { nested }),
      ...shownDefault(absent),
    },
    absent,
    (value, place) => {
      const form = forms.find(({ field }) => fitsOuter(field, value)) ?? forms[0]!;
      return form.read(value, place) as TypeOf<F[number]>;
    },
  );
};

/** Switched on with its defaults or off by a bool, or a dict by a table (`enabled: false` in it is off, too); off reads as null. */
export const switched = <R extends Rows>(table: RowTable<R>, doc = ""): Row<ReadRows<R> | null> =>
  either([bool(), dict(table)], doc).to((read) => {
    const on = read === true ? table.usual : (read as ReadRows<R> | false);
    return on === false || (on as { enabled?: unknown }).enabled === false ? null : on;
  });

/** A dict by a table, or `false`, which reads as null. */
export const unlessFalse = <R extends Rows>(table: RowTable<R>, doc = ""): Row<ReadRows<R> | null> =>
  either([dict(table), exactly(false)], doc).to((read) => (read === false ? null : (read as ReadRows<R>)));

/** Texts, or one of them. */
export const texts = (doc = ""): Row<readonly string[], readonly string[]> =>
  either([list(text()).full(), text()], doc)
    .to((read) => (typeof read === "string" ? [read] : read))
    .or([]);

/** A value of any type, and why it can be of any. */
export const value = (doc: string, why: string): Row<Value> =>
  new Row({ type: "any", doc, why }, null, as<Value>());

/** A value of any type that is taken as its text. */
export const shown = <A extends string | null = null>(doc: string, absent = null as A): Row<string, A> =>
  new Row({ type: "any", doc, why: "shown as its text", ...shownDefault(absent) }, absent, display);

/** A value of a type that other builtins make, by the type's name. */
export const handle = <T extends Value>(type: string, doc = ""): Row<T> =>
  new Row({ type, doc }, null, as<T>());

const nestedOf = ({ field }: AnyRow): More => (field.nested === undefined ? {} : { nested: field.nested });
