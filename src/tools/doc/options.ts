/** The options of builtins for people, made from their rows: for a terminal. Pages have them as tables: `option-tables.ts`. */
import {
  type BuiltinSpec,
  docParams,
  type Field,
  type FieldTable,
  isMapOfDicts,
  oneOf,
  tableOf,
} from "../../table/index.ts";

interface OptionLine {
  /** `iteration_budget.max` */
  readonly path: string;
  readonly row: Field;
  /** Where the rows of the dict were shown already. */
  readonly seeAlso: string | undefined;
}

/** The rows of a table and of those nested in it; each table once. */
function linesOf(
  table: FieldTable,
  path: string,
  shown: Map<FieldTable, string>,
  without: ReadonlySet<Field> = new Set(),
): OptionLine[] {
  return table.rows.flatMap((row) => {
    if (without.has(row)) return [];
    const at = `${path}${row.name}`;
    const { nested } = row;
    if (nested === undefined) return [{ path: at, row, seeAlso: undefined }];
    const seeAlso = shown.get(nested);
    if (seeAlso !== undefined) return [{ path: at, row, seeAlso }];
    shown.set(nested, at);
    const known = nested.takesOuterRows ? new Set([...without, ...table.rows]) : without;
    return [{ path: at, row, seeAlso: undefined }, ...linesOf(nested, optionPath(at, row), shown, known)];
  });
}

/** Where the keys of the dicts under a row begin: `pool.`, `rules[].`, `nodes.NAME.`. */
export function optionPath(at: string, row: Field): string {
  if (isMapOfDicts(row)) return `${at}.NAME.`;
  return row.type.startsWith("list<dict") ? `${at}[].` : `${at}.`;
}

/** What a row says after its sentence. */
export function rowNotes(
  { values, range, deprecated, since, bounds, fixed }: Field,
  seeAlso: string | undefined,
  isFixed = "Stays as it is while the loop runs.",
): string[] {
  const [min, max] = range ?? [null, null];
  return [
    ...(values === undefined ? [] : [`One of ${oneOf(values)}.`]),
    ...(min === null ? [] : [`At least ${min}.`]),
    ...(max === null ? [] : [`At most ${max}.`]),
    ...(bounds === true ? ["Strict."] : []),
    ...(fixed === true ? [isFixed] : []),
    ...(deprecated === undefined ? [] : [`Deprecated: use ${deprecated}.`]),
    ...(since === undefined ? [] : [`Since ${since}.`]),
    ...(seeAlso === undefined ? [] : [`Keys as for \`${seeAlso}\`.`]),
  ];
}

const strictNote = "Unknown keys are warned of; where it says strict (misspelt, or inside), they are errors.";

/** The parameters of a builtin that have rows; two with the same rows count as one. */
export function optionTables({ fields }: BuiltinSpec): [string, FieldTable][] {
  const found = new Map<FieldTable, string>();
  for (const [param, value] of Object.entries(fields ?? {})) {
    const table = tableOf(value);
    if (table !== undefined) found.set(table, param);
  }
  return [...found].map(([table, param]) => [param, table]);
}

/** A row for a terminal: name, type and default, below them what it does. */
const rowText = ({ path, row, seeAlso }: OptionLine): string[] => [
  `  ${path}: ${row.type}${row.default === undefined ? "" : ` = ${row.default}`}`,
  `      ${[row.doc, ...rowNotes(row, seeAlso)].join(" ")}`,
];

/** For a terminal: every option with its type, its default and a sentence. */
export function optionsHelp(spec: BuiltinSpec): string[] {
  return optionTables(spec).flatMap(([param, table]) => {
    const lines = linesOf(table, "", new Map([[table, param]])).flatMap(rowText);
    const more = table.others === undefined ? [] : [`  …: any other name: ${table.others}`];
    return ["", `${param}:`, ...lines, ...more, "", strictNote];
  });
}

/**
 * One option of a builtin for a terminal, with those below it: `agent_loop.iteration_budget`, `agent_loop.hooks.on_error`. Ends with a
 * line break; `undefined` when there is no such option.
 */
export function optionPage(spec: BuiltinSpec, path: string): string | undefined {
  for (const [param, table] of optionTables(spec)) {
    const lines = linesOf(table, "", new Map([[table, param]]));
    const wanted = path.replaceAll("[]", "");
    const found = lines.filter((line) => {
      const at = line.path.replaceAll("[]", "");
      return at === wanted || at.startsWith(`${wanted}.`);
    });
    if (found.length === 0) continue;
    const ofAgents = table.rows.some(({ below }) => below === "holds");
    const texts = found.flatMap((line) => [...rowText(line), ...(ofAgents ? belowText(line.row) : [])]);
    return `${[`${spec.name}, ${param}:`, ...texts].join("\n")}\n`;
  }
  return undefined;
}

/** What becomes of it for those who work for the agent (`Field.below`). */
function belowText({ below }: Field): string[] {
  if (below === undefined) return [];
  if (below === "holds") return ["      Holds for delegates, sub-agents and workers too."];
  if (typeof below === "object") return [`      Ends with the agent: ${below.ends}.`];
  const who = below === "delegates" ? "Delegates" : "Sub-agents";
  return [`      ${who} have it too, unless they say otherwise.`];
}

/** All option paths of a builtin: for suggestions. */
export const optionPaths = (spec: BuiltinSpec): string[] => optionRows(spec).map(({ path }) => path);

/** Every option of a builtin with its row: for the search. */
export const optionRows = (spec: BuiltinSpec): { readonly path: string; readonly row: Field }[] =>
  optionTables(spec).flatMap(([param, table]) =>
    linesOf(table, "", new Map([[table, param]])).map(({ path, row }) => ({
      path: path.replaceAll("[]", ""),
      row,
    })),
  );

/** The options that a doc comment lists, for a terminal. */
export function docOptionsText(doc: string): string[] {
  return [...docParams(doc)].flatMap(([param, { rows, others, open }]) => [
    "",
    `${param}:`,
    ...rows.flatMap((row) => rowText({ path: row.path, row, seeAlso: undefined })),
    ...others.map((name) => `  …: the options of \`${name}\``),
    ...(open === undefined ? [] : [`  …: ${open}`]),
  ]);
}
