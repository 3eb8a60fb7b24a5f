/** What is told to whoever calls a function of the library with something else than it takes. */
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { harnHarness } from "../../../src/library/ai-sdk.ts";
import { HarnError, harn, tool } from "../../../src/library/index.ts";
import { killAtEachRecord, replayOf, testHarn } from "../../../src/library/testing.ts";
import { aiSdkChunks, eventStream } from "../../../src/library/web.ts";
import { expectPlainWords } from "../../support/plain-words.ts";

const h = harn({ store: "memory", env: {}, mock: [{ text: "hello" }] });
afterAll(() => h.close());

/** As in JavaScript. */
type Any = (...args: unknown[]) => unknown;
const [kill, chunks, stream, harness, played, agent, made, bench] = [
  ...[killAtEachRecord, aiSdkChunks, eventStream, harnHarness, replayOf],
  ...[h.agent.bind(h), harn, testHarn],
] as unknown as [Any, Any, Any, Any, Any, Any, Any, Any];
const run = () => h.run({ text: "return 1" });

async function told(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (error instanceof HarnError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "nothing";
}

const flow = h.flow("calls", async (ctx, call: string) => {
  if (call === "parallel") return await ctx.parallel(5 as never, async () => 1);
  return await ctx.agent({ promt: "x" } as never);
});

describe("is told in words", () => {
  it.each<[string, () => unknown, string]>([
    [
      "a prompt that is misspelt",
      () => agent({ promt: "x" }),
      "h.agent: there is no option `promt`, did you mean `prompt`?",
    ],
    ["no prompt", () => agent({ prompts: {} }), "h.agent: `prompt` is missing: a text"],
    ["a text in place of options", () => agent("hello"), "h.agent: the options are a string, not an object"],
    ["null in place of options", () => agent(null), "h.agent: the options are null, not an object"],
    ["a list in place of options", () => agent([1]), "h.agent: the options are a list, not an object"],
    ["a flow's agent", () => flow("agent"), "ctx.agent: there is no option `promt`, did you mean `prompt`?"],
    ["a flow's items", () => flow("parallel"), "ctx.parallel: the first argument is 5, expected a list, or"],
    ["no harn", () => harness(), "harnHarness: the first argument is missing, expected what `harn()` gives"],
    [
      "a harness's option",
      () => harness(h, { maxIteration: 1 }),
      "harnHarness: there is no option `maxIteration`, did you mean `maxIterations`?",
    ],
    [
      "a harness's prompt",
      () => harness(h, { prompt: "x" }),
      "harnHarness: there is no option `prompt`: each turn brings its own",
    ],
    [
      "a harness's tools",
      () => harness(h, { tools: 5 }),
      "harnHarness: `tools` is 5, expected a list, each what",
    ],
    ["a stream of a number", () => stream(5), "eventStream: the first argument is 5, expected a run"],
    [
      "a stream of an object",
      () => stream({}),
      "eventStream: the first argument is an object, expected a run",
    ],
    ["a stream of nothing", () => stream(), "eventStream: the first argument is missing, expected a run"],
    [
      "a format",
      () => stream(run(), { format: "aisdk" }),
      '`format` is "aisdk", expected "harn", "ai-sdk": did you mean "ai-sdk"?',
    ],
    ["chunks of nothing", () => chunks(), "aiSdkChunks: the first argument is missing, expected a run"],
    ["chunks of an object", () => chunks({}), "aiSdkChunks: the first argument is an object, expected a run"],
    [
      "kills of nothing",
      () => kill(),
      "killAtEachRecord: the first argument is missing, expected a function",
    ],
    ["options of kills", () => kill(run, 5), "killAtEachRecord: the options are 5, not an object"],
    ["kills of what is no run", () => kill(() => 1), "killAtEachRecord: the function must give a run"],
    [
      "kills of a promise",
      () => kill(async (of: typeof h) => await of.run({ text: "throw 1" })),
      "killAtEachRecord: the function gives a promise, and must give the run itself",
    ],
    [
      "a replay of nothing",
      () => played(),
      "replayOf: the file is missing, expected a path, or a URL of a file",
    ],
    ["a bench", () => bench({ modle: 1 }), "testHarn: there is no option `modle`, did you mean `model`?"],
    ["an answer of a mock", () => made({ mock: ["hi"] }), "harn: `mock[0]` is a string, expected an object"],
    ["a variable", () => made({ env: { A: 1 } }), "harn: `env.A` is 1, expected a text"],
    ["a store", () => made({ store: true }), 'harn: `store` is true, expected a folder, "memory", or false'],
    [
      "nearly a store in memory",
      () => made({ store: "Memory" }),
      '`store` is "Memory": did you mean "memory"? A folder of that name is "./Memory"',
    ],
    [
      "an option of calls",
      () => agent({ prompt: "x", llmOptions: { temperature: "hot" } }),
      'h.agent: `llmOptions.temperature`: expected float, got string "hot"',
    ],
    ["a strategy", () => agent({ prompt: "x", compaction: "hybird" }), '; did you mean "hybrid"?'],
    [
      "a message",
      () => agent({ prompt: "x", messages: [{ rol: "user" }] }),
      "HARN-LIB-001 h.agent: `messages[0]` has no role",
    ],
    [
      "a provider of context",
      () => agent({ prompt: "x", contextProviders: [{ id: "mine" }] }),
      "expected closure, got nil (functions of a script: they need one)",
    ],
    [
      "a name of a script's own",
      () => agent({ prompt: "x", _note: 1 }),
      "h.agent: there is no option `_note`",
    ],
    [
      "an own __proto__",
      () => agent(JSON.parse('{"prompt": "x", "__proto__": {"a": 1}}')),
      "h.agent: there is no option `__proto__`",
    ],
    [
      "a capability",
      () => harn({ store: false, allow: ["nett"] }).run({ text: "return 1" }),
      "model, people, fs, all, none); did you mean `net`?",
    ],
  ])("%s", async (_, call, expected) => {
    const text = await told(call);
    expect(text).toContain(expected);
    expectPlainWords(text);
  });
});

it("a folder whose name is far from `memory` is one", async () => {
  expect(() => harn({ store: "./Memory" })).not.toThrow();
});

it("an answer that is misspelt is told, with what was meant", async () => {
  const input = z.object({});
  const asks = tool({ name: "asks", description: "A.", input, approval: true, execute: () => 1 });
  const mock = [{ tool_calls: [{ name: "asks", arguments: {} }] }, { text: "ok" }];
  await using own = harn({ store: "memory", env: {}, mock, tools: [asks] });
  const { questions = [] } = await own.agent({ prompt: "x", name: "asked" }).done;
  const text = await told(() => own.runs.answer("asked", questions[0]?.id ?? "", { aproved: true }));
  expect(text).toContain('{"aproved":true} is no answer to it: did you mean `approved`?');
});
