/** The database dies, freezes and comes back: runs stand still before their effects, lose nothing, and give up in time. */
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DatabaseAway, type OpenMirror, openMirror } from "../../../../src/cluster/journals/index.ts";
import type { JournalProblem } from "../../../../src/effects/index.ts";
import { carriedRun, takeCarriedRun } from "../../../../src/store/copies/index.ts";
import { openStore, type RunWriter, StoreError } from "../../../../src/store/index.ts";
import {
  appended,
  beginRun,
  type DatabaseSettings,
  intent,
  type Machine,
  machineAt,
  recordsOf,
  result,
} from "../../../support/cluster-journals.ts";
import { startPostgres } from "../../../support/postgres-server.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("away");
// It dies without its machine: what it has handed to the system is there when it begins anew, and it begins sooner.
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

/** Longer than a busy machine takes to begin a thread; milliseconds. */
const briefMs = 6000;

let project = 0;
let settings: DatabaseSettings;
let bob: Machine;
const open: { close(): void }[] = [];

async function atWork(patienceMs = 60_000): Promise<{ mirror: OpenMirror; writer: RunWriter }> {
  const taken = await bob.journals.take("r1", "w");
  takeCarriedRun(bob.store, taken.runs[0] as never, { isOurs: true });
  const mirror = openMirror(settings, "r1", taken.fence, { patienceMs });
  const store = openStore(bob.store.folder, { mirror });
  open.push(mirror, store);
  return { mirror, writer: store.runs.take("r1") };
}

const copied = async (): Promise<number> =>
  Number((await server?.query(`SELECT count(*)::int AS n FROM harn_p${project}.record`))?.[0]?.n);

const problemOf = (work: () => void): JournalProblem => {
  try {
    work();
  } catch (error) {
    return error as JournalProblem;
  }
  throw new Error("nothing was thrown");
};

// Without the server's programs for this platform there is nothing to test against.
describe.skipIf(server === undefined)("a database that is away", () => {
  beforeEach(async () => {
    project += 1;
    settings = { journals: server?.url ?? "", project: `p${project}` };
    bob = await machineAt(join(freshFolder(), "bob"), settings, { patienceMs: 60_000 });
    beginRun(bob.store, "r1", bob.folder);
    await bob.journals.put({ name: "r1", kind: "run", runs: [carriedRun(bob.store, "r1")] });
  });
  afterEach(async () => {
    for (const one of open.splice(0)) {
      try {
        one.close();
      } catch (error) {
        expect(error).toBeInstanceOf(StoreError);
      }
    }
    await bob.close();
  });

  it("is waited for at the barrier, and the run goes on: nothing is lost, nothing is there twice", async () => {
    const { mirror, writer } = await atWork();
    for (let n = 0; n < 5; n++) {
      appended(writer, [intent(n)]);
      writer.shown(n + 1);
      mirror.output("stdout", `${n}\n`);
      appended(writer, [result(n)], false);
      await server?.crash();
      // It is not there yet when the next effect wants to begin.
      const back = server?.restart();
      appended(writer, [intent(100 + n), result(100 + n)]);
      await back;
      expect(await copied()).toBe(1 + 4 * (n + 1));
    }
    writer.close();
    mirror.close();
    const run = (await bob.journals.fetch("r1"))?.runs[0];
    expect(recordsOf(run)).toEqual(bob.store.runs.read("r1").records);
    expect((await bob.journals.output("r1", 0)).map(({ text }) => text)).toEqual([
      "0\n",
      "1\n",
      "2\n",
      "3\n",
      "4\n",
    ]);
    expect(run?.journal.shown).toBe(5);
  });

  it("keeps what it had not promised, too: it is sent once more", async () => {
    const { mirror, writer } = await atWork();
    appended(writer, [intent(0)]);
    for (let n = 0; n < 5; n++) {
      appended(writer, [result(n), intent(n + 1)], false);
      // The server has it, and perhaps not yet on its disk.
      await vi.waitFor(async () => expect(await copied()).toBe(2 + 2 * (n + 1)), { timeout: 20_000 });
      await server?.crash();
      await server?.restart();
    }
    writer.flush(true);
    expect(await copied()).toBe(12);
    writer.close();
    mirror.close();
  });

  it("for too long stops the run so that it can be resumed; from then on nothing waits", async () => {
    const { mirror, writer } = await atWork(briefMs);
    appended(writer, [intent(0), result(0)]);
    await server?.crash();
    let effects = 0;
    const problem = problemOf(() => {
      appended(writer, [intent(1)]);
      effects++;
    });
    expect(effects).toBe(0);
    expect(problem.kind).toBe("unwritable");
    const said = [problem.message, ...problem.details].join("\n");
    expect(said).toMatch(
      /cannot write the journal: the copy of the run in the database at 127\.0\.0\.1:\d+\/postgres: .*\(waited for 6 s\)/,
    );
    expect(said).toContain("harn run --resume r1");
    expect(said).not.toContain("secretpw");
    expect(mirror.fault).toBe("away");
    expect(problemOf(() => writer.close()).kind).toBe("unwritable");
    expect(() => mirror.close()).toThrow(StoreError);
    await server?.restart();
    // Another attempt goes on where the database stands.
    const taken = await bob.journals.take("r1", "w");
    expect(takeCarriedRun(bob.store, taken.runs[0] as never, { isOurs: true }).as).toBe("replaced");
    expect(recordsOf(taken.runs[0])).toHaveLength(3);
  });

  it("freezes: the same", async () => {
    const { mirror, writer } = await atWork(briefMs);
    appended(writer, [intent(0), result(0)]);
    server?.signal("SIGSTOP");
    try {
      expect(problemOf(() => appended(writer, [intent(1)])).message).toContain(
        "it does not answer (waited for 6 s)",
      );
      expect(mirror.fault).toBe("away");
    } finally {
      server?.signal("SIGCONT");
    }
    // What was on its way may arrive: an intent of which nothing was begun.
    const run = (await bob.journals.take("r1", "w")).runs[0];
    expect([3, 4]).toContain(recordsOf(run).length);
  });

  it("a run that waits for nobody is not held up by it", async () => {
    const { mirror, writer } = await atWork();
    appended(writer, [intent(0)]);
    await server?.crash();
    for (let n = 0; n < 1000; n++) appended(writer, [result(n)], false);
    expect(mirror.fault).toBeUndefined();
    await server?.restart();
    writer.close();
    mirror.close();
    expect(await copied()).toBe(1002);
  });

  it("whoever asks it meanwhile has the answer when it is back, or is told", async () => {
    const brief = await machineAt(join(freshFolder(), "brief"), settings, { patienceMs: 300 });
    const heard: string[] = [];
    bob.journals.onStop((name, reason) => heard.push(`${name}: ${reason}`));
    const taken = await bob.journals.take("r1", "w");
    await server?.crash();
    const asked = [
      bob.journals.output("r1", 0),
      bob.journals.died("r1", 9),
      bob.journals.stop("r1", "enough"),
      bob.journals.end("r1", taken.fence + 1, { exitCode: 0, records: 1 }),
    ];
    const ended = expect(asked[3]).rejects.toMatchObject({ fault: "taken" });
    await expect(brief.journals.unfinished()).rejects.toBeInstanceOf(DatabaseAway);
    await expect(brief.journals.check()).rejects.toMatchObject({ code: "HARN-CLU-011" });
    await server?.restart();
    expect(await Promise.all(asked.slice(0, 3))).toEqual([[], 0, undefined]);
    await ended;
    await vi.waitFor(() => expect(heard).toEqual(["r1: enough"]), { timeout: 20_000 });
    await brief.close();
  });
});
