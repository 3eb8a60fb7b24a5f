/** What the scrubber shows at an event is what the log amounted to there, and a step costs what stands between keyframes. */
// suite: slow
import { describe, expect, it } from "vitest";
import {
  type DurableEnvelope,
  emptyView,
  foldAll,
  foldEvents,
  type LogView,
} from "../../../src/server/protocol/index.ts";
import { Keyframes } from "../../../viewer/log/keyframes.ts";
import { type Row, rowsOf } from "../../../viewer/timeline/rows.ts";
import { TimelineTree } from "../../../viewer/timeline/tree.ts";
import { EventLog } from "../../support/event-log.ts";
import { hostileLog, longLog, researchLog } from "../../support/viewer-logs.ts";

/** With sub-agents, a resumed loop, answers and messages that were taken back. */
function turbulent(): EventLog {
  const log = new EventLog("c_1").created("x").said("m_1", "Go.").said("m_2", "No.");
  log.push("message.withdrawn", { message: "m_2" }).runStart("m_1").loop("l1").turn("l1", 1);
  log.call("l1", 1, 0, "ask").call("l1", 1, 1, "both");
  log.ask("q_1", {}, { loop: "l1", turn: 1, call: "l1.1.0" });
  log.loop("l2", { loop: "l1", call: "l1.1.1" }).turn("l2", 1).call("l2", 1, 0, "look").end("l2.1.0");
  log.push("question.answered", { question: "q_1", answer: "yes", by: "ann" }).end("l1.1.0");
  log.loop("l2", { loop: "l1", call: "l1.1.1" }).text("l2", 1, "again").end("l1.1.1").turnEnd("l1", 1, 2);
  log.push("notice", { level: "warning", text: "late" }, { loop: "l1", turn: 1, call: "l1.1.0" });
  return log.turn("l1", 2).text("l1", 2, "done");
}

const shown = (tree: TimelineTree, view: LogView) =>
  rowsOf(tree, view, { folds: new Map(), withTraces: true, wasOver: () => false }).map((row: Row) => [
    row.kind,
    row.id,
    row.depth,
    row.kind === "live" || row.kind === "leaf"
      ? null
      : [row.node.start?.seq ?? null, row.node.end?.seq ?? null],
    row.kind === "turn" ? (row.node.usage?.seq ?? null) : null,
  ]);

const logs: readonly (readonly [string, readonly DurableEnvelope[]])[] = [
  ["research", researchLog().events],
  ["hostile", hostileLog().events],
  ["turbulent", turbulent().events],
  ["long", longLog(30).events],
];

describe("a log at one of its events", () => {
  it.each(logs)("%s: state and rows are those of the beginning alone", (_, events) => {
    const whole = TimelineTree.of(events);
    const frames = new Keyframes(events);
    const places = [...events.keys(), events.length];
    for (const count of [
      ...places,
      ...places.toReversed(),
      ...places.map((at) => (at * 7) % events.length),
    ]) {
      const alone = foldAll(events.slice(0, count));
      const view = frames.after(count);
      expect(view).toEqual(alone);
      const seq = events[count - 1]?.seq ?? 0;
      expect(shown(whole.upTo(seq), view)).toEqual(shown(TimelineTree.of(events.slice(0, count)), alone));
    }
  });

  it("a step back folds the events behind the last keyframe, not the log", () => {
    const { events } = longLog(1_000);
    let folded = 0;
    const frames = new Keyframes(events, (view, event) => {
      folded += 1;
      return foldEvents(view, event);
    });
    frames.after(events.length);
    expect(folded).toBe(events.length);
    for (let count = events.length; count > 0; count -= 331) {
      folded = 0;
      const view = frames.after(count);
      expect(folded).toBeLessThan(500);
      expect(view.seq).toBe(count);
    }
    folded = 0;
    frames.after(4_000);
    frames.after(4_001);
    expect(folded).toBe(1);
  });

  it("what was kept stays as it was while others fold on", () => {
    const { events } = turbulent();
    const frames = new Keyframes(events);
    const before = structuredClone(frames.after(12));
    const head = emptyView();
    for (const event of events) foldEvents(head, event);
    frames.after(events.length);
    expect(frames.after(12)).toEqual(before);
  });
});
