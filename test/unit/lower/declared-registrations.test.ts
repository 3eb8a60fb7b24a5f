/** What declarations hand to the builtins they stand for, seen from the builtins' side; and the one form that is refused. */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { display, type Value } from "../../../src/values/index.ts";
import { runScript } from "../../support/run-script.ts";

/** Runs a program with one builtin of the real table watched; its calls with arguments and result. */
async function callsOf(name: string, text: string): Promise<{ args: Value[]; result: Value }[]> {
  const calls: { args: Value[]; result: Value }[] = [];
  const real = builtinTable().get(name)!;
  const watched = new Map(builtinTable()).set(name, {
    ...real,
    run: (task, ...args: Value[]) => {
      const result = real.run(task, ...args) as Value;
      calls.push({ args, result });
      return result;
    },
  });
  const run = await runScript(text, { compile: { builtins: watched }, runtime: { builtins: watched } });
  expect(run.error).toBe("");
  return calls;
}

describe("@acp_skill (§18)", () => {
  it.each([
    ['@acp_skill(name: "deploy", when_to_use: "User says so", invocation: auto)\nfn ship() { 1 }'],
    [
      '@acp_skill(name: "deploy", when_to_use: "User says so", invocation: auto)\nfn ship() { 1 }\npipeline default() { }',
    ],
  ])("defines a skill with the function as its hook: %s", async (text) => {
    const calls = await callsOf("skill_define", text);
    expect(calls).toHaveLength(1);
    const [registry, name, config] = calls[0]!.args;
    expect(display(registry!)).toBe("{_type: skill_registry, skills: []}");
    expect(name).toBe("deploy");
    expect(display(config!)).toMatch(/^\{invocation: auto, on_activate: <.*>, when_to_use: User says so\}$/);
    expect(display(calls[0]!.result)).toContain("name: deploy");
  });

  it("is named after the function when it has no name", async () => {
    const calls = await callsOf("skill_define", "@acp_skill()\nfn ship() { 1 }");
    expect(calls.map(({ args }) => args[1])).toEqual(["ship"]);
  });
});

describe("eval_pack (§21)", () => {
  it("hands over version, id and the fields, once", async () => {
    const calls = await callsOf("eval_pack_manifest", 'eval_pack p "the-id" {\n  cases: [1]\n}');
    expect(calls.map(({ args }) => display(args[0]!))).toEqual(["{cases: [1], id: the-id, version: 1}"]);
  });
});

describe("cost_route", () => {
  it.each([["let x = cost_route { 5 }"], ["pipeline default() { cost_route { 5 } }"]])(
    "is refused with a code: %s",
    async (text) => {
      const { outcome, error } = await runScript(text);
      expect(error).toContain("`cost_route { }` is not available in this version");
      expect(outcome?.error?.error.code).toBe("HARN-RUN-001");
    },
  );
});
