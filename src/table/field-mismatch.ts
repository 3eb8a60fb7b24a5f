/** What is wrong with a value against its rows, in words; and the rows of what is nested in it. */
import { nearest } from "../diagnostics/index.ts";
import type { Value } from "../values/index.ts";
import { Dict, Float, isInt, List, typeOf } from "../values/index.ts";
import { fitsType, oneOf, showRange } from "./field-types.ts";
import type { Field, FieldTable } from "./fields.ts";

/** What a reader says of a name that it does not know: the one that was meant, else all there are, after `lead`. */
export function meantField(name: string, known: Iterable<string>, lead: string): string {
  const names = [...known];
  const near = nearest(name, names);
  return near === undefined ? `${lead}${names.join(", ")}` : `did you mean \`${near}\`?`;
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
  if (near !== undefined) return { error, near, hint: `did you mean \`${near}\`?` };
  const hint = error ? `expected one of ${[...table.names()].join(", ")}` : "it has no effect";
  return { error, near, hint };
}

/** What was expected of a value that does not fit its row, or `undefined`. */
export function mismatch(row: Field, value: Value): string | undefined {
  if (!fitsType(row.type, value)) return row.type;
  if (typeof value === "string") {
    if (row.values === undefined || row.values.includes(value)) return undefined;
    const near = nearest(value, row.values);
    return near === undefined ? oneOf(row.values) : `${oneOf(row.values)} (did you mean "${near}"?)`;
  }
  if (row.range === undefined) return undefined;
  const number = isInt(value) ? Number(value) : value instanceof Float ? value.value : undefined;
  if (number === undefined) return undefined;
  const [min, max] = row.range;
  const fits = (min === null || number >= min) && (max === null || number <= max);
  return fits ? undefined : showRange(row, row.range);
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
export const isMapOfDicts = (row: Field): boolean => row.type.includes("dict<string,");

/** A wrong value of an option, for its error: texts quoted, numbers and bools as they are, everything else by its type. */
export function optionText(value: Value): string {
  if (typeof value === "string") return `"${value}"`;
  if (value instanceof Float) return String(value.value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeOf(value);
}
