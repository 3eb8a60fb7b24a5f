/**
 * Right programs have none of the mistakes that `harn check` fails for: the library, the examples and every golden program
 * that runs without an error. A finding here that is no mistake is worse than one that is missed.
 */
// suite: slow
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { builtinGlobals, builtinTable, namespaceMembers } from "../../../src/builtins/index.ts";
import { isNearlyCertain } from "../../../src/diagnostics/index.ts";
import { compileProgram } from "../../../src/lower/index.ts";
import { NodeModuleLoader } from "../../../src/program/node-module-loader.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { typeChecker } from "../../../src/types/index.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Programs that show what such a mistake does when it runs, and the mistakes that they make. */
const deliberate: Readonly<Record<string, RegExp>> = {
  "agent/bad_input": /NAM-013/,
  "agent_bad_input/failing_handlers": /NAM-011/,
  "agent_modules/primitives": /OPT-006/,
  "agent_results/all_fields": /NAM-016/,
  "builtins/environment/exit": /STD-005/,
  "builtins/core/len": /TYP-030/,
  "builtins/memory/memory": /OPT-005/,
  "builtins/streams/mistakes": /NAM-011/,
  "builtins/strings/edges": /STD-005/,
  "builtins/strings/format": /STD-005/,
  "builtins/time/bad_clock": /STD-005/,
  "concurrency/atomic-shared": /OWN-004/,
  "concurrency/mutex-default-lock": /OWN-004/,
  "concurrency/parallel-each": /TYP-029/,
  "concurrency/parallel-operands": /TYP-029/,
  "concurrency/parallel-settle": /ORC-006|TYP-029/,
  "concurrency/parallel-snapshot": /OWN-004/,
  "concurrency/settle-errors": /ORC-006/,
  "concurrency/sleep": /STD-005/,
  "concurrency/spawn-snapshot": /OWN-004/,
  "control/render": /OPT-00[56]/,
  "control/stream": /OPT-006/,
  "edit/bad_input": /OPT-00[56]/,
  "edit/names_and_places": /OPT-005/,
  "evals/bad_tasks": /NAM-013|OPT-005/,
  "files/edges": /STD-005/,
  "hooks/checkpoints": /NAM-013/,
  "language/access/properties": /NAM-012/,
  "language/access/properties_missing": /NAM-012/,
  "language/bindings/assignment-operators": /OWN-004/,
  "language/bindings/destructuring-for": /NAM-004/,
  "language/bindings/redeclare_forms": /NAM-015/,
  "language/bindings/spread-everywhere": /TYP-029/,
  "language/functions/argument_counts": /ORC-014/,
  "language/functions/arguments": /ORC-005/,
  "language/functions/entry-file-snapshot": /OWN-004/,
  "language/functions/parallel-snapshot": /OWN-004/,
  "language/functions/result-values": /ORC-006/,
  "language/functions/results": /ORC-006/,
  "language/functions/snapshot": /OWN-004/,
  "language/functions/snapshot_entry_functions": /OWN-00[24]/,
  "language/generators/iter_of": /NAM-011/,
  "language/operators/logic": /TYP-027/,
  "language/programs/main-is-not-special": /ORC-013/,
  "language/programs/pipeline-form": /ORC-004/,
  "language/programs/pipeline_order": /ORC-004/,
  "language/structs/impl": /ORC-006|NAM-011/,
  "language/structs/impl_methods": /ORC-006|NAM-01[12]/,
  "methods/dict-map-values-filter": /ORC-014/,
  "methods/iter-errors": /ORC-014/,
  "methods/iter-predicates": /NAM-011/,
  "methods/list-any-all-none": /ORC-014/,
  "methods/list-find": /ORC-014/,
  "methods/list-map": /ORC-014/,
  "methods/list-reduce": /ORC-014/,
  "methods/list-unknown": /NAM-011/,
  "methods/string-unknown": /NAM-011/,
  "methods/struct-methods": /NAM-011/,
  "modules/project_deep": /OPT-006/,
  "modules/prompt_library": /OPT-005/,
  "security/names": /NAM-012/,
  "syntax/continuation": /ORC-006/,
  "syntax/continuation_minus": /ORC-006/,
  "triggers/waitpoints": /OPT-006/,
  "types/warn-arguments": /ORC-005/,
  "types/warn-nested-fn": /OWN-002/,
  "values/decimal-equality": /TYP-026/,
  "values/equality-named": /TYP-026/,
  "values/equality-structural": /TYP-026/,
  "values/equality_numbers": /TYP-026|TYP-030/,
  "values/logic": /TYP-027/,
  "values/nil_coalescing": /TYP-027/,
  "values/properties": /NAM-012/,
};

/** Goldens call the functions of the library with too many arguments all the time, to see what they say. */
const arity = /STD-003/;

function* scripts(folder: string): Iterable<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* scripts(path);
    else if (/^[^_].*\.harn$/.test(name) && !existsSync(path.replace(/\.harn$/, ".error"))) yield path;
  }
}

/** Only warned of, and still never said of a right program. */
const suspected: ReadonlySet<string> = new Set([
  "HARN-NAM-016",
  "HARN-NAM-017",
  "HARN-NAM-018",
  "HARN-ORC-013",
  "HARN-ORC-014",
  "HARN-TYP-026",
]);

const builtins = builtinTable();
const members = { namespaces: namespaceMembers(), builtinNames: () => builtins.keys() };

function alarms(path: string): string[] {
  const { diagnostics } = compileProgram(new SourceFile(relative(root, path), readFileSync(path, "utf8")), {
    builtins,
    globals: builtinGlobals,
    parse,
    loader: new NodeModuleLoader(dirname(path)),
    path,
    check: typeChecker({ builtins, members }),
  });
  return diagnostics
    .filter((one) => one.severity === "error" || isNearlyCertain(one) || suspected.has(one.code))
    .map((one) => `${one.source.name}:${one.source.line(one.span.start)} ${one.code} ${one.message}`);
}

describe("right programs", () => {
  test.each(["stdlib", "examples"])("%s", (folder) => {
    expect([...scripts(join(root, folder))].flatMap(alarms)).toEqual([]);
  });

  test("goldens that run without an error", () => {
    const goldens = join(root, "test/golden");
    const found = [...scripts(goldens)].flatMap((path) => {
      const own = deliberate[relative(goldens, path).replace(/\.harn$/, "")];
      return alarms(path).filter((alarm) => !arity.test(alarm) && own?.test(alarm) !== true);
    });
    expect(found).toEqual([]);
  });
});

/** Blocks of ```harn in the documents: fragments, so names that they do not declare are somebody else's. */
function blocks(path: string): { readonly text: string; readonly line: number }[] {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/^```harn\n([\s\S]*?)^```/gm)].map((match) => ({
    text: match[1] as string,
    line: text.slice(0, match.index).split("\n").length,
  }));
}

const documents = [...(globSync("docs/**/*.md", { cwd: root }) as string[]), "README.md"];

/** What a fragment cannot be blamed for. */
const fragment = /HARN-(?:NAM-0(?:0\d|10)|ORC-00[1-4]|OWN|IMP|PAR)/;

test("code of the documents", () => {
  const found = documents
    // Made from the table: signatures and examples, which have tests of their own.
    .filter((file) => file !== "docs/builtins.md")
    .flatMap((file) =>
      blocks(join(root, file)).flatMap(({ text, line }) => {
        const { diagnostics } = compileProgram(new SourceFile(`${file}:${line}`, text), {
          builtins,
          globals: builtinGlobals,
          parse,
          loader: new NodeModuleLoader(root),
          path: join(root, "document.harn"),
          check: typeChecker({ builtins, members, fields: true }),
        });
        return diagnostics
          .filter((one) => one.severity === "error" || isNearlyCertain(one))
          .filter((one) => !fragment.test(one.code))
          .map((one) => `${one.source.name} ${one.code} ${one.message}`);
      }),
    );
  expect(documents.length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});
