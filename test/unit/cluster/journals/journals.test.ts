/** The database of journals at work: what is put is taken with its paths, by one at a time, and comes back. */
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openJournals, openMirror } from "../../../../src/cluster/journals/index.ts";
import type { JobGoods } from "../../../../src/cluster/ports.ts";
import type { JournalRecord } from "../../../../src/effects/index.ts";
import { UsageError } from "../../../../src/host/command/index.ts";
import { takeCarriedRun } from "../../../../src/store/copies/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import {
  appended,
  beginRun,
  carried,
  type DatabaseSettings,
  end,
  intent,
  type Machine,
  machineAt,
  pieceOf,
  recordsOf,
  result,
  rootsAt,
} from "../../../support/cluster-journals.ts";
import { startPostgres } from "../../../support/postgres-server.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("journals");
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

let project = 0;
let settings: DatabaseSettings;
let ann: Machine;
let bob: Machine;
const machines: Machine[] = [];

async function machine(name: string, more: Partial<DatabaseSettings> = {}): Promise<Machine> {
  const made = await machineAt(join(freshFolder(), name), { ...settings, ...more });
  machines.push(made);
  return made;
}

const url = (): string => server?.url ?? "";
const put = async (from: Machine, goods: Partial<JobGoods> = {}, run = "r1"): Promise<void> =>
  await from.journals.put({ name: run, kind: "run", runs: [carried(from.store, run)], ...goods });

/** Bob takes the job and does so much of it. */
async function work(who: Machine, records: readonly JournalRecord[], run = "r1"): Promise<number> {
  const taken = await who.journals.take(run, "bob");
  for (const one of taken.runs) takeCarriedRun(who.store, one, { isOurs: true });
  const mirror = openMirror(settings, run, taken.fence);
  const store = openStore(who.store.folder, { mirror });
  const writer = store.runs.take(run);
  appended(writer, records);
  writer.close();
  store.close();
  mirror.close();
  return taken.fence;
}

const refusal = async (work: Promise<unknown>): Promise<UsageError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
};

// Without the server's programs for this platform there is nothing to test against.
describe.skipIf(server === undefined)("journals in PostgreSQL", () => {
  beforeEach(async () => {
    project += 1;
    settings = { journals: url(), project: `p${project}` };
    [ann, bob] = [await machine("ann"), await machine("bob")];
    beginRun(ann.store, "r1", ann.folder);
  });
  afterEach(async () => {
    for (const one of machines.splice(0)) await one.close();
  });

  it("gives what was put to one worker, moved to where its folders lie, and its end back to the sender", async () => {
    const file = new Uint8Array([0, 1, 255]);
    const answers = JSON.parse('{"0#1": {"place": "0#1", "__proto__": "\\u0000 ü"}}');
    const order = { flags: { model: "m" } };
    await put(ann, { answers, order, file });
    const taken = await bob.journals.take("r1", "bob");
    expect(taken).toMatchObject({
      name: "r1",
      kind: "run",
      fence: 2,
      isAbandoned: false,
      stop: undefined,
      order,
      answers,
    });
    expect(JSON.stringify(taken.answers)).toBe(JSON.stringify(answers));
    expect(taken.file).toEqual(file);
    expect(taken.runs[0]?.journal.header.entry).toBe(`${bob.folder}/a.harn`);
    expect(recordsOf(taken.runs[0])).toMatchObject([{ t: "source", name: `${bob.folder}/a.harn` }]);
    const fence = await work(bob, [intent(0), result(0, `${bob.folder}/out`), end]);
    await bob.journals.end("r1", fence, { exitCode: 3, records: 4, result: file });
    const fetched = await ann.journals.fetch("r1");
    expect(fetched?.result).toEqual(file);
    expect(takeCarriedRun(ann.store, fetched?.runs[0] as never)).toEqual({ as: "extended" });
    expect(ann.store.runs.read("r1").records).toMatchObject([
      { t: "source", name: `${ann.folder}/a.harn` },
      { t: "intent" },
      { t: "result", v: `${ann.folder}/out` },
      { t: "end" },
    ]);
    expect(await ann.journals.fetch("r2")).toBeUndefined();
    expect(await ann.journals.unfinished()).toEqual([]);
  });

  it("two projects on one database do not see each other", async () => {
    const other = await machine("other", { project: `q${project}` });
    await put(ann);
    await expect(other.journals.take("r1", "w")).rejects.toMatchObject({ fault: "missing" });
    expect(await other.journals.fetch("r1")).toBeUndefined();
    expect(await other.journals.unfinished()).toEqual([]);
    beginRun(other.store, "r1", other.folder);
    await put(other);
    await bob.journals.stop("r1", "mine");
    expect((await other.journals.take("r1", "w")).stop).toBeUndefined();
    expect(await other.journals.removeEnded(-1000)).toBe(0);
    expect((await ann.journals.take("r1", "w")).stop).toBe("mine");
  });

  it("a run goes over three machines whose folders lie elsewhere, and back", async () => {
    const cat = await machine("cat");
    await put(ann);
    await work(bob, [intent(0, [`${bob.folder}/log`]), result(0)]);
    await work(cat, [intent(1, [`${cat.folder}/log`]), result(1)]);
    // Bob's own store has the beginning of what he takes once more.
    const again = await bob.journals.take("r1", "bob");
    expect(takeCarriedRun(bob.store, again.runs[0] as never, { isOurs: true })).toEqual({ as: "extended" });
    const asked = (who: Machine): unknown[] =>
      who.store.runs.read("r1").records.flatMap((record) => (record.t === "intent" ? [record.a] : []));
    expect(asked(bob)).toEqual([[`${bob.folder}/log`], [`${bob.folder}/log`]]);
    takeCarriedRun(ann.store, (await ann.journals.fetch("r1"))?.runs[0] as never);
    expect(asked(ann)).toEqual([[`${ann.folder}/log`], [`${ann.folder}/log`]]);
  });

  it("a script that lies outside of the project is where it was for who has sent it", async () => {
    const outside = freshFolder();
    beginRun(ann.store, "r2", outside);
    await put(ann, {}, "r2");
    const taken = await bob.journals.take("r2", "bob");
    const { entry } = taken.runs[0]?.journal.header ?? { entry: "" };
    expect(entry).toMatch(new RegExp(`^${bob.folder}/\\.harn/imported/folder-[0-9a-f]{8}/a\\.harn$`));
    expect((await ann.journals.fetch("r2"))?.runs[0]?.journal.header.entry).toBe(`${outside}/a.harn`);
  });

  it("any text survives: NUL, halves of characters, every plane, keys of objects, 20 MB in one piece", async () => {
    const odd = JSON.parse(
      '{"__proto__": "\\u0000", "a\\u0000b": "\\ud800", "toString": "\\ufffe💡ü", "x": "\\\\ \\" \' \\n"}',
    );
    const large = pieceOf(`${"0123456789".repeat(2_000_000)}\u0000`);
    const writer = ann.store.runs.take("r1");
    writer.blob(large.hash, large.body);
    appended(writer, [intent(0, [odd, { $blob: large.hash }]), result(0, odd)]);
    writer.close();
    await put(ann);
    const [run] = (await bob.journals.take("r1", "bob")).runs;
    expect(run?.pieces.get(large.hash)).toBe(large.body);
    expect(JSON.stringify(recordsOf(run).slice(1))).toBe(
      JSON.stringify(ann.store.runs.read("r1").records.slice(1)),
    );
    takeCarriedRun(bob.store, run as never);
    expect(bob.store.runs.wholeJournal("r1").records).toHaveLength(3);
  });

  it("what nobody changed in it is what is read: a damaged record is told", async () => {
    await put(ann);
    await work(bob, [intent(0), result(0)]);
    await server?.query(`UPDATE harn_p${project}.record SET body = 'no' WHERE seq = 1`);
    const damaged = expect.objectContaining({
      message: "the copy of the run r1 in the database is damaged at record 1",
    });
    expect((await bob.journals.take("r1", "bob")).unreadable).toEqual(damaged);
    await server?.query(`DELETE FROM harn_p${project}.record WHERE seq = 1`);
    await expect(ann.journals.fetch("r1")).rejects.toEqual(damaged);
  });

  describe("put once more", () => {
    it("means the job that is at work, and adds answers", async () => {
      await put(ann, { answers: { a: 1 } });
      const fence = await work(bob, [intent(0), result(0)]);
      await put(ann, { answers: { b: 2 } });
      await bob.journals.end("r1", fence, { exitCode: 0, records: 3 });
      const fetched = await ann.journals.fetch("r1");
      expect(fetched?.answers).toEqual({ a: 1, b: 2 });
      expect(recordsOf(fetched?.runs[0])).toHaveLength(3);
    });

    it("goes on with one that parked: whoever worked on it does not any more, a request to stop is forgotten", async () => {
      await put(ann);
      const parked = { ...end, reason: "parked", code: 75 } as JournalRecord;
      const fence = await work(bob, [intent(0), parked]);
      await bob.journals.stop("r1", "enough");
      await bob.journals.end("r1", fence, { exitCode: 75, records: 3, result: new Uint8Array([1]) });
      takeCarriedRun(ann.store, (await ann.journals.fetch("r1"))?.runs[0] as never);
      const before = ann.store.runs.read("r1").records.length;
      // Here, with the answer.
      const writer = ann.store.runs.take("r1");
      appended(writer, [{ t: "resume", keep: 2, runtime: "0" }, result(0, "yes")]);
      writer.close();
      await put(ann, { answers: { "0#0": "yes" } });
      await expect(bob.journals.end("r1", fence, { exitCode: 0, records: 9 })).rejects.toMatchObject({
        fault: "taken",
      });
      const taken = await bob.journals.take("r1", "bob");
      expect(taken).toMatchObject({ fence: fence + 2, isAbandoned: false, stop: undefined });
      expect(recordsOf(taken.runs[0])).toHaveLength(before + 2);
      expect(takeCarriedRun(bob.store, taken.runs[0] as never, { isOurs: true })).toEqual({ as: "extended" });
      expect((await ann.journals.unfinished()).map(({ name }) => name)).toEqual(["r1"]);
      expect((await ann.journals.fetch("r1"))?.result).toBeUndefined();
    });

    it("takes the sender's run where it went another way, once it was closed, and drops nothing before", async () => {
      await put(ann);
      const fence = await work(bob, [intent(0), result(0)]);
      const writer = ann.store.runs.take("r1");
      appended(writer, [intent(7)]);
      writer.close();
      const refused = { fault: "exists", message: expect.stringContaining("goes another way than here") };
      await expect(put(ann)).rejects.toMatchObject(refused);
      await bob.journals.end("r1", fence, { exitCode: 0, records: 3 });
      await expect(put(ann)).rejects.toMatchObject(refused);
      expect(recordsOf((await ann.journals.fetch("r1"))?.runs[0])).toHaveLength(3);
      await ann.journals.closeJob("r1");
      await put(ann);
      const [run] = (await bob.journals.take("r1", "bob")).runs;
      expect(recordsOf(run).slice(1)).toEqual([intent(7)]);
    });

    it("from a folder that was moved meanwhile drops nothing", async () => {
      await put(ann);
      await work(bob, [intent(0), result(0)]);
      const moved = await openJournals(settings, { roots: rootsAt("/elsewhere") });
      await expect(
        moved.put({ name: "r1", kind: "run", runs: [carried(ann.store, "r1")] }),
      ).rejects.toMatchObject({ fault: "exists" });
      await moved.close();
      expect(recordsOf((await ann.journals.fetch("r1"))?.runs[0])).toHaveLength(3);
    });

    it("a run of another job is not taken", async () => {
      await put(ann);
      await expect(
        ann.journals.put({ name: "other", kind: "trials", runs: [carried(ann.store, "r1")] }),
      ).rejects.toMatchObject({ fault: "exists" });
      // Nothing of it is there.
      expect(await ann.journals.fetch("other")).toBeUndefined();
    });
  });

  describe("attempts", () => {
    it("raise the fence, and tell whether the one before said how it ended", async () => {
      await put(ann);
      const first = await bob.journals.take("r1", "bob");
      const second = await ann.journals.take("r1", "ann");
      expect([first.fence, second.fence]).toEqual([2, 3]);
      expect([first.isAbandoned, second.isAbandoned]).toEqual([false, true]);
      await expect(bob.journals.end("r1", 2, { exitCode: 0, records: 1 })).rejects.toMatchObject({
        fault: "taken",
      });
      await bob.journals.leave("r1", 2);
      expect((await bob.journals.take("r1", "bob")).isAbandoned).toBe(true);
      await bob.journals.leave("r1", 4);
      expect((await bob.journals.take("r1", "bob")).isAbandoned).toBe(false);
    });

    it("that died without a new record are counted in a row, each once", async () => {
      await put(ann);
      const deaths = async (records: number): Promise<number> => {
        await bob.journals.take("r1", "bob");
        return await bob.journals.died("r1", records);
      };
      expect([await deaths(1), await deaths(1)]).toEqual([1, 2]);
      expect(await bob.journals.died("r1", 1)).toBe(2);
      expect(await deaths(5)).toBe(0);
      expect([await deaths(5), await deaths(5), await deaths(5)]).toEqual([1, 2, 3]);
      expect((await bob.journals.take("r1", "bob")).isAbandoned).toBe(false);
      // The worker of this one is lost: the next one counts it, and then itself.
      const next = await bob.journals.take("r1", "bob");
      expect(next.isAbandoned).toBe(true);
      expect([await bob.journals.died("r1", 5), await bob.journals.died("r1", 5)]).toEqual([4, 5]);
      await put(ann);
      expect(await deaths(1)).toBe(1);
    });

    it("end when the sender has closed the job: nothing is written any more, and nobody takes it until it is put", async () => {
      await put(ann);
      const taken = await bob.journals.take("r1", "bob");
      for (const one of taken.runs) takeCarriedRun(bob.store, one, { isOurs: true });
      const mirror = openMirror(settings, "r1", taken.fence);
      const store = openStore(bob.store.folder, { mirror });
      const writer = store.runs.take("r1");
      appended(writer, [intent(0), result(0)]);
      await ann.journals.closeJob("r1");
      expect(() => appended(writer, [intent(1)])).toThrow("taken over");
      await expect(bob.journals.end("r1", taken.fence, { exitCode: 0, records: 4 })).rejects.toMatchObject({
        fault: "taken",
      });
      await expect(bob.journals.take("r1", "bob")).rejects.toMatchObject({ fault: "missing" });
      expect(await ann.journals.unfinished()).toEqual([]);
      expect(recordsOf((await ann.journals.fetch("r1"))?.runs[0])).toHaveLength(3);
      await put(ann);
      expect((await bob.journals.take("r1", "bob")).isAbandoned).toBe(false);
      await ann.journals.closeJob("r9");
      expect(() => mirror.close()).toThrow("taken over");
    });

    it("of a job whose end was noted are made again when the engine did not hear of it", async () => {
      await put(ann);
      const { fence } = await bob.journals.take("r1", "bob");
      await bob.journals.end("r1", fence, { exitCode: 0, records: 1 });
      expect(await bob.journals.take("r1", "bob")).toMatchObject({ fence: fence + 1, isAbandoned: false });
    });

    it("of a job that nobody has put are none", async () => {
      await expect(bob.journals.take("r9", "bob")).rejects.toMatchObject({ fault: "missing" });
      expect(await bob.journals.died("r9", 1)).toBe(0);
    });

    it("two that take it at once have two fences, and one of them has it", async () => {
      await put(ann);
      const taken = await Promise.allSettled(
        [ann, bob, ann, bob].map(({ journals }) => journals.take("r1", "w")),
      );
      const fences = taken.flatMap((one) => (one.status === "fulfilled" ? [one.value.fence] : []));
      for (const one of taken)
        if (one.status === "rejected") expect(one.reason).toMatchObject({ fault: "taken" });
      expect(new Set(fences).size).toBe(fences.length);
      expect(Math.max(...fences)).toBe(5);
    });
  });

  describe("a request to stop", () => {
    /** What is heard of jobs that this machine has taken. */
    function heard(who: Machine): string[] {
      const words: string[] = [];
      who.journals.onStop((name, reason) => words.push(`${name}: ${reason}`));
      return words;
    }

    it("is heard by whoever works on it, once, and by nobody else", async () => {
      await put(ann);
      const [here, there] = [heard(bob), heard(ann)];
      await bob.journals.take("r1", "bob");
      await ann.journals.stop("r1", 'enough "\u0000"');
      await vi.waitFor(() => expect(here).toEqual(['r1: enough "\u0000"']), { timeout: 20_000 });
      await ann.journals.stop("r1", "once more");
      await ann.journals.stop("r9", "no such job");
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect([here, there]).toEqual([['r1: enough "\u0000"'], []]);
    });

    it("is seen with a look where the bell is lost", async () => {
      await put(ann);
      const here = heard(bob);
      await bob.journals.take("r1", "bob");
      await server?.query(`UPDATE harn_p${project}.job SET stop = '"silently"'`);
      await vi.waitFor(() => expect(here).toEqual(["r1: silently"]), { timeout: 20_000 });
    });

    it("is heard over a new connection when the old one is lost", async () => {
      await put(ann);
      const here = heard(bob);
      await bob.journals.take("r1", "bob");
      const bell =
        "SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE application_name = 'harn bell'";
      await vi.waitFor(async () => expect((await server?.query(bell))?.length).toBeGreaterThan(0), {
        timeout: 20_000,
      });
      await ann.journals.stop("r1", "enough");
      await vi.waitFor(() => expect(here).toEqual(["r1: enough"]), { timeout: 20_000 });
    });

    it("is heard also when the sender closes the job before anybody has looked", async () => {
      await put(ann);
      const here = heard(bob);
      await bob.journals.take("r1", "bob");
      await server?.query(`UPDATE harn_p${project}.job SET stop = '"enough"'`);
      await ann.journals.closeJob("r1");
      await vi.waitFor(() => expect(here).toEqual(["r1: enough"]), { timeout: 20_000 });
    });

    it("that came before it was taken is told with it; one for a job that somebody else has is not heard", async () => {
      await put(ann);
      const here = heard(bob);
      await ann.journals.stop("r1", "too late");
      expect((await bob.journals.take("r1", "bob")).stop).toBe("too late");
      beginRun(ann.store, "r2", ann.folder);
      await put(ann, {}, "r2");
      await bob.journals.take("r2", "bob");
      await ann.journals.take("r2", "ann");
      await ann.journals.stop("r2", "not bob");
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(here).toEqual([]);
    });
  });

  it("tells what is not over, as it was put", async () => {
    const order = { flags: { model: "m" } };
    await put(ann, { order });
    beginRun(ann.store, "r2", ann.folder);
    await put(ann, { kind: "trials" }, "r2");
    const found = await bob.journals.unfinished();
    expect(found.map(({ name, kind, order }) => ({ name, kind, order }))).toEqual([
      { name: "r1", kind: "run", order },
      { name: "r2", kind: "trials", order: undefined },
    ]);
    expect(found[0]?.began).toBeInstanceOf(Date);
  });

  it("removes what ended so long ago with all that only it has; what others share stays", async () => {
    const [shared, own] = [pieceOf("s".repeat(600)), pieceOf("o".repeat(600))];
    beginRun(ann.store, "r2", ann.folder);
    for (const [run, pieces] of [
      ["r1", [shared, own]],
      ["r2", [shared]],
    ] as const) {
      const writer = ann.store.runs.take(run);
      for (const { hash, body } of pieces) writer.blob(hash, body);
      appended(writer, [intent(0)]);
      writer.close();
      await put(ann, {}, run);
    }
    const fence = await work(bob, [end]);
    const printed = openMirror(settings, "r1", fence);
    printed.output("stdout", "hello\n");
    printed.close();
    await bob.journals.end("r1", fence, { exitCode: 0, records: 3 });
    expect(await ann.journals.removeEnded(60_000)).toBe(0);
    expect(await ann.journals.removeEnded(0)).toBe(1);
    expect(await ann.journals.fetch("r1")).toBeUndefined();
    const count = async (table: string): Promise<unknown> =>
      (await server?.query(`SELECT count(*)::int AS n FROM harn_p${project}.${table}`))?.[0]?.n;
    // The source of both, and the shared one.
    expect(await Promise.all(["job", "run", "attempt", "piece", "output"].map(count))).toEqual([
      1, 1, 1, 2, 0,
    ]);
    const [run] = (await bob.journals.take("r2", "bob")).runs;
    expect([...(run?.pieces.keys() ?? [])]).toContain(shared.hash);
  });

  it("removing beside those who write loses no piece", async () => {
    const { hash, body } = pieceOf("p".repeat(600));
    const jobs = Array.from({ length: 12 }, (_, n) => `job${n}`);
    for (const run of jobs) {
      beginRun(ann.store, run, ann.folder);
      const writer = ann.store.runs.take(run);
      writer.blob(hash, body);
      appended(writer, [intent(0)]);
      writer.close();
    }
    const putAndEnd = async (run: string, isEnded: boolean): Promise<void> => {
      await put(ann, {}, run);
      if (!isEnded) return;
      const { fence } = await ann.journals.take(run, "w");
      await ann.journals.end(run, fence, { exitCode: 0, records: 1 });
    };
    const removing = (async () => {
      for (let n = 0; n < 20; n++) await bob.journals.removeEnded(0);
    })();
    await Promise.all([removing, ...jobs.map((run, n) => putAndEnd(run, n % 2 === 0))]);
    for (const run of jobs.filter((_, n) => n % 2 === 1))
      expect((await bob.journals.fetch(run))?.runs[0]?.pieces.get(hash)).toBe(body);
  });

  it("10,000 records are put and taken as they were", async () => {
    const writer = ann.store.runs.take("r1");
    for (let n = 0; n < 5000; n++)
      for (const record of [intent(n, [n]), result(n, { n })]) writer.append(record);
    writer.close();
    await put(ann);
    const [run] = (await bob.journals.take("r1", "bob")).runs;
    expect(recordsOf(run).slice(1)).toEqual(ann.store.runs.read("r1").records.slice(1));
    expect(recordsOf(run)).toHaveLength(10_001);
  });

  describe("the database itself", () => {
    it("is told with its version, rights and what it promises", async () => {
      const lines = (await ann.journals.check()).join("\n");
      expect(lines).toContain(`harn_p${project}, version 1: 0 job(s)`);
      expect(lines).toMatch(/fsync is OFF/);
      expect(lines).toMatch(/synchronous_commit is on/);
      expect(lines).toMatch(/NOTIFY is delivered/);
    });

    it("is made ready once, however many come at once", async () => {
      const fresh = { journals: url(), project: `many${project}` };
      const all = await Promise.all(
        Array.from({ length: 6 }, () => openJournals(fresh, { roots: rootsAt("/x") })),
      );
      expect(await all[0]?.unfinished()).toEqual([]);
      for (const one of all) await one.close();
    });

    it("of a newer harn is left alone", async () => {
      await server?.query(`UPDATE harn_p${project}.about SET version = 99`);
      const error = await refusal(openJournals(settings, { roots: rootsAt("/x") }));
      expect(error.code).toBe("HARN-CLU-012");
      expect(error.text).toMatch(/have version 99, this harn works with 1/);
    });

    it("in which one may not make tables says who grants it", async () => {
      await server?.query(`CREATE ROLE weak${project} LOGIN PASSWORD 'secretpw'`);
      const weak = url().replace("tester:", `weak${project}:`);
      const error = await refusal(
        openJournals({ journals: weak, project: "none" }, { roots: rootsAt("/x") }),
      );
      expect(error.code).toBe("HARN-CLU-012");
      expect(error.text).toContain(`GRANT CREATE ON DATABASE postgres TO weak${project};`);
      // Tables that are there, and may not be written.
      await server?.query(
        `GRANT USAGE ON SCHEMA harn_p${project} TO weak${project}; GRANT SELECT ON ALL TABLES IN SCHEMA harn_p${project} TO weak${project}`,
      );
      const reader = await openJournals({ journals: weak, project: `p${project}` }, { roots: rootsAt("/x") });
      const lacking = await refusal(reader.check());
      expect(lacking.text).toContain(`INSERT on "harn_p${project}".record`);
      await reader.close();
    });

    it("of another encoding is refused", async () => {
      await server?.query(`CREATE DATABASE latin${project} ENCODING 'LATIN1' TEMPLATE template0`);
      const latin = { journals: url().replace(/\/postgres$/, `/latin${project}`), project: "p" };
      expect((await refusal(openJournals(latin, { roots: rootsAt("/x") }))).text).toContain(
        "its encoding is LATIN1",
      );
    });

    it("can be one that does not wait for its disk: these connections do", async () => {
      await server?.query(`CREATE DATABASE lazy${project}`);
      await server?.query(`ALTER DATABASE lazy${project} SET synchronous_commit = off`);
      const lazy = { journals: url().replace(/\/postgres$/, `/lazy${project}`), project: "p" };
      const journals = await openJournals(lazy, { roots: rootsAt("/x") });
      expect((await journals.check()).join("\n")).toContain(
        "synchronous_commit is off; harn's own connections wait",
      );
      await journals.close();
    });
  });

  it.each([
    ["nobody answers", (text: string) => text.replace(/:\d+\/postgres/, ":1/postgres"), "HARN-CLU-011"],
    ["there is no such database", (text: string) => text.replace(/\/postgres$/, "/nothing"), "HARN-CLU-011"],
    ["the user is unknown", (text: string) => text.replace("tester", "stranger"), "HARN-CLU-011"],
    ["the address is none", () => "postgres://tester:secretpw@:x/y", "HARN-CLU-003"],
    [
      "it has a parameter of its own",
      (text: string) => `${text}?password=secretpw&what=secretpw`,
      "HARN-CLU-003",
    ],
  ])("no password stands in what is said when %s", async (_what, change, code) => {
    const error = await refusal(
      openJournals({ journals: change(url()), project: "p" }, { roots: rootsAt("/x") }),
    );
    expect(error.code).toBe(code);
    expect(`${error.text}${error.stack}${JSON.stringify(error)}${String(error.cause)}`).not.toContain(
      "secretpw",
    );
  });

  it("a password that is in what the server says is not told", async () => {
    const secret = "pass'word%";
    const client = new pg.Client(url());
    await client.connect();
    await client.query(`CREATE ROLE "${secret}" LOGIN`);
    await client.end();
    const address = `postgres://${encodeURIComponent(secret)}:${encodeURIComponent(secret)}@127.0.0.1:${server?.port}/postgres`;
    const error = await refusal(
      openJournals({ journals: address, project: "zzz" }, { roots: rootsAt("/x") }),
    );
    expect(error.text).not.toContain(secret);
    expect(error.text).not.toContain(encodeURIComponent(secret));
  });
});
