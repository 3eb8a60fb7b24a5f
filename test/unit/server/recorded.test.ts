/** Recorded runs over the API: logs that are made when somebody looks, reports, and what can't be forked. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../../src/effects/index.ts";
import { sha256 } from "../../../src/store/checked-text.ts";
import { recordedRun } from "../../support/recorded-run.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const rebuilt: string[] = [];
const bench: ServerBench = new ServerBench(tempFolder("recorded"), {
  recorded: {
    rebuild: async (run) => {
      rebuilt.push(run);
      if (run === "run-broken") return false;
      const event = (type: string, data: { [key: string]: Json }) => {
        return { at: bench.now, type, origin: `${run}:${type}`, body: { run, data } };
      };
      const end = { status: "done", exit_code: 0, error: null };
      const events = [event("run.start", { message: null, agent: "a" }), event("run.end", end)];
      bench.conversations.appendEvents({ stream: `run:${run}`, owner: null, events });
      return true;
    },
    report: (of) => JSON.stringify(of),
  },
});
const bare = new ServerBench(tempFolder("recorded-bare"));
afterAll(async () => {
  await bench.close();
  await bare.close();
});
beforeEach(() => {
  bench.now += 100_000;
  rebuilt.length = 0;
});

const root = { as: "root" };

describe("the log of a run that no server watched", () => {
  test("is made once, however many look, and is there for the next", async () => {
    recordedRun(bench.store, "run-1", {});
    const path = "/api/runs/run-1";
    const answers = await Promise.all([
      bench.ask(`${path}/events`, root),
      bench.ask(`${path}/state`, root),
      bench.ask(`${path}/report`, root),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0]?.json.items.map((one: { type: string }) => one.type)).toEqual(["run.start", "run.end"]);
    await bench.ask(`${path}/events`, root);
    expect(rebuilt).toEqual(["run-1"]);
    expect((await bench.ask(`${path}/report`)).status).toBe(404);
  });
});

const sweptFolder = tempFolder("swept");
test("a log that nobody has looked at for 30 days is swept, and made again when somebody looks; conversations' stay", async () => {
  const day = 24 * 3_600_000;
  let now = 1_700_000_000_000;
  const due: { at: number; work: () => void }[] = [];
  const clock = {
    now: () => now,
    after: (ms: number, work: () => void) => {
      const one = { at: now + ms, work };
      due.push(one);
      return () => void (due.includes(one) && due.splice(due.indexOf(one), 1));
    },
    randomBytes: (count: number) => new Uint8Array(count),
  };
  const pass = (days: number): void => {
    for (let n = 0; n < days; n++) {
      now += day;
      for (const one of due.filter(({ at }) => at <= now)) due.splice(due.indexOf(one), 1)[0]?.work();
    }
  };
  let made = 0;
  const longOf = (run: string): string => JSON.stringify(`long ${run}`);
  const own: ServerBench = new ServerBench(sweptFolder, {
    clock,
    port: 0,
    recorded: {
      rebuild: async (run) => {
        made++;
        const text = longOf(run);
        const body = { run, data: { message: null, agent: "a" } };
        own.conversations.appendEvents({
          stream: `run:${run}`,
          owner: null,
          events: [{ at: 1, type: "run.start", origin: `${run}:run.start`, body }],
          pieces: [{ hash: sha256(text), text }],
        });
        return true;
      },
      report: () => "",
    },
  });
  const look = async (run: string): Promise<number> =>
    (await own.ask(`/api/runs/${run}/events`, { as: "root", host: own.server.ownAddresses()[0] ?? "" })).json
      .items.length;
  try {
    await own.server.listen();
    const id = "c_1";
    const of = { agent: "echo", owner: "ann", title: "", mode: null, config: {}, workspace: null };
    own.conversations.create({ id, made: of, now });
    recordedRun(own.store, "run-1", {});
    recordedRun(own.store, "run-2", {});
    expect(await look("run-1")).toBe(1);
    expect(await look("run-2")).toBe(1);
    pass(20);
    expect(await look("run-2")).toBe(1);
    pass(11);
    expect(made).toBe(2);
    const heads = ["run:run-1", "run:run-2"].map((stream) => own.conversations.store.streams.last(stream));
    expect(heads).toEqual([0, 1]);
    expect(own.conversations.text("run:run-1", sha256(longOf("run-1")))).toBeUndefined();
    expect(own.conversations.text("run:run-2", sha256(longOf("run-2")))).toBe("long run-2");
    expect(own.conversations.store.streams.last(id)).toBeGreaterThan(0);
    expect(await look("run-1")).toBe(1);
    expect(made).toBe(3);
    pass(31);
    expect(["run:run-1", "run:run-2"].map((stream) => own.conversations.store.streams.last(stream))).toEqual([
      0, 0,
    ]);
  } finally {
    await own.close();
  }
  expect(due).toEqual([]);
});

describe("a report", () => {
  test("is a page to keep, with the events of the run alone", async () => {
    const id = await bench.conversation("ann", { message: { text: "one" } });
    const taken = bench.conversations.takeNext(id, "run-2", bench.now);
    expect(taken.kind).toBe("start");
    recordedRun(bench.store, "run-2", {});
    const text = "long ".repeat(5000);
    const hash = sha256(JSON.stringify(text));
    const data = { text: { ref: hash, bytes: text.length, head: "long" } };
    const body = { run: "run-2", data };
    bench.conversations.appendEvents({
      stream: id,
      owner: null,
      events: [{ at: bench.now, type: "message.end", origin: "m", body }],
      pieces: [{ hash, text: JSON.stringify(text) }],
    });
    for (const path of [`/api/conversations/${id}/blobs`, "/api/runs/run-2/blobs"]) {
      expect(await (await bench.ask(`${path}/${hash}`)).text).toBe(text);
      expect((await bench.ask(`${path}/${"b".repeat(64)}`)).status).toBe(404);
      expect((await bench.ask(`${path}/${hash}`, { as: "bob" })).status).toBe(404);
    }
    const report = await bench.ask("/api/runs/run-2/report");
    expect(report.status).toBe(200);
    expect(report.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(report.headers.get("content-disposition")).toBe('attachment; filename="run-2.html"');
    const { title, events } = report.json;
    expect(title).toBe("agent.harn · run-2");
    expect(events.map((one: { seq: number }) => one.seq)).toEqual(
      events.map((_: unknown, n: number) => n + 1),
    );
    expect(events.every((one: { run: string }) => one.run === "run-2")).toBe(true);
    expect(events.at(-1).data.text).toBe(text);
    expect(rebuilt).toEqual([]);
  });

  test("that can't be made says why", async () => {
    recordedRun(bench.store, "run-broken", {});
    const broken = await bench.ask("/api/runs/run-broken/report", root);
    expect([broken.status, broken.json.detail]).toEqual([
      404,
      "the run can't be played again: `harn replay run-broken` says why",
    ]);
    recordedRun(bare.store, "run-3", {});
    const without = await bare.ask("/api/runs/run-3/report", root);
    expect([without.status, without.json.detail]).toEqual([
      404,
      "this server makes no reports: `harn view run-3 --html FILE` does",
    ]);
  });
});

test("long texts of both kinds of logs are there whole, for those who may read them, and for nobody by another's log", async () => {
  const id = await bench.conversation();
  const text = "long ".repeat(5000);
  const hash = sha256(JSON.stringify(text));
  const piece = { hash, text: JSON.stringify(text) };
  const event = (origin: string) => ({
    at: bench.now,
    type: "message.end",
    origin,
    body: { data: { text: { ref: hash, bytes: text.length, head: "long" } } },
  });
  bench.conversations.appendEvents({ stream: id, owner: null, events: [event("x")], pieces: [piece] });
  const published = await bench.ask(`/api/conversations/${id}/blobs/${hash}`);
  expect([published.status, published.headers.get("content-type"), published.text]).toEqual([
    200,
    "text/plain; charset=utf-8",
    text,
  ]);
  recordedRun(bench.store, "run-long", {});
  const ofRun = () => bench.ask(`/api/runs/run-long/blobs/${hash}`, root);
  expect((await ofRun()).status).toBe(404);
  bench.conversations.appendEvents({
    stream: "run:run-long",
    owner: null,
    events: [event("y")],
    pieces: [piece],
  });
  expect((await ofRun()).text).toBe(text);
  expect((await bench.ask(`/api/runs/run-long/blobs/${hash}`)).status).toBe(404);
  expect((await bench.ask(`/api/conversations/${id}/blobs/${hash}`, { as: "eve" })).status).toBe(404);
  expect((await bench.ask(`/api/conversations/${id}/blobs/nothing`)).status).toBe(404);
});

describe("a fork", () => {
  test("takes a place, and what is to be otherwise if it fits", async () => {
    const id = await bench.conversation();
    const fork = (body: unknown) => bench.ask(`/api/conversations/${id}/forks`, { body });
    for (const [wrong, path, message] of [
      [{ set: "x" }, "body.set"],
      [{ set: { "A B": "x" } }, 'body.set["A B"]', "must be the name of a variable"],
      [{ set: { A: 1 } }, "body.set.A"],
      [{ set: { A: "x\0y" } }, "body.set.A", "has a NUL character: no variable can"],
      [{ model: " " }, "body.model"],
      [{ provider: 3 }, "body.provider"],
    ] as const) {
      const { status, json } = await fork({ event: 1, ...wrong });
      expect([status, json.errors[0].path]).toEqual([422, path]);
      if (message !== undefined) expect(json.errors[0].message).toBe(message);
    }
    const variables = await fork({ event: 1, set: { OPENAI_BASE_URL: "http://elsewhere" } });
    expect([variables.status, variables.json.detail]).toEqual([
      403,
      "`set` needs the role admin, yours is write",
    ]);
    for (const body of [{}, { event: 1, step: 1 }])
      expect((await fork(body)).json.errors[0].message).toBe("must have `event` or `step`, one of them");
    const nothing = await fork({ event: 1 });
    expect([nothing.status, nothing.json.code]).toEqual([422, "HARN-SRV-023"]);
    expect((await fork({ step: 1 })).json.detail).toContain("no run has begun");
    recordedRun(bench.store, "run-alone", {});
    const alone = await bench.ask("/api/runs/run-alone/forks", { ...root, body: { step: 1 } });
    expect(alone.json.detail).toContain("works for no conversation");
  });
});
