/** The sender's side of a run on workers, over engine and database in memory: nothing is lost, and nothing is begun twice. */
import { beforeEach, describe, expect, it } from "vitest";
import {
  bringBack,
  type Cluster,
  follow,
  handOver,
  handOverNote,
  type JobEnd,
  noteHandedOver,
  stopHandedOver,
  takeBackUnlessOpen,
} from "../../../src/cluster/index.ts";
import type { JournalRecord } from "../../../src/effects/index.ts";
import { carriedRun } from "../../../src/store/copies/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { appended, beginRun, intent, result } from "../../support/cluster-journals.ts";
import { MemoryServer } from "../../support/memory-engine.ts";
import { MemoryJournals } from "../../support/memory-journals.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("handed-over");
const order = { flags: {}, ends: 0 };
const done: JobEnd = { kind: "done", result: { exitCode: 0, records: 4 } };
const question = { place: "0#0", asked: 1, body: "{}", answer: '"yes"', answered: 2, answeredBy: null };

let store: Store;
let journals: MemoryJournals;
let cluster: Pick<Cluster, "engine" | "journals">;
beforeEach(() => {
  store = openStore(freshFolder());
  journals = new MemoryJournals();
  cluster = { engine: new MemoryServer().connect({ project: "p", queue: "harn" }), journals };
  beginRun(store, "r");
  noteHandedOver(store, "r");
});

const note = () => handOverNote(store, "r");
const here = (): readonly JournalRecord[] => store.runs.read("r").records.slice(1);
const handedOver = (): Promise<void> => handOver(cluster, store, "r", order);

/** What a worker has done of it by now. */
function workedOn(...records: readonly JournalRecord[]): void {
  copiedFrom("/work", ...here(), ...records);
}

/** What the database has of it, as if the project lay in that folder. */
function copiedFrom(folder: string, ...records: readonly JournalRecord[]): void {
  const worker = openStore(freshFolder());
  beginRun(worker, "r", folder);
  const writer = worker.runs.take("r");
  appended(writer, records);
  writer.close();
  journals.replaceRun("r", carriedRun(worker, "r"));
  worker.close();
}

/** It works on here, or is handed over for the next time. */
function goneOnHere(...records: readonly JournalRecord[]): void {
  const writer = store.runs.take("r");
  appended(writer, records);
  writer.close();
}

/** Nobody else may do it any more, now or when somebody hands out again what is lost. */
async function expectClosed(fence: number): Promise<void> {
  await expect(journals.end("r", fence, { exitCode: 0, records: 9 })).rejects.toMatchObject({
    fault: "taken",
  });
  await expect(journals.take("r")).rejects.toMatchObject({ fault: "missing" });
  expect(await journals.unfinished()).toEqual([]);
}

describe("a run that comes back", () => {
  it("is closed before it is fetched: whoever still works on it is refused", async () => {
    await handedOver();
    const { fence } = await journals.take("r");
    workedOn(intent(0), result(0));
    // Terminated in the engine's page.
    await cluster.engine.cancel("r");
    expect(await bringBack(cluster, store, "r", { note: note(), end: { kind: "cancelled" } })).toMatchObject({
      exitCode: 143,
    });
    expect(here()).toEqual([intent(0), result(0)]);
    expect(note()).toBeUndefined();
    await expectClosed(fence);
  });

  it("is not taken for what is here when the database knows nothing of it", async () => {
    await handedOver();
    journals.jobs.clear();
    await expect(bringBack(cluster, store, "r", { note: note(), end: done })).rejects.toMatchObject({
      code: "HARN-CLU-010",
      text: expect.stringContaining("engine and database know nothing of r any more"),
    });
    expect(note()).toMatchObject({ isSent: true });
  });

  it("late is left alone when it was handed over once more meanwhile", async () => {
    await handedOver();
    const late = note();
    workedOn(intent(0), result(0));
    await bringBack(cluster, store, "r", { note: note(), end: done });
    noteHandedOver(store, "r");
    await handedOver();
    const { fence } = await journals.take("r");
    workedOn(intent(1));
    await bringBack(cluster, store, "r", { note: late, end: done });
    expect(note()).toMatchObject({ isSent: true });
    expect(here()).toEqual([intent(0), result(0)]);
    await journals.end("r", fence, { exitCode: 0, records: 9 });
  });

  it("that is seen late says nothing of how much was seen of the next time", async () => {
    await handedOver();
    journals.print("r", "stdout", "one");
    const seen: string[] = [];
    await cluster.engine.cancel("r");
    await follow(cluster, store, "r", {
      print: ({ text }) => {
        seen.push(text);
        store.runs.elsewhere.forget("r");
        noteHandedOver(store, "r");
      },
      signal: new AbortController().signal,
      away: () => {},
    });
    expect(seen).toEqual(["one"]);
    expect(note()).toMatchObject({ seen: null });
  });
});

describe("a hand-over that failed", () => {
  beforeEach(() => {
    cluster = {
      journals,
      engine: { ...cluster.engine, start: () => Promise.reject(new Error("refused by the engine")) },
    };
  });

  it("leaves nothing in the database that somebody could take", async () => {
    await expect(handedOver()).rejects.toThrow("refused by the engine");
    expect(await takeBackUnlessOpen(cluster, store, "r", note())).toBe("untouched");
    expect(note()).toBeUndefined();
    await expectClosed(1);
  });

  it("brings what somebody there had done all the same", async () => {
    await expect(handedOver()).rejects.toThrow("refused by the engine");
    workedOn(intent(0), result(0));
    expect(await takeBackUnlessOpen(cluster, store, "r", note())).toBe("further");
    expect(here()).toEqual([intent(0), result(0)]);
  });

  it("leaves alone what somebody else has noted since", async () => {
    const mine = note();
    await expect(handedOver()).rejects.toThrow("refused by the engine");
    noteHandedOver(store, "r");
    expect(await takeBackUnlessOpen(cluster, store, "r", mine)).toBe("elsewhere");
    expect(note()).toBeDefined();
    expect(await journals.unfinished()).toHaveLength(1);
  });

  it.each<[string, () => void]>([
    [
      "the database does not answer",
      () => {
        journals.fault = new Error("away");
      },
    ],
    [
      "the engine does not answer",
      () => {
        cluster = {
          journals,
          engine: { ...cluster.engine, isOpen: () => Promise.reject(new Error("away")) },
        };
      },
    ],
    [
      "the engine has it",
      () => {
        cluster = { journals, engine: { ...cluster.engine, isOpen: async () => true } };
      },
    ],
  ])("stays noted while %s", async (_what, strike) => {
    await expect(handedOver()).rejects.toThrow("refused by the engine");
    strike();
    expect(await takeBackUnlessOpen(cluster, store, "r", note())).toBe("elsewhere");
    expect(note()).toBeDefined();
  });
});

it("a hand-over that thaws after the run was taken back hands nothing out", async () => {
  const put = journals.put.bind(journals);
  journals.put = async (goods) => {
    expect(await stopHandedOver(cluster, store, "r")).toBe(true);
    await put(goods);
  };
  await expect(handedOver()).rejects.toMatchObject({ fault: "taken" });
  expect(await cluster.engine.isOpen("r")).toBe(false);
  await expectClosed(1);
});

describe("a run that is stopped", () => {
  it("and that the engine knows nothing of comes with what workers did", async () => {
    await handedOver();
    const { fence } = await journals.take("r");
    workedOn(intent(0), result(0));
    cluster = { journals, engine: new MemoryServer().connect({ project: "p", queue: "harn" }) };
    expect(await stopHandedOver(cluster, store, "r")).toBe(true);
    expect(here()).toEqual([intent(0), result(0)]);
    expect(note()).toBeUndefined();
    await expectClosed(fence);
  });

  it("from a folder that was moved comes with what workers did, and what was here is kept beside", async () => {
    await handedOver();
    copiedFrom("/moved", intent(0), result(0));
    await cluster.engine.cancel("r");
    expect(await stopHandedOver(cluster, store, "r")).toBe(true);
    expect([here(), store.runs.has("r.stale")]).toEqual([[intent(0), result(0)], true]);
  });

  it("before it was sent keeps what it has done here since, and what people have answered", async () => {
    await handedOver();
    workedOn(intent(0), result(0));
    const asked = new TextEncoder().encode(JSON.stringify([{ ...question, answer: null }]));
    await journals.end("r", 1, { exitCode: 75, records: 3, result: asked });
    await bringBack(cluster, store, "r", { note: note(), end: done });
    store.runs.questions.replace("r", [question]);
    for (const records of [[], [intent(1), result(1)]]) {
      goneOnHere(...records);
      noteHandedOver(store, "r");
      expect(await stopHandedOver(cluster, store, "r")).toBe(true);
      expect(here()).toEqual([intent(0), result(0), ...records]);
      expect(store.runs.questions.kept("r")).toEqual([question]);
    }
  });

  it("is given up when nobody knows anything of it", async () => {
    await handedOver();
    journals.jobs.clear();
    await cluster.engine.cancel("r");
    expect(await stopHandedOver(cluster, store, "r")).toBe(true);
    expect([note(), here()]).toEqual([undefined, []]);
  });

  it.each<["database" | "engine"]>([["database"], ["engine"]])(
    "is told to stop although the %s is away, and stays noted",
    async (away) => {
      await handedOver();
      if (away === "database") journals.fault = new Error("no answer");
      else
        cluster = {
          journals,
          engine: { ...cluster.engine, cancel: () => Promise.reject(new Error("no answer")) },
        };
      await expect(stopHandedOver(cluster, store, "r")).rejects.toThrow("no answer");
      if (away === "database") expect(await cluster.engine.isOpen("r")).toBe(false);
      else expect(journals.jobs.get("r")?.stop).toBe("harn runs stop");
      expect(note()).toBeDefined();
    },
  );
});
