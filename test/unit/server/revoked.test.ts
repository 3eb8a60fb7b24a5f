/** What is told to a token or a login that is no more: streams end, whoever ended it and in whatever process; runs go on, or are parked. */
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { EmbeddedOperations } from "../../../src/durable/index.ts";
import { type ServerClock, StoreAccess, systemClock } from "../../../src/server/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What waits for a time, and how long. */
const waiting = new Set<{ readonly ms: number; readonly work: () => void }>();
const clock: ServerClock = {
  ...systemClock,
  after: (ms, work) => {
    const one = { ms, work };
    waiting.add(one);
    return () => void waiting.delete(one);
  },
};
/** Time goes on by two seconds. */
function twoSeconds(): void {
  for (let step = 0; step < 2; step++)
    for (const one of [...waiting]) {
      if (one.ms > 1000) continue;
      waiting.delete(one);
      one.work();
    }
}

const bench = new ServerBench(tempFolder("revoked"), { clock });
afterAll(() => bench.close());
afterEach(() => {
  for (const name of ["ann", "eve"]) bench.server.access.add(name, "write", `${name}-token`);
});

type As = { readonly token: string } | { readonly cookie: string };
const headersOf = (as: As): Record<string, string> =>
  "token" in as
    ? { authorization: `Bearer ${as.token}-token` }
    : { cookie: `harn_4747=${as.cookie}`, "sec-fetch-site": "same-origin", "x-harn": "1" };

/** A stream, and whether it has ended. */
async function open(path: string, as: As): Promise<{ readonly isOver: () => boolean }> {
  const response = await bench.server.fetch(
    bench.request(path, { as: "", headers: { accept: "text/event-stream", ...headersOf(as) } }),
  );
  expect(response.status).toBe(200);
  let isOver = false;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async (): Promise<void> => {
    while (!(await reader.read()).done) {}
    isOver = true;
  };
  void read();
  return { isOver: () => isOver };
}

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
const over = async (stream: { readonly isOver: () => boolean }): Promise<boolean> => {
  for (let look = 0; look < 20 && !stream.isOver(); look++) await settled();
  return stream.isOver();
};

/** Streams of every kind, of a principal. */
async function streamsOf(as: As, conversation: string) {
  const paths = [
    `/api/conversations/${conversation}/events`,
    `/api/stream?topics=conversations,${conversation}`,
  ];
  return await Promise.all(paths.map((path) => open(path, as)));
}

/** Another process on the store. */
function elsewhere(work: (access: StoreAccess) => void): void {
  const store = openStore(bench.folder);
  work(new StoreAccess(new EmbeddedOperations(store), systemClock));
  store.close();
}

describe("streams end", () => {
  test("with their login, at once; those of another login and of the token go on", async () => {
    const id = await bench.conversation("ann");
    const [mine, other] = [bench.cookie("ann"), bench.cookie("ann")];
    const ends = await streamsOf({ cookie: mine }, id);
    const stays = [...(await streamsOf({ cookie: other }, id)), ...(await streamsOf({ token: "ann" }, id))];
    const headers = headersOf({ cookie: mine });
    expect((await bench.ask("/api/logout", { as: "", body: {}, headers })).status).toBe(204);
    for (const stream of ends) expect(await over(stream)).toBe(true);
    twoSeconds();
    await settled();
    for (const stream of stays) expect(stream.isOver()).toBe(false);
  });

  test("with their principal, at once; those of others go on", async () => {
    const id = await bench.conversation("ann");
    const ends = [
      ...(await streamsOf({ token: "ann" }, id)),
      ...(await streamsOf({ cookie: bench.cookie("ann") }, id)),
    ];
    const stays = await streamsOf({ token: "root" }, id);
    const gone = await bench.ask("/api/principals/ann", { method: "DELETE", as: "root" });
    expect(gone.status).toBe(204);
    for (const stream of ends) expect(await over(stream)).toBe(true);
    twoSeconds();
    await settled();
    for (const stream of stays) expect(stream.isOver()).toBe(false);
  });

  test.each([
    ["a token that was revoked", (access: StoreAccess) => void access.revoke("ann")],
    ["a token that was replaced", (access: StoreAccess) => void access.replaceToken("ann", "another-token")],
  ])("two seconds after %s by another process", async (_what, end) => {
    const id = await bench.conversation("ann");
    const streams = await streamsOf({ token: "ann" }, id);
    elsewhere(end);
    twoSeconds();
    for (const stream of streams) expect(await over(stream)).toBe(true);
    elsewhere((access) => void access.replaceToken("ann", "ann-token"));
  });

  test("also those of answers that other protocols are given, and their runs go on", async () => {
    const wishes: string[] = [];
    bench.supervisor.onInterrupt = (conversation) => wishes.push(conversation);
    const asked = (path: string, body: object) =>
      bench.server.fetch(
        bench.request(path, { as: "ann", body, headers: { accept: "text/event-stream, application/json" } }),
      );
    const agui = await asked("/api/agui/echo", {
      threadId: "t1",
      runId: "r1",
      messages: [{ id: "u1", role: "user", content: "Go" }],
    });
    const messages = [{ role: "user", content: "Go" }];
    const chat = await asked("/v1/chat/completions", { model: "echo", stream: true, messages });
    const whole = asked("/v1/chat/completions", { model: "echo", messages });
    expect([agui.status, chat.status]).toEqual([200, 200]);
    const texts = [agui.text(), chat.text()];
    await settled();
    elsewhere((access) => void access.revoke("ann"));
    twoSeconds();
    await Promise.all(texts);
    expect((await whole).status).toBe(401);
    expect(wishes).toEqual([]);
  });
});

describe("runs of a principal that is revoked", () => {
  const states = (ids: readonly string[]) => ids.map((id) => bench.conversations.mustGet(id).state);
  async function three(): Promise<readonly [string, string, string]> {
    const [works, queued, done] = await Promise.all([
      bench.conversation("eve", { message: { text: "go" } }),
      bench.conversation("eve", { message: { text: "go" } }),
      bench.conversation("eve"),
    ]);
    bench.conversations.takeNext(works, `run-${works}`, bench.now);
    return [works, queued, done];
  }
  /** What a server does that sees the wish. */
  const rest = (id: string): unknown =>
    bench.conversations.end({
      id,
      run: `run-${id}`,
      status: "resumable",
      exitCode: null,
      error: null,
      how: null,
      now: bench.now,
    });

  test("are parked for a reason, and go on when somebody asks for it", async () => {
    const ids = await three();
    const [works, queued] = ids;
    const other = await bench.conversation("ann", { message: { text: "go" } });
    await bench.ask("/api/principals/eve", { method: "DELETE", as: "root" });
    expect(bench.supervisor.woken).toContain(works);
    rest(works);
    expect(states([...ids, other])).toEqual(["paused", "paused", "idle", "queued"]);
    for (const id of [works, queued]) {
      const { json } = await bench.ask(`/api/conversations/${id}`, { as: "root" });
      expect(json).toMatchObject({ state: "paused", why: "the access of eve was revoked (by root)" });
      // Nobody begins it by himself.
      expect(bench.conversations.takeNext(id, "run-x", bench.now).kind).toBe("none");
      const resumed = await bench.ask(`/api/conversations/${id}/resume`, { as: "root", body: {} });
      expect(resumed.json.state).toBe("queued");
    }
    expect(bench.conversations.takeNext(works, "run-x", bench.now)).toMatchObject({
      kind: "resume",
      because: "asked",
      run: `run-${works}`,
    });
    expect(bench.conversations.takeNext(queued, "run-y", bench.now)).toMatchObject({
      kind: "start",
      run: "run-y",
    });
  });

  test("go on where it is said that they do", async () => {
    const ids = await three();
    const gone = await bench.ask("/api/principals/eve?keep_runs=true", { method: "DELETE", as: "root" });
    expect(gone.status).toBe(204);
    expect(states(ids)).toEqual(["processing", "queued", "idle"]);
    expect(bench.conversations.interrupts()).toEqual([]);
  });

  test("that had come to their end meanwhile are over, and what waits behind them is parked", async () => {
    const [works] = await three();
    bench.conversations.say({
      id: works,
      message: `m_${works}`,
      text: "more",
      attachments: [],
      delivery: "queue",
      by: "eve",
      now: bench.now,
    });
    await bench.ask("/api/principals/eve", { method: "DELETE", as: "root" });
    const end = { id: works, run: `run-${works}`, exitCode: 0, error: null, how: null, now: bench.now };
    bench.conversations.end({ ...end, status: "done" });
    expect(bench.conversations.mustGet(works)).toMatchObject({ state: "paused", work: null, queued: 1 });
  });
});
