/** What an editor is told of an event (ACP, agents.md §20). */
import { expect, test } from "vitest";
import { type EmittedEvent, editorSteps } from "../../../../src/events/index.ts";
import { Dict, List } from "../../../../src/values/index.ts";
import { loopStart, named, report, toolEnd, toolStart, turnEnd, usage } from "../../../support/run-event.ts";

const own = { parent: null };
const inCall = { call: "l2.3.0" };

const table: readonly (readonly [string, EmittedEvent, readonly unknown[]])[] = [
  ["a loop begins", report("loop.start", loopStart), []],
  ["tokens", report("usage", usage), []],
  [
    "text of the program's own loop",
    report("message.delta", { text: "x" }, own),
    [{ step: "message", text: "x" }],
  ],
  ["text of a loop inside a tool", report("message.delta", { text: "x" }), []],
  ["a thought", report("thought.delta", { text: "x" }, own), [{ step: "thought", text: "x" }]],
  ["a turn ends", report("turn.end", turnEnd, own), [{ step: "paragraph" }]],
  ["a turn inside a tool ends", report("turn.end", turnEnd), []],
  [
    "a call begins, of whatever loop",
    report("tool.start", toolStart, inCall),
    [
      {
        step: "call",
        call: "l2.3.0",
        asked: "s2\ncall_1",
        update: {
          title: "look: /a",
          kind: "read",
          status: "pending",
          rawInput: { path: "/a" },
          locations: [{ path: "/a" }],
          _meta: { harn: { toolName: "look", sessionId: "s2" } },
        },
      },
      {
        step: "result",
        call: "l2.3.0",
        update: { status: "in_progress", _meta: { harn: { toolName: "look" } } },
      },
    ],
  ],
  [
    "a kind that editors do not know, arguments that are no JSON",
    report("tool.start", { ...toolStart, kind: "strange", arguments: "{broken" }, inCall),
    [
      expect.objectContaining({
        update: expect.objectContaining({ kind: "other", title: "look", rawInput: "{broken" }),
      }),
      expect.anything(),
    ],
  ],
  [
    "a call fails",
    report("tool.end", { ...toolEnd, status: "error", error: "no", category: "timeout" }, inCall),
    [
      {
        step: "result",
        call: "l2.3.0",
        update: {
          status: "failed",
          rawInput: { path: "/a" },
          rawOutput: "found",
          content: [{ type: "content", content: { type: "text", text: "found" } }],
          _meta: {
            harn: {
              toolName: "look",
              executor: "harn_builtin",
              error: "no",
              errorCategory: "timeout",
              executionDurationMs: 12,
            },
          },
        },
      },
    ],
  ],
  [
    "a plan",
    report(
      "plan.changed",
      named("plan", Dict.of({ plan: new List([Dict.of({ content: "a", status: "completed" })]) })),
    ),
    [{ step: "plan", replace: true, entries: [{ content: "a", status: "completed", priority: "medium" }] }],
  ],
  [
    "progress that adds to the plan",
    report(
      "plan.changed",
      named("progress_reported", Dict.of({ message: "Half", entries: new List(["b"]), replace: false })),
    ),
    [
      { step: "thought", text: "Half\n", meta: { harn: { kind: "progress" } } },
      { step: "plan", replace: false, entries: [{ content: "b", status: "pending", priority: "medium" }] },
    ],
  ],
];

test.each(table)("%s", (_what, event, steps) => {
  expect(editorSteps(event)).toEqual(steps);
});
