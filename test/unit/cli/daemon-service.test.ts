/** The service behind `harn daemon`, with turns that only pretend: what it does with each end that a turn can have. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type DaemonRecord,
  type Dispatcher,
  embeddedDispatcher,
  workBox,
} from "../../../src/durable/index.ts";
import { type ChildEnd, createNodeHost, poolMark, VirtualClock } from "../../../src/host/index.ts";
import { WorkService } from "../../../src/server/service/work-service.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { DaemonStore, folderOf } from "../../../src/work/service/daemon-record.ts";
import { DaemonTaken, DaemonWork, wakes } from "../../../src/work/service/daemon-service.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("service");

const start = {
  script: "/d.harn",
  args: [],
  cwd: tmpdir(),
  flags: {},
  limits: { memoryMb: 100, totalMs: 1000 },
  started: 0,
};
const record: DaemonRecord = {
  name: "d",
  ...start,
  state: "idle",
  reason: null,
  turns: 0,
  turn: null,
  idle: null,
  wakeAt: null,
  watched: null,
  last: null,
};

let home: string;
let store: Store;
let dispatch: Dispatcher;
let folder: string;
let lines: string[];

beforeEach(() => {
  home = freshFolder();
  store = openStore(home);
  dispatch = embeddedDispatcher(store, createNodeHost().clock);
  folder = folderOf(store, "d");
  mkdirSync(folder, { recursive: true });
  lines = [];
});

afterEach(() => {
  store.close();
});

type Pretended = (seq: number, task: { readonly flags: { readonly runName?: string } }) => ChildEnd;

/** A service whose turns end as `ends` says, one after the other, and that stops behind the last. */
function service(...ends: readonly Pretended[]): WorkService {
  let turn = 0;
  const work = new DaemonWork({
    store,
    dispatch,
    name: "d",
    start,
    program: "/turn.harn",
    log: (line) => void lines.push(line),
    pool: {
      run: async ({ task }) => {
        const { args, flags } = task as { args: readonly string[]; flags: { runName?: string } };
        const end = (ends[turn++] as Pretended)(JSON.parse(args[0] as string).seq, { flags });
        if (turn === ends.length) made.stop(false);
        return end;
      },
    },
  });
  const made: WorkService = new WorkService(dispatch, work);
  return made;
}

const ok: ChildEnd = { kind: "ended", exitCode: 0 };

/** The turn's program did its work: snapshot and report are there. */
const reports =
  (status: string, more: object = {}): Pretended =>
  (seq) => {
    writeFileSync(join(folder, `next-${seq}.json`), JSON.stringify({ said: status }));
    writeFileSync(join(folder, "turn.json"), JSON.stringify({ seq, status, text: status, ...more }));
    return ok;
  };

const snapshot = (): unknown => JSON.parse(readFileSync(join(folder, "daemon.json"), "utf8"));
const found = () => new DaemonStore(store).mustFind({ name: "d" });
const waiting = async (): Promise<number> => (await dispatch.messages(workBox("daemon", "d"))).length;

describe("a turn", () => {
  it("that is done promotes its snapshot and completes its message", async () => {
    const one = service(reports("idle", { wake_interval_ms: 1000, event_queue_capacity: 7 }));
    await one.begin();
    await one.run();
    expect(snapshot()).toEqual({ said: "idle" });
    expect(await waiting()).toBe(0);
    const { state, turns, turn, idle, wakeAt, last } = found();
    expect({ state, turns, turn, idle }).toEqual({
      state: "stopped",
      turns: 1,
      turn: null,
      idle: { wakeIntervalMs: 1000, watchPaths: [], capacity: 7 },
    });
    expect(wakeAt).toBeGreaterThan(0);
    expect(last).toMatchObject({ kind: "start", status: "idle" });
  });

  it("whose provider fails is tried anew, with the conversation of before", async () => {
    const names: (string | undefined)[] = [];
    const failing: Pretended = (seq, { flags }) => {
      names.push(flags.runName);
      return reports("provider_error", { error: "too many requests" })(seq, { flags });
    };
    const one = service(failing, reports("idle"));
    await one.begin();
    await one.run();
    expect(snapshot()).toEqual({ said: "idle" });
    const published = lines
      .filter((line) => line.startsWith("turn "))
      .map((line) => line.replace(/^.*?: /, ""));
    expect(published).toEqual(["failed: provider_error: too many requests", "done (idle)"]);
    expect(names[0]).toMatch(/^run-/);
  });

  it("whose loop ran out of turns has failed, and the log says so", async () => {
    const one = service(reports("budget_exhausted"));
    await one.begin();
    await one.run();
    expect(lines.find((line) => line.startsWith("turn "))).toMatch(/: failed: budget_exhausted$/);
  });

  it("that dies goes on in the same run", async () => {
    const names = new Set<string | undefined>();
    const named =
      (end: Pretended): Pretended =>
      (seq, task) => {
        names.add(task.flags.runName);
        return end(seq, task);
      };
    const one = service(
      named(() => ({ kind: "died", exitCode: null, signal: "SIGKILL" })),
      named(reports("idle")),
    );
    await one.begin();
    await one.run();
    expect(names.size).toBe(1);
    expect(found().turns).toBe(1);
  });

  it("that leaves no report is given up; a stale one does not count", async () => {
    writeFileSync(join(folder, "turn.json"), JSON.stringify({ seq: 1, status: "idle", text: "stale" }));
    const one = service(() => ok);
    await one.begin();
    await one.run();
    const [message] = await dispatch.messages(workBox("daemon", "d"));
    expect(message?.deadReason).toContain("without a report");
    expect(found()).toMatchObject({ state: "failed", turns: 0 });
  });

  it("that ends when somebody else has the name changes nothing", async () => {
    const one = service((seq, task) => {
      // As if this process had been frozen, and another one had taken over.
      store.leases.release({ name: `daemon:${folder}`, fence: 1 });
      store.leases.take(`daemon:${folder}`);
      return reports("idle")(seq, task);
    });
    await one.begin();
    await one.run();
    expect(existsSync(join(folder, "daemon.json"))).toBe(false);
    expect(await waiting()).toBe(1);
    expect(found()).toMatchObject({ state: "working", turns: 0 });
    expect(lines.at(-1)).toContain("another process has taken this daemon over");
  });
});

it("one that an earlier harn has kept goes on with what waits, and what is left of its child is ended", async () => {
  const mark = "1-earlier";
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { env: { [poolMark]: mark } });
  const ended = once(child, "exit");
  await once(child, "spawn");
  store.entries.set("daemons", "d", { ...record, turns: 2, state: "working", mark } as never);
  await dispatch.enqueue(workBox("daemon", "d"), { kind: "trigger", event: 1 });
  const one = service(reports("idle"));
  await one.begin();
  await one.run();
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(found()).toMatchObject({ turns: 3, state: "stopped", last: { kind: "trigger" } });
});

it("a name that is taken is refused", async () => {
  store.leases.take(`daemon:${folder}`);
  await expect(service().begin()).rejects.toThrow(DaemonTaken);
});

describe("wakes", () => {
  const host = { ...createNodeHost(), clock: new VirtualClock() };
  const never = new AbortController().signal;
  const idle = { wakeIntervalMs: 1000, watchPaths: [], capacity: 1 };

  it("come when the timer is due, and at once when it was due long ago", async () => {
    for (const wakeAt of [host.clock.now() + 500, 0])
      expect(await wakes({ ...record, idle, wakeAt }, host, never)[0]).toEqual({ kind: "timer" });
  });

  it("come after one interval when the clock was set back", async () => {
    const began = host.clock.now();
    await wakes({ ...record, idle, wakeAt: began + 86_400_000 }, host, never)[0];
    expect(host.clock.now() - began).toBe(1000);
  });

  it("end with the signal", async () => {
    const stop = new AbortController();
    const [timer] = wakes({ ...record, idle, wakeAt: host.clock.now() + 900 }, host, stop.signal);
    stop.abort(new Error("over"));
    await expect(timer).rejects.toThrow("over");
  });

  it("by files tell what changed meanwhile", async () => {
    const file = join(home, "watched");
    writeFileSync(file, "x");
    const watched = { ...record, cwd: home, idle: { ...idle, watchPaths: ["watched", "none"] }, watched: {} };
    expect(await wakes(watched, createNodeHost(), never)[0]).toEqual({ kind: "watch", paths: [file] });
  });
});
