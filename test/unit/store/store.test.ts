/** The embedded store: owners and fencing, queues, leases, entries, runs that are removed, files that are no store. */
import { statSync } from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { JournalProblem, type RunHeader } from "../../../src/effects/index.ts";
import { nodeDigest } from "../../../src/host/index.ts";
import { crc32 } from "../../../src/store/crc.ts";
import {
  existingStore,
  openStore,
  type StatePlaces,
  type Store,
  StoreError,
  stateFolder,
  statePlaces,
  thisProcess,
} from "../../../src/store/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("store");

let folder: string;
let store: Store;
let now: number;

beforeEach(() => {
  folder = freshFolder();
  now = 1_000_000;
  store = openStore(folder, { now: () => now });
});
afterEach(() => {
  store.close();
});

const header = (run: string): RunHeader => ({
  t: "run",
  journal: "harn",
  format: 2,
  run,
  runtime: "0",
  platform: {},
  seed: "s",
  argv: [],
  entry: "/work/a.harn",
  cwd: "/work",
  options: null,
});

const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error.fault;
    if (error instanceof JournalProblem) return `${error.kind}: ${error.message}`;
    throw error;
  }
  return "none";
};

/** Somebody on another machine, of whom only the time of a lease is known. */
const stranger = "elsewhere/1/1";

describe("runs", () => {
  const large = "x".repeat(600);
  const hash = nodeDigest(JSON.stringify(large));

  function begin(name: string): ReturnType<Store["runs"]["begin"]> {
    const writer = store.runs.begin(name);
    writer.append(header(name));
    writer.append({ t: "blob", hash, v: large });
    writer.append({ t: "source", name: "/work/a.harn", hash });
    return writer;
  }

  test("are read while they are written, large pieces apart, for their owner's eyes only", () => {
    const writer = begin("r1");
    writer.flush(true);
    expect(store.runs.find("r1")).toMatchObject({ state: "running", records: 1 });
    const journal = store.runs.read("r1");
    expect(journal.header).toEqual(header("r1"));
    expect(journal.records).toEqual([{ t: "source", name: "/work/a.harn", hash }]);
    expect(journal.blob?.(hash)).toBe(large);
    writer.shown(3);
    writer.append({ t: "end", reason: "done", code: 0, w: 3, output: "o" });
    writer.close();
    expect(store.runs.find("r1")).toMatchObject({ state: "done", exitCode: 0, records: 2 });
    expect(store.runs.read("r1").shown).toBe(3);
    expect(statSync(join(folder, "state.db")).mode & 0o077).toBe(0);
  });

  test("have one owner; a former one can't write a byte", () => {
    const first = begin("r1");
    first.flush();
    expect(faultOf(() => store.runs.take("r1"))).toBe("taken");
    first.close();
    const second = store.runs.take("r1");
    second.append({ t: "resume", keep: 1, runtime: "0" });
    second.flush();
    first.append({ t: "resume", keep: 0, runtime: "old" });
    expect(faultOf(() => first.flush())).toMatch(/^unwritable: the run r1 was taken over/);
    expect(store.runs.read("r1").records).toHaveLength(2);
    second.close();
  });

  test("a name is taken once, an unknown one is a clear error, a deleted one ends its writer", () => {
    const writer = begin("r1");
    writer.flush();
    const twice = begin("r1");
    expect(faultOf(() => twice.flush())).toMatch(/there is a run r1 in the store already/);
    expect(faultOf(() => store.runs.read("none"))).toBe("missing");
    expect(faultOf(() => store.runs.delete("r1"))).toBe("taken");
    writer.close();
    store.runs.delete("r1");
    expect(store.runs.list()).toEqual([]);
    expect(store.runs.blob(hash)).toBeUndefined();
  });

  test("the newest is the one that came last, also when the clock was set back", () => {
    begin("r1").close();
    now -= 1_000_000;
    begin("r2").close();
    expect(store.runs.list().map(({ name }) => name)).toEqual(["r2", "r1"]);
  });

  test("prune removes what has ended, newest kept, shared pieces only with their last run", () => {
    for (const name of ["r1", "r2", "r3"]) {
      now += 1000;
      const writer = begin(name);
      if (name !== "r2") writer.append({ t: "end", reason: "done", code: 0, w: 0, output: "" });
      writer.close();
    }
    expect(store.runs.list().map(({ name, state }) => `${name} ${state}`)).toEqual([
      "r3 done",
      "r2 interrupted",
      "r1 done",
    ]);
    expect(store.runs.prune({ keep: 1 })).toEqual(["r1"]);
    expect(store.runs.blob(hash)).toBe(large);
    expect(store.runs.prune({ before: now })).toEqual([]);
    expect(store.runs.prune({})).toEqual(["r3"]);
    expect(store.runs.read("r2").blob?.(hash)).toBe(large);
  });

  test("a transaction that an interrupt broke off is written again, the same", () => {
    const writer = begin("r1");
    writer.flush();
    writer.append({ t: "module", from: "a", specifier: "b", name: "c" });
    // What is left of a broken-off write: an open transaction with half of it.
    const { db } = store as unknown as { db: { exec(sql: string): void } };
    db.exec("BEGIN IMMEDIATE");
    db.exec("DELETE FROM record");
    writer.flush();
    expect(store.runs.read("r1").records).toHaveLength(2);
    writer.close();
  });
});

describe("mailboxes", () => {
  test("first in, first out, one at a time, and the next when it is done", () => {
    for (const n of [1, 2, 3]) store.mailboxes.enqueue("q", n);
    const first = store.mailboxes.claim("q");
    expect(first?.body).toBe(1);
    expect(store.mailboxes.claim("q")).toBeUndefined();
    expect(store.mailboxes.ack(first!)).toBe(true);
    expect(store.mailboxes.claim("q")?.body).toBe(2);
    expect(store.mailboxes.length("q")).toBe(2);
  });

  test("a claim that was lost can't be acknowledged, renewed or released", () => {
    store.mailboxes.enqueue("q", "a");
    const old = store.mailboxes.claim("q", 1000, stranger)!;
    now += 1001;
    const young = store.mailboxes.claim("q")!;
    expect(young).toMatchObject({ body: "a", claims: 2 });
    expect([store.mailboxes.ack(old), store.mailboxes.renew(old), store.mailboxes.defer(old)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(store.mailboxes.ack(young)).toBe(true);
  });

  test("an owner that works here keeps its item however late the clock says it is", () => {
    store.mailboxes.enqueue("q", "a");
    store.mailboxes.claim("q", 1000);
    now += 1_000_000;
    expect(store.mailboxes.claim("q")).toBeUndefined();
    now -= 2_000_000;
    expect(store.mailboxes.claim("q")).toBeUndefined();
  });

  test("keys, capacity, due times, dead items, several queues by prefix", () => {
    expect(store.mailboxes.enqueue("d:1", "x", { key: "k" })).toBeDefined();
    expect(store.mailboxes.enqueue("d:1", "y", { key: "k" })).toBeUndefined();
    expect(faultOf(() => store.mailboxes.enqueue("d:1", "z", { capacity: 1 }))).toBe("full");
    store.mailboxes.enqueue("d:2", "later", { due: now + 5000 });
    expect(store.mailboxes.nextDue("d:*")).toBe(now);
    const one = store.mailboxes.claim("d:*")!;
    expect(one).toMatchObject({ mailbox: "d:1", body: "x", key: "k" });
    expect(store.mailboxes.claim("d:*")).toBeUndefined();
    expect(store.mailboxes.nextDue("d:*")).toBe(now + 5000);
    expect(store.mailboxes.deadLetter(one, "bad")).toBe(true);
    expect(store.mailboxes.deadLetters("d:1")).toMatchObject([{ deadReason: "bad", isClaimed: false }]);
    expect(store.mailboxes.redrive(one.seq)).toBe(true);
    expect(store.mailboxes.claim("d:1")?.body).toBe("x");
    now += 5000;
    expect(store.mailboxes.claim("d:*")?.body).toBe("later");
    expect(store.mailboxes.clear("d:1")).toBe(1);
  });
});

describe("leases and entries", () => {
  test("a lease has one holder, and a higher number each time", () => {
    const first = store.leases.take("l", 1000, stranger)!;
    expect(store.leases.take("l")).toBeUndefined();
    expect(store.leases.renew(first, 1000)).toBe(true);
    now += 1001;
    const second = store.leases.take("l")!;
    expect(second.fence).toBe(first.fence + 1);
    expect(store.leases.renew(first)).toBe(false);
    expect(faultOf(() => store.transaction(() => store.leases.mustHold(first)))).toBe("taken");
    store.transaction(() => store.leases.mustHold(second));
    store.leases.release(second);
    expect(store.leases.leaseOwner("l")).toBeUndefined();
  });

  test("entries of any name, changed with nobody in between, or not at all", () => {
    for (const key of ["__proto__", "a/b", "%_", "ü"]) store.entries.set("s", key, { key });
    expect(store.entries.list("s").map(({ key }) => key)).toEqual(["%_", "__proto__", "a/b", "ü"]);
    expect(store.entries.list("s", "%").map(({ key }) => key)).toEqual(["%_"]);
    expect(store.entries.update("s", "n", (n) => Number(n ?? 0) + 1)).toBe(1);
    expect(() =>
      store.transaction(() => {
        store.entries.set("s", "n", 99);
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(store.entries.get("s", "n")).toBe(1);
    expect([store.entries.delete("s", "n"), store.entries.delete("s", "n")]).toEqual([true, false]);
  });
});

test("the state folder: named, beside the manifest, or in the working folder", () => {
  expect(stateFolder("/work/a", new Map([["HARN_STATE_DIR", "s"]]))).toBe("/work/a/s");
  expect(stateFolder("/nowhere/at/all", new Map([["HARN_STATE_DIR", ""]]))).toBe("/nowhere/at/all/.harn");
});

test("the places of a project lie beside its harn.toml, also those that variables name", () => {
  const manifest = (path: string): boolean => path === "/work/harn.toml";
  const places = (variables: Record<string, string>): StatePlaces =>
    statePlaces("/work/a/b", new Map(Object.entries(variables)), manifest);
  expect(places({})).toEqual({
    project: "/work",
    isStateNamed: false,
    isRunsNamed: false,
    state: "/work/.harn",
    runs: "/work/.harn-runs",
    worktrees: "/work/.harn/worktrees",
  });
  expect(places({ HARN_STATE_DIR: "s", HARN_RUN_DIR: "/runs", HARN_WORKTREE_DIR: "trees" })).toEqual({
    project: "/work",
    isStateNamed: true,
    isRunsNamed: true,
    state: "/work/s",
    runs: "/runs",
    worktrees: "/work/trees",
  });
  expect(statePlaces("/", new Map(), () => false).state).toBe("/.harn");
});

test("two connections see one store; a missing one is not begun by looking", () => {
  store.entries.set("s", "k", 1);
  const other = openStore(folder);
  expect(other.entries.get("s", "k")).toBe(1);
  other.close();
  expect(existingStore(join(folder, "none"))).toBeUndefined();
});

test("our CRC is the one of zlib", () => {
  let ours = 0;
  let theirs = 0;
  for (const text of ["", "a", "ü€😀", "x".repeat(5000)]) {
    ours = crc32(text, ours);
    theirs = zlib.crc32(text, theirs);
    expect(ours).toBe(theirs);
  }
});

describe("owners", () => {
  test("of another container with the same host name and process are not taken for ended ones", () => {
    const own = thisProcess();
    const [machine = "", , start] = own.split("/");
    expect(machine).toMatch(/\+[0-9a-f]{8}$/);
    // A number that no process has: here it has ended, elsewhere nobody here can know.
    const gone = 2 ** 22 + 1;
    for (const [other, isFree] of [
      [machine, true],
      [machine.replace(/[0-9a-f]{8}$/, "00000000"), false],
      [machine.replace(/\+.*$/, ""), false],
    ] as const) {
      store.leases.take(`of ${other}`, 1000, `${other}/${gone}/${start}`);
      expect(store.leases.take(`of ${other}`) !== undefined).toBe(isFree);
    }
  });
});
