/**
 * The options of the control plane, row by row: a name with a letter missing is an error or a warning that names what was
 * meant, and a value of a wrong type an error that names path, expectation and value. Beside `control` and in its dict.
 */
import { describe, expect, test } from "vitest";
import { loopFields } from "../../../../src/agent/index.ts";
import { checkLoopTypes, loopOptionsOf } from "../../../../src/agent/options/loop-options.ts";
import { predicateTables } from "../../../../src/agent/options/predicate-options.ts";
import {
  checkNames,
  eachNested,
  type Field,
  type FieldTable,
  fitsType,
  isMapOfDicts,
} from "../../../../src/table/index.ts";
import { Dict, fromJson, List, ScriptError, type Value } from "../../../../src/values/index.ts";
import { fn } from "../../../support/agent-run.ts";
import { testRun } from "../../../support/concurrent.ts";

const options = ["completion", "contract", "work_items", "stall", "jit", "compaction", "doom_loop"];

/** What a loop says of its options before its first call: errors, and warnings on standard error. */
function saidOf(input: Dict): { readonly error: string; readonly warnings: string } {
  const { task, runtime } = testRun();
  let warnings = "";
  runtime.console.writeError = (text) => {
    warnings += text;
  };
  try {
    checkNames(task, "agent_loop", input, loopFields);
    loopOptionsOf(input);
    checkLoopTypes(input, "agent_loop");
    return { error: "", warnings };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { error: String(error.value), warnings };
  }
}

type Step = string | number;

/** A row, and the steps to the dict that has it. */
interface Place {
  readonly row: Field;
  readonly table: FieldTable;
  readonly steps: readonly Step[];
}

/** Rows of a table and below, as deep as tables are. A list is one dict long, a map of dicts too. */
function placesIn(table: FieldTable, steps: readonly Step[]): Place[] {
  return table.rows.flatMap((row): Place[] => {
    const own: Place = { row, table, steps };
    const { nested } = row;
    if (nested === undefined) return [own];
    return [own, ...placesIn(nested, [...steps, row.name, ...inside(row)])];
  });
}

/** How the dicts of a row are reached from its value. */
function inside(row: Field): Step[] {
  if (isMapOfDicts(row)) return ["name"];
  let found: Step[] | null = null;
  const inDict = fitsType(row.type, new Dict());
  for (const value of inDict ? [new Dict()] : [new List([new Dict()])])
    eachNested(value, row, "", () => {
      found = inDict ? [] : [0];
    });
  return found ?? [0];
}

const pathOf = (steps: readonly Step[]): string =>
  steps.reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : path === "" ? step : `${path}.${step}`),
    "",
  );

const always = Dict.of({ id: "a", predicate: Dict.of({ type: "always_true" }) });

/** What must stand in a dict beside anything that is wrong, by its path. */
const needed: Readonly<Record<string, Dict>> = {
  contract: Dict.of({ goal: "g", required_outputs: new List([always]) }),
  "contract.required_outputs[0]": always,
  "contract.questions[0]": Dict.of({ id: "q", text: "Which?" }),
  "work_items[0]": Dict.of({ id: "a", title: "A" }),
  "work_items.items[0]": Dict.of({ id: "a", title: "A" }),
  "jit[0]": Dict.of({ id: "r", instruction: "Look.", condition: fn(() => true) }),
  "jit.rules[0]": Dict.of({ id: "r", instruction: "Look.", condition: fn(() => true) }),
  compaction: Dict.of({ strategy: "ladder" }),
};

/** Options where these steps lead to `leaf`. */
function leadingTo(steps: readonly Step[], leaf: Dict, other = false): Dict {
  let value: Value = leaf;
  for (let at = steps.length; at > 0; at--) {
    // Keys of other strategies are none of the ladder's.
    if (value instanceof Dict && !(at === 1 && other))
      value = (needed[pathOf(steps.slice(0, at))] ?? new Dict()).merge(value);
    const step = steps[at - 1] as Step;
    value = typeof step === "number" ? new List([value]) : Dict.of({ [step]: value });
  }
  return value as Dict;
}

/** A row of other strategies than the ladder. */
const isOther = ({ name }: Field, steps: readonly Step[]): boolean =>
  steps[0] === "compaction" &&
  steps.length === 1 &&
  saidOf(Dict.of({ compaction: Dict.of({ strategy: "ladder", [name]: 1 }) })).error.includes(
    `unknown option "${name}"`,
  );

/** Keys of the engine below the ladder are read for builtins, too: their documented words name the key alone. */
const inOtherWords = (row: Field, steps: readonly Step[]): boolean =>
  steps[0] === "compaction" &&
  (isOther(row, steps) ||
    /^(compact_strategy|strategy|summarize_prompt|policy|compaction_policy)$/.test(
      String(steps[1] ?? row.name),
    ));

/** Every name that one gets by leaving out a letter, but for those that are names of their own. */
function misspellings(name: string, known: Iterable<string>): string[] {
  const names = new Set(known);
  const all = new Set(Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1)));
  return [...all].filter((one) => one !== "" && !one.startsWith("_") && !names.has(one));
}

const rows: Place[] = options.flatMap((name): Place[] => {
  const row = loopFields.get(name) as Field;
  const nested = row.nested as FieldTable;
  const dict = nested.form === "dict" || fitsType(row.type, new Dict());
  return placesIn(nested, dict ? [name] : [name, 0]);
});

/** Lists beside the dict: their dicts have the same rows. */
const lists: Place[] = [
  ...((loopFields.get("work_items")?.nested?.get("items")?.nested?.rows ?? []).map(
    (row): Place => ({
      row,
      table: loopFields.get("work_items")?.nested?.get("items")?.nested as FieldTable,
      steps: ["work_items", 0],
    }),
  ) as Place[]),
  ...((loopFields.get("jit")?.nested?.get("rules")?.nested?.rows ?? []).map(
    (row): Place => ({
      row,
      table: loopFields.get("jit")?.nested?.get("rules")?.nested as FieldTable,
      steps: ["jit", 0],
    }),
  ) as Place[]),
];
const places = [...rows, ...lists];

/** The dict beside `control`, and in it. */
const forms = (input: Dict): readonly Dict[] => [input, Dict.of({ control: input })];

const wrongValues: readonly Value[] = [7, "no such word", new List([new List([])]), fromJson({ no: 1 })];

describe("options of the control plane", () => {
  test("are many", () => expect(places.length).toBeGreaterThan(100));

  test("a letter is missing: what was meant is named", () => {
    const unsaid: string[] = [];
    for (const { row, table, steps } of places)
      for (const name of misspellings(row.name, table.names()))
        for (const input of forms(leadingTo(steps, Dict.of({ [name]: 1 }), isOther(row, steps)))) {
          const { error, warnings } = saidOf(input);
          const said = error.includes(name) ? error : warnings.includes(name) ? warnings : error;
          if (!/did you mean ["`]\w+["`]\?/.test(said))
            unsaid.push(
              `${pathOf(input.has("control") ? ["control", ...steps, name] : [...steps, name])}: ${said}`,
            );
        }
    expect(unsaid.join("\n")).toBe("");
  });

  test("a wrong type: path, expectation and what was given are named", () => {
    const unsaid: string[] = [];
    for (const { row, steps } of places) {
      const value = wrongValues.find((one) => !fitsType(row.type, one));
      if (value === undefined || inOtherWords(row, steps)) continue;
      for (const input of forms(leadingTo(steps, Dict.of({ [row.name]: value }), isOther(row, steps)))) {
        const { error } = saidOf(input);
        const named = error.includes(row.name) && error.includes(String(steps[0]));
        if (!named || !/expected |must |needs /.test(error) || !/got /.test(error))
          unsaid.push(
            `${pathOf(input.has("control") ? ["control", ...steps, row.name] : [...steps, row.name])}: ${error}`,
          );
      }
    }
    expect(unsaid.join("\n")).toBe("");
  });

  test("keys of predicates alike", () => {
    const unsaid: string[] = [];
    for (const [type, table] of Object.entries(predicateTables))
      for (const key of table.names())
        for (const name of misspellings(key, table.names())) {
          const predicate = Dict.of({ type, [name]: 1 });
          const output = Dict.of({ id: "a", predicate });
          const item = Dict.of({ id: "a", title: "A", check: predicate });
          for (const input of [
            Dict.of({ contract: Dict.of({ goal: "g", required_outputs: new List([output]) }) }),
            Dict.of({ work_items: new List([item]) }),
          ]) {
            const { error } = saidOf(input);
            if (!error.includes(`unknown option "${name}", did you mean "`)) unsaid.push(error);
          }
        }
    expect(unsaid.join("\n")).toBe("");
  });

  test("`control` itself", () => {
    for (const name of misspellings("mode", loopFields.names()))
      expect(saidOf(Dict.of({ control: Dict.of({ [name]: "autonomous" }) })).error).toMatch(
        /^agent_loop: control: unknown option "\w+", did you mean "\w+"\?$/,
      );
    for (const option of options)
      for (const name of misspellings(option, loopFields.names()))
        expect(saidOf(Dict.of({ control: Dict.of({ [name]: true }) })).error).toMatch(
          /did you mean "\w+"\?$/,
        );
  });
});
