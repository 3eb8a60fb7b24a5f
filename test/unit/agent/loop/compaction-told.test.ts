/** What a compaction tells logs (docs/events.md): the lanes that were carried over, and which of the untouched messages were cut. */
import { expect, test } from "vitest";
import { envelopeOfEvent, runEvents } from "../../../../src/events/index.ts";
import { agentRun, fn, tool } from "../../../support/agent-run.ts";

/** Compactions of a run whose tool gives results of so many words. */
async function compactions(
  words: readonly number[],
): Promise<readonly { cut: string[]; pinned: string[] }[]> {
  const run = agentRun();
  const report: { cut: string[]; pinned: string[] }[] = [];
  run.task.runtime.state(runEvents).subscribe((event) => {
    if (event.type === "context.compacted") report.push(envelopeOfEvent(event)?.data as never);
  });
  words.forEach((count, at) => {
    run.mock({ tool_calls: [{ name: "read", arguments: { x: `${at} ${count}` } }] });
  });
  run.mock("Done.");
  await run.loop("Read.", {
    model: "unheard-of",
    tool_format: "native",
    tools: [tool("read", ({ x }) => "word ".repeat(Number(x.split(" ")[1])))],
    max_iterations: words.length + 1,
    context_window: 12_000,
    llm_options: { max_tokens: 500 },
    context_providers: [{ id: "plan", provide: fn(() => "PLAN"), refresh: "turn" }],
    compaction: { strategy: "ladder", threshold_ratio: 0.75, keep_messages: 5, summarizer: false },
  });
  return report;
}

test("nothing is cut while the untouched messages fit; lanes are named", async () => {
  const report = await compactions(new Array<number>(30).fill(600));
  expect(report.length).toBeGreaterThan(0);
  expect(report.every(({ cut }) => cut.length === 0)).toBe(true);
  expect(report.every(({ pinned }) => pinned.includes("plan"))).toBe(true);
});

test("a result that alone outgrows the window is cut, and named", async () => {
  const report = await compactions([
    ...new Array<number>(8).fill(600),
    20_000,
    ...new Array<number>(3).fill(600),
  ]);
  expect(report.some(({ cut }) => cut.length === 1 && /^msg_\d+$/.test(cut[0] as string))).toBe(true);
});
