import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordProblem } from "../../../src/effects/index.ts";
import { projectRoot } from "../../support/project.ts";

const intent = { t: "intent", p: "0", n: 1, c: "observe", k: "sleep", h: "00", a: 5 };
const deadline = { t: "decision", p: "0", s: 1024, k: "deadline", of: "0#0", turn: 0 };

test("records of all stored journals are records", () => {
  const folder = join(projectRoot, "test/replay");
  const lines = readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readFileSync(join(folder, file), "utf8").trimEnd().split("\n"));
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines) expect(recordProblem(JSON.parse(line)), line).toBeUndefined();
});

test.each([
  [{ ...intent, n: "1" }, "its `n` is not a whole number from 0 on"],
  [{ ...intent, n: -1 }, "its `n` is not a whole number from 0 on"],
  [{ ...intent, k: undefined }, "its `k` is not a text"],
  [{ ...intent, w: null }, "its `w` is not a whole number from 0 on"],
  [{ t: "end", w: 0, reason: "done", code: [1] }, "its `code` is not a whole number"],
  [{ ...deadline, of: "0#Â" }, "its `of` names no deadline"],
  [{ ...deadline, of: "0.1" }, "its `of` names no deadline"],
  [{ ...deadline, p: "01.2" }, "its `of` names a deadline of another task than its `p`"],
  [{ ...deadline, p: "0.12.1" }, undefined],
  [{ ...deadline, p: "", k: "interrupt", of: "interrupt" }, undefined],
  [{ t: "blob", hash: {}, v: 1 }, "its `hash` is not a text"],
  [{ t: "constructor" }, "it is no record that this version knows"],
  [{}, "it is no record that this version knows"],
  [[], "it is no record"],
  [null, "it is no record"],
])("%j", (record, problem) => {
  expect(recordProblem(record)).toBe(problem);
});

test("fields that may be missing may be missing", () => {
  expect(recordProblem(intent)).toBeUndefined();
  expect(recordProblem({ t: "end", w: 0, reason: "done", code: -1 })).toBeUndefined();
});
