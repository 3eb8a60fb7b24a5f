/** `harn trace`: the tree of a run's events. */
import { expect, test } from "vitest";
import { type EmittedEvent, runTree } from "../../../../src/events/index.ts";
import { Dict } from "../../../../src/values/index.ts";
import {
  loopEnd,
  loopStart,
  named,
  report,
  retry,
  toolEnd,
  toolStart,
  usage,
} from "../../../support/run-event.ts";

/** What stands in the second turn of an outermost loop after these events. */
function turnOf(events: readonly EmittedEvent[]): unknown {
  const [root] = runTree([
    report("loop.start", { ...loopStart, task: "Outer" }, { parent: null }),
    report("turn.start", { provider: "mock", model: "m" }),
    ...events,
  ]);
  return root?.turns[0];
}

const call = { call: "l2.3.0" };
const other = { call: "l2.3.1" };
const inner = { loop: "l3", session: "s3", parent: { loop: "l2", call: "l2.3.0" } };

const tool = (more: object): object => ({
  kind: "tool",
  name: "look",
  arguments: { path: "/a" },
  status: "running",
  durationMs: null,
  error: null,
  result: null,
  loops: [],
  ...more,
});
const turn = (more: object): object => ({ iteration: 3, text: "", usage: null, steps: [], ...more });

const table: readonly (readonly [string, readonly EmittedEvent[], unknown])[] = [
  [
    "text in pieces",
    [report("message.delta", { text: "a" }), report("message.delta", { text: "b" })],
    turn({ text: "ab" }),
  ],
  [
    "tokens of the turn, not of its judge",
    [
      report("usage", usage),
      report("usage", { ...usage, of: "aside", answer: { ...usage.answer, input: 99 } }),
    ],
    turn({ usage: usage.answer }),
  ],
  ["a call that runs", [report("tool.start", toolStart, call)], turn({ steps: [tool({})] })],
  [
    "a call that ended",
    [
      report("tool.start", toolStart, call),
      report("tool.end", { ...toolEnd, status: "error", error: "no\nmore" }, call),
    ],
    turn({ steps: [tool({ status: "error", durationMs: 12, error: "no", result: "found" })] }),
  ],
  [
    "two calls with one id of the model's",
    [
      report("tool.start", toolStart, call),
      report("tool.start", toolStart, other),
      report("tool.end", toolEnd, other),
    ],
    turn({ steps: [tool({}), tool({ status: "ok", durationMs: 12, result: "found" })] }),
  ],
  [
    "a call that was broken off has not finished",
    [report("tool.start", toolStart, call), report("tool.end", { ...toolEnd, status: "interrupted" }, call)],
    turn({ steps: [tool({})] }),
  ],
  ["a call that was not begun", [report("tool.end", { ...toolEnd, begun: false }, call)], turn({})],
  [
    "arguments that could not be read",
    [report("tool.start", { ...toolStart, arguments: "{" }, call)],
    turn({ steps: [tool({ arguments: null })] }),
  ],
  [
    "a loop below its call, whichever runs",
    [
      report("tool.start", toolStart, call),
      report("tool.start", toolStart, other),
      report("loop.start", { ...loopStart, task: "Inner" }, inner),
      report("loop.end", loopEnd, inner),
    ],
    turn({
      steps: [
        tool({
          loops: [
            expect.objectContaining({ task: "Inner", status: "done", stopReason: "natural", durationMs: 40 }),
          ],
        }),
        tool({}),
      ],
    }),
  ],
  [
    "a retry of the turn",
    [report("retry", retry), report("retry", { ...retry, of: "aside" })],
    turn({
      steps: [{ kind: "note", type: "model_retry", fields: { attempt: 1, delay_ms: 250, reason: "busy" } }],
    }),
  ],
  [
    "events that are drawn, with what fits on a line",
    [
      report("trace", named("cache_hit", Dict.of({ key: "k", big: new Dict() }))),
      report("trace", named("loop_checkpoint")),
      report("trace", named("cache_hit", new Dict(), { live: false })),
    ],
    turn({ steps: [{ kind: "note", type: "cache_hit", fields: { key: "k" } }] }),
  ],
];

test.each(table)("%s", (_what, events, expected) => {
  expect(turnOf(events)).toEqual(expected);
});

test("a loop that a callback started hangs below its loop; one that did not end was interrupted", () => {
  const [root] = runTree([
    report("loop.start", loopStart, { parent: null }),
    report("loop.start", loopStart, { ...inner, parent: { loop: "l2", call: null } }),
  ]);
  expect(root).toMatchObject({ status: "interrupted", loops: [{ sessionId: "s3" }] });
});
