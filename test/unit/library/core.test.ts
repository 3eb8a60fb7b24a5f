/** The package's own entry: what the docs tell people to call is exported there, and works with nothing else. */
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as harn from "../../../src/library/core.ts";
import { projectRoot } from "../../support/project.ts";

test("every function that the docs name for TypeScript programs is exported", () => {
  const docs = join(projectRoot, "docs");
  const named = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) => [...readFileSync(join(docs, name), "utf8").matchAll(/`(configure[A-Z]\w*)/g)])
    .map(([, name]) => name as string);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((name) => typeof (harn as Record<string, unknown>)[name] !== "function")).toEqual([]);
});

test("a TypeScript host gives leave and matches skills", async () => {
  const asked: unknown[] = [];
  const approve: harn.ApprovalHost = (request) => {
    asked.push((request as { tool_name: string }).tool_name);
    return { decision: "approved" };
  };
  const match: harn.SkillMatchHost = (request) => {
    asked.push((request as { skills: { name: string }[] }).skills.map(({ name }) => name));
    return [{ name: "ship", score: 1, reason: "by the host" }];
  };
  const printed = await run(
    `
let skills = skill_define(skill_define(skill_registry(), "ship", {description: "Ships.", prompt: "Ship it."}), "rest", {description: "Rests.", prompt: "Rest."})
let tools = tool_define(tool_registry(), "run", "Runs.", {parameters: {x: "string"}, handler: { a -> "ran " + a.x }})
llm_mock({tool_calls: [{name: "run", arguments: {x: "ls"}}]})
llm_mock({text: "end"})
let r = agent_loop("go", nil, {provider: "mock", tools: tools, tool_format: "native", skills: skills, skill_match: {strategy: "host"}, approval_policy: {require_approval: ["run"]}})
println(r.tools.successful)
println(r.transcript.events.filter({ e -> e.kind == "skill_activated" }).map({ e -> e.metadata.name }))
`,
    (runtime) => {
      harn.configureApprovals(runtime, approve);
      harn.configureSkillMatch(runtime, match);
    },
  );
  expect(printed).toBe("[run]\n[ship]\n");
  expect(asked).toEqual([["ship", "rest"], "run"]);
});

test("a TypeScript host puts its own part into every loop, and leaves others out", async () => {
  const turns: string[] = [];
  const own: harn.Subsystem = {
    name: "own",
    // biome-ignore lint/correctness/useYield: it asks nobody.
    *prepare({ state, work }) {
      turns.push(`${state.sessionId} ${work.iteration + 1}`);
    },
  };
  const names: string[][] = [];
  const printed = await run(
    `
let tools = tool_define(tool_registry(), "look", "Looks.", {handler: { _ -> "seen" }})
for _ in range(0, 4) { llm_mock({tool_calls: [{name: "look"}]}) }
llm_mock({text: "end"})
let r = agent_loop("go", nil, {provider: "mock", tools: tools, tool_format: "native", stall: {threshold: 2, interventions: 0}, session_id: "s"})
println(r.status)
`,
    (runtime) => {
      harn.configureSubsystems(runtime, (parts) => {
        names.push(parts.map(({ name }) => name));
        return [own, ...parts.filter(({ name }) => name !== "repetition")];
      });
    },
  );
  expect(printed).toBe("done\n");
  expect(turns).toEqual(["s 1", "s 2", "s 3", "s 4", "s 5"]);
  expect(names).toHaveLength(1);
  expect(names[0]).toContain("repetition");
});

test("what decides an end and what judges a contract can be asked without a loop", () => {
  const contract = {
    outputs: [
      { id: "a", required: true, weight: 3 },
      { id: "b", required: false, weight: 1 },
    ],
    questions: [{ id: "q", required: true }],
    acceptability: { mode: "threshold" as const, threshold: 0.75, allowPartial: false },
  };
  const coverage = new Map([["a", { status: "met" as const }]]);
  const verdict = harn.verifyContract({ contract, coverage, answers: new Map() });
  expect(verdict).toEqual({ satisfied: false, unmet: ["b"], partial: [], score: 0.75, met: 1, total: 2 });
  expect(harn.verifyContract({ contract, coverage, answers: new Map([["q", "yes"]]) }).satisfied).toBe(true);
  const facts = { ending: { status: "failed", reason: "context_exhausted" } } as harn.StopFacts;
  expect(harn.decideStop(facts)).toMatchObject({ verdict: "end", stop_reason: "context_exhausted", row: 1 });
});

/** What a program prints, run with the entry's own means. */
async function run(text: string, prepare: (runtime: harn.Runtime) => void): Promise<string> {
  const builtins = harn.builtinTable();
  const compiled = harn.compileProgram(new harn.SourceFile("main.harn", text), {
    builtins,
    globals: harn.builtinGlobals,
    parse: harn.parse,
  });
  if (compiled.program === undefined) throw new Error(JSON.stringify(compiled.diagnostics));
  let printed = "";
  const runtime = new harn.Runtime({
    effects: new harn.LiveEffects({ atRest: harn.nodeAtRest(), seed: "entry" }),
    host: harn.createNodeHost({ cwd: tmpdir(), env: new Map() }),
    console: {
      write: (piece) => {
        printed += piece;
      },
      writeError: (piece) => {
        printed += piece;
      },
    },
    builtins,
  });
  prepare(runtime);
  await harn.runProgram(runtime, compiled.program);
  return printed;
}
