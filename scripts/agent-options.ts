/**
 * `src/library/agent-options.ts`: the options of `agent_loop` as types, from their rows. One interface for each dict with rows; what
 * several of them say in the same words is said once: who is asked (`RouteOptions`), how aside (`ModelOptions`), and the options of model
 * calls, which a loop takes too.
 */
import { loopFields } from "../src/agent/options/loop-fields.ts";
import {
  type DataForm,
  namesInText,
  type OptionName,
  optionNames,
  tablesIn,
} from "../src/library/loop-names.ts";
import { asideCall, callFields, callRoute } from "../src/model/index.ts";
import { builtinProviders } from "../src/model/llm/catalogue/providers.ts";
import { type Field, type FieldTable, providerBodies, rows } from "../src/table/index.ts";

const width = 110;

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Who is asked, and how freely: of all that asks a model. */
const routeFields: FieldTable = rows(callRoute);
/** How a call is made, where it is made aside: by judges, summarizers … */
const asideFields: FieldTable = rows(() => ({ ...callRoute(), ...asideCall() }));

/** A dict with rows, as an interface. */
interface Shape {
  readonly name: string;
  readonly doc: string;
  readonly table: FieldTable;
  /** What it stands in. */
  readonly outer: FieldTable | null;
}

/** All dicts below the options of the loop, those further up first. */
function shapesOf(): ReadonlyMap<FieldTable, Shape> {
  const shapes = new Map<FieldTable, Shape>();
  const names = new Set<string>();
  const add = (table: FieldTable, base: string, doc: string, outer: FieldTable | null): void => {
    const more = ["", "Entry", "More"].find((end) => !names.has(`${base}${end}Options`));
    if (more === undefined) throw new Error(`no name for ${doc}`);
    const name = base.endsWith("Options") ? base : `${base}${more}Options`;
    names.add(name);
    shapes.set(table, { name, doc, table, outer });
  };
  add(
    loopFields,
    "Loop",
    "Options of `agent_loop` as programs in TypeScript give them (docs/reference/agent-loop.md).",
    null,
  );
  for (const { table, name: outerName } of shapes.values())
    for (const { name, forms } of optionNames(table).values()) {
      const base = `${table === loopFields ? "" : outerName.replace(/Options$/, "")}${pascal(name)}`;
      for (const inner of tablesIn(forms))
        if (!shapes.has(inner)) add(inner, `${base}${tagOf(inner)}`, `In \`${name}\`.`, table);
    }
  add(asideFields, "Model", "How a model is asked aside.", null);
  add(routeFields, "Route", "Which model is asked, and how freely it chooses.", null);
  return shapes;
}

/** What tells a dict from others that may stand in its place. */
function tagOf(table: FieldTable): string {
  const tag = [...optionNames(table).values()].find(({ forms: [only, ...more] }) =>
    only?.kind === "literal" && typeof only.value === "string" && more.length === 0 ? only : undefined,
  )?.forms[0];
  return tag?.kind === "literal" ? String(tag.value).split("_").map(pascal).join("") : "";
}

/** The types, as TypeScript. */
export function agentOptionsText(): string {
  const shapes = shapesOf();
  const parts = [...shapes.values()].map((shape) => interfaceOf(shape, shapes));
  return `${[fileHead, ...parts, providersText(), leftOutText(shapes)].join("\n\n")}\n`;
}

const fileHead = [
  "/**",
  " * Made from the rows of `agent_loop` by `npm run docs`: change those (src/agent/options/), never this file.",
  " * What of the options programs in TypeScript can't give is listed at its end, with the reasons.",
  " */",
  "",
  "/** Data that is handed on as it is: its names are your own, or the vendor's. */",
  "type Data = Readonly<Record<string, unknown>>;",
].join("\n");

function interfaceOf(shape: Shape, shapes: ReadonlyMap<FieldTable, Shape>): string {
  const { table, name } = shape;
  const options = optionNames(table);
  const base = baseOf(shape);
  const inherited = base === undefined ? new Map<string, OptionName>() : optionNames(base);
  const isInherited = (option: OptionName): boolean => {
    const above = inherited.get(option.name);
    return above !== undefined && above.leftOut === null && sayTheSame(above.row, option.row);
  };
  const offered = [...options.values()].filter(({ leftOut }) => leftOut === null);
  const own = offered.filter((option) => !isInherited(option));
  const without = [...inherited.values()].filter((above) => {
    const option = options.get(above.name);
    return above.leftOut === null && (option?.leftOut !== null || !isInherited(option));
  });
  const bases = base === undefined ? [] : [baseText(shapes.get(base)!.name, without)];
  if (table.others === providerBodies.others && base?.others !== table.others) bases.push("ProviderBodies");
  const start = `export interface ${name}`;
  const members = [...own.flatMap((option) => propertyOf(option, shapes)), ...othersOf(table)];
  const head = bases.length === 0 ? start : `${start} extends ${bases.join(", ")}`;
  return [
    ...comment(shape.doc, ""),
    ...(members.length === 0 ? [`${head} {}`] : [`${head} {`, ...members, "}"]),
  ].join("\n");
}

/** Whose options it has, too. */
function baseOf({ table, outer }: Shape): FieldTable | undefined {
  if (table.takesOuterRows && outer !== null) return outer;
  const shares = (other: FieldTable, part: number): boolean =>
    table !== other && other.rows.filter((row) => hasSame(table, row)).length >= part * other.rows.length;
  return shares(callFields, 0.5) ? callFields : [asideFields, routeFields].find((other) => shares(other, 1));
}

function hasSame(table: FieldTable, row: Field): boolean {
  const own = table.get(row.name);
  return own !== undefined && sayTheSame(row, own);
}

const sayTheSame = (one: Field, other: Field): boolean =>
  one.nested === other.nested &&
  (["name", "type", "doc", "default", "range", "values", "required"] as const).every(
    (key) => JSON.stringify(one[key]) === JSON.stringify(other[key]),
  );

const baseText = (name: string, without: readonly OptionName[]): string =>
  without.length === 0
    ? name
    : `Omit<\n  ${name},\n  ${without.map((one) => `"${one.name}"`).join(" | ")}\n>`;

function othersOf({ others, othersType }: FieldTable): string[] {
  if (others === undefined || othersType !== "any") return [];
  return [...comment(`Any other name: ${others}.`, "  "), "  readonly [name: string]: unknown;"];
}

function propertyOf({ name, row, forms }: OptionName, shapes: ReadonlyMap<FieldTable, Shape>): string[] {
  const types = [...new Set(forms.map((form) => typeOf(form, shapes)))];
  const start = `  readonly ${name}${row.required === true ? "" : "?"}:`;
  const line = `${start} ${types.join(" | ")};`;
  const lines =
    line.length <= width ? [line] : [start, ...types.map((type) => `    | ${type}`)].map(closedAt(types));
  return [...comment(docOf(row), "  "), ...lines];
}

const closedAt =
  (types: readonly string[]) =>
  (line: string, index: number): string =>
    index === types.length ? `${line};` : line;

function typeOf(form: DataForm, shapes: ReadonlyMap<FieldTable, Shape>): string {
  switch (form.kind) {
    case "text":
      return "string";
    case "number":
      return "number";
    case "bool":
      return "boolean";
    case "any":
      return "unknown";
    case "literal":
      return JSON.stringify(form.value);
    case "dict":
      return form.table === null ? "Data" : shapes.get(form.table)!.name;
    case "list": {
      const items = unionOf(form.items, shapes);
      return items.includes(" ") ? `readonly (${items})[]` : `readonly ${items}[]`;
    }
    case "map":
      return `Readonly<Record<string, ${unionOf(form.items, shapes)}>>`;
  }
}

const unionOf = (forms: readonly DataForm[], shapes: ReadonlyMap<FieldTable, Shape>): string =>
  [...new Set(forms.map((form) => typeOf(form, shapes)))].join(" | ");

/** What its row says, with default and bounds. */
function docOf({ name, doc, default: usual, range }: Field): string {
  const [min, max] = range ?? [null, null];
  const notes = [
    ...(usual === undefined ? [] : [`\`${usual}\` unless given`]),
    ...(min !== null && max !== null ? [`from ${min} to ${max}`] : []),
    ...(min !== null && max === null ? [`at least ${min}`] : []),
    ...(min === null && max !== null ? [`at most ${max}`] : []),
  ].join("; ");
  // A builtin of the same name keeps it.
  const text = doc.includes(`see \`${name}\``) ? doc : namesInText(doc);
  return [text, ...(notes === "" ? [] : [`${pascal(notes)}.`])].filter((part) => part !== "").join(" ");
}

function comment(text: string, indent: string): string[] {
  if (text === "") return [];
  const line = `${indent}/** ${text} */`;
  if (line.length <= width) return [line];
  return [`${indent}/**`, ...wrapped(text, `${indent} * `), `${indent} */`];
}

/** A text in lines that begin in one way. */
function wrapped(text: string, start: string): string[] {
  const lines: string[] = [];
  let line = start.trimEnd();
  for (const word of text.split(" ")) {
    if (line.length + word.length + 1 > width && line !== start.trimEnd()) {
      lines.push(line);
      line = start.trimEnd();
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

const providersText = (): string =>
  [
    "/** By a provider's name: fields of the body of requests to it, in its own words. */",
    "export interface ProviderBodies {",
    ...builtinProviders().map(({ name }) => `  readonly ${name}?: Data;`),
    "}",
  ].join("\n");

/** The names that are left out, by their reasons; each dict is looked at where it stands first. */
export function leftOutText(shapes: ReadonlyMap<FieldTable, Shape> = shapesOf()): string {
  const reasons = new Map<string, string[]>();
  for (const { table, name: shape, outer } of shapes.values()) {
    for (const { name, leftOut } of optionNames(table).values()) {
      if (leftOut === null) continue;
      const at = table === loopFields ? name : `${shape}.${name}`;
      const isSaid = table.takesOuterRows && outer?.get(optionNames(table).get(name)!.row.name) !== undefined;
      if (!isSaid) reasons.set(leftOut, [...(reasons.get(leftOut) ?? []), `\`${at}\``]);
    }
  }
  const lines = [...reasons].flatMap(([reason, names]) =>
    wrapped(`${names.join(", ")}: ${namesInText(reason)}.`, "// - ").map((line, index) =>
      index === 0 ? line : line.replace("// -", "//  "),
    ),
  );
  return ["// Left out:", ...lines].join("\n");
}
