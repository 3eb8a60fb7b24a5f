/** Messages of a run in a program name options, not flags; and what would be dropped without a word is told. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { typedCommand } from "../../../../src/host/command/index.ts";
import { programWords } from "../../../../src/library/engine/program-words.ts";
import { harn, tool } from "../../../../src/library/index.ts";
import { testHarn } from "../../../../src/library/testing.ts";
import type { HarnOptions, LogLine } from "../../../../src/library/types.ts";
import { callerWords, inProcess } from "../../../../src/process/index.ts";
import { madeProcess } from "../../../../src/process/made-process.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { expectPlainWords } from "../../../support/plain-words.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("program-words");
const refusing = (async () => new Response('{"error": {"message": "no"}}', { status: 401 })) as typeof fetch;
const nobody = (async () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  throw new TypeError("fetch failed", { cause });
}) as typeof fetch;
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((one) => one.close())));
const made = (options: HarnOptions) => {
  const h = harn({ cwd: folder, store: "memory", env: {}, ...options });
  open.push(h);
  return h;
};

describe("what could be done is said", () => {
  const typed = (work: () => string) => work();
  const written = (work: () => string) =>
    inProcess(
      madeProcess({
        cwd: folder,
        env: {},
        words: programWords("OPENAI_API_KEY"),
        stdout: () => {},
        stderr: () => {},
        exit: () => new Error(),
      }),
      work,
    );

  it.each<[() => string, onCommandLine: string, inProgram: string]>([
    [() => callerWords().flag("--model"), "--model", "`model`"],
    [() => callerWords().flag("--llm-mock", "FILE.jsonl"), "--llm-mock FILE.jsonl", "`mock`"],
    [() => callerWords().flag("--no-record"), "--no-record", "`store: false`"],
    [
      () => callerWords().giving("--base-url", "http://a/v1"),
      "--base-url http://a/v1",
      '`baseUrl: "http://a/v1"`',
    ],
    [() => String(callerWords().has("--on-doubt")), "true", "true"],
    [() => String(callerWords().has("--accept-changes")), "true", "false"],
    [() => typedCommand("runs list"), "harn runs list", "h.runs.list()"],
    [() => typedCommand("runs delete a.b"), "harn runs delete a.b", 'h.runs.remove("a.b")'],
    [() => typedCommand("replay a"), "harn replay a", 'h.replay("a")'],
    [() => typedCommand("fork a --at N"), "harn fork a --at N", 'h.fork("a", {at: N})'],
    [() => typedCommand("run --resume a"), "harn run --resume a", 'h.resume("a")'],
    [() => typedCommand("run --resume a FILE"), "harn run --resume a FILE", 'h.resume("a", {script})'],
    [() => typedCommand("runs show a"), "harn runs show a", "harn runs show a"],
    [() => callerWords().variable("OPENAI_API_KEY"), "OPENAI_API_KEY", "`apiKey`"],
    [() => callerWords().variable("GROQ_API_KEY"), "GROQ_API_KEY", "GROQ_API_KEY"],
    [() => callerWords().keys(["A_KEY", "B_KEY"]), "A_KEY or B_KEY", "A_KEY or B_KEY or `apiKey`"],
  ])("%s", (say, onCommandLine, inProgram) => {
    expect([typed(say), written(say)]).toEqual([onCommandLine, inProgram]);
  });
});

/** Everything that reaches a program: what its runs fail with, and the lines of its log. */
describe("a program hears of no flag, and of functions where there are some", () => {
  const lines: string[] = [];
  const log = ({ text }: LogLine): void => void lines.push(text);
  const failing = async (run: PromiseLike<unknown>): Promise<string> => {
    const error = await Promise.resolve(run).then(
      () => new Error("it did not fail"),
      (thrown: Error) => thrown,
    );
    expectPlainWords(error.message);
    for (const line of lines) expectPlainWords(line);
    return error.message;
  };

  it("in rules of a run", async () => {
    const read = { text: 'read_file("x")' };
    expect(await failing(made({ allow: ["model"] }).run(read))).toContain("`allow` does not name fs.read");
    expect(await failing(made({ deny: ["read_file"] }).run(read))).toContain("`deny` names it");
    expect(await failing(made({ allow: ["fs.raed"] }).run(read))).toContain("`allow`: 'fs.raed' is neither");
  });

  it("in what is wrong with models", async () => {
    const ask = { prompt: "hello" };
    const keyless = made({ provider: "openai", model: "gpt-4o" }).agent(ask);
    expect(await failing(keyless)).toMatch(/set OPENAI_API_KEY or `apiKey`\. Without a key, `mock` answers/);
    const url = "http://127.0.0.1:9/v1";
    const moved = made({ env: { OPENAI_API_KEY: "sk-1" }, log });
    const asks = `llm_call("x", nil, {provider: "openai", model: "gpt-4o", base_url: "${url}"})`;
    expect(await failing(moved.run({ text: asks }))).toContain(
      `name it yourself: \`provider: "openai"\` \`baseUrl: "${url}"\``,
    );
    // Its clock waits for nobody: a server that is not there is asked more than once.
    const alone = testHarn({ provider: "local", model: "m", baseUrl: url, fetch: nobody, log });
    open.push(alone);
    expect(await failing(alone.agent(ask))).toMatch(
      /or `apiKey` for a hosted model; `mock` runs without a model/,
    );
    expect(await failing(made({ mock: join(folder, "none.jsonl") }).agent(ask))).toMatch(
      /^`mock`: cannot read/,
    );
    const short = made({ mock: [{ match: "never", text: "a" }], log }).agent(ask);
    expect(await failing(short)).toContain("No `mock` fixture matched prompt");
    writeFileSync(join(folder, "tape.jsonl"), `${JSON.stringify({ text: "a", match: "never" })}\n`);
    const taped = made({ tape: join(folder, "tape.jsonl"), log }).agent(ask);
    expect(await failing(taped)).toMatch(
      /Run live: set OPENAI_API_KEY or .*`apiKey`, or name a `provider` and `model`/,
    );
    lines.length = 0;
    const other = made({ provider: "openai", model: "claude-sonnet-4-5", apiKey: "k", fetch: refusing, log });
    expect(await failing(other.agent(ask))).toContain("(key from `apiKey`)");
    expect(lines.join("\n")).toContain("because `provider` says so");
    const own = made({ provider: "openai", model: "gpt-4o", env: { OPENAI_API_KEY: "k" }, fetch: refusing });
    expect(await failing(own.agent(ask))).toContain("(key from OPENAI_API_KEY)");
  });

  it("in what can't be gone on with", async () => {
    const h = made({ log });
    await h.run({ text: 'write_file("a", "1")\nreturn 1' }, { name: "one" });
    expect(await failing(h.resume("nobody"))).toContain("`h.runs.list()`");
    expect(await failing(h.resume("one"))).toContain(
      '`h.replay("one")` shows it again, `h.fork("one", {at: N})`',
    );
    expect(await failing(h.fork("one", { at: 9 }))).toMatch(/^`at`: one has 1 step,/);
    const other = join(folder, "other.harn");
    const stopped = h.run({ text: 'write_file("a", "1")\nsleep(1h)' }, { name: "two" });
    await expect.poll(() => h.runs.get("two")).toMatchObject({ status: "running" });
    await stopped.stop();
    writeFileSync(other, 'write_file("b", "2")');
    expect(await failing(h.resume("two", { script: other }))).toContain("nothing was done");
    const file = join(folder, "one.json");
    await h.runs.export("one", file);
    await h.runs.remove("one");
    await h.run({ text: "return 2" }, { name: "one" });
    expect(await failing(h.runs.import(file))).toContain('`h.runs.remove("one")`');
    writeFileSync(join(folder, "record.json"), JSON.stringify({ _type: "run_record", metadata: {} }));
    expect(await failing(h.replay(join(folder, "record.json")))).toContain("names no recorded run");
  });

  it("in what is wrong with an answer, and with the store", async () => {
    const h = made({ log });
    const asks = `ask_user("Name?", {schema: {type: "integer"}})`;
    const { questions = [] } = await h.run({ text: asks }, { name: "asks" }).done;
    expect(await failing(h.runs.answer("asks", questions[0]?.id ?? "", "x"))).toContain("asked: Name?");
    writeFileSync(join(folder, "plain"), "");
    const asking = made({ store: false }).run({ text: 'return ask_user("Name?")' });
    expect(await failing(asking)).toContain(
      "nobody is there to answer: with `store: false` no question is kept",
    );
    const newer = join(folder, "newer");
    const before = made({ store: newer });
    await before.run({ text: "return 1" });
    await before.close();
    const [file = ""] = readdirSync(newer).filter((name) => /\.(?:db|sqlite)$/.test(name));
    const db = new DatabaseSync(join(newer, file));
    db.exec("PRAGMA user_version = 9999");
    db.close();
    const later = made({ store: newer });
    for (const call of [later.run({ text: "return 1" }), later.runs.list()]) {
      expect(await failing(call)).toMatch(/has version 9999[\s\S]*another folder \(`store`\)/);
      await expect(call).rejects.toMatchObject({ code: "HARN-CLI-021" });
    }
    expect(await failing(made({ store: join(folder, "plain") }).run({ text: "return 1" }))).toContain(
      "`store`",
    );
  });
});

it("who plays the run of a program again on a command line gets the same texts", async () => {
  const state = join(folder, "state");
  const h = harn({ cwd: folder, store: state, env: {}, deny: ["fs"], mock: [{ match: "never", text: "a" }] });
  const text = `try { read_file("x") } catch e { println(e) }
try { llm_call("hello") } catch e { println(e) }`;
  const printed: string[] = [];
  await h.run({ text }, { name: "both", onPrint: (piece) => void printed.push(piece) });
  await h.close();
  expect(printed.join("")).toMatch(/`deny` names fs\.read[\s\S]*No `mock` fixture matched/);
  const replayed = await harnHere(["replay", "both"], { cwd: folder, env: { HARN_STATE_DIR: state } });
  expect(replayed).toMatchObject({ status: 0, stderr: "", stdout: printed.join("") });
});

it("an unknown key of an answer is told, with what was meant", async () => {
  const run = made({ mock: [{ txt: "hello" }] }).agent({ prompt: "hello" });
  await expect(run).rejects.toMatchObject({
    code: "HARN-LIB-001",
    message: expect.stringMatching(/mock:1: unknown key `txt`; did you mean/),
  });
});

it.each([
  [{ text: "a", qqqqq: 1 }, "mock:1: unknown key `qqqqq`; expected one of text, tool_calls, match"],
  [{ text: "a", model: 5 }, "mock:1: `model`: expected string, got int 5"],
])("what an answer can't have fails the run, and is not said to have no effect: %j", async (answer, text) => {
  const run = made({ mock: [answer] }).agent({ prompt: "hello" });
  await expect(run).rejects.toThrow(text);
  await expect(run).rejects.not.toThrow("no effect");
});

it("why nobody has answered stands in the failure", async () => {
  const h = made({ onQuestion: () => Promise.reject(new Error("the line is cut")) });
  const run = h.run({ text: 'return ask_user("Name?")' });
  await expect(run).rejects.toThrow(
    /waits for a person\n {2}Name\?\n {2}nobody has answered .*the line is cut/,
  );
});

it("says which option is wrong, and where in it", async () => {
  const one = tool({ name: "t", description: "T.", input: z.object({}), execute: () => 1 });
  expect(() => made({ tools: [one, one] })).toThrow("two tools of `tools` are called `t`");
  expect(() => made({ tools: [one, "x"] as never })).toThrow("`tools[1]` is a string, expected what");
  expect(() => made({ model: "" })).toThrow("`model` is an empty text, expected a text that is not empty");
  expect(() => made({ onDoubt: "maybe" } as never)).toThrow('`onDoubt` is "maybe", expected "ask"');
  const near = made({ tools: [one] }).run({ text: 'host_call("tool.tt", {})' });
  await expect(near).rejects.toThrow("unsupported operation tool.tt: did you mean tool.t?");
});
