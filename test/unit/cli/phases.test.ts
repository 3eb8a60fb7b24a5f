/** Runs that are killed with `kill -9` in each phase of a turn: resumed, they are what they would have been. */
// long: kills in every phase of a turn
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loopPhases } from "../../../src/agent/index.ts";
import { ordersVariable } from "../../../src/tools/torture/in-child.ts";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("phases");

interface Reported {
  readonly findings: readonly unknown[];
  readonly killed: readonly {
    readonly when: string;
    readonly processes: number;
    readonly differences: readonly string[];
  }[];
}

/** A loop that comes into every phase: its calls are written down outside, its view is compacted, its contract is looked at. */
const everyPhase = `
let tools = tool_define(tool_registry(), "ask", "Asks.", {
  parameters: {about: {type: "string"}},
  annotations: {kind: "fetch", side_effect_level: "network"},
  handler: { args ->
    append_file("log.txt", args.about + "\\n")
    "about \${args.about}: " + "x y z ".repeat(60)
  },
})
for n in range(0, 16) { llm_mock({tool_calls: [{name: "ask", arguments: {about: "harbour \${n}"}}]}) }
llm_mock({tool_calls: [{name: "work_complete", arguments: {summary: "Sixteen."}}]})
let r = agent_loop("Ask.", nil, {provider: "mock", tools: tools, tool_format: "native", session_id: "s", loop_until_done: true, max_iterations: 40,
  compaction: {strategy: "ladder", max_input_tokens: 2600, summarizer: { ask -> {facts: [{text: "asked", sources: [ask.span[0].id]}]} }},
  work_items: [{id: "survey", title: "Survey", status: "done"}],
  contract: {goal: "g", required_outputs: [{id: "asked", description: "asked", predicate: {type: "tool_result_success", tool: "ask"}}]}})
println("\${r.status} \${r.outcome.kind}")
println(agent_loop_events("s").filter({ e -> e.type == "tool.call" }).map({ e -> e.data.arguments.about ?? e.data.name }))
println(read_file("log.txt"))
`;

describe("harn torture --phases", () => {
  it("kills a run in each phase that its agents reach, and nothing is lost or done twice", () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), everyPhase);
    const flags = ["torture", "--effects", "0", "--phases", "--json", "a.harn"];
    const { stdout, status } = harn(flags, { cwd, timeout: 300_000 });
    const report = JSON.parse(stdout) as Reported;
    expect(report.killed.map(({ when }) => when.split(" ")[1])).toEqual([...loopPhases]);
    expect(report.killed.flatMap(({ differences }) => differences)).toEqual([]);
    expect(report.killed.every(({ processes }) => processes === 2)).toBe(true);
    expect(status).toBe(0);
  });

  it("finds nothing where no agent works, and says so", () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), 'println("a")');
    const { stdout, status } = harn(["torture", "--phases", "a.harn"], { cwd });
    expect(stdout).toContain("no agent works in this script");
    expect(status).toBe(0);
  });

  it("finds the long haul the same, wherever it is killed", () => {
    const cwd = join(projectRoot, "examples");
    const flags = ["torture", "--effects", "0", "--phases", "--kills", "20", "--json", "long-haul.harn"];
    const { stdout } = harn(flags, { cwd, timeout: 580_000 });
    const report = JSON.parse(stdout) as Reported;
    expect(report.killed).toHaveLength(loopPhases.length + 20);
    expect(report.killed.flatMap(({ differences }) => differences)).toEqual([]);
  });
});

describe("a run that is killed in a call", () => {
  const calls = (cwd: string): string[] => readFileSync(join(cwd, "log.txt"), "utf8").trim().split("\n");

  it("has noted its batch before: it goes on with that call, and every call is made once", () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), everyPhase);
    const env = { [ordersVariable]: JSON.stringify({ kill: { phase: "tool", nth: 3 } }) };
    const killed = harn(["run", "a.harn"], { cwd, env });
    expect(killed.status).not.toBe(0);
    expect(calls(cwd)).toEqual(["harbour 0", "harbour 1"]);
    // What it had begun with stands in the record: two calls that have ended, and no third effect.
    expect(harn(["runs", "show", "last"], { cwd }).stdout.match(/append_file/g)).toHaveLength(2);
    const resumed = harn(["run", "--resume", "last"], { cwd });
    expect(resumed.stdout.split("\n")[0]).toBe("done verified");
    expect(calls(cwd)).toEqual(Array.from({ length: 16 }, (_, n) => `harbour ${n}`));
  });

  it("can be resumed when it was killed before anything outside was touched", () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), everyPhase);
    const env = { [ordersVariable]: JSON.stringify({ kill: { phase: "repair", nth: 1 } }) };
    expect(harn(["run", "a.harn"], { cwd, env }).status).not.toBe(0);
    expect(existsSync(join(cwd, "log.txt"))).toBe(false);
    const resumed = harn(["run", "--resume", "last"], { cwd });
    expect(resumed.stdout.split("\n")[0]).toBe("done verified");
    expect(calls(cwd)).toHaveLength(16);
  });
});
