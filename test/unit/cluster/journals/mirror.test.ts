/** The copy of a job's runs: committed before an effect, refused to whoever was taken over, in order, and no more than once. */
import { join } from "node:path";
import vm from "node:vm";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type OpenMirror, openMirror } from "../../../../src/cluster/journals/index.ts";
import { JournalProblem, type JournalRecord } from "../../../../src/effects/index.ts";
import { carriedRun, takeCarriedRun } from "../../../../src/store/copies/index.ts";
import { openStore, type RunWriter, type Store, StoreError } from "../../../../src/store/index.ts";
import {
  appended,
  beginRun,
  type DatabaseSettings,
  end,
  headerOf,
  intent,
  type Machine,
  machineAt,
  pieceOf,
  recordsOf,
  result,
} from "../../../support/cluster-journals.ts";
import { startPostgres } from "../../../support/postgres-server.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("mirror");
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

let project = 0;
let settings: DatabaseSettings;
let ann: Machine;
let bob: Machine;
const open: { close(): unknown }[] = [];

/** What a worker has while it is at work on `r1`. */
interface AtWork {
  readonly store: Store;
  readonly mirror: OpenMirror;
  readonly fence: number;
  writer(run?: string): RunWriter;
}

async function atWork(who: Machine, options: { readonly patienceMs?: number } = {}): Promise<AtWork> {
  const taken = await who.journals.take("r1", "w");
  for (const run of taken.runs) takeCarriedRun(who.store, run, { isOurs: true });
  const mirror = openMirror(settings, "r1", taken.fence, options);
  const store = openStore(who.store.folder, { mirror });
  open.push(store, mirror);
  return { store, mirror, fence: taken.fence, writer: (run = "r1") => store.runs.take(run) };
}

const table = (name: string): string => `harn_p${project}.${name}`;
const rows = async (sql: string): Promise<Record<string, unknown>[]> => (await server?.query(sql)) ?? [];
const copied = async (run = "r1"): Promise<number> =>
  Number((await rows(`SELECT count(*)::int AS n FROM ${table("record")} WHERE run = '${run}'`))[0]?.n);
const printed = async (): Promise<string> =>
  (await ann.journals.output("r1", 0)).map(({ text }) => text).join("");

const problemOf = (work: () => void): JournalProblem => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(JournalProblem);
    return error as JournalProblem;
  }
  throw new Error("nothing was thrown");
};

/** Somebody else holds what a write needs, for a while from now on; notes when it is over. */
async function held(seconds: number): Promise<{ readonly over: Promise<unknown> }> {
  const client = new pg.Client(settings.journals);
  await client.connect();
  await client.query("CREATE TABLE IF NOT EXISTS over (at timestamptz)");
  const over = client
    .query(
      `BEGIN; SELECT 1 FROM ${table("job")} FOR UPDATE; SELECT pg_sleep(${seconds}); INSERT INTO over VALUES (now()); COMMIT`,
    )
    .finally(() => client.end());
  await vi.waitFor(
    async () =>
      expect(await rows("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")).toHaveLength(1),
    { timeout: 20_000 },
  );
  return { over };
}

// Without the server's programs for this platform there is nothing to test against.
describe.skipIf(server === undefined)("the copy of runs", () => {
  beforeEach(async () => {
    project += 1;
    settings = { journals: server?.url ?? "", project: `p${project}` };
    const folder = freshFolder();
    ann = await machineAt(join(folder, "ann"), settings);
    bob = await machineAt(join(folder, "bob"), settings);
    beginRun(ann.store, "r1", ann.folder);
    await ann.journals.put({ name: "r1", kind: "run", runs: [carriedRun(ann.store, "r1")] });
    await rows("CREATE TABLE IF NOT EXISTS over (at timestamptz)");
    await rows("DELETE FROM over");
  });
  afterEach(async () => {
    for (const one of open.splice(0)) {
      try {
        one.close();
      } catch (error) {
        // Of those that have lost their runs.
        expect(error).toBeInstanceOf(StoreError);
      }
    }
    for (const one of [ann, bob]) await one.close();
  });

  it("is committed when a durable write returns, in the same stretch in which it was opened", async () => {
    const { fence, runs } = await bob.journals.take("r1", "w");
    takeCarriedRun(bob.store, runs[0] as never);
    // Nothing of this waits: the thread begins, connects and writes while this one stands still.
    const mirror = openMirror(settings, "r1", fence);
    const store = openStore(bob.store.folder, { mirror });
    const writer = store.runs.take("r1");
    for (let n = 0; n < 20; n++) appended(writer, [intent(n), result(n)]);
    expect(await copied()).toBe(41);
    writer.close();
    store.close();
    mirror.close();
  });

  it("a durable write returns only after the commit; an ordinary one waits for nothing", async () => {
    const { mirror, writer: take } = await atWork(bob);
    const writer = take();
    const client = new pg.Client(settings.journals);
    await client.connect();
    await client.query(`BEGIN; SELECT 1 FROM ${table("job")} FOR UPDATE`);
    appended(writer, [intent(0)], false);
    expect(await copied()).toBe(1);
    await client.query("COMMIT");
    await client.end();
    const lock = await held(2);
    // It stands still until the other one lets go, whose last deed is there then.
    appended(writer, [result(0)], true);
    const [over, records] = await Promise.all([rows("SELECT 1 FROM over"), copied()]);
    expect(over).toHaveLength(1);
    expect(records).toBe(3);
    await lock.over;
    writer.close();
    mirror.close();
  });

  it("a writer that was frozen and taken over is refused before its effect", async () => {
    const { writer: take, mirror } = await atWork(bob);
    const writer = take();
    appended(writer, [intent(0), result(0)]);
    const cat = await atWork(ann);
    const other = cat.writer();
    appended(other, [intent(1)]);
    let effects = 0;
    const problem = problemOf(() => {
      appended(writer, [intent(1, ["mine"])]);
      effects++;
    });
    expect(effects).toBe(0);
    expect(problem.message).toBe("the job r1 was taken over by another worker; this one stops");
    expect(mirror.fault).toBe("taken");
    // It ends at once with all that it tries, and what it tried is nowhere but in its own store.
    expect(() => mirror.close()).toThrow(StoreError);
    expect(recordsOf((await ann.journals.fetch("r1"))?.runs[0]).slice(-1)).toEqual([intent(1)]);
    expect(bob.store.runs.read("r1").records.at(-1)).toEqual(intent(1, ["mine"]));
    const taken = await bob.journals.take("r1", "w");
    expect(takeCarriedRun(bob.store, taken.runs[0] as never, { isOurs: true })).toEqual({
      as: "replaced",
      stale: "r1.stale",
    });
  });

  it("who only computes finds out, too", async () => {
    const { writer: take } = await atWork(bob);
    const writer = take();
    appended(writer, [intent(0)]);
    await ann.journals.take("r1", "w");
    const told = await vi.waitFor(() => problemOf(() => appended(writer, [result(0)], false)), {
      timeout: 20_000,
    });
    expect(told.message).toMatch(/taken over/);
  });

  it("of a job that was removed can't be written", async () => {
    const { writer: take } = await atWork(bob);
    await rows(`DELETE FROM ${table("job")}`);
    expect(() => take()).toThrow(/was removed while it was at work/);
  });

  it("runs that begin in a child are copied from their headers on, many at once", async () => {
    const { store, mirror } = await atWork(bob);
    const shared = pieceOf("shared".repeat(200));
    const writers = Array.from({ length: 16 }, (_, n) => {
      const name = `set.${n}`;
      const writer = store.runs.begin(name);
      writer.append(headerOf(name, bob.folder));
      return writer;
    });
    for (let n = 0; n < 5; n++)
      for (const writer of writers) {
        writer.blob(shared.hash, shared.body);
        appended(writer, [intent(n, [{ $blob: shared.hash }]), result(n)], n % 2 === 0);
      }
    for (const writer of writers) {
      appended(writer, [end], false);
      writer.close();
    }
    mirror.close();
    const fetched = await ann.journals.fetch("r1");
    const trials = fetched?.runs.filter(({ journal }) => journal.header.run !== "r1") ?? [];
    expect(trials).toHaveLength(16);
    for (const run of trials) {
      expect(run.isEnded).toBe(true);
      expect(run.journal.header.cwd).toBe(ann.folder);
      expect(recordsOf(run)).toHaveLength(11);
      expect(run.pieces.get(shared.hash)).toBe(shared.body);
    }
    expect(await rows(`SELECT count(*)::int AS n FROM ${table("piece")} WHERE length(body) > 1000`)).toEqual([
      { n: 1 },
    ]);
  });

  it("a run that another job has, or an earlier attempt has begun, is not written over", async () => {
    beginRun(ann.store, "mine", ann.folder);
    await ann.journals.put({ name: "mine", kind: "run", runs: [carriedRun(ann.store, "mine")] });
    const { store } = await atWork(bob);
    const writer = store.runs.begin("mine");
    writer.append(headerOf("mine", bob.folder));
    expect(problemOf(() => appended(writer, [intent(0)])).message).toContain(
      "there is a run mine in the database already",
    );
    expect(await copied("mine")).toBe(1);
  });

  it("what is large, odd or much is copied as it is", async () => {
    const { mirror, writer: take } = await atWork(bob);
    const writer = take();
    const large = pieceOf(`${"0123456789".repeat(2_000_000)}\u0000`);
    const odd = JSON.parse('{"__proto__": {"a": "\\u0000"}, "\\u0000": "\\ud800💡"}');
    writer.blob(large.hash, large.body);
    const records: JournalRecord[] = [intent(0, [{ $blob: large.hash }, odd]), result(0, odd)];
    for (let n = 1; n <= 5000; n++) records.push(intent(n, [n]), result(n, odd));
    appended(writer, records);
    writer.close();
    mirror.close();
    const run = (await bob.journals.fetch("r1"))?.runs[0];
    expect(JSON.stringify(recordsOf(run).slice(1))).toBe(JSON.stringify(records));
    expect(run?.pieces.get(large.hash)).toBe(large.body);
  });

  describe("what is printed", () => {
    it("comes in order with what is said beside, as it was", async () => {
      const { mirror, writer: take } = await atWork(bob);
      const writer = take();
      const odd = "\u0000 ü 💡 \\ ' \" $1 \r\n";
      for (let n = 1; n <= 300; n++) {
        if (n % 3 === 0) mirror.output("stderr", `beside ${n}\n`);
        writer.shown(n);
        mirror.output("stdout", `${n} ${odd}`);
        if (n % 50 === 0) appended(writer, [intent(n)]);
      }
      writer.close();
      mirror.close();
      const pieces = await ann.journals.output("r1", 0);
      const wanted = Array.from({ length: 300 }, (_, at) => at + 1).flatMap((n) => [
        ...(n % 3 === 0 ? [{ stream: "stderr", text: `beside ${n}\n` }] : []),
        { stream: "stdout", text: `${n} ${odd}` },
      ]);
      expect(pieces.map(({ stream, text }) => ({ stream, text }))).toEqual(wanted);
      expect(pieces.map(({ at }) => at)).toEqual(wanted.map((_, at) => at + 1));
      expect(await ann.journals.output("r1", pieces.at(-2)?.at ?? 0)).toEqual(pieces.slice(-1));
      expect((await ann.journals.fetch("r1"))?.runs[0]?.journal.shown).toBe(300);
    });

    it("and the count of it become true together: of a process that is killed in between, neither", async () => {
      const first = await atWork(bob);
      const writer = first.writer();
      writer.shown(1);
      first.mirror.output("stdout", "one\n");
      first.mirror.settle();
      writer.shown(2);
      const second = await atWork(ann);
      expect(second.store.runs.read("r1").shown).toBe(1);
      second.writer().shown(2);
      second.mirror.output("stdout", "two\n");
      second.mirror.close();
      expect(await printed()).toBe("one\ntwo\n");
      expect((await ann.journals.output("r1", 0)).map(({ at }) => at)).toEqual([1, 2]);
    });

    it("by whoever was taken over is not there", async () => {
      const first = await atWork(bob);
      first.mirror.output("stdout", "one\n");
      first.mirror.settle();
      await ann.journals.take("r1", "w");
      first.mirror.output("stdout", "two\n");
      expect(() => first.mirror.settle()).toThrow(/taken over/);
      expect(await printed()).toBe("one\n");
    });
  });

  it("a barrier that an interrupt breaks off is no barrier: the next one waits for all of it", async () => {
    const { mirror, writer: take } = await atWork(bob);
    const writer = take();
    const lock = await held(3);
    const slot = Symbol.for("broken off");
    const context = globalThis as unknown as Record<symbol, unknown>;
    let effects = 0;
    context[slot] = () => {
      appended(writer, [intent(0)]);
      effects++;
    };
    expect(() => vm.runInThisContext('globalThis[Symbol.for("broken off")]()', { timeout: 300 })).toThrow(
      /timed out/,
    );
    delete context[slot];
    expect([effects, await copied()]).toEqual([0, 1]);
    writer.flush(true);
    expect(await copied()).toBe(2);
    appended(writer, [result(0)]);
    await lock.over;
    writer.close();
    mirror.close();
    expect(recordsOf((await ann.journals.fetch("r1"))?.runs[0]).slice(1)).toEqual([intent(0), result(0)]);
  });

  it("closing twice is closing once; nothing can be written after it", async () => {
    const { mirror, writer: take } = await atWork(bob);
    const writer = take();
    appended(writer, [intent(0)], false);
    writer.close();
    mirror.close();
    mirror.close();
    expect(await copied()).toBe(2);
    expect(mirror.fault).toBeUndefined();
    expect(() => mirror.output("stdout", "late")).toThrow(StoreError);
  });
});
