/** What is asked of a long log reads what it needs of it, from its end: counted in rows of the store, not in time. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Json } from "../../../src/effects/index.ts";
import { Database } from "../../../src/store/database.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const bench = new ServerBench(tempFolder("paged-logs"));
const { conversations } = bench;
const turns = 2_000;
/** More than a page of the reader holds, and far fewer than the log has. */
const few = 300;
let id = "";
let rows = 0;

const all = Database.prototype.all;
vi.spyOn(Database.prototype, "all").mockImplementation(function (this: Database, sql, ...values) {
  const found = all.call(this, sql, ...values);
  if (/FROM (event|message)\b/.test(sql)) rows += found.length;
  return found;
});

const append = (
  events: readonly { readonly type: string; readonly body: { readonly [key: string]: Json } }[],
): void => {
  const stamped = events.map((event, n) => ({ at: bench.now, origin: `${bench.now}:${n}`, ...event }));
  conversations.appendEvents({ stream: id, owner: null, events: stamped });
  bench.now++;
};

const file = (path: string, before: string | null, after: string): { readonly [key: string]: Json } => ({
  data: { path, change: "written", before, after, bytes: 1, by: "ann" },
});

beforeAll(async () => {
  id = await bench.conversation();
  append([{ type: "file.changed", body: file("once.txt", null, "0") }]);
  for (let turn = 0; turn < turns; turn++) {
    const place = { run: "run-0", loop: "l", turn };
    append([
      { type: "loop.start", body: { ...place, data: { task: "go", name: null } } },
      { type: "tool.start", body: { ...place, call: `c${turn}`, data: { name: "look" } } },
      { type: "tool.end", body: { ...place, call: `c${turn}`, data: { name: "look", status: "ok" } } },
      { type: "message.end", body: { ...place, data: { role: "assistant", text: `answer ${turn}` } } },
      { type: "file.changed", body: file(`f${turn % 10}.txt`, `${turn}`, `${turn + 10}`) },
    ]);
  }
  const text = "what now?";
  const said = { message: "m_1", text, attachments: [], delivery: "queue", by: "ann" } as const;
  conversations.say({ id, ...said, now: bench.now });
  conversations.takeNext(id, "run-1", bench.now);
  append([
    { type: "loop.start", body: { run: "run-1", loop: "l1", turn: 0, data: { task: "on", name: null } } },
  ]);
});
beforeEach(() => {
  rows = 0;
});
afterAll(() => bench.close());

test("a page of messages", async () => {
  const page = (await bench.ask(`/api/conversations/${id}/messages?limit=20`)).json;
  expect(page.items).toHaveLength(20);
  expect(page.items[0]).toMatchObject({ id: "m_1", role: "user", state: "taken", text: "what now?" });
  expect(page.items[1]).toMatchObject({ role: "assistant", text: `answer ${turns - 1}` });
  expect(rows).toBeLessThan(few);
  rows = 0;
  const next = (await bench.ask(`/api/conversations/${id}/messages?limit=20&after=${page.next}`)).json;
  expect(next.items[0].text).toBe(`answer ${turns - 20}`);
  expect(rows).toBeLessThan(few);
});

test("the last page says that it is", async () => {
  const page = (await bench.ask(`/api/conversations/${id}/messages?limit=2&after=14`)).json;
  expect(page.items.map(({ text }: { readonly text: string }) => text)).toEqual(["answer 1", "answer 0"]);
  expect(page.next).toBeNull();
});

test("what a file was at an event, from the changes around it", async () => {
  const head = conversations.store.streams.last(id);
  const diff = (await bench.ask(`/api/conversations/${id}/diff?path=f3.txt&from=${head - 60}&to=${head}`))
    .json;
  expect([diff.from.hash, diff.to.hash]).toEqual([String(turns - 17 + 10), String(turns - 7 + 10)]);
  expect(rows).toBeLessThan(few);
  // Before its first change it is what that one found.
  const before = (await bench.ask(`/api/conversations/${id}/diff?path=f3.txt&from=1&to=1`)).json;
  expect(before.from.hash).toBe("3");
});

test("what a run of AG-UI began with, from the beginning of that run", async () => {
  const [before] = [...conversations.eventsFrom(id, { before: Number.POSITIVE_INFINITY }, ["run.start"])];
  expect(before?.run).toBe("run-1");
  rows = 0;
  const after = conversations.eventsFrom(id, { after: before?.seq ?? 0 }, ["loop.start"]);
  expect([...after].map(({ loop }) => loop)).toEqual(["l1"]);
  expect(rows).toBe(1);
});
