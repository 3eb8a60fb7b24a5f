/** `replayOf()`: an exported run against the code of today. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { type FlowContext, HarnError, tool } from "../../../../src/library/index.ts";
import { replayOf, testHarn } from "../../../../src/library/testing.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("library-replay-of");
const elsewhere = tempFolder("library-replay-elsewhere");
const file = (name: string): string => join(cwd, name);

const text = (q: string): string => `let found = host_call("tool.lookup", {q: "${q}"})
  println("found")
  return [found, env("WHO")]`;

const lookupThat = (answer: unknown) =>
  tool({
    name: "lookup",
    description: "Looks it up.",
    input: z.object({ q: z.string() }),
    effect: "read",
    execute: async (): Promise<unknown> => answer,
  });

async function recorded(name: string): Promise<string> {
  writeFileSync(file("main.harn"), text("a"));
  await using h = testHarn({ cwd, env: { WHO: "me" }, tools: [lookupThat(1)] });
  const run = h.run(file("main.harn"));
  await run;
  await h.runs.export(run.id, file(name));
  return file(name);
}

test("the same: from the record alone, and with today's tools and script", async () => {
  const record = await recorded("same.run");
  const alone = await replayOf(record);
  expect(alone).toMatchObject({ same: true, end: { status: "done", output: [1, "me"] } });
  expect(alone.difference).toBeUndefined();
  const now = await replayOf(pathToFileURL(record), { tools: [lookupThat(1)], script: file("main.harn") });
  expect(now).toMatchObject({ same: true, end: { output: [1, "me"] } });
});

test("a tool that gives something else: the step, both sides, no throw", async () => {
  const result = await replayOf(await recorded("tool.run"), { tools: [lookupThat(2)] });
  expect(result.same).toBe(false);
  expect(result.difference).toMatchObject({ step: "0#0", recorded: '{"result":1}', now: '{"result":2}' });
  expect(result.difference?.message).toContain("tool.lookup gives something else than was recorded");
  expect(result.end.error?.code).toBe("HARN-CLI-030");
});

test("a script that asks for something else, or prints something else", async () => {
  const record = await recorded("script.run");
  writeFileSync(file("other.harn"), text("b"));
  const asks = await replayOf(record, { script: file("other.harn") });
  expect(asks.same).toBe(false);
  expect(asks.difference).toMatchObject({
    step: "0#0",
    recorded: 'tool.lookup (read) {"q":"a"}',
    now: 'tool.lookup (read) {"q":"b"}',
  });
  writeFileSync(file("prints.harn"), text("a").replace('found")\n', 'lost")\n'));
  const prints = await replayOf(record, { script: file("prints.harn"), cwd });
  expect(prints).toMatchObject({ same: false, difference: { step: undefined, recorded: undefined } });
  expect(prints.difference?.message).toContain("printed something else");
});

test("a script that ends before its record does", async () => {
  const record = await recorded("shorter.run");
  writeFileSync(file("shorter.harn"), 'println("found")\nreturn [1, "me"]');
  const { same, difference, end } = await replayOf(record, { script: file("shorter.harn"), cwd });
  expect(same).toBe(false);
  expect(difference).toMatchObject({
    step: "0#0",
    recorded: "effect 0#0 tool.lookup comes next",
    now: "nothing, the program has ended",
  });
  expect(end.error?.code).toBe("HARN-CLI-030");
});

test("a script that gives something else, also at the command line", async () => {
  const record = await recorded("gives.run");
  writeFileSync(file("gives.harn"), text("a").replace("[found,", "[found + 1,"));
  const { same, difference, end } = await replayOf(record, { script: file("gives.harn"), cwd });
  expect({ same, code: end.error?.code }).toEqual({ same: false, code: "HARN-CLI-030" });
  expect(difference).toMatchObject({ step: undefined, recorded: '[1,"me"]', now: '[2,"me"]' });
  expect(difference?.message).toContain("they differ at result[0]: 1 → 2");
  const shown = await harnHere(["replay", "--script", "gives.harn", "gives.run"], { cwd });
  expect(shown.status).toBe(3);
  expect(shown.stderr).toContain("the program gives something else than it did then");
  expect(await harnHere(["replay", "gives.run"], { cwd })).toMatchObject({ stdout: "found\n", status: 0 });
});

test("a script that fails now, and one that ends itself", async () => {
  const record = await recorded("ends.run");
  writeFileSync(file("ends.harn"), text("a").replace("return", 'env("WHO")\nthrow "no"\nreturn'));
  const fails = await replayOf(record, { script: file("ends.harn"), cwd });
  expect(fails.difference).toMatchObject({
    recorded: '[1,"me"]',
    now: 'the error "no"',
  });
  writeFileSync(file("ends.harn"), text("a").replace("return", 'throw "no"\nreturn'));
  const early = await replayOf(record, { script: file("ends.harn"), cwd });
  expect(early.difference).toMatchObject({
    step: "0#1",
    now: 'nothing, the program has ended with the error "no"',
  });
  writeFileSync(file("ends.harn"), text("a").replace("return", 'env("WHO")\nexit(3)\nreturn'));
  const exits = await replayOf(record, { script: file("ends.harn"), cwd });
  expect(exits.difference).toMatchObject({ recorded: '[1,"me"]', now: "null" });
});

test("results that are too large to be kept, and those that can't be", async () => {
  await using h = testHarn({ cwd });
  const large = (end: string) => `write_file("a", "b")\nreturn "x".repeat(70000) + "${end}"`;
  const run = h.run({ text: large("a") });
  await run;
  await h.runs.export(run.id, file("large.run"));
  expect(readFileSync(file("large.run"), "utf8")).not.toContain('xxxx"}');
  writeFileSync(file("large.harn"), large("b"));
  expect(await replayOf(file("large.run"), { cwd })).toMatchObject({ same: true });
  const { difference } = await replayOf(file("large.run"), { script: file("large.harn"), cwd });
  expect(difference?.recorded).toMatch(/^something too large to be kept \(SHA-256 \w+…\)$/);
  expect(difference?.now).not.toBe(difference?.recorded);
  writeFileSync(file("large.harn"), 'write_file("a", "b")\nreturn { x -> x }');
  const { difference: none } = await replayOf(file("large.run"), { script: file("large.harn"), cwd });
  expect(none?.now).toBe("something that has no stored form");
});

test("a result that names its folder, replayed in another one", async () => {
  await using h = testHarn({ cwd });
  const run = h.run({ text: `write_file("a", "b")\nreturn [cwd(), "${cwd}"]` });
  expect(await run).toEqual([cwd, cwd]);
  await h.runs.export(run.id, file("folder.run"));
  expect(await replayOf(file("folder.run"), { cwd })).toMatchObject({ same: true });
  expect(await replayOf(file("folder.run"), { cwd: elsewhere })).toMatchObject({ same: true });
});

test("a result with a secret is recorded with its name", async () => {
  const env = { MY_API_KEY: "sk-very-secret-0123456789" };
  await using h = testHarn({ cwd, env });
  const run = h.run({ text: 'write_file("a", "b")\nreturn {key: env("MY_API_KEY")}' });
  expect(await run).toEqual({ key: env.MY_API_KEY });
  await h.runs.export(run.id, file("secret.run"));
  const kept = readFileSync(file("secret.run"), "utf8");
  expect(kept).not.toContain("very-secret");
  expect(kept).toContain('"result":{"value":{"key":"{{secret:MY_API_KEY}}"}}');
  expect(await replayOf(file("secret.run"), { cwd })).toMatchObject({ same: true });
});

test("a run that failed then fails in the same way now", async () => {
  await using h = testHarn({ cwd });
  const run = h.run({ text: 'write_file("a", "b")\nthrow "no"' });
  await run.done;
  await h.runs.export(run.id, file("failed.run"));
  const result = await replayOf(file("failed.run"));
  expect(result).toMatchObject({ same: true, end: { status: "failed", error: { message: "Thrown: no" } } });
});

test("what can't be played is thrown", async () => {
  await expect(replayOf(file("nothing.run"))).rejects.toBeInstanceOf(HarnError);
  const record = await recorded("broken.run");
  writeFileSync(file("broken.harn"), "let = 1");
  await expect(replayOf(record, { script: file("broken.harn") })).rejects.toMatchObject({
    code: expect.stringMatching(/^HARN-PAR-/),
  });
  await expect(replayOf(record, { tool: [] } as never)).rejects.toThrow("did you mean `tools`?");
});

test("a flow is played with the function of today", async () => {
  await using h = testHarn({ cwd });
  const run = h.flow("double", async (ctx, n: number) => await ctx.step("by", n, () => n * 2))(4);
  expect(await run).toBe(8);
  await h.runs.export(run.id, file("flow.run"));
  const same = await replayOf(file("flow.run"), {
    flows: { double: async (ctx, n: number) => await ctx.step("by", n, () => n * 2) },
  });
  expect(same).toMatchObject({ same: true, end: { output: 8 } });
  const other = await replayOf(file("flow.run"), {
    flows: { double: async (ctx, n: number) => await ctx.step("by", n + 1, () => n * 2) },
  });
  expect(other.same).toBe(false);
  expect(other.difference?.step).toMatch(/^0/);
  const gives = await replayOf(file("flow.run"), {
    flows: { double: async (ctx, n: number) => (await ctx.step("by", n, () => n * 2)) + 1 },
  });
  expect(gives).toMatchObject({ same: false, difference: { recorded: "8", now: "9" } });
});

test("a flow that leaves out a step", async () => {
  await using h = testHarn({ cwd });
  const flow = async (ctx: FlowContext, n: number): Promise<number> => {
    const a = await ctx.step("a", n, () => n + 1);
    await ctx.step("b", n, () => n + 2);
    return a;
  };
  const run = h.flow("steps", flow)(4);
  expect(await run).toBe(5);
  await h.runs.export(run.id, file("steps.run"));
  expect(await replayOf(file("steps.run"), { flows: { steps: flow } })).toMatchObject({ same: true });
  const less = async (ctx: FlowContext, n: number) => await ctx.step("a", n, () => n + 1);
  const { same, difference } = await replayOf(file("steps.run"), { flows: { steps: less } });
  expect(same).toBe(false);
  expect(difference?.recorded).toMatch(/^effect 0\S* .* comes next$/);
  expect(difference?.now).toBe("nothing, the program has ended");
});
