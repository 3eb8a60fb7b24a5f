/** Where things stand in the timeline, and what is said of what has not ended. */
import { describe, expect, it } from "vitest";
import { foldAll } from "../../../src/server/protocol/index.ts";
import { rowsOf } from "../../../viewer/timeline/rows.ts";
import { TimelineTree } from "../../../viewer/timeline/tree.ts";
import { EventLog } from "../../support/event-log.ts";

const rows = (log: EventLog): string[] =>
  rowsOf(TimelineTree.of(log.events), foldAll(log.events), {
    folds: new Map(),
    withTraces: false,
    wasOver: () => false,
  }).map((row) =>
    row.kind === "leaf"
      ? row.node.event.type
      : row.kind === "turn"
        ? `turn ${row.node.turn}`
        : row.kind === "call"
          ? (row.node.start?.data.name ?? "?")
          : row.kind,
  );

describe("the rows of a log", () => {
  it("what a run waited for, how it went on and what it wrote stand in the turn in which that was", () => {
    const log = new EventLog("c_1").created("x").said("m_1", "Go.").runStart("m_1").loop("l1");
    log.turn("l1", 1).call("l1", 1, 0, "propose");
    log.ask("q_1", {}, { loop: "l1", turn: 1, call: "l1.1.0" });
    log.push("run.end", { status: "waiting", exit_code: 75, error: null });
    log.push("question.answered", { question: "q_1", answer: "yes", by: "ann" });
    log.push("run.resumed", { because: "answer" }).end("l1.1.0").turnEnd("l1", 1, 1);
    log.turn("l1", 2).call("l1", 2, 0, "write");
    log.push("paper.changed", { project: "p_1", version: 1, op: "write", section: null });
    log.end("l1.2.0").turnEnd("l1", 2, 1).loopEnd("l1", 2);
    log.push("run.end", { status: "failed", exit_code: 1, error: "after it" });
    expect(rows(log)).toEqual([
      "message.queued",
      "turn 1",
      "propose",
      "question.asked",
      "run.end",
      "run.resumed",
      "turn 2",
      "write",
      "paper.changed",
      "end",
      "run.end",
    ]);
  });

  it("a message that waits for the next run stands behind the one at work", () => {
    const log = new EventLog("c_1").created("x").said("m_1", "Go.").runStart("m_1").loop("l1").turn("l1", 1);
    log.said("m_2", "Later.").turnEnd("l1", 1).loopEnd("l1", 1);
    expect(rows(log)).toEqual(["message.queued", "turn 1", "end", "message.queued"]);
  });
});
