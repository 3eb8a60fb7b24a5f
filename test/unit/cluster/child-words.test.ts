/** What an error of a child means for its job: whether another attempt would come further. */
import { expect, it } from "vitest";
import { childFailureWord } from "../../../src/cluster/child-words.ts";
import { AttemptOver, JobFailed } from "../../../src/cluster/index.ts";
import { JournalProblem } from "../../../src/effects/index.ts";
import { UsageError } from "../../../src/host/command/index.ts";
import { StoreError } from "../../../src/store/index.ts";

it.each<[string, unknown, "over" | "failed"]>([
  ["the copy can't be written", new JournalProblem("unwritable", "words", ["advice"]), "over"],
  [
    "the script does something else than recorded",
    new JournalProblem("mismatch", "words", ["advice"]),
    "failed",
  ],
  ["the journal is damaged", new JournalProblem("unreadable", "words", ["advice"]), "failed"],
  ["the database is away", new StoreError("away", "words"), "over"],
  ["somebody else has it", new StoreError("taken", "words"), "over"],
  ["the disk is full", new StoreError("full", "words", ["make room"]), "over"],
  ["the disk is full under a file of its own", Object.assign(new Error("words"), { code: "ENOSPC" }), "over"],
  ["the worker rests", new AttemptOver("words"), "over"],
  ["somebody works on it in this store", new UsageError("words", "HARN-CLI-026"), "over"],
  ["there is no such provider", new UsageError("words", "HARN-CLI-010"), "failed"],
  ["the job is none", new JobFailed("words"), "failed"],
])("%s", (_what, error, type) => {
  expect(childFailureWord(error)).toMatchObject({ type, words: expect.stringContaining("words") });
});

it("of a defect nobody knows: it counts as a death", () => {
  expect(childFailureWord(new TypeError("x is undefined"))).toBeUndefined();
});
