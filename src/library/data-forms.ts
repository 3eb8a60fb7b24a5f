/**
 * What the rows of `agent_loop` leave open because scripts have values that are more than data (registries, servers, functions), or
 * because readers of their own know the keys: what of it data can say. A program in TypeScript has nothing else, and each key that
 * it writes has to be known by a row, or it would not be translated. A row of any type that is not here fails `npm run docs`.
 */
import {
  builtinRuleIds,
  judgeQuestionRows,
  loopStrategies,
  matcherTables,
  predicateTables,
  ruleMatchKeys,
} from "../agent/index.ts";
import { mcpServerFields } from "../mcp/index.ts";
import { callFields } from "../model/index.ts";
import { skillFields } from "../skills/index.ts";
import {
  type Field,
  type FieldTable,
  fieldRowsOf,
  fieldTable,
  providerBodies,
  row,
  rows,
} from "../table/index.ts";

type FieldType = Omit<Field, "name">;

/** A table of which something has to be there, which its rows leave to their reader. */
const needing = (table: FieldTable, ...names: readonly string[]): FieldTable =>
  fieldTable(
    () => table.rows.map((one) => (names.includes(one.name) ? { ...one, required: true } : one)),
    table.strict ? { strict: true } : {},
  );

/** What a text may be: names of strategies. `custom` is one that a function is for. */
const strategyWords = (...without: readonly string[]): FieldType =>
  row.oneOf(loopStrategies.filter((name) => !["custom", ...without].includes(name))).field;
const withoutCustom = (field: FieldType): FieldType =>
  field.values === undefined
    ? field
    : { ...field, values: field.values.filter((value) => value !== "custom") };

const dataForm = () => row.dict(null);
const by = (nested: FieldTable) => dataForm().with({ nested });

/** A skill as an entry; what a file may say of hooks and arguments is no data of the loop. */
const skillRows = rows(
  () => {
    const { hooks: _hooks, arguments: _arguments, ...typed } = skillFields.typed;
    return { name: row.text("What it is called.").required(), ...typed };
  },
  { others: "kept in the skill's entry" },
);

const annotationRows = rows(
  () => ({
    kind: row.text("What kind of tool it is: `read`, `edit`, `execute` …"),
    side_effect_level: row.text("The most that it does."),
    capabilities: row.map(row.list(row.text()), "Operations that it needs, by capability."),
    path_params: row.list(row.text(), "Its arguments that are paths."),
    writes: row.list(row.text(), "Paths that it always writes."),
    result_readers: row.list(row.text(), "Tools that read what it gives."),
    emits_artifacts: row.bool("It makes artifacts."),
  }),
  { others: "kept with the tool" },
);

const noteRows = rows(() => ({
  text: row.text("What it says.").required(),
  source_ref: row.text("The id of what it comes from."),
}));

const refRows = rows(() => ({
  id: row.text("What others call it by.").required(),
  kind: row.text("What it is."),
  label: row.text("What people call it."),
  excerpt: row.text("Words of it."),
}));

const matchRows = rows(() => Object.fromEntries(ruleMatchKeys.map((key) => [key, matchRow(key)])));
const matchRow = (key: string) =>
  key === "repeat_count_at_least"
    ? row.int("The call has been made so often.")
    : row.texts("Globs, one of which must fit.");

const eitherForm = (...forms: Parameters<typeof row.either>[0]): FieldType => row.either(forms).field;
const formListOf = (nested: FieldTable): FieldType => row.list(by(nested)).field;

/** A matcher of permissions, by the glob of the tools that it is about. */
const matchers = row.map(
  row.either([
    row.bool(),
    row.text(),
    row.list(row.text()),
    by(needing(matcherTables.path_scope, "kind")),
    by(matcherTables.patterns),
  ]),
);

/** Limits, and the options of the calls. */
const samplingRows = fieldTable(() => {
  const limits = mcpServerFields.get("sampling")?.nested?.rows ?? [];
  return [...limits, ...fieldRowsOf(callFields, ...limits.map(({ name }) => name))];
}, providerBodies);

const server = () => row.either([row.text(), by(needing(mcpServerFields, "name"))]);
const routeForm = () => row.either([row.text(), by(callFields)]);
const holdsFor = eitherForm(row.text(), row.list(row.text()), by(matchRows));
const toolRule = eitherForm(row.text(), row.list(row.text()), matchers);
const predicate = eitherForm(...Object.values(predicateTables).map(by));

/** A provider of the program's own gives its part by a function; the folder's is the other one that has options. */
const providerRows = rows(() => ({
  id: row.oneOf(["environment"], "The list of a folder.").required(),
  root: row.text("The folder; that of `sandbox_path` unless given."),
  max_entries: row.int("Entries that are listed.", 100, { min: 1 }),
  depth: row.int("Levels of folders that are listed.", 2, { min: 1 }),
  provide: row.closure("Gives the part."),
}));

/** `compaction` alone switches itself off by a name. */
function withStrategies(field: Field): FieldType {
  const isText = ({ type }: FieldType): boolean => type === "string";
  const named = field.name === "compact_strategy" ? strategyWords("none") : strategyWords();
  return { ...field, forms: field.forms?.map((one) => (isText(one) ? named : one)) ?? [] };
}

/** By name and type of the row, at every depth. */
const forms: Readonly<Record<string, (field: Field) => FieldType>> = {
  "mcp_servers: any": () => eitherForm(row.list(server()), row.exactly(false)),
  "context_providers: list<string | closure | dict>": () =>
    row.list(row.either([row.oneOf(["environment", "guidance"]), by(providerRows)])).field,
  "compaction: string | bool | dict | closure": withStrategies,
  "auto_compact: string | bool | dict | closure": withStrategies,
  "compact_strategy: string | closure": withStrategies,
  "strategy: string | closure": withStrategies,
  "transcript_projection: string | bool | dict": (field) => ({
    ...field,
    forms: field.forms?.map(withoutCustom) ?? [],
  }),
  "policy: string": withoutCustom,
  "disable: list<string>": () => row.list(row.oneOf(builtinRuleIds)).field,
  // None of them is an end that nothing is wanted for.
  "required_outputs: list<dict>": (field) => ({ ...field, required: true }),
  "skills: any": () => eitherForm(by(skillRows), row.list(by(skillRows)), row.exactly(false)),
  "transcript: any": () => eitherForm(dataForm(), row.exactly(false)),
  "messages: any": () => eitherForm(row.list(dataForm()), row.exactly(false)),
  "match: any": () => holdsFor,
  "allow: any": () => holdsFor,
  "ask: any": () => holdsFor,
  "deny: any": () => holdsFor,
  "allow: string | list<string> | dict": () => toolRule,
  "deny: string | list<string> | dict": () => toolRule,
  "predicate: dict": () => predicate,
  "check: dict": () => predicate,
  "judge: bool | dict": () => eitherForm(row.exactly(true), by(judgeQuestionRows)),
  // A dict would have to hold a function.
  "answerer: closure | dict": () => row.closure().field,
  "tool_annotations: dict": () => row.map(by(annotationRows)).field,
  "capabilities: dict": () => row.map(row.list(row.text())).field,
  "candidates: list<string | dict>": () => row.list(routeForm()).field,
  "fallback_chain: list<string | dict> | bool": () => eitherForm(row.list(routeForm()), row.exactly(false)),
  "deny_patterns: list": () => row.list(row.text()).field,
  "require_approval: list": () => row.list(row.text()).field,
  "workspace_roots: list": () => row.list(row.text()).field,
  "goals: list": () => formListOf(noteRows),
  "open_items: list": () => formListOf(noteRows),
  "facts: list": () => formListOf(noteRows),
  "refs: list": () => formListOf(refRows),
  "sampling: bool | dict": () => eitherForm(row.bool(), by(samplingRows)),
  "env: dict": () => row.map(row.text()).field,
  "headers: dict": () => row.map(row.text()).field,
};

/** The names and types of `forms`, for the test that none has lost its row. */
export const openRows: readonly string[] = Object.keys(forms);

/** A row with what of it data can say, where it leaves that open. */
export function asDataForm(field: Field): FieldType {
  const said = forms[`${field.name}: ${field.type}`];
  if (said !== undefined) return said(field);
  if (field.type === "any")
    throw new Error(
      `the option ${field.name} may be of any type: say in src/library/data-forms.ts what of it is data`,
    );
  return field;
}
