/** The options of agents: types made from the rows (`src/library/agent-options.ts`), and the way back to the dict of the loop. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { agentOptionsText } from "../../../scripts/agent-options.ts";
import { loopFields } from "../../../src/agent/index.ts";
import { asDataForm, openRows } from "../../../src/library/data-forms.ts";
import { HarnError } from "../../../src/library/errors.ts";
import { harn } from "../../../src/library/harn.ts";
import { type OptionName, optionNames, tablesIn } from "../../../src/library/loop-names.ts";
import { agentLoopOptions, loopRefusal } from "../../../src/library/loop-options.ts";
import { callFields } from "../../../src/model/index.ts";
import { documentIssues, type FieldTable, field, fieldTable } from "../../../src/table/index.ts";
import { type Dict, fromJson } from "../../../src/values/index.ts";
import { samplesOf } from "../../support/loop-samples.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const path = join(root, "src/library/agent-options.ts");

const freshFolder = tempFolders("agent-options");

/** All tables below the options. */
function allTables(): FieldTable[] {
  const found = new Set<FieldTable>([loopFields]);
  for (const table of found)
    for (const { forms } of optionNames(table).values())
      for (const inner of tablesIn(forms)) found.add(inner);
  return [...found];
}

const allOptions = (): OptionName[] => allTables().flatMap((table) => [...optionNames(table).values()]);

const offered = [...optionNames(loopFields).values()].filter(({ leftOut }) => leftOut === null);

describe("src/library/agent-options.ts", () => {
  const text = readFileSync(path, "utf8");

  it("is made from the rows: `npm run docs` renews it", () => {
    expect(text === agentOptionsText(), "src/library/agent-options.ts is out of date: npm run docs").toBe(
      true,
    );
  });

  it("has every option of the loop, or says why not", () => {
    const [types = "", leftOut = ""] = text.split("\n// Left out:\n");
    const isThere = ({ name, leftOut: why }: OptionName): boolean =>
      why === null
        ? new RegExp(`^  readonly ${name}\\??:(?: |$)`, "m").test(types)
        : new RegExp(`\`(\\w+\\.)?${name}\``).test(leftOut);
    const missing = allOptions().filter((option) => !isThere(option));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it("leaves out what only scripts have, and says so", () => {
    const why = (name: string): string | null | undefined => optionNames(loopFields).get(name)?.leftOut;
    expect(why("onEvent")).toBe("functions of a script: they need one");
    expect(why("hooks")).toBe("functions of a script: they need one");
    expect(why("tools")).toContain("the library's own");
    expect(why("loopDetectWarn")).toContain("deprecated");
    expect(why("skills")).toBeNull();
    expect(why("compaction")).toBeNull();
  });

  it("a row of any type has to say what of it is data", () => {
    expect(() => asDataForm(field("anything", "any", "Something."))).toThrow(
      "the option anything may be of any type: say in src/library/data-forms.ts what of it is data",
    );
    const unknownType = fieldTable(() => [field("strange", "transport", "Something.")]);
    expect(() => optionNames(unknownType)).toThrow("an option of type transport");
  });

  it("what data can say of open rows is said of rows that are there", () => {
    const rows = new Set(
      allTables().flatMap((table) => table.rows.map(({ name, type }) => `${name}: ${type}`)),
    );
    expect(openRows.filter((row) => !rows.has(row))).toEqual([]);
  });

  it("names nothing outside of itself", () => {
    expect(text).not.toMatch(/\bimport\b/);
  });

  it.each(["node_modules", "dev/typescript-5/node_modules"])(
    "takes a value of every form of every option, under the TypeScript of %s",
    async (modules) => {
      const folder = freshFolder();
      const lines = offered.flatMap(({ name, forms, row }) =>
        samplesOf(forms, row).map((value) => `  { ${name}: ${JSON.stringify(value)} },`),
      );
      writeFileSync(join(folder, "options.ts"), text);
      const start = 'import type { LoopOptions } from "./options.ts";\nexport const all: LoopOptions[] = [';
      writeFileSync(join(folder, "all.ts"), [start, ...lines, "];", ""].join("\n"));
      expect(await typeCheck(join(root, modules, "typescript"), join(folder, "all.ts"))).toBe("");
    },
  );

  it.each(["node_modules", "dev/typescript-5/node_modules"])(
    "test/types/agent-options.ts holds under the TypeScript of %s",
    async (modules) => {
      const file = join(root, "test/types/agent-options.ts");
      expect(await typeCheck(join(root, modules, "typescript"), file)).toBe("");
    },
  );
});

/** What a compiler says of a file. */
async function typeCheck(compiler: string, file: string): Promise<string> {
  const folder = freshFolder();
  const compilerOptions = {
    ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true },
    ...{ module: "nodenext", target: "es2024", lib: ["es2024", "esnext.disposable", "dom"], types: [] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  const run = promisify(execFile)(process.execPath, [join(compiler, "bin/tsc"), "-p", folder]);
  return run.then(
    ({ stdout }) => stdout,
    (failure: { stdout: string }) => failure.stdout,
  );
}

describe("loopOptions", () => {
  it.each(offered.map((option): [string, OptionName] => [option.name, option]))(
    "%s comes through, in every form",
    (name, { forms, row }) => {
      for (const value of samplesOf(forms, row)) {
        const dict = agentLoopOptions({ [name]: value });
        expect(Object.keys(dict)).toEqual([row.name]);
        const issues = documentIssues(fromJson(dict as never) as Dict, loopFields);
        expect(issues.map((issue) => `${issue.kind} ${issue.path}`)).toEqual([]);
      }
    },
  );

  it("translates names by the rows, at every depth, and nothing else", () => {
    const schema = { type: "object", properties: { firstName: { type: "string" }, last_name: {} } };
    expect(
      agentLoopOptions({
        system: "Be brief.",
        llmRetries: 3,
        topP: 0.5,
        maxTurns: 4,
        iterationBudget: { wallClockMs: 1000, consecutiveFailures: { pausedForMs: 5 } },
        permissions: { allow: { "write_*": { argKey: "path", patterns: ["src/**"] }, myTool: true } },
        policy: {
          toolAnnotations: { myTool: { sideEffectLevel: "none" } },
          capabilities: { workSpace: ["x"] },
        },
        approvalPolicy: { rules: [{ action: "ask", match: { toolKind: "edit", repeatCountAtLeast: 2 } }] },
        workItems: [{ id: "a", title: "A", check: { type: "file_exists", minCount: 2 } }],
        contract: {
          goal: "g",
          requiredOutputs: [{ id: "x", predicate: { type: "command", command: "make", expectStatus: 1 } }],
        },
        mcpServers: [
          { name: "files", command: "srv", connectTimeoutMs: 5, env: { MY_name: "x", myName: "y" } },
        ],
        skills: [{ name: "s", whenToUse: "now", ownKey: 1 }],
        fallbackChain: ["a", { modelTier: "small", llmRetries: 1 }],
        prompts: { "own.promptId": { text: "x" } },
        outputSchema: schema,
        outputFormat: { kind: "json_schema", schema },
        anthropic: { topK: 1, top_k: 2, serviceTier: "x" },
        control: { mode: "autonomous", maxIterations: 9, workItems: true },
        llmOptions: { reasoningEffort: "low", openai: { logitBias: {} } },
        stall: undefined,
      }),
    ).toEqual({
      system: "Be brief.",
      llm_retries: 3,
      top_p: 0.5,
      max_turns: 4,
      iteration_budget: { wall_clock_ms: 1000, consecutive_failures: { paused_for_ms: 5 } },
      permissions: { allow: { "write_*": { arg_key: "path", patterns: ["src/**"] }, myTool: true } },
      policy: {
        tool_annotations: { myTool: { side_effect_level: "none" } },
        capabilities: { workSpace: ["x"] },
      },
      approval_policy: { rules: [{ action: "ask", match: { tool_kind: "edit", repeat_count_at_least: 2 } }] },
      work_items: [{ id: "a", title: "A", check: { type: "file_exists", min_count: 2 } }],
      contract: {
        goal: "g",
        required_outputs: [{ id: "x", predicate: { type: "command", command: "make", expect_status: 1 } }],
      },
      mcp_servers: [
        { name: "files", command: "srv", connect_timeout_ms: 5, env: { MY_name: "x", myName: "y" } },
      ],
      skills: [{ name: "s", when_to_use: "now", ownKey: 1 }],
      fallback_chain: ["a", { model_tier: "small", llm_retries: 1 }],
      prompts: { "own.promptId": { text: "x" } },
      output_schema: schema,
      output_format: { kind: "json_schema", schema },
      anthropic: { topK: 1, top_k: 2, serviceTier: "x" },
      control: { mode: "autonomous", max_iterations: 9, work_items: true },
      llm_options: { reasoning_effort: "low", openai: { logitBias: {} } },
    });
  });

  const refusal = (options: object): string => {
    try {
      agentLoopOptions(options);
    } catch (error) {
      if (error instanceof HarnError) return `${error.code} ${error.message}`;
      throw error;
    }
    return "";
  };

  it("refuses names that mean nothing, all of them at once", () => {
    const text = refusal({
      maxIteration: 3,
      max_iterations: 3,
      maxSteps: 3,
      iterationBudget: { extendsBy: 1 },
      compaction: { keep_last: 1 },
      nothing: 1,
    });
    expect(text).toContain("h.agent: there is no option `maxIteration`, did you mean `maxIterations`?");
    expect(text).toContain("; there is no option `max_iterations`; here it is `maxIterations`");
    expect(text).toContain("; there is no option `maxSteps`, did you mean `maxIterations`?");
    expect(text).toContain("; in `iterationBudget` there is no option `extendsBy`, did you mean `extendBy`?");
    expect(text).toContain("; in `compaction` there is no option `keep_last`; here it is `keepLast`");
    expect(refusal({ _foo: 1 })).toContain("there is no option `_foo`");
    expect(refusal(JSON.parse('{"__proto__": {}}'))).toContain("there is no option `__proto__`");
    expect(text).toContain("; there is no option `nothing`; docs/reference/agent-loop.md has all");
    expect(text).toContain("HARN-LIB-001");
  });

  it("refuses what only scripts can give, with the reason", () => {
    const text = refusal({
      onEvent: () => 1,
      compaction: () => 1,
      contextProviders: [{ id: "a", provide: 1 }, () => "x"],
      loopDetectWarn: 1,
      tools: [],
    });
    expect(text).toContain("h.agent: `onEvent` can't be given here: functions of a script: they need one");
    expect(text).toContain("`compaction` can't be a function: functions of a script: they need one");
    expect(text).toContain("`contextProviders[0].provide` can't be given here");
    expect(text).toContain("`contextProviders[1]` can't be a function");
    expect(text).toContain("use `stallDiagnostics`");
    expect(text).toContain("`tools` can't be given here");
  });

  it("leaves values alone: those who read them refuse them", () => {
    const own = new Map([["a", 1]]);
    expect(agentLoopOptions({ maxIterations: Number.NaN, compaction: own })).toEqual({
      max_iterations: Number.NaN,
      compaction: own,
    });
    const circle: Record<string, unknown> = { model: "m" };
    circle.fallbackChain = [circle];
    expect(() => agentLoopOptions(circle)).not.toThrow();
  });

  it("a provider of the project's own gets its body; anything else of an unknown name is refused", () => {
    expect(agentLoopOptions({ acmehub: { fooBar: 1 } })).toEqual({ acmehub: { fooBar: 1 } });
    expect(refusal({ acmehub: 1 })).toContain("there is no option `acmehub`");
  });

  it("`tools` of model calls are the library's as well", () => {
    expect(optionNames(callFields).get("tools")?.leftOut).toContain("the library's own");
  });
});

describe("loopRefusal", () => {
  it.each([
    ["max_iterations: expected int >= 1, got int 0", "`maxIterations`: expected int >= 1, got int 0"],
    [
      "iteration_budget.extend_by: expected int, got nil",
      "`iterationBudget.extendBy`: expected int, got nil",
    ],
    [
      "contract.required_outputs[0].predicate.min_count: x",
      "`contract.requiredOutputs[0].predicate.minCount`: x",
    ],
    ["prompts.own_id.text: x", "`prompts.own_id.text`: x"],
    ["persist_path: needs `wake_interval_ms`", "`persistPath`: needs `wakeIntervalMs`"],
    [
      'max_turns: says the same as "max_iterations"; name one of them',
      '`maxTurns`: says the same as "maxIterations"; name one of them',
    ],
  ])("%s", (text, expected) => {
    expect(loopRefusal(`Thrown: agent_loop: ${text}`, "h.agent")).toBe(`h.agent: ${expected}`);
  });

  it.each(["agent_loop: 32 loops stand inside each other", "agent_loop: my_name: x", "max_iterations: x"])(
    "leaves alone: %s",
    (text) => {
      expect(loopRefusal(text, "h.agent")).toBeUndefined();
    },
  );

  it("is what a run of an agent fails with", async () => {
    await using h = harn({ store: "memory", mock: [{ text: "Hello." }] });
    const { status, error } = await h.agent({ prompt: "Hi.", iterationBudget: { extendBy: 0 } }).done;
    expect([status, error?.code, error?.message]).toEqual([
      "failed",
      "HARN-LIB-001",
      "h.agent: `iterationBudget.extendBy`: expected int >= 1, got int 0",
    ]);
  });

  it("says nothing of what scripts say themselves", async () => {
    await using h = harn({ store: "memory" });
    const text = 'pipeline main() {\n  throw "agent_loop: max_iterations: x"\n}\n';
    const { error } = await h.run({ text }).done;
    expect(error?.message).toBe("Thrown: agent_loop: max_iterations: x");
  });
});
