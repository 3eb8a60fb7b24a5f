import { describe, expect, it } from "vitest";
import { type LiveFigures, liveLines, plainLine, Tally } from "../../../../src/eval/report/index.ts";

const noon = Date.UTC(2026, 10, 22, 14, 2, 11);

function tally(): Tally {
  const made = new Tally();
  made.expect("refunds", "model=mini", 20);
  made.expect("refunds", "model=large", 20);
  for (let at = 0; at < 10; at++) {
    made.add({
      task: "refunds",
      variant: "model=mini",
      sample: `r${at}`,
      success: at === 9 ? undefined : at < 7 ? 1 : 0,
      isErrored: at === 9,
      costUsd: 0.1,
      error: at === 9 ? "provider: 500" : null,
    });
  }
  return made;
}

const figures: LiveFigures = {
  running: [
    { path: "refunds/model=mini/r12.1", since: noon - 250_000 },
    { path: "refunds/model=mini/r13.1", since: noon - 1000 },
  ],
  spentUsd: 2.1,
  limitUsd: 5,
  connections: [
    { provider: "openai", inFlight: 10, limit: 16 },
    { provider: "anthropic", inFlight: 7, limit: 12, cutAt: noon },
  ],
  ended: 10,
  began: noon - 120_000,
  left: 30,
};

describe("the view of a set that runs", () => {
  it("has a line for each variant, the state of all, and the trial that takes longest", () => {
    expect(liveLines(tally(), figures, noon, ({ variant }) => variant.slice("model=".length))).toEqual([
      "refunds  mini   ██████░░░░░  10/20  0.78 [0.45, 0.94]  $1.00  1 errored",
      "refunds  large  ░░░░░░░░░░░  0/20                      $0.00",
      "2 trials · openai 10/16 · anthropic 7/12, cut 14:02:11 · $2.10 of $5.00 · about 6 min",
      "longest refunds/model=mini/r12.1  4 min 10 s",
    ]);
  });

  it("says when a trial stalls, and nothing of what is left when nothing has ended", () => {
    const lines = liveLines(
      tally(),
      { ...figures, ended: 0, running: [{ path: "a", since: noon - 400_000 }] },
      noon,
      () => "",
    );
    expect(lines.at(-2)).not.toContain("about");
    expect(lines.at(-1)).toBe("longest a  6 min 40 s, stalled");
  });

  it("in a log is one line", () => {
    expect(plainLine("refunds", tally(), figures, noon)).toBe(
      "14:02:11 refunds 10/40, 1 errored, success 0.78 [0.45, 0.94], $2.10 of $5.00",
    );
  });

  it("an error is told once of its kind", () => {
    const made = tally();
    const again = {
      task: "refunds",
      variant: "model=large",
      sample: "r1",
      success: undefined,
      isErrored: true,
      costUsd: 0,
    } as const;
    expect(made.add({ ...again, error: "provider: 500" })).toBe(false);
    expect(made.add({ ...again, error: "harness: no such tool" })).toBe(true);
  });

  it("names can't steer a terminal", () => {
    const made = new Tally();
    made.expect("a\u001b[31m\nb", "\u202ev", 1);
    const lines = liveLines(
      made,
      { ...figures, running: [{ path: "x\u001b[2J", since: noon }] },
      noon,
      ({ variant }) => variant,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there.
    for (const line of lines) expect(line).not.toMatch(/[\u001b\u202e\n]/);
  });
});
