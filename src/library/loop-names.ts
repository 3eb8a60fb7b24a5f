/**
 * The options of `agent_loop` for programs in TypeScript: their names in camelCase, and which of them such a program can't give.
 * `npm run docs` makes the types from it (`agent-options.ts`), `loop-options.ts` the dict that the loop takes: both from the rows.
 */
import { loopFields } from "../agent/index.ts";
import { callFields } from "../model/index.ts";
import { camel, type Field, type FieldTable } from "../table/index.ts";
import { asDataForm } from "./data-forms.ts";

type FieldType = Omit<Field, "name">;

/** What a value may be, as data; forms that only scripts have are not among them. */
export type DataForm =
  | { readonly kind: "text" | "number" | "bool" | "any" }
  | { readonly kind: "literal"; readonly value: string | boolean | number }
  | { readonly kind: "list"; readonly items: readonly DataForm[] }
  | { readonly kind: "map"; readonly items: readonly DataForm[] }
  | { readonly kind: "dict"; readonly table: FieldTable | null };

/** An option as TypeScript has it. */
export interface OptionName {
  /** In camelCase. */
  readonly name: string;
  readonly row: Field;
  /** Nothing where `leftOut` says why. */
  readonly forms: readonly DataForm[];
  readonly leftOut: string | null;
}

/** Why functions are left out, at every depth. */
export const needsScript = "functions of a script: they need one";

const toolsOfLibrary = "the library's own: `tools: [tool({…})]`";

/** Rows that the library has in its own way, by their tables. */
const ownOptions: ReadonlyMap<FieldTable, Readonly<Record<string, string>>> = new Map<
  FieldTable,
  Readonly<Record<string, string>>
>([
  [
    loopFields,
    { tools: toolsOfLibrary, timeout: "the run's own, in milliseconds; of a model call: `timeoutMs`" },
  ],
  [callFields, { tools: toolsOfLibrary }],
]);

const made = new WeakMap<FieldTable, ReadonlyMap<string, OptionName>>();

/** The options of a table by their names in TypeScript. */
export function optionNames(table: FieldTable): ReadonlyMap<string, OptionName> {
  const known = made.get(table);
  if (known !== undefined) return known;
  const own = ownOptions.get(table.takesOuterRows ? loopFields : table) ?? {};
  const names = new Map(table.rows.map((row) => [camel(row.name), loopOptionOf(row, own[row.name])]));
  if (names.size !== table.rows.length) throw new Error("two options have one name in TypeScript");
  made.set(table, names);
  return names;
}

function loopOptionOf(row: Field, ownReason: string | undefined): OptionName {
  const name = camel(row.name);
  const without = (leftOut: string): OptionName => ({ name, row, forms: [], leftOut });
  if (ownReason !== undefined) return without(ownReason);
  if (row.deprecated !== undefined) return without(`deprecated: use ${row.deprecated}`);
  if (!/^\w+$/.test(name)) return without("another spelling");
  const data = asDataForm(row);
  const forms = dataFormsOf(data);
  if (forms.length === 0) return without(needsScript);
  const isNeeded = data.required === true && row.required !== true;
  return { name, row: isNeeded ? { ...row, required: true } : row, forms, leftOut: null };
}

/** The forms of a row that data can have, in the order in which a value is tried against them. */
export function dataFormsOf(field: FieldType): readonly DataForm[] {
  const { type, nested } = field;
  if (field.forms !== undefined) return field.forms.flatMap(dataFormsOf);
  if (type.startsWith("dict<string,")) return listedNames("map", dataFormsOf(withRows(field.item, nested)));
  if (type.startsWith("list<")) return listedNames("list", dataFormsOf(withRows(field.item, nested)));
  if (type.includes(" | ")) return type.split(" | ").flatMap((one) => dataFormsOf({ ...field, type: one }));
  if (type.startsWith('"')) return [{ kind: "literal", value: JSON.parse(type) as string }];
  switch (type) {
    case "closure":
    case "duration":
      return [];
    case "string":
      return field.values === undefined
        ? [{ kind: "text" }]
        : field.values.map((value) => ({ kind: "literal", value }));
    case "int":
    case "float":
      return [{ kind: "number" }];
    case "bool":
      return [field.only === undefined ? { kind: "bool" } : { kind: "literal", value: field.only }];
    case "list":
      return [{ kind: "list", items: [{ kind: "any" }] }];
    case "dict":
      return nested !== undefined && !hasData(nested) ? [] : [{ kind: "dict", table: nested ?? null }];
    default:
      throw new Error(`an option of type ${type}: say in src/library/loop-names.ts what of it is data`);
  }
}

/** The elements of a list of which only the list knows the rows. */
const withRows = (item: FieldType | undefined, nested: FieldTable | undefined): FieldType => ({
  type: "any",
  doc: "",
  ...item,
  ...(item?.nested === undefined && item?.forms === undefined && nested !== undefined ? { nested } : {}),
});

const listedNames = (kind: "list" | "map", items: readonly DataForm[]): readonly DataForm[] =>
  items.length === 0 ? [] : [{ kind, items }];

/** Whether a dict of a table can be written as data at all; the first row mostly is, and nothing is asked of the others. */
function hasData(table: FieldTable): boolean {
  const isData = (row: Field): boolean => dataFormsOf(asDataForm(row)).length > 0;
  const required = table.rows.filter((row) => row.required === true);
  return required.length === 0 ? table.rows.some(isData) : required.every(isData);
}

/** The tables of the dicts that a value may be, or hold. */
export const tablesIn = (forms: readonly DataForm[]): FieldTable[] =>
  forms.flatMap((form) => {
    if (form.kind === "list" || form.kind === "map") return tablesIn(form.items);
    return form.kind === "dict" && form.table !== null ? [form.table] : [];
  });

let allNames: ReadonlyMap<string, string> | undefined;

/** All names of options that TypeScript writes otherwise, at every depth. */
function otherNames(): ReadonlyMap<string, string> {
  if (allNames !== undefined) return allNames;
  const names = new Map<string, string>();
  const seen = new Set<FieldTable>();
  const visit = (table: FieldTable): void => {
    if (seen.has(table)) return;
    seen.add(table);
    for (const { name, row, forms } of optionNames(table).values()) {
      if (name !== row.name) names.set(row.name, name);
      for (const inner of tablesIn(forms)) visit(inner);
    }
  };
  visit(loopFields);
  allNames = names;
  return names;
}

/** A text about options, with those that it has in backticks as TypeScript writes them. */
export const namesInText = (text: string): string =>
  text.replace(/`[^`]*`/g, (quoted) =>
    quoted.replace(/[a-z]+(?:_[a-z0-9]+)+/g, (name) => otherNames().get(name) ?? name),
  );
