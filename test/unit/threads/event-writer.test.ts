/** What listeners are told of a run, and in which order. */
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/events/index.ts";
import { EventWriter } from "../../../src/threads/event-writer.ts";

const place = { session: "s", loop: "l1", parent: null, turn: 1, call: null };
const delta = (text: string): RunEvent => ({ ...place, type: "message.delta", k: null, data: { text } });
const ended = (text: string): RunEvent => ({
  ...place,
  type: "message.end",
  k: 1,
  data: { message: "msg_2", role: "assistant", text },
});

function writing() {
  const report: string[] = [];
  const timers: (() => void)[] = [];
  const writer = new EventWriter({
    run: "r",
    output: { append: () => 7, partial: () => {} },
    hideIn: (json) => json,
    hide: (text) => text,
    digest: () => "",
    now: () => 0,
    after: (_ms, work) => {
      timers.push(work);
      return () => timers.splice(timers.indexOf(work), 1);
    },
    publish: (what) => report.push("more" in what ? `more ${what.more}` : `${what.type} ${what.data.text}`),
    warn: (text) => report.push(`warning: ${text}`),
  });
  return { writer, told: report, timers };
}

describe("a writer of events", () => {
  it("tells the pieces of a text before its end, however soon that comes", () => {
    const { writer, told: report, timers } = writing();
    writer.write(delta("It is "));
    writer.write(delta("42."));
    writer.write(ended("It is 42."));
    writer.flush();
    for (const timer of [...timers]) timer();
    expect(report).toEqual(["message.delta It is 42.", "more 7"]);
  });

  it("tells what calls print by call, the end of it where there is too much", () => {
    const { writer, told: report, timers } = writing();
    const printed = (call: string, text: string): void =>
      writer.write({ ...place, call, type: "tool.output", k: null, data: { call, text } });
    printed("l1.1.0", "one ");
    printed("l1.1.1", "other");
    printed("l1.1.0", "two");
    // No piece for each 2 KiB: a program may print without end.
    printed("l1.1.1", `${"x".repeat(100_000)}\u{1F600}${"y".repeat(16_382)}`);
    expect(report).toEqual([]);
    for (const timer of [...timers]) timer();
    expect(report).toEqual(["tool.output one two", `tool.output …${"y".repeat(16_382)}`]);
    writer.flush();
    expect(report).toHaveLength(2);
  });

  it("tells nothing of calls beside the conversation", () => {
    const { writer, told: report, timers } = writing();
    const data = { call: 1, provider: "p", model: "m", chars: 3, over: false };
    writer.write({ ...place, loop: null, turn: 0, type: "call.progress", k: null, data });
    for (const timer of [...timers]) timer();
    writer.close();
    expect(report).toEqual([]);
  });
});
