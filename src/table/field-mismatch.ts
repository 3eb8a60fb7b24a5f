/** What is wrong with a value against its rows, in words; and the rows of what is nested in it. */
import { nearest } from "../diagnostics/index.ts";
import { Dict, Duration, Float, isInt, List, ScriptError, typeOf, type Value } from "../values/index.ts";
import { type At, inside, subject } from "./at.ts";
import { fitsType, inputText, oneOf, showRange } from "./field-types.ts";
import type { Field, FieldTable } from "./fields.ts";

/** What a value may be, without its name. */
type FieldType = Omit<Field, "name">;

/** `agent_loop: compaction.soft: expected float below 0.95, got float 2.0`, and what to do, where it is known. */
export function refusal(
  place: At,
  expected: string,
  value: Value | undefined,
  more: { readonly help?: string | undefined; readonly secret?: boolean | undefined } = {},
): ScriptError {
  const got = (more.secret === true ? typeOf : inputText)(value ?? null);
  const help = more.help === undefined ? "" : `; ${more.help}`;
  const text = `${subject(place)}: expected ${expected}, got ${got}${help}`;
  return new ScriptError("thrown", text, { code: place.codes?.value ?? "" });
}

/** `agent_loop: compaction: unknown option "sof", did you mean "soft"?` */
export const unknownOption = (place: At, key: string, hint: string, site = ""): string =>
  `${subject(place)}: unknown option ${JSON.stringify(key)}${site}${isSuggestion(hint) ? ", " : "; "}${hint}`;

const isSuggestion = (hint: string): boolean => hint.startsWith("did you mean");

/** What a value is by its outermost type: elements and forms are judged by themselves. */
export function fitsOuter(row: FieldType, value: Value): boolean {
  if (row.forms !== undefined) return row.forms.some((form) => fitsOuter(form, value));
  if (row.item === undefined) return fitsType(row.type, value);
  return row.type.startsWith("list") ? value instanceof List : value instanceof Dict;
}

/** The first place in a value that does not fit, and what was expected there. */
export function findMismatch(
  row: FieldType,
  value: Value,
  place: At,
):
  | {
      readonly place: At;
      readonly expected: string;
      readonly value: Value;
      readonly secret?: boolean | undefined;
    }
  | undefined {
  if (!fitsOuter(row, value)) return { place, expected: row.type, value, secret: row.secret };
  const form = row.forms?.find((one) => fitsOuter(one, value));
  if (form !== undefined) return findMismatch(form, value, place);
  const { item } = row;
  if (item === undefined) {
    const expected = mismatch(row, value);
    return expected === undefined ? undefined : { place, expected, value, secret: row.secret };
  }
  for (const [key, one] of partsOf(value)) {
    const found = one === null ? undefined : findMismatch(item, one, inside(place, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

function partsOf(value: Value): Iterable<readonly [string, Value]> {
  if (value instanceof List) return value.toArray().map((one, index) => [`[${index}]`, one]);
  return value instanceof Dict ? value.entries() : [];
}

/** What a reader says of a name that it does not know: the one that was meant, else all there are, after `lead`. */
export function meantField(name: string, known: Iterable<string>, lead: string): string {
  const names = [...known];
  const near = nearest(name, names);
  return near === undefined ? `${lead}${names.join(", ")}` : `did you mean ${JSON.stringify(near)}?`;
}

/** What there is to say about a key that no row has: for the run and for `harn check`. */
export function unknownKey(
  table: FieldTable,
  key: string,
  strict: boolean,
): { readonly error: boolean; readonly hint: string; readonly near: string | undefined } {
  // Written as in other languages: `maxTurns`.
  const snake = key.replace(
    /[A-Z]+/g,
    (letters, at: number) => `${at === 0 ? "" : "_"}${letters.toLowerCase()}`,
  );
  const same = snake !== key && table.get(snake) !== undefined ? snake : undefined;
  const near = table.meaningOf(key) ?? table.meaningOf(snake) ?? same ?? nearest(key, table.names());
  const error = strict || table.strict || (near !== undefined && table.get(near)?.bounds === true);
  if (near !== undefined) return { error, near, hint: `did you mean ${JSON.stringify(near)}?` };
  const hint = error ? `expected one of ${[...table.names()].join(", ")}` : "it has no effect";
  return { error, near, hint };
}

/** What was expected of a value that does not fit its row, or `undefined`. */
export function mismatch(row: FieldType, value: Value): string | undefined {
  if (!fitsType(row.type, value)) return row.type;
  if (typeof value === "string") {
    if (row.filled === true && value === "") return "a text that is not empty";
    if (row.values === undefined || row.values.includes(value)) return undefined;
    const near = nearest(value, row.values);
    return near === undefined ? oneOf(row.values) : `${oneOf(row.values)} (did you mean "${near}"?)`;
  }
  if (row.range === undefined) return undefined;
  const number = amountOf(value);
  if (number === undefined) return undefined;
  const [min, max] = row.range;
  const fits = (min === null || number >= min) && (max === null || number <= max);
  return fits ? undefined : showRange(row, row.range);
}

/** A number, or the milliseconds of a duration. */
export function amountOf(value: Value): number | undefined {
  if (isInt(value)) return Number(value);
  return value instanceof Float ? value.value : value instanceof Duration ? value.ms : undefined;
}

/** The dicts that the rows of a row are about, each with its path. */
export function eachNested(
  value: Value,
  row: Field,
  path: string,
  visit: (dict: Dict, path: string) => void,
): void {
  const form = row.nested?.form;
  if (form !== undefined && form !== (value instanceof List ? "list" : "dict")) return;
  if (value instanceof List) {
    let at = 0;
    for (const item of value) {
      if (item instanceof Dict) visit(item, `${path}[${at}]`);
      at += 1;
    }
  } else if (value instanceof Dict) {
    if (!isMapOfDicts(row)) visit(value, path);
    else for (const [key, item] of value.entries()) if (item instanceof Dict) visit(item, `${path}.${key}`);
  }
}

/** Its rows are about the values of the dict, not about the dict. */
export const isMapOfDicts = (row: FieldType): boolean => row.type.includes("dict<string,");
