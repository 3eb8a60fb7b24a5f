/** What outlives runs: learnings, the working buffer, short texts. */
import { describe, expect, it } from "vitest";
import {
  deduplicated,
  Learnings,
  learningKey,
  normalisedLine,
} from "../../../../src/durable/operations/sessions/learnings.ts";
import { clip, clippedLine } from "../../../../src/work/session/memory/clip.ts";
import { maxBufferLength, withRun } from "../../../../src/work/session/memory/memory-files.ts";
import { emptyState, MemoryTx } from "../../../support/operation-engines.ts";
import { start } from "../../../support/session-store.ts";

describe("learnings", () => {
  it.each([
    ["- Use tabs.", "Use tabs"],
    ["  2)  Use\n\ttabs ", "Use tabs"],
    ["• Wait…", "Wait…"],
    ["Wait...", "Wait..."],
    ["v2.0", "v2.0"],
    ["2 is even.", "2 is even"],
    ["\u0000\u200b!?", ""],
    ["", ""],
    ["日本語。", "日本語。"],
    [`x${"😀".repeat(600)}`, `x${"😀".repeat(499)}`],
  ])("normalises %.20j", (text, line) => {
    expect(normalisedLine(text)).toBe(line);
  });

  it("knows what is the same", () => {
    expect(learningKey("Café — opens, at 9!")).toBe(learningKey("* cafe\u0301 opens at 9."));
    expect(learningKey("ｆｕｌｌ width")).toBe(learningKey("full width"));
    expect(learningKey("use tabs")).not.toBe(learningKey("use tables"));
    expect(
      deduplicated([
        { text: "a", promote: false },
        { text: "A.", promote: true },
        { text: "-", promote: true },
      ]),
    ).toEqual([{ text: "a", promote: true }]);
  });

  it("keeps the most useful of too many, and all promoted ones", () => {
    const tx = new MemoryTx(emptyState());
    const learnings = new Learnings(tx);
    const by = { session: "s", now: start, promoteAfter: 0 };
    learnings.learn("a", [{ text: "promoted", promote: true }], by);
    for (let n = 0; n < 1000; n++) {
      tx.put("session.learnings/a", `old ${n}`, {
        text: `old ${n}`,
        first: start,
        last: start + n,
        runs: 1,
        sessions: [],
        promoted: false,
      });
    }
    learnings.learn("a", [{ text: "newest", promote: false }], { ...by, now: start + 5000 });
    const texts = learnings.list("a").map(({ text }) => text);
    expect(texts).toHaveLength(1001);
    expect(texts).toContain("promoted");
    expect(texts).toContain("newest");
    expect(texts).not.toContain("old 0");
  });

  it("are no properties of objects", () => {
    const tx = new MemoryTx(emptyState());
    const learnings = new Learnings(tx);
    const by = { session: "__proto__", now: start, promoteAfter: 1 };
    expect(
      learnings.learn(
        "a",
        [
          { text: "__proto__", promote: false },
          { text: "constructor", promote: false },
        ],
        by,
      ),
    ).toEqual(["__proto__", "constructor"]);
    expect(learnings.promotions("a")).toEqual(["constructor", "__proto__"]);
  });
});

describe("the working buffer", () => {
  const note = (run: number, text: string) => ({ run, now: start, events: [], text, decisions: [] });

  it("forgets the oldest runs first, and never grows beyond its room", () => {
    let buffer = "Written by hand.\n";
    for (let run = 1; run <= 40; run++) {
      buffer = withRun(buffer, note(run, `${run} `.repeat(500)));
      expect(buffer.length).toBeLessThanOrEqual(maxBufferLength);
    }
    expect(buffer).not.toContain("Written by hand");
    expect(buffer).toMatch(/^## Run \d+/);
    expect(buffer).toContain("## Run 40 ");
  });

  it("quotes events in a line each, many and huge ones too", () => {
    const events = Array.from(
      { length: 30 },
      () => ({ type: "user.message", text: "a\nb".repeat(10_000) }) as const,
    );
    const buffer = withRun("", { ...note(1, "x".repeat(100_000)), events });
    expect(buffer.split("\n").filter((line) => line.startsWith("- Message: a ba b"))).toHaveLength(20);
    expect(buffer).toContain("… and 10 more events");
    expect(buffer.length).toBeLessThanOrEqual(maxBufferLength);
  });
});

describe("clip", () => {
  it("never parts a character", () => {
    expect(clip("a😀b", 2)).toBe("a… (3 more characters)");
    expect(clip("a😀b", 4)).toBe("a😀b");
    expect(clippedLine(" a \n\t b ", 10)).toBe("a b");
  });
});
