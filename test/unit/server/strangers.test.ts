/** Every route of the table with somebody else's ids: told in the words of what isn't there, and nothing of it is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { allRoutes } from "../../../src/server/index.ts";
import type { Route } from "../../../src/server/route.ts";
import { recordedRun } from "../../support/recorded-run.ts";
import { addressOf, type Ids, missing, nameOf, requestOf, thingsOf } from "../../support/route-requests.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const bench = new ServerBench(tempFolder("strangers"), {
  recorded: { rebuild: async () => true, report: ({ title }) => title },
});
afterAll(() => bench.close());
beforeEach(() => {
  bench.now += 100_000;
});

const secret = "needle-of-ann";
let ids: Ids;
beforeAll(async () => {
  ids = await thingsOf("ann", bench, secret);
});

const ask = (row: Route, of: Ids, as: string) => bench.ask(addressOf(row, of), requestOf(row, as));

/** Names in these are nobody's: agents and principals; the library is everybody's. */
const nobodys = ["/api/principals/{name}", "/api/agui/{agent}", "/api/library/{key}"];
const ofThings = allRoutes.filter(({ path }) => path.includes("{") && !nobodys.includes(path));

describe("with the ids of ann's things, asked by eve", () => {
  test.each(ofThings.map((row) => [nameOf(row), row] as const))("%s", async (_name, row) => {
    const theirs = await ask(row, ids, "eve");
    const nobodys = await ask(row, missing, "eve");
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe(nobodys.text);
    expect(theirs.text).not.toContain(secret);
  });

  test("ann herself finds them, and so does an admin", async () => {
    for (const row of ofThings.filter(({ method }) => method === "GET")) {
      if (row.path.endsWith("{ref}")) continue;
      for (const as of ["ann", "root"])
        expect([nameOf(row), (await ask(row, ids, as)).status]).toEqual([nameOf(row), 200]);
    }
  });
});

describe("without a login", () => {
  test.each(allRoutes.filter(({ role }) => role !== "none").map((row) => [nameOf(row), row] as const))(
    "%s is 401",
    async (_name, row) => {
      expect((await ask(row, ids, "")).status).toBe(401);
    },
  );
});

describe("what only admins or writers do", () => {
  const rows = allRoutes.filter(({ role }) => role === "admin" || role === "write");
  test.each(rows.map((row) => [nameOf(row), row] as const))(
    "%s is refused to bob, who reads",
    async (_name, row) => {
      expect((await ask(row, ids, "bob")).status).toBe(403);
    },
  );
});

describe("lists, counts, topics, bodies", () => {
  test("lists of eve have nothing of ann's, whatever is searched for", async () => {
    for (const path of [
      "/api/conversations",
      `/api/conversations?q=${secret}`,
      "/api/conversations?state=processing",
      `/api/conversations?after=${ids.id}`,
      "/api/runs",
    ]) {
      const { status, json } = await bench.ask(path, { as: "eve" });
      expect([path, status, json.items]).toEqual([path, 200, []]);
    }
    expect((await bench.ask("/api/conversations")).json.items).toHaveLength(1);
    expect((await bench.ask("/api/runs")).json.items).toHaveLength(1);
    expect((await bench.ask("/api/runs", { as: "root" })).json.items).toHaveLength(1);
  });

  test("topics of ann's are 404, a cursor of hers is none of eve's, an interrupt in a body neither", async () => {
    const topic = (name: string) => bench.ask(`/api/stream?topics=conversations,${name}`, { as: "eve" });
    expect((await topic(ids.id ?? "")).status).toBe(404);
    expect((await topic(`run:${ids.run}`)).status).toBe(404);
    expect((await bench.ask(`/api/runs?after=${ids.run}`, { as: "eve" })).status).toBe(400);
    expect((await bench.ask("/api/interrupt", { as: "eve", body: { conversation: ids.id } })).status).toBe(
      404,
    );
  });

  test("papers of ann's are in no list, search or topic of eve's", async () => {
    for (const path of ["/api/papers", `/api/papers?q=${secret}`, `/api/papers?conversation=${ids.id}`]) {
      const { status, text, json } = await bench.ask(path, { as: "eve" });
      expect([path, status, json.items, text.includes(secret)]).toEqual([path, 200, [], false]);
    }
    expect((await bench.ask("/api/papers")).json.items).toHaveLength(1);
    expect((await bench.ask(`/api/stream?topics=papers,${ids.id}`, { as: "eve" })).status).toBe(404);
  });

  test("bodies that name ann's conversation, thread or files", async () => {
    const at = (path: string, body: object) => bench.ask(path, { as: "eve", body });
    const messages = [{ role: "user", content: "hello" }];
    const said = bench.conversations.messages({ id: ids.id ?? "" }).length;
    expect((await at("/api/papers", { title: "x", conversation: ids.id })).status).toBe(404);
    const chat = { model: "echo", messages, metadata: { conversation: ids.id } };
    const nobodys = { ...chat, metadata: { conversation: missing.id } };
    const [theirs, none] = [
      await at("/v1/chat/completions", chat),
      await at("/v1/chat/completions", nobodys),
    ];
    expect([theirs.status, theirs.text]).toEqual([404, none.text]);
    const own = await bench.conversation("eve", {});
    const workspace = bench.conversations.mustGet(ids.id ?? "").workspace ?? "";
    for (const path of [`../${ids.id}/notes.txt`, `${workspace}/notes.txt`]) {
      const answer = await at(`/api/conversations/${own}/messages`, { text: "x", attachments: [{ path }] });
      expect([path, answer.status, answer.text.includes(secret)]).toEqual([path, 422, false]);
    }
    expect(bench.conversations.messages({ id: ids.id ?? "" })).toHaveLength(said);
  });

  test("a thread of AG-UI that is named as ann's conversation, or as her thread, is another one", async () => {
    const run = (threadId: string, body: object) =>
      bench.request("/api/agui/echo", { as: "eve", body: { threadId, runId: "r", messages: [], ...body } });
    const hello = { messages: [{ id: "1", role: "user", content: "hello" }] };
    const ann = bench.request("/api/agui/echo", {
      body: { threadId: "thread-of-ann", runId: "r", ...hello },
    });
    await (await bench.server.fetch(ann)).body?.cancel();
    const before = bench.conversations.list({ owner: "ann" }).items.map(({ id }) => id);
    const said = () => before.map((id) => bench.conversations.messages({ id }).length);
    const saidBefore = said();
    for (const threadId of [ids.id ?? "", "thread-of-ann"]) {
      for (const body of [
        {},
        { resume: [{ interruptId: ids.question ?? "", status: "resolved", payload: "yes" }] },
      ]) {
        const text = await (await bench.server.fetch(run(threadId, body))).text();
        const nobodys = await (await bench.server.fetch(run("nobodys", body))).text();
        expect(text).toContain("RUN_ERROR");
        expect(text.replaceAll(threadId, "nobodys")).toBe(nobodys);
      }
      await (await bench.server.fetch(run(threadId, hello))).body?.cancel();
    }
    expect(said()).toEqual(saidBefore);
    expect(bench.conversations.list({ owner: "ann" }).items.map(({ id }) => id)).toEqual(before);
  });

  test("runs that no server made are the admins'", async () => {
    recordedRun(bench.store, "run-terminal", {});
    expect((await bench.ask("/api/runs/run-terminal")).status).toBe(404);
    expect((await bench.ask("/api/runs/run-terminal", { as: "root" })).status).toBe(200);
    expect((await bench.ask("/api/stream?topics=run:run-terminal")).status).toBe(404);
  });
});
