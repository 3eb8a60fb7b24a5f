/** Runs of a program are recorded: asked and answered, resumed, replayed, forked, listed, exported; and many live side by side. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { HarnError } from "../../../src/library/errors.ts";
import { harn, tool } from "../../../src/library/index.ts";
import type { Question, RunEvent } from "../../../src/library/types.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("library-durable");
const store = join(folder, "state");
const h = harn({ cwd: folder, store, env: {} });
afterAll(() => h.close());

const ask = 'let name = ask_user("Name?")\nlet age = ask_user("Age?")\nreturn "${name} ${age}"';

describe("questions", () => {
  it("without anybody to ask the run waits; an answer is kept, and `resume` goes on", async () => {
    const end = await h.run({ text: ask }, { name: "asks" }).done;
    expect(end).toMatchObject({ status: "waiting", questions: [{ prompt: "Name?", kind: "question" }] });
    expect(end.error).toMatchObject({ code: "HARN-LIB-002", questions: end.questions });
    await expect(h.resume("asks")).rejects.toMatchObject({ code: "HARN-LIB-002" });
    const [first] = await h.runs.questions("asks");
    await h.runs.answer("asks", (first as Question).id, "Ada");
    await expect(h.resume("asks")).rejects.toMatchObject({ questions: [{ prompt: "Age?" }] });
    const [second] = await h.runs.questions("asks");
    await h.runs.answer("asks", (second as Question).id, "36");
    expect(await h.resume("asks")).toBe("Ada 36");
    expect(await h.replay("asks")).toBe("Ada 36");
    await expect(h.resume("asks")).rejects.toThrow(/has ended/);
    await expect(h.runs.answer("asks", (second as Question).id, "37")).rejects.toThrow(/waits for no answer/);
  });

  it("`onQuestion` answers at once, later by `answer`, or not at all", async () => {
    const asked: string[] = [];
    const one = harn({
      cwd: folder,
      store,
      onQuestion: ({ prompt }) => {
        asked.push(prompt);
        return prompt === "Age?" ? undefined : "Ada";
      },
    });
    const run = one.run({ text: ask });
    for await (const event of run)
      if (event.type === "question.asked" && event.data.prompt === "Age?")
        run.answer(event.data.question, "36");
    expect(await run).toBe("Ada 36");
    expect(asked).toEqual(["Name?", "Age?"]);
    expect(() => run.answer("q_x.00", "1")).toThrow(/does not live/);
    await one.close();
    const said: string[] = [];
    const none = harn({
      cwd: folder,
      store,
      log: ({ text }) => void said.push(text),
      onQuestion: () => {
        throw new Error("busy");
      },
    });
    expect((await none.run({ text: ask }).done).status).toBe("waiting");
    expect(said.join()).toContain("busy");
    await none.close();
  });

  it("an answer that does not fit is told to whoever gives it", async () => {
    const text = 'return ask_user("How many?", {schema: {type: "integer"}})';
    await h.run({ text }, { name: "fits" }).done;
    const [question] = await h.runs.questions("fits");
    await expect(h.runs.answer("fits", (question as Question).id, "many")).rejects.toMatchObject({
      name: "HarnError",
    });
    await h.runs.answer("fits", (question as Question).id, 3);
    expect(await h.resume("fits")).toBe(3);
  });
});

describe("from other processes", () => {
  it("`harn runs stop` stops one run, and no signal reaches the process", async () => {
    const other = h.run({ text: "sleep(60s)" }, { name: "beside" });
    for (const flags of [[], ["--now"]]) {
      const name = `far-${flags.length}`;
      const run = h.run({ text: "sleep(60s)" }, { name });
      await expect.poll(() => h.runs.get(name)).toMatchObject({ status: "running" });
      const { stdout, status } = await startHarn(["runs", "stop", name, ...flags], {
        cwd: folder,
        env: { HARN_STATE_DIR: store },
      }).ended;
      expect({ stdout, status }).toEqual({ stdout: `${name} is stopped\n`, status: 0 });
      expect((await run.done).error?.message).toContain("harn runs stop");
    }
    await other.stop();
  });

  it("`harn hitl answer` answers a run that waits here", async () => {
    const one = harn({ cwd: folder, store, onQuestion: () => undefined });
    const run = one.run({ text: 'return ask_user("Name?")' }, { name: "far-asks" });
    await expect.poll(() => one.runs.questions("far-asks")).toHaveLength(1);
    const { status } = await startHarn(["hitl", "answer", "far-asks", "Ada"], {
      cwd: folder,
      env: { HARN_STATE_DIR: store },
    }).ended;
    expect(status).toBe(0);
    expect(await run).toBe("Ada");
    await one.close();
  });
});

describe("tools and time", () => {
  const calls: { readonly key: string; readonly attempt: number }[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: z.object({ amount: z.number() }),
    output: z.string(),
    execute: ({ amount }, { idempotencyKey: key, attempt }) => {
      calls.push({ key, attempt });
      return `paid ${amount}`;
    },
  });
  const text =
    'let a = host_call("tool.pay", {amount: 1})\nlet b = host_call("tool.pay", {amount: 2})\nreturn [a, b]';

  it("a replay calls no tool, and needs none; a fork calls those from its step on", async () => {
    calls.length = 0;
    expect(await h.run({ text }, { name: "pays", tools: [pay] })).toEqual(["paid 1", "paid 2"]);
    expect(calls.map(({ key }) => key)).toHaveLength(new Set(calls.map(({ key }) => key)).size);
    expect(await h.replay("pays")).toEqual(["paid 1", "paid 2"]);
    expect(calls).toHaveLength(2);
    expect(await h.fork("pays", { at: 2, tools: [pay] })).toEqual(["paid 1", "paid 2"]);
    expect(calls).toHaveLength(3);
    expect(await h.fork("pays", { at: 2, result: "none", tools: [pay] })).toEqual(["paid 1", "none"]);
    expect(calls).toHaveLength(3);
    await expect(h.fork("pays", { at: 9 })).rejects.toThrow(/has 2 steps/);
    await expect(h.fork("nobody", { at: 1 })).rejects.toThrow(/no run nobody/);
    for (const part of ["last", "pay"]) {
      await expect(h.fork(part, { at: 1 })).rejects.toMatchObject({ code: "HARN-CLI-005" });
      await expect(h.resume(part)).rejects.toMatchObject({ code: "HARN-CLI-005" });
    }
    await expect(h.resume("pay")).rejects.toThrow(/pays/);
  });

  it("a name that is taken is told, and the run under it stays", async () => {
    const error = (await h.run({ text }, { name: "pays", tools: [pay] }).done).error as HarnError;
    expect(error).toMatchObject({ name: "HarnError", message: expect.stringContaining("pays") });
    expect(await h.replay("pays")).toEqual(["paid 1", "paid 2"]);
  });

  it("a run that lives is not gone on with beside itself", async () => {
    const run = h.run({ text: "sleep(60s)" }, { name: "lives" });
    for await (const event of run)
      if (event.type === "run.start") {
        await expect.poll(() => h.runs.get("lives"), { timeout: 5000 }).toMatchObject({ status: "running" });
        await expect(h.resume("lives")).rejects.toMatchObject({ code: "HARN-CLI-026" });
        void run.stop();
      }
    expect((await run.done).status).toBe("stopped");
  });
});

describe("what was recorded", () => {
  const mock = [{ text: "Hello. ##DONE##" }];

  it("lists, exports, imports, removes, and tells what happened", async () => {
    const one = harn({ cwd: folder, store: join(folder, "other"), env: {}, mock });
    const run = one.agent({ prompt: "Say hello.", name: "hello", system: "Be short." });
    const live: RunEvent[] = [];
    for await (const event of run) live.push(event);
    expect(await run).toMatchObject({ status: "done", answer: "Hello." });
    const pieces: string[] = [];
    for await (const piece of run.text) pieces.push(piece);
    expect(pieces.join("")).toBe("Hello. ##DONE##");
    const kept: RunEvent[] = [];
    for await (const event of one.runs.events("hello")) kept.push(event);
    const told = (events: readonly RunEvent[]) =>
      events.filter(({ seq }) => seq !== null).map(({ type }) => type);
    expect(told(kept)).toEqual(told(live));
    expect(live.flatMap(({ seq }) => seq ?? [])).toEqual(told(live).map((_, at) => at + 1));
    const after: RunEvent[] = [];
    for await (const event of one.runs.events("hello", 3)) after.push(event);
    expect(after[0]?.seq).toBe(4);
    expect(await one.runs.list({ limit: 1 })).toMatchObject([{ run: "hello", status: "done" }]);
    const file = join(folder, "hello.json");
    await one.runs.export("hello", file);
    expect(await one.replay(pathToFileURL(file))).toMatchObject({ answer: "Hello." });
    await one.runs.remove("hello");
    expect(await one.runs.get("hello")).toBeUndefined();
    await expect(one.replay("hello")).rejects.toMatchObject({ name: "HarnError" });
    expect(await one.runs.import(file)).toBe("hello");
    expect(await one.replay("hello")).toMatchObject({ answer: "Hello." });
    await one.close();
  });

  it("an agent that fails is a failure, and its record is there all the same", async () => {
    const one = harn({
      cwd: folder,
      store: false,
      env: {},
      mock: [{ error: { category: "auth", message: "no key" } }],
    });
    const end = await one.agent({ prompt: "Hello." }).done;
    expect(end).toMatchObject({ status: "failed", error: { code: "HARN-LIB-008" } });
    expect(end.output).toMatchObject({ status: expect.stringMatching(/error|failed/) });
    await one.close();
  });

  it("an agent whose turns are over is a failure, typed or not; its record is there", async () => {
    const calls = Array.from({ length: 9 }, () => ({ tool_calls: [{ name: "add", arguments: {} }] }));
    const add = tool({
      name: "add",
      description: "Adds.",
      input: z.object({}),
      output: z.number(),
      execute: () => 4,
    });
    const one = harn({ cwd: folder, store: false, env: {}, mock: calls });
    const output = z.object({ a: z.number() });
    for (const typed of [{ output }, {}]) {
      const end = await one.agent({ prompt: "Add.", tools: [add], ...typed, maxIterations: 3 }).done;
      expect(end).toMatchObject({ status: "failed", output: { status: "budget_exhausted" } });
      expect(end.error).toMatchObject({
        code: "HARN-LIB-008",
        message: "the agent gave no answer: it ended as budget_exhausted (max_iterations)",
      });
    }
    await one.close();
  });

  it("a typed answer is asked for again when it does not fit, in each tool format", async () => {
    const add = tool({
      name: "add",
      description: "Adds.",
      input: z.object({}),
      output: z.number(),
      execute: () => 4,
    });
    for (const toolFormat of ["text", "native", "json"] as const) {
      const answers = [
        { tool_calls: [{ name: "add", arguments: {} }] },
        { text: '{"a": "x"}' },
        { text: '{"a": 7}' },
      ];
      const one = harn({ cwd: folder, store: false, env: {}, mock: answers });
      const output = z.object({ a: z.number() });
      const { a } = await one.agent({ prompt: "Add.", tools: [add], output, toolFormat, schemaRetries: 1 });
      expect(a).toBe(7);
      await one.close();
    }
  });
});

const listeners = (): number =>
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

describe("side by side", () => {
  it("50 in one process with tools of one name: no cross-talk, nothing printed, nothing left", async () => {
    const before = listeners();
    const globals = Object.getOwnPropertyNames(globalThis).length;
    // Memories lie in temporary folders.
    const own = join(folder, "temporary");
    mkdirSync(own);
    const usual = process.env.TMPDIR;
    process.env.TMPDIR = own;
    const all = Array.from({ length: 50 }, (_, at) =>
      harn({ cwd: folder, store: at % 2 === 0 ? "memory" : false, env: {} }),
    );
    const results = await Promise.all(
      all.map((one, at) => {
        const who = tool({
          name: "who",
          description: "Says who.",
          input: z.object({}),
          output: z.number(),
          execute: async () => {
            await new Promise((next) => setTimeout(next, at % 7));
            return at;
          },
        });
        return one.run(
          { text: 'return [host_call("tool.who", {}), host_call("tool.who", {})]' },
          { tools: [who] },
        );
      }),
    );
    expect(results).toEqual(all.map((_, at) => [at, at]));
    await Promise.all(all.map((one) => one.close()));
    expect(listeners()).toBe(before);
    expect(Object.getOwnPropertyNames(globalThis).length).toBe(globals);
    expect(readdirSync(own)).toEqual([]);
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  });

  it("two of one folder share its store", async () => {
    const [one, two] = [harn({ cwd: folder, store }), harn({ cwd: folder, store })];
    await Promise.all(
      [one, two].map(
        (each, at) => each.run({ text: `return host_call("x", {})` }, { name: `both-${at}` }).done,
      ),
    );
    expect(await two.runs.list()).toEqual(await one.runs.list());
    await one.close();
    await two.close();
  });

  it("without a store nothing is left, in the project neither", async () => {
    const empty = join(folder, "empty");
    writeFileSync(join(folder, "harn.toml"), "");
    const one = harn({ cwd: folder, store: false });
    await one.run({ text: 'return read_file("harn.toml")' }, { name: "gone" });
    expect(await one.runs.get("gone")).toBeUndefined();
    expect(existsSync(empty)).toBe(false);
    expect(existsSync(join(folder, ".harn"))).toBe(false);
    await one.close();
  });
});
