/** Streams of events: cursors, what is told at the start, drops and limits; and that no cut loses or repeats an event. */
// suite: slow

import * as fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { HarnClient } from "../../../src/server/client.ts";
import { createApiServer } from "../../../src/server/index.ts";
import type { PassingEnvelope } from "../../../src/server/supervise/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { IdleSupervisor, ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const bench = new ServerBench(tempFolder("streams"), { limits: { streamsOfPrincipal: 5, unsent: 20_000 } });
afterAll(() => bench.close());
beforeEach(() => {
  bench.now += 100_000;
});

let made = 0;
/** Appends events as a child does: in a transaction of its own, told afterwards. */
function append(id: string, count = 1, text = ""): void {
  const events = Array.from({ length: count }, () => {
    made++;
    return { at: bench.now, type: "notice", origin: `r:l1:${made}`, body: { data: { level: "info", text } } };
  });
  bench.supervisor.emit(id, { more: bench.conversations.appendEvents({ stream: id, owner: null, events }) });
}

function delta(
  id: string,
  text: string,
  turn = 1,
  type: "message.delta" | "partial" = "message.delta",
): void {
  const event: PassingEnvelope = {
    v: 1,
    seq: null,
    at: bench.now,
    type,
    conversation: id,
    run: "run-1",
    loop: "l1",
    parent: null,
    turn,
    call: null,
    data: { message: null, text },
  } as unknown as PassingEnvelope;
  bench.supervisor.emit(id, event);
}

interface Block {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server said
  readonly data: any;
}

/** A stream that is read piece by piece. */
class Reader {
  readonly blocks: Block[] = [];
  private rest = "";
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(response: Response) {
    if (response.body === null) throw new Error(`no stream: ${response.status}`);
    this.reader = response.body.getReader();
  }

  /** Reads until there are so many durable events, or the stream is over. */
  async durable(count: number): Promise<number[]> {
    while (this.numbers().length < count && (await this.piece())) {}
    return this.numbers();
  }

  async until(event: string): Promise<Block> {
    for (;;) {
      const found = this.blocks.find((block) => block.event === event);
      if (found !== undefined) return found;
      if (!(await this.piece())) throw new Error(`no ${event}`);
    }
  }

  numbers(): number[] {
    return this.blocks
      .filter(({ id, event }) => id !== undefined && event !== "")
      .map(({ id }) => Number(id));
  }

  async piece(): Promise<boolean> {
    const { done, value } = await this.reader.read();
    if (done) return false;
    this.rest += new TextDecoder().decode(value);
    const blocks = this.rest.split("\n\n");
    this.rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const line = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      this.blocks.push({
        event: line("event") ?? "",
        id: line("id"),
        data: JSON.parse(line("data") ?? "null"),
      });
    }
    return true;
  }

  close(): Promise<void> {
    return this.reader.cancel();
  }
}

const open = async (id: string, query = "", headers: Record<string, string> = {}) =>
  new Reader(
    await bench.server.fetch(
      bench.request(`/api/conversations/${id}/events${query}`, {
        headers: { accept: "text/event-stream", ...headers },
      }),
    ),
  );

describe("a stream", () => {
  test("begins with hello, has everything behind the cursor, then what comes", async () => {
    const id = await bench.conversation();
    append(id, 3);
    const stream = await open(id, "?after=2");
    expect((await stream.until("hello")).data.data).toEqual({ head: 4, from: 2 });
    expect(await stream.durable(2)).toEqual([3, 4]);
    append(id);
    expect(await stream.durable(3)).toEqual([3, 4, 5]);
    await stream.close();
  });

  test("the header wins over the query; `tail` has only what is new; a page is JSON", async () => {
    const id = await bench.conversation();
    append(id, 4);
    const byHeader = await open(id, "?after=1", { "last-event-id": "4" });
    expect(await byHeader.durable(1)).toEqual([5]);
    await byHeader.close();
    const tail = await open(id, "?after=tail");
    append(id);
    expect(await tail.durable(1)).toEqual([6]);
    await tail.close();
    const page = await bench.ask(`/api/conversations/${id}/events?after=1&limit=2&types=notice`);
    expect([page.json.items.map((one: { seq: number }) => one.seq), page.json.next, page.json.head]).toEqual([
      [2, 3],
      3,
      6,
    ]);
  });

  test("a cursor beyond the log, or one that can't be read, is reset; in the query it is 400", async () => {
    const id = await bench.conversation();
    for (const cursor of ["99", "abc", "-1"]) {
      const stream = await open(id, "", { "last-event-id": cursor });
      expect((await stream.until("reset")).data.data.from).toBe(1);
      expect(await stream.durable(1)).toEqual([1]);
      await stream.close();
    }
    const refused = await bench.ask(`/api/conversations/${id}/events?after=abc`);
    expect([refused.status, refused.json.code]).toEqual([400, "HARN-SRV-002"]);
  });

  test("what was said of an unfinished message is told at the start, and no more when it is finished", async () => {
    const id = await bench.conversation();
    delta(id, "Hel");
    delta(id, "lo");
    const stream = await open(id, "?after=tail");
    expect((await stream.until("partial")).data).toMatchObject({
      loop: "l1",
      turn: 1,
      data: { text: "Hello" },
    });
    delta(id, " you");
    expect((await stream.until("message.delta")).data.data.text).toBe(" you");
    await stream.close();
    const end = {
      at: bench.now,
      type: "message.end",
      origin: "r:end",
      body: { loop: "l1", turn: 1, data: {} },
    };
    bench.supervisor.emit(id, {
      more: bench.conversations.appendEvents({ stream: id, owner: null, events: [end] }),
    });
    const later = await open(id, "?after=tail");
    append(id);
    await later.durable(1);
    expect(later.blocks.map(({ event }) => event)).not.toContain("partial");
    await later.close();
  });

  test("a text that arrives after its end was written is over when its run has told of the end", async () => {
    const id = await bench.conversation();
    append(id);
    const end = {
      at: bench.now,
      type: "message.end",
      origin: `r:end:${++made}`,
      body: { loop: "l1", turn: 1, data: {} },
    };
    const more = bench.conversations.appendEvents({ stream: id, owner: null, events: [end] });
    delta(id, "Hello");
    bench.supervisor.emit(id, { more });
    const stream = await open(id, "?after=tail");
    append(id);
    await stream.durable(1);
    expect(stream.blocks.map(({ event }) => event)).not.toContain("partial");
    await stream.close();
  });

  test("of what another server keeps of a text, those who listen are told what they do not know", async () => {
    const id = await bench.conversation();
    const early = await open(id, "?after=tail");
    delta(id, "Hel", 1, "partial");
    const late = await open(id, "?after=tail");
    for (const text of ["Hel", "Hello", "Hello", "Hello you", "Hello"]) delta(id, text, 1, "partial");
    delta(id, "Another", 2, "partial");
    append(id);
    for (const stream of [early, late]) {
      await stream.durable(1);
      const report = stream.blocks.filter(({ event }) => event === "partial" || event === "message.delta");
      expect(report.map(({ event, data }) => [event, data.data.text])).toEqual([
        ["partial", "Hel"],
        ["message.delta", "lo"],
        ["message.delta", " you"],
        ["partial", "Another"],
      ]);
      await stream.close();
    }
  });

  test("who takes nothing gets nothing ephemeral, then what is unfinished, and every durable event", async () => {
    const id = await bench.conversation();
    const stream = await open(id);
    for (let n = 0; n < 60; n++) {
      append(id, 1, "x".repeat(1000));
      delta(id, `${n} `, 2);
    }
    const numbers = await stream.durable(61);
    expect(numbers).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
    append(id);
    await stream.durable(62);
    const deltas = stream.blocks.filter(({ event }) => event === "message.delta");
    expect(deltas.length).toBeLessThan(60);
    const partials = stream.blocks.filter(({ event }) => event === "partial");
    expect(partials.at(-1)?.data.data.text).toMatch(/^0 1 .* 59 $/);
    await stream.close();
  });

  test("so many of a principal, then 429; one that is closed makes room", async () => {
    const id = await bench.conversation();
    const streams = await Promise.all(Array.from({ length: 5 }, () => open(id)));
    const refused = await bench.ask(`/api/conversations/${id}/events`, {
      headers: { accept: "text/event-stream" },
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    await streams[0]?.close();
    await (await open(id)).close();
    for (const stream of streams.slice(1)) await stream.close();
  });
});

describe("many topics in one stream", () => {
  const topics = async (query: string, headers: Record<string, string> = {}) =>
    new Reader(await bench.server.fetch(bench.request(`/api/stream?topics=${query}`, { headers })));

  test("summaries of conversations, events of some, in the order of one number", async () => {
    const [a, b] = [await bench.conversation(), await bench.conversation()];
    const stream = await topics(`conversations,${a}&after=tail`);
    await stream.until("hello");
    append(a);
    append(b);
    append(a);
    await stream.durable(2);
    const report = stream.blocks.filter(({ data }) => data?.topic !== undefined && data.topic !== null);
    const summaries = report
      .filter(({ data }) => data.topic === "conversations")
      .map(({ data }) => data.event.id);
    expect(summaries).toEqual([a, b, a]);
    expect(report.filter(({ data }) => data.topic === a).map(({ data }) => data.event.seq)).toEqual([2, 3]);
    await stream.close();
  });

  test("what belongs to others is neither told nor summarised", async () => {
    const mine = await bench.conversation("ann");
    const theirs = await bench.conversation("eve");
    const stream = await topics(`conversations,papers,${mine}&after=tail`);
    append(theirs);
    append(mine);
    await stream.durable(1);
    expect(JSON.stringify(stream.blocks)).not.toContain(theirs);
    await stream.close();
  });
});

describe("a client that comes again with the last number it handled", () => {
  test("hears each event exactly once and in order: cuts anywhere, restarts, two servers", async () => {
    const other = openStore(bench.folder);
    const second = createApiServer({
      store: other,
      supervisor: new IdleSupervisor(other),
      workspaces: `${bench.folder}/workspaces`,
      version: "1.2.3",
      port: 4747,
      limits: { unsent: 2000 },
    });
    const step = fc.oneof(
      fc.record({ append: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ read: fc.integer({ min: 1, max: 6 }) }),
      fc.constantFrom("cut", "switch", "delta"),
    );
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          bench.now += 100_000;
          const id = await bench.conversation();
          const received: number[] = [];
          let server = bench.server;
          let stream: Reader | undefined;
          const connect = async () =>
            new Reader(
              await server.fetch(
                bench.request(`/api/conversations/${id}/events`, {
                  headers: {
                    accept: "text/event-stream",
                    ...(received.length === 0 ? {} : { "last-event-id": String(received.at(-1)) }),
                  },
                }),
              ),
            );
          const cut = async () => {
            // What arrived was handled; the rest of the connection is lost.
            received.push(...(stream?.numbers() ?? []));
            await stream?.close();
            stream = undefined;
          };
          for (const one of steps) {
            if (one === "cut") await cut();
            else if (one === "switch") {
              await cut();
              server = server === second ? bench.server : second;
            } else if (one === "delta") delta(id, "text");
            else if ("append" in one) append(id, one.append, "x".repeat(200));
            else {
              stream ??= await connect();
              const head = bench.conversations.store.streams.last(id);
              const lag = head - (received.at(-1) ?? 0) - stream.numbers().length;
              if (server === bench.server && lag > 0)
                await stream.durable(stream.numbers().length + Math.min(one.read, lag));
            }
          }
          await cut();
          server = second;
          stream = await connect();
          const head = bench.conversations.store.streams.last(id);
          await stream.durable(head - (received.at(-1) ?? 0));
          await cut();
          expect(received).toEqual(Array.from({ length: head }, (_, index) => index + 1));
        }),
        { numRuns: 60 },
      );
    } finally {
      await second.close();
      other.close();
    }
  });
});

test("HarnClient reconnects by itself over sockets, through a server that ends in between", async () => {
  const id = await bench.conversation();
  append(id, 5);
  const start = () => {
    const store = openStore(bench.folder);
    const supervisor = new IdleSupervisor(store);
    const server = createApiServer({ store, supervisor, workspaces: bench.folder, version: "1", port });
    return { server, supervisor, store };
  };
  let port = 0;
  let running = start();
  const url = await running.server.listen();
  port = Number(new URL(url).port);
  const client = new HarnClient({ url, token: "ann-token" });
  const over = new AbortController();
  const received: number[] = [];
  for await (const event of client.events(id, { signal: over.signal })) {
    if (event.seq !== null) received.push(event.seq);
    if (received.length === 6 && port !== 0) {
      await running.server.close();
      running.store.close();
      append(id, 4);
      running = start();
      await running.server.listen();
      port = 0;
    }
    if (received.length === 10) over.abort();
  }
  expect(received).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await running.server.close();
  running.store.close();
});
