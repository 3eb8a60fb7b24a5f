/** A run that comes from another machine: begun here, gone on with, or in the place of one that went another way. */
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { JournalRecord } from "../../../../src/effects/index.ts";
import {
  type CarriedRun,
  carriedJournal,
  carriedRun,
  takeCarriedRun,
  writesOf,
} from "../../../../src/store/copies/index.ts";
import { openStore, type Store, StoreError } from "../../../../src/store/index.ts";
import {
  appended,
  beginRun,
  end,
  headerOf,
  intent,
  pieceOf,
  result,
} from "../../../support/cluster-journals.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("taking");

let here: Store;
let elsewhere: Store;

beforeEach(() => {
  const folder = freshFolder();
  here = openStore(join(folder, "here"));
  elsewhere = openStore(join(folder, "elsewhere"));
  return () => {
    here.close();
    elsewhere.close();
  };
});

/** What somebody else does with it. */
function goOn(store: Store, records: readonly JournalRecord[], shown = 0): CarriedRun {
  const writer = store.runs.take("r1");
  appended(writer, records);
  writer.shown(shown);
  writer.close();
  return carriedRun(store, "r1");
}

const texts = (store: Store, name = "r1"): readonly string[] => store.runs.keptTexts(name).records;

test("a run that is not here is begun, with its pieces, its output and its end", () => {
  beginRun(elsewhere, "r1");
  const large = { text: "x\u0000y\ud800 ü 💡".repeat(100), ["__proto__"]: JSON.parse('{"__proto__": 1}') };
  const { hash, body } = pieceOf(large);
  const writer = elsewhere.runs.take("r1");
  writer.blob(hash, body);
  writer.close();
  const carried = goOn(elsewhere, [intent(0, { $blob: hash }), result(0), end], 7);
  expect(takeCarriedRun(here, carried)).toEqual({ as: "begun" });
  expect(texts(here)).toEqual(texts(elsewhere));
  expect(here.runs.read("r1").shown).toBe(7);
  expect(here.runs.find("r1")).toMatchObject({ state: "done", exitCode: 0 });
  expect(here.runs.blob(hash)).toEqual(large);
  expect(carried.isEnded).toBe(true);
  expect(here.runs.wholeJournal("r1").records).toEqual(elsewhere.runs.read("r1").records);
});

test("what is missing is added to its beginning; the same once more changes nothing", () => {
  beginRun(here, "r1");
  takeCarriedRun(elsewhere, carriedRun(here, "r1"));
  const carried = goOn(elsewhere, [intent(0), result(0), end], 3);
  expect(takeCarriedRun(here, carried)).toEqual({ as: "extended" });
  expect(texts(here)).toEqual(texts(elsewhere));
  expect(takeCarriedRun(here, carried)).toEqual({ as: "same" });
  // It stands where it ended, although its pieces were carried, too.
  expect(here.runs.find("r1")).toMatchObject({ state: "done", records: 4 });
  expect(here.runs.read("r1").shown).toBe(3);
  expect(here.runs.list().map(({ name }) => name)).toEqual(["r1"]);
});

test("one that had ended goes on", () => {
  beginRun(here, "r1");
  takeCarriedRun(elsewhere, goOn(here, [{ ...end, reason: "parked", code: 75 } as JournalRecord]));
  expect(here.runs.find("r1")?.state).toBe("waiting");
  const carried = goOn(elsewhere, [{ t: "resume", keep: 1, runtime: "0" }, intent(0)]);
  expect(carried.isEnded).toBe(false);
  takeCarriedRun(here, carried);
  expect(here.runs.find("r1")).toMatchObject({ state: "interrupted", exitCode: undefined });
});

test.each([
  ["longer", [intent(0), result(0), intent(1)]],
  ["another one", [intent(5)]],
])("a copy here that is %s makes room, and is kept", (_what, mine) => {
  beginRun(here, "r1");
  takeCarriedRun(elsewhere, carriedRun(here, "r1"));
  goOn(here, mine, 9);
  const before = texts(here);
  const carried = goOn(elsewhere, [intent(0), result(0)], 1);
  expect(takeCarriedRun(here, carried)).toEqual({ as: "replaced", stale: "r1.stale" });
  expect(texts(here)).toEqual(texts(elsewhere));
  expect(here.runs.read("r1").shown).toBe(1);
  expect(texts(here, "r1.stale")).toEqual(before);
  const stale = here.runs.wholeJournal("r1.stale");
  expect(stale.header.run).toBe("r1.stale");
  expect(stale.shown).toBe(9);
  expect(here.runs.find("r1.stale")?.parent).toBe("r1");
  // The next one has a name of its own.
  goOn(here, [intent(7), result(7), intent(8)]);
  expect(takeCarriedRun(here, carried)).toMatchObject({ stale: "r1.stale-2" });
});

test("what refers to a run that was replaced still does, and its lost end is not counted on the new one", () => {
  beginRun(here, "r1");
  takeCarriedRun(elsewhere, carriedRun(here, "r1"));
  goOn(here, [intent(3)]);
  const writer = here.runs.begin("t1", { trial: 4 });
  writer.append(headerOf("t1"));
  appended(writer, [intent(0)]);
  writer.close();
  here.runs.noteLost("t1", { records: 1, lost: 3, shown: 0 });
  beginRun(elsewhere, "t1");
  expect(takeCarriedRun(here, carriedRun(elsewhere, "t1")).as).toBe("replaced");
  expect(here.runs.ofTrial(4)).toEqual(["t1"]);
  expect(here.runs.cut("t1")).toBeUndefined();
});

describe("a copy here that counts", () => {
  const lengthened = [intent(0), result(0)];
  test.each([
    ["is the same", [], [], "same", "same"],
    ["goes further", lengthened, [], "same", "same"],
    ["is the beginning", [], lengthened, "extended", "refused"],
    ["goes another way", [intent(5)], [intent(0)], "refused", "refused"],
    ["goes another way and further", [intent(5), result(5)], [intent(0)], "refused", "refused"],
  ] as const)("%s", (_what, mine, theirs, whereLonger, whereOwn) => {
    beginRun(here, "r1");
    takeCarriedRun(elsewhere, carriedRun(here, "r1"));
    goOn(here, mine);
    const carried = goOn(elsewhere, theirs, 5);
    const before = texts(here);
    expect(takeCarriedRun(here, carried, { counts: "own" })).toEqual({ as: whereOwn });
    expect(texts(here)).toEqual(before);
    expect(takeCarriedRun(here, carried, { counts: "longer" })).toEqual({ as: whereLonger });
    expect(texts(here)).toEqual(whereLonger === "extended" ? texts(elsewhere) : before);
    expect(here.runs.read("r1").shown).toBe(whereLonger === "extended" ? 5 : 0);
    expect(here.runs.list().map(({ name }) => name)).toEqual(["r1"]);
  });

  test("is compared as its taker says, and keeps its header", () => {
    beginRun(here, "r1");
    beginRun(elsewhere, "r1", "/elsewhere");
    const carried = goOn(elsewhere, [intent(0)]);
    const isAlike = (own: JournalRecord, other: JournalRecord): boolean => own.t === other.t;
    expect(takeCarriedRun(here, carried, { counts: "longer" })).toEqual({ as: "refused" });
    expect(takeCarriedRun(here, carried, { counts: "longer", isAlike })).toEqual({ as: "extended" });
    expect(here.runs.read("r1").header.cwd).toBe("/work");
  });

  test("has a header of its own, where the carried one would make it another run", () => {
    beginRun(here, "r1");
    const carried = carriedRun(here, "r1");
    const journal = { ...carried.journal, header: headerOf("r1", "/work", { argv: ["x"] }) };
    for (const counts of ["own", "longer"] as const)
      expect(takeCarriedRun(here, { ...carried, journal }, { counts })).toEqual({ as: "same" });
    expect(here.runs.read("r1").header.argv).toEqual([]);
    expect(takeCarriedRun(here, { ...carried, journal })).toEqual({ as: "replaced", stale: "r1.stale" });
    expect(here.runs.read("r1").header.argv).toEqual(["x"]);
  });

  test("may be at work, or elsewhere, when nothing is added to it", () => {
    beginRun(here, "r1");
    const carried = carriedRun(here, "r1");
    const writer = here.runs.take("r1");
    here.runs.elsewhere.note("r1", {});
    expect(takeCarriedRun(here, carried, { counts: "own" })).toEqual({ as: "same" });
    const longer = {
      ...carried,
      journal: { ...carried.journal, records: [...carried.journal.records, end] },
    };
    expect(() => takeCarriedRun(here, longer, { counts: "longer" })).toThrow(StoreError);
    writer.close();
  });

  test("is told to be damaged", () => {
    beginRun(here, "r1");
    const carried = carriedRun(here, "r1");
    const db = new (process.getBuiltinModule("node:sqlite").DatabaseSync)(join(here.folder, "state.db"));
    db.prepare("UPDATE record SET body = 'no'").run();
    db.close();
    for (const counts of ["own", "longer"] as const)
      expect(() => takeCarriedRun(here, carried, { counts })).toThrow("the run r1 is damaged at record 0");
    expect(takeCarriedRun(here, carried).as).toBe("replaced");
  });
});

test("a file has pieces and what was shown among its records, the store has them apart, as versions before had not", () => {
  const { hash, body } = pieceOf("x".repeat(600));
  const piece: JournalRecord = { t: "blob", hash, v: JSON.parse(body) };
  const shown: JournalRecord = { t: "shown", w: 4 };
  const journal = { header: headerOf("r1"), records: [piece, intent(0), shown, result(0), end] };
  const carried = carriedJournal(journal);
  expect(takeCarriedRun(here, carried)).toEqual({ as: "begun" });
  expect(here.runs.read("r1")).toMatchObject({ records: [intent(0), result(0), end], shown: 4 });
  expect(here.runs.blob(hash)).toBe("x".repeat(600));
  expect(here.runs.find("r1")?.state).toBe("done");
  elsewhere.runs.add(journal);
  expect(texts(elsewhere)).toHaveLength(4);
  expect(takeCarriedRun(elsewhere, carried, { counts: "own" })).toEqual({ as: "same" });
  const longer = carriedJournal({ ...journal, records: [...journal.records, intent(1), result(1)] });
  expect(takeCarriedRun(elsewhere, longer, { counts: "longer" })).toEqual({ as: "extended" });
  expect(elsewhere.runs.read("r1").records.slice(-3)).toEqual([end, intent(1), result(1)]);
});

describe("somebody works on it here", () => {
  test("it is left alone", () => {
    beginRun(here, "r1");
    const carried = carriedRun(here, "r1");
    const writer = here.runs.take("r1");
    expect(() => takeCarriedRun(here, carried)).toThrow(StoreError);
    appended(writer, [intent(0)]);
    // Nor is one put in its place.
    expect(() => takeCarriedRun(here, carried)).toThrow(StoreError);
    expect(here.runs.list().map(({ name }) => name)).toEqual(["r1"]);
    writer.close();
    expect(texts(here)).toHaveLength(2);
  });

  test("who has lost it writes no more", () => {
    beginRun(here, "r1");
    takeCarriedRun(elsewhere, carriedRun(here, "r1"));
    const frozen = here.runs.take("r1");
    const carried = goOn(elsewhere, [intent(0), result(0)]);
    expect(takeCarriedRun(here, carried, { isOurs: true })).toEqual({ as: "extended" });
    frozen.append(intent(0));
    expect(() => frozen.flush(true)).toThrow(expect.objectContaining({ kind: "unwritable" }));
    expect(texts(here)).toEqual(texts(elsewhere));
  });

  test("it was handed over: only who brings it back may add to it", () => {
    beginRun(here, "r1");
    takeCarriedRun(elsewhere, carriedRun(here, "r1"));
    here.runs.elsewhere.note("r1", {});
    const carried = goOn(elsewhere, [intent(0)]);
    expect(() => takeCarriedRun(here, carried)).toThrow(StoreError);
    here.withJournals(() => {
      here.runs.elsewhere.forget("r1");
      takeCarriedRun(here, carried);
    });
    expect(texts(here)).toHaveLength(2);
  });
});

test("a piece that is not what its name says is refused, and nothing is changed", () => {
  beginRun(elsewhere, "r1");
  const carried = carriedRun(elsewhere, "r1");
  const pieces = new Map([...carried.pieces].map(([hash]) => [hash, '"other"']));
  expect(() => takeCarriedRun(here, { ...carried, pieces })).toThrow(
    expect.objectContaining({ kind: "unreadable" }),
  );
  expect(here.runs.has("r1")).toBe(false);
});

test("all of it or nothing: a record that can't be added leaves the run as it was", () => {
  beginRun(here, "r1");
  const carried = carriedRun(here, "r1");
  const broken = {
    ...carried.journal,
    records: [...carried.journal.records, null as unknown as JournalRecord],
  };
  expect(() => takeCarriedRun(here, { ...carried, journal: broken })).toThrow();
  expect(texts(here)).toHaveLength(1);
  expect(here.runs.find("r1")?.state).toBe("interrupted");
});

test("a run that an earlier version kept in another form is the same run", () => {
  beginRun(here, "r1");
  const carried = goOn(here, [intent(0), result(0)]);
  const db = new (process.getBuiltinModule("node:sqlite").DatabaseSync)(join(here.folder, "state.db"));
  carried.journal.records.forEach((record, seq) => {
    db.prepare("UPDATE record SET body = ? WHERE seq = ?").run(JSON.stringify(record), seq);
  });
  db.close();
  expect(texts(here).every((text) => text.startsWith("{"))).toBe(true);
  expect(takeCarriedRun(here, carried)).toEqual({ as: "same" });
});

test("it is sent in parts that fit, each piece and record once", () => {
  beginRun(here, "r1");
  const writer = here.runs.take("r1");
  for (let n = 0; n < 30; n++) {
    const { hash, body } = pieceOf(`${n}${"x".repeat(300_000)}`);
    writer.blob(hash, body);
  }
  for (let n = 0; n < 5000; n++) writer.append(intent(n));
  writer.shown(4);
  writer.close();
  const carried = carriedRun(here, "r1");
  const writes = [...writesOf(carried, 0)];
  expect(writes.length).toBeGreaterThan(4);
  expect(writes.flatMap(({ records }) => records)).toEqual(texts(here));
  expect(writes.flatMap(({ pieces }) => pieces.map(([hash]) => hash))).toEqual([...carried.pieces.keys()]);
  expect(writes.filter(({ header }) => header !== undefined)).toHaveLength(1);
  let next = 0;
  for (const { from, records } of writes) {
    expect(from).toBe(next);
    next += records.length;
  }
  const rest = [...writesOf(carried, 4000)];
  expect(rest.flatMap(({ records }) => records)).toEqual(texts(here).slice(4000));
  expect(rest[0]).toMatchObject({ header: undefined, from: 4000, shown: 4 });
});
