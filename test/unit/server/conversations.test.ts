/** Conversations over the API: their life, what is refused, versions, keys, questions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../../src/effects/index.ts";
import { recordedRun } from "../../support/recorded-run.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const bench = new ServerBench(tempFolder("conversations"));
afterAll(() => bench.close());
beforeEach(() => {
  bench.now += 100_000;
});

const { conversations } = bench;
const at = (id: string, rest = "") => `/api/conversations/${id}${rest}`;

describe("a conversation", () => {
  test("is made with its first message, is listed, and a server is told to look", async () => {
    const made = await bench.ask("/api/conversations", {
      body: { agent: "echo", mode: "plan", config: { max_iterations: 5 }, message: { text: "Hello\nthere" } },
    });
    expect(made.status).toBe(201);
    const { id } = made.json;
    expect(made.headers.get("location")).toBe(at(id));
    expect(made.json).toMatchObject({
      agent: "echo",
      title: "Hello",
      owner: "ann",
      state: "queued",
      mode: "plan",
      config: { max_iterations: 5 },
      queued: 1,
      questions: [],
    });
    expect(id).toMatch(/^c_[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(bench.supervisor.woken.at(-1)).toBe(id);
    expect((await bench.ask("/api/conversations")).json.items.map((one: { id: string }) => one.id)).toContain(
      id,
    );
  });

  test("pages of lists are stable while others are made", async () => {
    const mine = [];
    for (let n = 0; n < 5; n++) mine.unshift(await bench.conversation("eve", { title: `t${n}` }));
    const first = (await bench.ask("/api/conversations?limit=2", { as: "eve" })).json;
    await bench.conversation("eve");
    const second = (await bench.ask(`/api/conversations?limit=2&after=${first.next}`, { as: "eve" })).json;
    const third = (await bench.ask(`/api/conversations?limit=2&after=${second.next}`, { as: "eve" })).json;
    const seen = [...first.items, ...second.items, ...third.items].map((one) => one.id);
    expect(seen).toEqual(mine);
    expect(third.next).toBeNull();
    expect((await bench.ask("/api/conversations?q=T3", { as: "eve" })).json.items).toHaveLength(1);
    expect((await bench.ask("/api/conversations?after=x%20y")).json.code).toBe("HARN-SRV-002");
  });

  test("unknown agents, modes, keys beyond the limit", async () => {
    const refused = async (body: Json) =>
      (await bench.ask("/api/conversations", { body })).json.errors?.[0].path;
    expect(await refused({ agent: "nobody" })).toBe("body.agent");
    expect(await refused({ agent: "echo", mode: "fly" })).toBe("body.mode");
    expect(await refused({ agent: "echo", title: " " })).toBe("body.title");
    expect(await refused({ agent: "echo", message: { text: " " } })).toBe("body.message.text");
    const config = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, 1]));
    expect(await refused({ agent: "echo", config })).toBe("body.config");
    expect(await refused({ agent: "echo", config: { k: "x".repeat(65_536) } })).toBe("body.config");
  });

  test("a configuration has the keys of agents, when it is made and when it is changed", async () => {
    const id = await bench.conversation();
    const wrong = { config: { max_iteration: 5 } };
    const made = await bench.ask("/api/conversations", { body: { agent: "echo", ...wrong } });
    const changed = await bench.ask(at(id), { method: "PATCH", body: wrong });
    for (const { status, json } of [made, changed]) {
      expect([status, json.errors[0].path]).toEqual([422, "body.config"]);
      expect(json.errors[0].message).toContain('unknown option "max_iteration"');
      expect(json.errors[0].message).toContain("max_iterations");
    }
    const mistyped = await bench.ask(at(id), { method: "PATCH", body: { config: { stream: 1 } } });
    expect(mistyped.json.errors[0].message).toContain("stream: expected bool");
    const fits = { config: { max_iterations: 7, sub_agents: { depth: 0 } } };
    expect((await bench.ask(at(id), { method: "PATCH", body: fits })).json.config).toEqual(fits.config);
  });

  test("is changed by who saw its version", async () => {
    const id = await bench.conversation();
    const { headers } = await bench.ask(at(id));
    const tag = headers.get("etag") ?? "";
    const patch = (title: string, more: Record<string, string> = {}) =>
      bench.ask(at(id), { method: "PATCH", body: { title }, headers: more });
    expect((await patch("one", { "if-match": tag })).status).toBe(200);
    const stale = await patch("two", { "if-match": tag });
    expect([stale.status, stale.json.code, stale.json.version]).toEqual([412, "HARN-SRV-017", 2]);
    expect((await patch("three", { "if-match": stale.headers.get("etag") ?? "" })).json.title).toBe("three");
    expect((await patch("four")).json.title).toBe("four");
  });

  test("two that change it at once: one fits, the other is told", async () => {
    const id = await bench.conversation();
    const tag = (await bench.ask(at(id))).headers.get("etag") ?? "";
    const both = await Promise.all(
      ["a", "b"].map((title) =>
        bench.ask(at(id), { method: "PATCH", body: { title }, headers: { "if-match": tag } }),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  test("is removed unless it is at work; purging takes the workspace", async () => {
    const id = await bench.conversation("ann", { message: { text: "go" } });
    conversations.takeNext(id, "run-busy", bench.now);
    const busy = await bench.ask(at(id), { method: "DELETE" });
    expect([busy.status, busy.json.code]).toEqual([409, "HARN-SRV-012"]);
    conversations.end({
      id,
      run: "run-busy",
      status: "done",
      exitCode: 0,
      error: null,
      how: null,
      now: bench.now,
    });
    expect((await bench.ask(at(id), { method: "DELETE" })).status).toBe(204);
    expect((await bench.ask(at(id))).status).toBe(404);
  });
});

test("how an agent ended badly is told of a conversation until something else begins", async () => {
  const id = await bench.conversation("ann", { message: { text: "go" } });
  conversations.takeNext(id, "run-bad", bench.now);
  const end = { id, run: "run-bad", status: "done", exitCode: 0, error: null, how: null } as const;
  conversations.end({ ...end, outcome: { status: "stalled", why: "nothing new came" }, now: bench.now });
  const told = { state: "idle", outcome: "stalled", why: "nothing new came" };
  expect((await bench.ask(at(id))).json).toMatchObject(told);
  const [listed] = (await bench.ask("/api/conversations?limit=1")).json.items;
  expect(listed).toMatchObject({ id, ...told });
  await bench.ask(at(id, "/messages"), { body: { text: "again" } });
  expect((await bench.ask(at(id))).json).toMatchObject({ state: "queued", outcome: null });
});

describe("messages", () => {
  test("the files of one have 10 MiB together, as they lie on the disk", async () => {
    const id = await bench.conversation();
    const workspace = conversations.mustGet(id).workspace ?? "";
    const picture = Buffer.alloc(5 * 1024 * 1024);
    picture.set(Buffer.from("89504e470d0a1a0a", "hex"));
    for (const name of ["a.png", "b.png"]) writeFileSync(join(workspace, name), picture);
    writeFileSync(join(workspace, "c.txt"), "c");
    const say = (...paths: string[]) =>
      bench.ask(at(id, "/messages"), {
        body: { text: "Look", attachments: paths.map((path) => ({ path })) },
      });
    expect((await say("a.png", "b.png")).status).toBe(202);
    expect((await say("a.png", "b.png", "c.txt")).json.errors).toEqual([
      { path: "body.attachments", message: "have 10485761 bytes; together at most 10485760" },
    ]);
  });

  test("wait, are taken back, and not twice", async () => {
    const id = await bench.conversation();
    const first = await bench.ask(at(id, "/messages"), { body: { text: "one" } });
    const second = await bench.ask(at(id, "/messages"), { body: { text: "two", delivery: "step" } });
    expect([first.status, first.json.position, second.json.position]).toEqual([202, 0, 1]);
    const back = () => bench.ask(at(id, `/messages/${second.json.message}`), { method: "DELETE" });
    expect((await back()).status).toBe(204);
    expect((await back()).json.code).toBe("HARN-SRV-015");
    const { items } = (await bench.ask(at(id, "/messages"))).json;
    expect(items.map((one: { text: string; state: string }) => [one.text, one.state])).toEqual([
      ["two", "withdrawn"],
      ["one", "queued"],
    ]);
  });

  test("twenty wait, the next one is refused with a time", async () => {
    const id = await bench.conversation();
    const say = () => bench.ask(at(id, "/messages"), { body: { text: "again" } });
    for (let n = 0; n < 20; n++) expect((await say()).status).toBe(202);
    const refused = await say();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  });

  test("beyond 256 KiB are 422", async () => {
    const id = await bench.conversation();
    expect(
      (await bench.ask(at(id, "/messages"), { body: { text: "ä".repeat(131_073) } })).json.errors[0].path,
    ).toBe("body.text");
  });

  test("with a key are said once, whichever server is asked", async () => {
    const id = await bench.conversation();
    const asked = { body: { text: "once" }, headers: { "idempotency-key": "say-1" } };
    const both = await Promise.all([
      bench.ask(at(id, "/messages"), asked),
      bench.ask(at(id, "/messages"), asked),
    ]);
    const statuses = both.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(202);
    const again = await bench.ask(at(id, "/messages"), asked);
    expect([again.status, again.headers.get("idempotent-replay")]).toEqual([202, "true"]);
    expect(conversations.messages({ id })).toHaveLength(1);
  });
});

describe("stopping and going on", () => {
  test("202 while something runs or waits, 200 when nothing does; resume goes on", async () => {
    const id = await bench.conversation();
    expect((await bench.ask(at(id, "/interrupt"), { method: "POST" })).json).toEqual({ state: "idle" });
    await bench.ask(at(id, "/messages"), { body: { text: "go" } });
    conversations.takeNext(id, "run-stop", bench.now);
    const stopped = await bench.ask("/api/interrupt", { body: { conversation: id, reason: "enough" } });
    expect([stopped.status, stopped.json.state]).toEqual([202, "processing"]);
    const again = await bench.ask(at(id, "/interrupt"), { method: "POST" });
    expect(again.json.interrupt).toBe(stopped.json.interrupt);
    const end = {
      id,
      run: "run-stop",
      status: "interrupted",
      exitCode: null,
      error: null,
      how: "killed",
    } as const;
    conversations.end({ ...end, now: bench.now });
    expect((await bench.ask(at(id))).json.state).toBe("interrupted");
    expect((await bench.ask(at(id, "/resume"), { method: "POST" })).json).toEqual({ state: "queued" });
    expect((await bench.ask(at(id, "/resume"), { method: "POST" })).json.code).toBe("HARN-SRV-012");
  });
});

describe("questions", () => {
  let runs = 0;
  async function asked(body: { readonly [key: string]: Json }) {
    runs++;
    const id = await bench.conversation("ann", { message: { text: "ask me" } });
    conversations.takeNext(id, `run-q${runs}`, bench.now);
    const question = recordedRun(bench.store, `run-q${runs}`, { question: "May I?", body });
    return {
      id,
      question,
      answer: (input: Json) => bench.ask(`/api/questions/${question}/answer`, { body: input }),
    };
  }

  test("an approval: open in the record, answered once, then told who said what", async () => {
    const { id, question, answer } = await asked({
      request_kind: "permission",
      tool_name: "rm",
      tool_args: { path: "x" },
    });
    const [open] = (await bench.ask(at(id))).json.questions;
    expect(open).toMatchObject({
      id: question,
      kind: "approval",
      tool: "rm",
      arguments: { path: "x" },
      answer: null,
    });
    expect((await answer({ decision: "maybe" })).status).toBe(422);
    expect((await answer({ decision: "deny", reason: "no" })).json).toEqual({
      question,
      counted: true,
      open: 0,
    });
    const late = await answer({ decision: "approve" });
    expect([late.status, late.json.code, late.json.by, late.json.answer.approved]).toEqual([
      409,
      "HARN-SRV-013",
      "ann",
      false,
    ]);
    expect((await bench.ask(at(id, "/questions?open=true"))).json.items).toEqual([]);
  });

  test("a plan is told as one; what is said about it is the reason that the agent hears", async () => {
    const plan = { request_kind: "approval", metadata: { form: "plan", plan: "1. Look" } };
    const { id, answer } = await asked(plan);
    expect((await bench.ask(at(id))).json.questions[0].kind).toBe("plan");
    expect((await answer({ decision: "approve", mode: "plan" })).status).toBe(422);
    expect((await answer({ decision: "deny", feedback: "a", reason: "b" })).json.code).toBe("HARN-SRV-021");
    expect((await answer({ decision: "deny", feedback: "look twice" })).status).toBe(200);
    const { items } = (await bench.ask(at(id, "/questions"))).json;
    expect(items[0].answer).toMatchObject({ approved: false, reason: "look twice" });
    expect(items[0].answer).not.toHaveProperty("feedback");
  });

  test("what nobody would read is refused", async () => {
    const approval = await asked({ request_kind: "approval" });
    expect((await approval.answer({ decision: "deny", feedback: "no" })).json.errors[0].message).toBe(
      "`feedback` is for a plan; this takes `reason`",
    );
    expect((await approval.answer({ decision: "approve", arguments: { a: 1 } })).json.code).toBe(
      "HARN-SRV-021",
    );
    const tool = await asked({ request_kind: "permission", tool_name: "rm", tool_args: { path: "x" } });
    expect((await tool.answer({ decision: "deny", arguments: { a: 1 } })).json.code).toBe("HARN-SRV-021");
    expect((await tool.answer({ decision: "deny", always: true })).json.code).toBe("HARN-SRV-021");
    expect((await tool.answer({ decision: "approve", arguments: { path: "y" } })).status).toBe(200);
    const { items } = (await bench.ask(at(tool.id, "/questions"))).json;
    expect(items[0].answer).toMatchObject({ approved: true, arguments: { path: "y" } });
  });

  test("changed arguments are checked against the tool's schema, and what does not fit spends nothing", async () => {
    const tool_schema = {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
      additionalProperties: false,
    };
    const tool = await asked({
      request_kind: "permission",
      tool_name: "rm",
      tool_args: { path: "x" },
      tool_schema,
    });
    for (const wrong of [{ path: 7 }, {}, { path: "y", more: 1 }] as Json[]) {
      const refused = await tool.answer({ decision: "approve", arguments: wrong });
      expect([refused.status, refused.json.code]).toEqual([422, "HARN-SRV-021"]);
      expect(refused.json.detail).toMatch(/arguments: the answer does not fit the schema/);
    }
    expect((await bench.ask(at(tool.id, "/questions?open=true"))).json.items).toHaveLength(1);
    const right = { decision: "approve", always: true, arguments: { path: "y" } };
    expect((await tool.answer(right)).status).toBe(200);
    const { items } = (await bench.ask(at(tool.id, "/questions"))).json;
    expect(items[0].answer).toMatchObject({ decision: "session", arguments: { path: "y" } });
  });

  test("a question's answer is checked against its schema", async () => {
    const { answer } = await asked({ metadata: { schema: { type: "integer", minimum: 3 } } });
    const wrong = await answer({ answer: 2 });
    expect([wrong.status, wrong.json.code, wrong.json.errors[0].path]).toEqual([
      422,
      "HARN-SRV-021",
      "body.answer",
    ]);
    expect((await answer({ answer: 4 })).status).toBe(200);
  });

  test("nobody speaks for somebody else", async () => {
    const { id, answer } = await asked({ request_kind: "approval", approvers: ["eve"] });
    expect((await answer({ answer: { approved: true, reviewer: "eve" } })).json.code).toBe("HARN-SRV-021");
    expect((await answer({ decision: "approve" })).json.code).toBe("HARN-SRV-021");
    expect((await bench.ask(at(id))).json.questions).toHaveLength(1);
  });

  test("after an interrupt it is over", async () => {
    const { id, answer } = await asked({});
    await bench.ask(at(id, "/interrupt"), { method: "POST" });
    const run = `run-q${runs}`;
    conversations.end({
      id,
      run,
      status: "interrupted",
      exitCode: null,
      error: null,
      how: "unwound",
      now: bench.now,
    });
    const late = await answer({ answer: "yes" });
    expect([late.status, late.json.code]).toEqual([410, "HARN-SRV-016"]);
  });
});

describe("the workspace", () => {
  const put = (id: string, path: string, raw: string) =>
    bench.ask(at(id, `/files/${path}`), { method: "PUT", raw });

  test("files are written, listed, read, compared, removed", async () => {
    const id = await bench.conversation();
    expect((await put(id, "a/b.txt", "one\ntwo\n")).status).toBe(201);
    const { head } = (await bench.ask(at(id))).json;
    expect((await put(id, "a/b.txt", "one\n2\n")).status).toBe(200);
    expect((await bench.ask(at(id, "/files"))).json.items).toMatchObject([{ path: "a/b.txt", bytes: 6 }]);
    const file = await bench.ask(at(id, "/files/a/b.txt"));
    expect(file.text).toBe("one\n2\n");
    expect(file.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''b.txt");
    expect(file.headers.get("content-security-policy")).toContain("sandbox");
    const sizes = (await bench.ask(at(id, `/diff?path=a/b.txt&from=${head}`))).json;
    expect([sizes.from.bytes, sizes.to.bytes, sizes.hunks]).toEqual([8, 6, null]);
    const whole = (await bench.ask(at(id, "/diff?path=a/b.txt"))).json;
    expect(whole.hunks[0].lines).toEqual(["+one", "+2"]);
    expect((await bench.ask(at(id, "/files/a/b.txt"), { method: "DELETE" })).status).toBe(204);
    expect((await bench.ask(at(id, "/files/a/b.txt"))).status).toBe(404);
    const types = conversations.events(id, {}).items.filter(({ type }) => type === "file.changed");
    expect(types.map(({ data }) => data.change)).toEqual(["created", "written", "removed"]);
  });

  test("only four kinds of images are shown as they are", async () => {
    const id = await bench.conversation();
    for (const [name, how] of [
      ["a.png", "inline"],
      ["a.svg", "attachment"],
      ["a.html", "attachment"],
      ["a.png.html", "attachment"],
    ] as const) {
      await put(id, name, "<script>");
      const { headers } = await bench.ask(at(id, `/files/${name}`));
      expect([name, headers.get("content-disposition")?.split(";")[0]]).toEqual([name, how]);
    }
  });
});
