/** Tools of a program, called by scripts and by agents. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { configureApprovals } from "../../../../src/agent/index.ts";
import { MemoryJournal } from "../../../../src/effects/index.ts";
import type { Runtime } from "../../../../src/interp/index.ts";
import { offerProgramTools, toolDefinitions } from "../../../../src/library/host-tools.ts";
import { tool } from "../../../../src/library/tool.ts";
import type { ToolContext } from "../../../../src/library/types.ts";
import { agentRun } from "../../../support/agent-run.ts";
import { recordingEffects, replayEffects, testRun, unusableHost } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { runUnder } from "../../../support/replay-script.ts";
import { scriptWithTools } from "../../../support/tool-run.ts";

const add = tool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  output: z.number(),
  effect: "read",
  execute: ({ a, b }) => a + b,
});

describe("a script", () => {
  it("calls a tool with what its schema reads, and gets its result", async () => {
    const { stdout } = await scriptWithTools([add], 'println(host_call("tool.add", {a: 2}) + 1)');
    expect(stdout).toBe("4\n");
  });

  it("gets input that does not fit as an error with the place", async () => {
    const { stdout } = await scriptWithTools(
      [add],
      'try { host_call("tool.add", {a: "x"}) } catch e { println("${e.name}: ${e.message}, ${error_category(e)}") }',
    );
    expect(stdout).toMatch(
      /^SchemaMismatch: the input of add does not fit its schema: \$\.a: .*, schema_validation\n$/,
    );
  });

  it("finds it among what the host has", async () => {
    const { stdout } = await scriptWithTools(
      [add],
      'println([host_has("tool", "add"), host_capabilities().tool.ops])',
    );
    expect(stdout).toBe("[true, [add]]\n");
  });
});

describe("a script that hands tools to a loop", () => {
  const other = tool({ name: "other", description: "Other.", input: z.object({}), execute: () => 1 });

  it("gets them as a registry, or those that it names", async () => {
    const { stdout } = await scriptWithTools(
      [add, other],
      `let all = host_tools()
println(tool_list(all).map({ t -> t.name }))
let one = host_tools(["add"]).tools[0]
println([one.executor, one.host_capability, one.parameters.required, one.annotations.side_effect_level])
try { host_tools(["ad"]) } catch e { println(e) }`,
    );
    expect(stdout).toBe(
      "[add, other]\n[host_bridge, tool.add, [a], read_only]\nhost_tools: the host has no tool 'ad'; it has add, other\n",
    );
  });

  it("and its agent calls them", async () => {
    const { stdout, error } = await scriptWithTools(
      [add],
      `llm_mock({tool_calls: [{name: "add", arguments: {a: 2, b: 5}}]})
llm_mock({text: "seven"})
let result = agent_loop("go", nil, {provider: "mock", tools: host_tools(), tool_format: "native"})
println([result.tools.successful, result.text])`,
    );
    expect(error).toBe("");
    expect(stdout).toBe("[[add], seven]\n");
  });

  it("finds them in the record when they are gone", async () => {
    const text = "println(host_tools().tools.map({ t -> [t.name, t.parameters.required] }))";
    const journal = new MemoryJournal();
    const onRuntime = (runtime: Runtime): void => offerProgramTools(runtime, [add], { run: "r1" });
    const whole = await runUnder(text, recordingEffects(journal), createMemoryHost(), { onRuntime });
    const again = await runUnder(text, replayEffects(journal.read()), unusableHost());
    expect([whole.stdout, again.stdout]).toEqual(["[[add, [a]]]\n", "[[add, [a]]]\n"]);
  });
});

describe("a tool that asks before each call", () => {
  const asked: unknown[] = [];
  const wipe = tool({
    name: "wipe",
    description: "Wipes.",
    input: z.object({ disk: z.string() }),
    approval: true,
    execute: ({ disk }) => `wiped ${disk}`,
  });
  const text = `try { println(host_call("tool.wipe", {disk: "a"})) } catch e { println("\${e.name}: \${e.message}, \${error_category(e)}") }`;
  const answering = (answer: unknown) => (runtime: Runtime) => {
    offerProgramTools(runtime, [wipe], { run: "r1" });
    configureApprovals(runtime, (request) => {
      asked.push(request);
      return answer;
    });
  };

  it.each([
    ["allows it", true, "wiped a\n"],
    ["allows it with another input", { approved: true, arguments: { disk: "b" } }, "wiped b\n"],
    [
      "refuses it",
      { approved: false, reason: "not today" },
      "PermissionDenied: wipe was not called: not today, permission_denied\n",
    ],
  ])("and somebody %s, which a replay knows without the tool", async (_name, answer, wanted) => {
    asked.length = 0;
    const journal = new MemoryJournal();
    const onRuntime = answering(answer);
    const whole = await runUnder(text, recordingEffects(journal), createMemoryHost(), { onRuntime });
    expect(whole.stdout).toBe(wanted);
    expect(asked).toMatchObject([{ tool_name: "wipe", tool_args: { disk: "a" } }]);
    const again = await runUnder(text, replayEffects(journal.read()), unusableHost());
    expect(again.stdout).toBe(wanted);
  });

  it("is not called where nobody can be asked", async () => {
    const { stdout } = await scriptWithTools([wipe], text);
    expect(stdout).toMatch(/^PermissionDenied: wipe was not called: there is nobody to ask/);
  });
});

describe("an agent", () => {
  it("is told what a tool throws in its words", async () => {
    const fails = tool({
      name: "fails",
      description: "Fails.",
      input: z.object({}),
      execute: () => {
        throw new RangeError("too far");
      },
    });
    const run = testRun();
    offerProgramTools(run.runtime, [fails], { run: "r1" });
    const agent = agentRun(run);
    agent.mock({ tool_calls: [{ id: "c1", name: "fails", arguments: {} }] }, { text: "done" });
    await agent.loop("go", { tools: toolDefinitions([fails]), tool_format: "native" });
    const told = agent
      .calls()
      .at(-1)
      .messages.filter(({ role }: { role: string }) => role === "tool");
    expect(told[0].content).toContain("RangeError: too far");
  });

  it("calls a tool by its entry, and the tool knows the model's call", async () => {
    const seen: ToolContext[] = [];
    const lookup = tool({
      name: "lookup",
      description: "Looks up.",
      input: z.object({ word: z.string() }),
      execute: ({ word }, context) => {
        seen.push(context);
        return { word, found: true };
      },
    });
    const run = testRun();
    offerProgramTools(run.runtime, [lookup], { run: "r1" });
    const agent = agentRun(run);
    agent.mock({ tool_calls: [{ id: "c7", name: "lookup", arguments: { word: "tea" } }] }, { text: "done" });
    const result = await agent.loop("go", { tools: toolDefinitions([lookup]), tool_format: "native" });
    expect(result.tools.successful).toEqual(["lookup"]);
    const told = agent
      .calls()
      .at(-1)
      .messages.filter(({ role }: { role: string }) => role === "tool");
    expect(told[0].content).toContain('{"found":true,"word":"tea"}');
    expect(seen).toMatchObject([{ run: "r1", call: "c7", attempt: 1 }]);
    expect(seen[0]?.idempotencyKey).toMatch(/^r1#[\d.]+#\d+$/);
  });
});
