/**
 * Nobody keeps names that the table has: what a stage must know of a builtin is a trait of its declaration, and what is an
 * option is a row.
 */
// suite: slow
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { namedArgumentCalls } from "../../../src/syntax/grammar/suffixes.ts";
import { type FieldTable, hasTrait, tableOf } from "../../../src/table/index.ts";
import { nameLists } from "../../support/name-lists.ts";

const specs = builtinTable();

/** Lists whose texts are names of builtins by accident: they list other things. */
const otherThings: readonly RegExp[] = [
  /^src\/agent\/skills\/active-skills\.ts/, // parts of a template: env, cwd
  /^src\/types\/members\.ts/, // methods of values
  /^src\/work\/artifacts\/record\.ts/, // kinds of artifacts
  /^src\/eval\/plan\/read-task\.ts/, // how epochs are reduced: mean, max, first
  /^src\/work\/execution\//, // options: cwd, env
  /^src\/cli\/(?:eval|test|torture)\//, // columns and options of processes
  /^src\/eval\//, // ways to reduce epochs, scorers of std/eval
  /^src\/host\/mcp\/mcp-stdio\.ts/, // options of processes
];

describe("names of builtins", () => {
  it("are listed nowhere outside of the table", () => {
    const found = nameLists()
      .filter(({ file }) => !file.startsWith("src/builtins/") && !file.startsWith("src/table/"))
      .filter(({ file }) => !otherThings.some((pattern) => pattern.test(file)))
      .filter(({ names }) => {
        const known = names.filter((name) => specs.has(name)).length;
        return known >= 2 && known / names.length > 0.5;
      })
      .filter(({ names }) => names.join() !== [...namedArgumentCalls].join())
      .map(({ place, names }) => `${place} ${names.join(", ")}`);
    expect(found).toEqual([]);
  });

  it("in the grammar are those with the trait", () => {
    const marked = [...specs.values()].filter((spec) => hasTrait(spec, "namedArguments"));
    expect(marked.map(({ name }) => name).sort()).toEqual([...namedArgumentCalls].sort());
  });

  it("with a trait exist for every trait", () => {
    for (const trait of ["borrows", "takesSchema", "specialForm", "systemSecond", "approves"] as const)
      expect([...specs.values()].filter((spec) => hasTrait(spec, trait)).length, trait).toBeGreaterThan(1);
    for (const trait of [
      "uncheckedText",
      "unvalidated",
      "converts",
      "opens",
      "asserts",
      "resultVaries",
    ] as const)
      expect([...specs.values()].filter((spec) => hasTrait(spec, trait)).length, trait).toBeGreaterThan(2);
  });
});

// ---------------------------------------------------------------- options

function allTables(): FieldTable[] {
  const found = new Set<FieldTable>();
  const add = (table: FieldTable): void => {
    if (found.has(table)) return;
    found.add(table);
    for (const row of table.rows) if (row.nested !== undefined) add(row.nested);
  };
  for (const { fields } of specs.values())
    for (const input of Object.values(fields ?? {})) {
      const table = tableOf(input);
      if (table !== undefined) add(table);
    }
  return [...found];
}

/**
 * Lists of option names that are still kept by hand: they choose some options to hand on, and say no option's name that has no row.
 * One may go from here, none may come.
 */
const stillListed: readonly RegExp[] = [
  /^src\/agent\/context\/compaction\/(?:perform|sessions)\.ts/, // what a summarizing call leaves out
  /^src\/agent\/contract\/hooks\.ts/, // the topics themselves: the rows are made from them
  /^src\/agent\/machine\/(?:driver|host-session|llm-caller)\.ts/, // what asides and editors are handed
  /^src\/agent\/options\/compaction-(?:loop-options|policy)\.ts/, // fields of a policy among other options
  /^src\/agent\/policy\/approval-rules\.ts/, // refused in documented words
  /^src\/agent\/session\/transcript-value\.ts/, // kinds of content
  /^src\/builtins\/agents\/session-runs\.ts/, // what of a spec reaches the loop
  /^src\/builtins\/(?:observe\/friction-events|people\/pending|time\/dates)\.ts/, // columns of what is given back
  /^src\/cli\/session\/show\.ts/, // labels
  /^src\/model\/model-call\/route-policy\.ts/, // what makes a route
  /^src\/skills\/skill-(?:entries|file)\.ts/, // fields of a file
  /^src\/work\//, // options of workers, split into those of the loop and their own
];

describe("names of options", () => {
  it("come from rows: no further list of five or more is kept", () => {
    const tables = allTables();
    const found = nameLists()
      .filter(({ file }) => !/\/rows\/|-?fields\.ts$/.test(file))
      .filter(({ file }) => !stillListed.some((pattern) => pattern.test(file)))
      .filter(({ names }) => {
        const known = Math.max(...tables.map((table) => names.filter((name) => table.get(name)).length));
        return known >= 5 && known / names.length > 0.5;
      })
      .map(({ place, names }) => `${place} ${names.join(", ")}`);
    expect(found).toEqual([]);
  });
});
