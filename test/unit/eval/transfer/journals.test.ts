/** Journals of trials that come from a file or another machine: under their names here, and never another course than is here. */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { JournalRecord } from "../../../../src/effects/index.ts";
import { placedJournal, placeRun } from "../../../../src/eval/local/transfer/journals.ts";
import { ImportProblem } from "../../../../src/eval/report/index.ts";
import { type CarriedRun, carriedJournal } from "../../../../src/store/copies/index.ts";
import { type KeptQuestion, openStore, type Store, StoreError } from "../../../../src/store/index.ts";
import { end, headerOf, intent, pieceOf, result } from "../../../support/cluster-journals.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("set-journals");
const trial = "s:t/default/a.1";

let files: Store;
beforeEach(() => {
  files = openStore(join(freshFolder(), ".harn"));
  return () => files.close();
});

const journalOf = (records: readonly JournalRecord[], run = "s.1"): CarriedRun =>
  carriedJournal({
    header: headerOf(run, "/there", { entry: trial, options: { trial, plan: "p" } }),
    records,
  });
const question: KeptQuestion = {
  place: "0#0",
  asked: 1,
  body: "{}",
  answer: null,
  answered: null,
  answeredBy: null,
};
const problem = (words: string) =>
  expect.objectContaining({ constructor: ImportProblem, message: expect.stringContaining(words) });

describe("a journal that is placed", () => {
  it("has the names and folders of here, and only what lay in folders that moved has moved", () => {
    const run = journalOf([
      { t: "source", name: "/there/a.harn", hash: "h" },
      intent(0, ["/there/log", "/etc/x"]),
    ]);
    const { journal } = placedJournal(run, "home.7", {
      set: "home",
      nameOf: (name) => (name === "p" ? "home.plan" : undefined),
      moves: [["/there", "/here"]],
    });
    expect(journal.header).toMatchObject({
      run: "home.7",
      entry: "home:t/default/a.1",
      cwd: "/here",
      options: { trial: "home:t/default/a.1", plan: "home.plan" },
    });
    expect(journal.records).toMatchObject([{ name: "/here/a.harn" }, { a: ["/here/log", "/etc/x"] }]);
  });

  it("without a piece that it refers to is told as a file that can't be taken", () => {
    const run = journalOf([intent(0, { $blob: pieceOf("x").hash })]);
    const places = { set: "s", nameOf: () => undefined, moves: [["/there", "/here"]] } as const;
    expect(() => placedJournal(run, "s.1", places)).toThrow(problem("the journal of s.1: "));
  });
});

describe("placing", () => {
  const begun = [intent(0)];
  it("begins it under its trial, once, with its questions", () => {
    expect(placeRun(files, journalOf(begun), { trial: 4, questions: [question] })).toBe(true);
    expect(files.runs.ofTrial(4)).toEqual(["s.1"]);
    files.runs.questions.replace("s.1", []);
    // What is known already says nothing new of questions either.
    expect(placeRun(files, journalOf(begun), { trial: 4, questions: [question] })).toBe(false);
    expect(files.runs.questions.of("s.1")).toEqual([]);
  });

  it("lengthens it, whatever its paths are here, and never shortens it", () => {
    placeRun(files, journalOf([intent(0, ["/here"])]), {});
    const longer = journalOf([intent(0, ["/there"]), result(0), end]);
    expect(placeRun(files, longer, { questions: [question] })).toBe(true);
    expect(files.runs.read("s.1").records).toEqual([intent(0, ["/here"]), result(0), end]);
    expect(files.runs.questions.of("s.1")).toHaveLength(1);
    expect(placeRun(files, journalOf(begun), {})).toBe(false);
    expect(files.runs.find("s.1")).toMatchObject({ state: "done", records: 3 });
  });

  it("leaves it alone while somebody works on it", () => {
    placeRun(files, journalOf(begun), {});
    const writer = files.runs.take("s.1");
    expect(() => placeRun(files, journalOf([...begun, result(0)]), {})).toThrow(StoreError);
    writer.close();
    expect(files.runs.read("s.1").records).toHaveLength(1);
  });

  it("refuses another course, and a piece that is not what its name says", () => {
    placeRun(files, journalOf(begun), {});
    const other = journalOf([intent(1), result(1)]);
    expect(() => placeRun(files, other, {})).toThrow(
      problem("the journal of s.1 goes another course than the one that is here"),
    );
    const poisoned = journalOf([{ t: "blob", hash: pieceOf("mine").hash, v: "theirs" }], "s.2");
    expect(() => placeRun(files, poisoned, {})).toThrow(
      problem("the journal of s.2: a piece of what was recorded"),
    );
    expect(files.runs.has("s.2")).toBe(false);
  });

  it("names the run that it goes on from where that is here", () => {
    placeRun(files, journalOf(begun), {});
    placeRun(files, journalOf(begun, "s.1~2"), { parent: "s.1" });
    placeRun(files, journalOf(begun, "s.1~3"), { parent: "gone" });
    expect(["s.1~2", "s.1~3"].map((run) => files.runs.find(run)?.parent)).toEqual(["s.1", undefined]);
  });
});
