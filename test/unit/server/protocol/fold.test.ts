/** The state of a log: for chosen logs, and for any events in any order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  awaitsOnlyPeople,
  type EventEnvelope,
  foldAll,
  foldEvents,
  type LogView,
  openQuestions,
  rolledUp,
  viewFromJson,
} from "../../../../src/server/protocol/index.ts";
import { EventLog } from "../../../support/event-log.ts";

const json = (view: LogView): unknown => JSON.parse(JSON.stringify(view));

describe("the state of a log", () => {
  it("has a child's loop below the call that started it, and its cost in the parent's", () => {
    const log = new EventLog();
    log.runStart().loop("l1").turn("l1", 1).usage("l1", 1, { input: 100, output: 10, cost_usd: 0.5 });
    log.call("l1", 1, 0, "research").call("l1", 1, 1, "research");
    log
      .loop("l2", { loop: "l1", call: "l1.1.1" })
      .turn("l2", 1)
      .usage("l2", 1, { input: 7, output: 1, cost_usd: 0.25 });
    const view = foldAll(log.events);
    expect(view.runs.r1?.outermost).toEqual(["r1/l1"]);
    expect(view.calls["r1/l1.1.1"]?.loops).toEqual(["r1/l2"]);
    expect(view.calls["r1/l1.1.0"]?.loops).toEqual([]);
    expect(view.loops["r1/l1"]?.totals.cost_usd).toBe(0.5);
    expect(rolledUp(view, "r1/l1")).toMatchObject({ input: 107, output: 11, cost_usd: 0.75, answers: 2 });
  });

  it("awaits only people when nothing is under way but what was asked", () => {
    const asked = new EventLog().runStart().loop("l1").turn("l1", 1).call("l1", 1, 0, "research");
    asked.loop("l2", { loop: "l1", call: "l1.1.0" }).turn("l2", 1).call("l2", 1, 0, "send");
    expect(awaitsOnlyPeople(foldAll(asked.events))).toBe(false);
    asked.ask("q1", {}, { loop: "l2", turn: 1, call: "l2.1.0" });
    expect(awaitsOnlyPeople(foldAll(asked.events))).toBe(true);
    // Another call beside it, a turn of another agent: somebody works.
    asked.call("l2", 1, 1, "read");
    expect(awaitsOnlyPeople(foldAll(asked.events))).toBe(false);
    asked.end("l2.1.1");
    expect(awaitsOnlyPeople(foldAll(asked.events))).toBe(true);
    asked.loop("l3", { loop: "l1", call: "l1.1.0" }).turn("l3", 1);
    expect(awaitsOnlyPeople(foldAll(asked.events))).toBe(false);
  });

  it("an unpriced answer makes the whole sum unknown", () => {
    const log = new EventLog();
    log.runStart().loop("l1").usage("l1", 1, { input: 1, output: 1, cost_usd: null });
    log.usage("l1", 2, { input: 1, output: 1, cost_usd: 1 });
    expect(foldAll(log.events).totals).toMatchObject({ input: 2, cost_usd: null });
  });

  it("the last end of a call counts", () => {
    const log = new EventLog();
    log.runStart().loop("l1").turn("l1", 1).call("l1", 1, 0, "slow").end("l1.1.0", "interrupted");
    log.push("run.resumed", { because: "crash" }).end("l1.1.0", "ok");
    expect(foldAll(log.events).calls["r1/l1.1.0"]?.status).toBe("ok");
    expect(foldAll(log.events).runs.r1?.resumed).toBe(1);
  });

  it("only questions that nobody closed are open, the first answer stands", () => {
    const log = new EventLog();
    log.ask("q1").ask("q2").ask("q3");
    log.push("question.answered", { question: "q1", answer: "yes", by: "ann" });
    log.push("question.answered", { question: "q1", answer: "no", by: "bob" });
    log.push("question.withdrawn", { question: "q3" });
    const view = foldAll(log.events);
    expect(openQuestions(view).map((one) => one.id)).toEqual(["q2"]);
    expect(view.questions.q1).toMatchObject({ answer: "yes", by: "ann", state: "answered" });
    expect(view.questions.q3?.state).toBe("withdrawn");
  });

  it("deltas join to the answer under way, a partial replaces it, its end removes it", () => {
    const log = new EventLog();
    log.runStart().loop("l1").turn("l1", 1);
    const view = foldAll(log.events);
    const live = (type: "message.delta" | "partial", text: string): void =>
      void foldEvents(view, log.ephemeral(type, { message: null, text }, { loop: "l1", turn: 1 }));
    live("message.delta", "Hel");
    live("message.delta", "lo");
    expect(view.live["r1/l1"]?.text).toBe("Hello");
    live("partial", "Hello wor");
    live("message.delta", "ld");
    expect(view.live["r1/l1"]?.text).toBe("Hello world");
    log.push(
      "message.end",
      { message: "l1/msg_1", role: "assistant", text: "Hello world" },
      { loop: "l1", turn: 1 },
    );
    foldEvents(view, log.events.at(-1) as EventEnvelope);
    expect(view.live["r1/l1"]).toBeUndefined();
  });

  it("a text whose end was read before the stream told its pieces is gone when the stream tells that end", () => {
    for (const end of ["message.end", "loop.end", "run.end"] as const) {
      const log = new EventLog();
      log.runStart().loop("l1").turn("l1", 1).text("l1", 1, "Hello").loopEnd("l1", 1);
      log.push("run.end", { status: "done", exit_code: 0, error: null });
      const view = foldAll(log.events);
      foldEvents(
        view,
        log.ephemeral("message.delta", { message: null, text: "Hel" }, { loop: "l1", turn: 1 }),
      );
      expect(view.live["r1/l1"]?.text).toBe("Hel");
      const before = structuredClone({ ...view, live: {} });
      foldEvents(view, log.events.findLast(({ type }) => type === end) as EventEnvelope);
      expect(view.live["r1/l1"]).toBeUndefined();
      expect(structuredClone({ ...view, live: {} })).toEqual(before);
    }
  });

  it("what a call prints joins while it is at work, up to the last 16 KiB, and goes with its end", () => {
    const log = new EventLog();
    log.runStart().loop("l1").turn("l1", 1).call("l1", 1, 0, "build");
    const view = foldAll(log.events);
    const prints = (text: string): void =>
      void foldEvents(view, log.ephemeral("tool.output", { call: "l1.1.0", text }, { loop: "l1", turn: 1 }));
    prints("begun ");
    prints("over");
    expect(view.output["r1/l1.1.0"]).toBe("begun over");
    prints("x".repeat(16_384));
    expect(view.output["r1/l1.1.0"]).toBe("x".repeat(16_384));
    log.end("l1.1.0");
    foldEvents(view, log.events.at(-1) as EventEnvelope);
    expect(view.output).toEqual({});
    prints("late");
    expect(view.output).toEqual({});
  });

  it("a stop is under way until the run is interrupted, and forgotten when something runs again", () => {
    const log = new EventLog();
    log.runStart().push("interrupt.requested", { by: "ann", reason: null });
    expect(foldAll(log.events).interrupt).toMatchObject({ by: "ann", done: null });
    log.push("run.interrupted", { by: "ann", reason: null, how: "killed", ms: 312 });
    expect(foldAll(log.events).interrupt?.done).toMatchObject({ how: "killed", ms: 312 });
    log.push("run.resumed", { because: "asked" });
    expect(foldAll(log.events).interrupt).toBeNull();
  });

  it("names that are properties of every object are names like others", () => {
    const log = new EventLog();
    log.push("file.changed", { path: "__proto__", change: "written", before: null, after: "h", bytes: 3 });
    log.push("file.changed", { path: "constructor", change: "written", before: null, after: "h", bytes: 3 });
    const view = foldAll(log.events);
    expect(Object.keys(view.files)).toEqual(["__proto__", "constructor"]);
    expect(view.files.constructor).toMatchObject({ changes: 1 });
  });

  it("an event that was folded in already changes nothing; unknown types only count", () => {
    const log = new EventLog();
    log.runStart().loop("l1").turn("l1", 1);
    const view = foldAll(log.events);
    const before = json(view);
    for (const event of log.events) foldEvents(view, event);
    expect(json(view)).toEqual(before);
    log.push("weather.changed" as "trace", { name: "rain", fields: {} });
    foldEvents(view, log.events.at(-1) as EventEnvelope);
    expect(view.seq).toBe(log.events.length);
  });

  it("any events in any order give a state, and a log in two parts the state of the whole", () => {
    const whole = EventLog.sample().events;
    fc.assert(
      fc.property(fc.shuffledSubarray([...whole]), fc.nat(whole.length), (some, at) => {
        expect(() => foldAll(some)).not.toThrow();
        const renumbered = some.map((event, i) => ({ ...event, seq: i + 1 }) as EventEnvelope);
        const view = viewFromJson(json(foldAll(renumbered.slice(0, at))) as LogView);
        for (const event of renumbered.slice(at)) foldEvents(view, event);
        expect(json(view)).toEqual(json(foldAll(renumbered)));
      }),
      { numRuns: 200 },
    );
  });
});
