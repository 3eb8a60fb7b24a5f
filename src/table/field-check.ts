/**
 * A dict against its rows, at run time. Names that mean nothing are said on standard error, once per place in the script
 * and with a suggestion: a script written for a later version still runs. Where they would lift a bound (see
 * `Field.bounds`) they are errors, as wrong types are everywhere: no option is read as absent (builtins.md §0).
 */

import { showText } from "../diagnostics/index.ts";
import { type Caller, Dict, List, thrown, typeOf, type Value } from "../values/index.ts";
import { type At, inside } from "./at.ts";
import type { BuiltinSpec } from "./builtin-spec.ts";
import { eachNested, findMismatch, refusal, unknownKey, unknownOption } from "./field-mismatch.ts";
import { fitsType } from "./field-types.ts";
import type { DictParam, FieldTable } from "./fields.ts";
import { parseSignature, showSignatureType } from "./signature.ts";

interface CheckMore {
  /** Path of the dict among the options of `caller`: `iteration_budget`. */
  readonly path?: string;
  /** Further names that are known now: those of providers. */
  readonly also?: ReadonlySet<string>;
  /** It stands inside a dict that bounds something. */
  readonly strict?: boolean;
  /** The builtin is called by the library: a place there says nothing to whoever wrote the options. */
  readonly inLibrary?: boolean;
}

/** Names and types of a dict and of the dicts in it. Throws the first thing that is wrong. */
export function checkFields(
  task: Caller,
  caller: string,
  dict: Dict,
  table: FieldTable,
  more: CheckMore = {},
): void {
  checkNames(task, caller, dict, table, more);
  checkFieldTypes(dict, table, { caller, path: more.path ?? "" });
}

/** Only the names, of all dicts in it too. */
export function checkNames(
  task: Caller,
  caller: string,
  dict: Dict,
  table: FieldTable,
  more: CheckMore = {},
): void {
  const { path = "", also, strict = false, inLibrary = false } = more;
  let unknowns = 0;
  for (const key of dict.keys()) {
    const row = table.get(key);
    const at = path === "" ? key : `${path}.${key}`;
    if (row !== undefined) {
      if (row.deprecated !== undefined && (dict.get(key) ?? null) !== null)
        warnOnce(task, caller, at, `\`${at}\` is deprecated`, `use ${row.deprecated}`, inLibrary);
      const { nested } = row;
      if (nested !== undefined)
        eachNested(dict.get(key) ?? null, row, at, (inner, innerPath) =>
          checkNames(task, caller, inner, nested, {
            path: innerPath,
            inLibrary,
            strict: strict || table.strict || row.bounds === true,
          }),
        );
    } else if (!key.startsWith("_") && also?.has(key) !== true) {
      if (table.refusedByReader) continue;
      const unknown = unknownKey(table, key, strict);
      if (table.others !== undefined && also === undefined && unknown.near === undefined) continue;
      if (unknown.error) throw thrown(unknownOption({ caller, path }, key, unknown.hint));
      unknowns++;
      if (unknowns <= reportedNames) warnUnknown(task, { caller, path }, key, unknown.hint, inLibrary);
    }
  }
  if (unknowns > reportedNames) {
    const more = `${unknowns - reportedNames} more options of ${path === "" ? "this call" : `\`${path}\``} are unknown`;
    warnOnce(task, caller, `${path}\0more`, more, "is it the dict that was meant?", inLibrary);
  }
}

/** Of one dict: data in the place of options has thousands of names. */
const reportedNames = 20;

/** Only the types, values and ranges. Throws the first that does not fit. */
export function checkFieldTypes(dict: Dict, table: FieldTable, place: At): void {
  if (table.typedByReader) return;
  for (const key of dict.keys()) {
    const row = table.get(key);
    const value = dict.get(key) ?? null;
    if (row === undefined || value === null) continue;
    const at = inside(place, key);
    const wrong = findMismatch(row, value, at);
    if (wrong !== undefined) throw refusal(wrong.place, wrong.expected, wrong.value, wrong);
    const { nested } = row;
    if (nested !== undefined)
      eachNested(value, row, at.path, (inner, path) => checkFieldTypes(inner, nested, { ...at, path }));
  }
}

/** A parameter with rows, as calls are checked against it. */
export interface CheckedParam {
  readonly name: string;
  readonly index: number;
  /** Its type in the signature. */
  readonly type: string;
  readonly optional: boolean;
  readonly table: FieldTable;
}

/** The parameters of a builtin that calls are checked against. */
export function checkedParams(spec: BuiltinSpec): readonly CheckedParam[] {
  const { fields, sig } = spec;
  if (fields === undefined) return [];
  return parseSignature(sig).params.flatMap(({ name, type, optional }, index) => {
    const table = tableOf(fields[name]);
    return table === undefined ? [] : [{ name, index, type: showSignatureType(type), optional, table }];
  });
}

/** The arguments of a builtin against the rows of its parameters, before it runs. */
export function checkFieldArguments(
  task: Caller,
  caller: string,
  params: readonly CheckedParam[],
  args: readonly Value[],
): void {
  for (const { name, index, type, optional, table } of params) {
    const value = args[index] ?? null;
    if (value === null) continue;
    const dictOnly = optional && /^dict( \| nil)?$/.test(type);
    if (value instanceof Dict) {
      if (table.form !== "list") checkFields(task, caller, value, table);
    } else if (value instanceof List && !dictOnly) {
      if (table.form === "dict") continue;
      for (const item of value) if (item instanceof Dict) checkFields(task, caller, item, table);
    }
    // What a required argument, or one of several forms, must be is said by the builtin itself.
    else if (dictOnly && !table.typedByReader && !fitsType(type, value))
      throw refusal({ caller, path: name }, "dict", value);
  }
}

/** The table of a dict parameter, when it has rows. */
export const tableOf = (param: DictParam | undefined): FieldTable | undefined =>
  typeof param === "function" ? param() : undefined;

// ---------------------------------------------------------------- warnings

/** A dict that, by its documentation, is as good as left out when it is something else: that is said, once per place. */
export function dictOrLeftOut(
  task: Caller,
  caller: string,
  name: string,
  value: Value | undefined,
): Dict | undefined {
  if (value instanceof Dict) return value;
  if (value !== undefined && value !== null)
    warnOnce(task, caller, name, `\`${name}\` is left out`, `it must be a dict, got ${typeOf(value)}`);
  return undefined;
}

const reported = { name: "reported options", create: () => new Set<string>() };

/** A line on standard error, once per place in the script and subject (`path`). */
export function warnOnce(
  task: Caller,
  caller: string,
  path: string,
  what: string,
  hint: string,
  inLibrary = false,
): void {
  sayOnce(task, caller, path, inLibrary, (site) => `${caller}: ${what}${site}; ${hint}`);
}

function warnUnknown(task: Caller, place: At, key: string, hint: string, inLibrary: boolean): void {
  sayOnce(task, place.caller, inside(place, key).path, inLibrary, (site) =>
    unknownOption(place, key, hint, site),
  );
}

function sayOnce(
  task: Caller,
  caller: string,
  path: string,
  inLibrary: boolean,
  text: (site: string) => string,
): void {
  const site = inLibrary ? "" : siteOf(task);
  const seen = task.runtime.state(reported);
  const mark = `${caller}\0${path}\0${site}`;
  if (seen.has(mark)) return;
  seen.add(mark);
  task.runtime.console.writeError(showText(`warning: ${text(site)}\n`));
}

function siteOf(task: Caller): string {
  if (task.site === undefined) return "";
  const { source, span } = task.site;
  return ` (${source.name}:${source.line(span.start)})`;
}
