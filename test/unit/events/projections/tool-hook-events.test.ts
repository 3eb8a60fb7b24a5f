import { describe, expect, it } from "vitest";
import { postToolUse, preToolUse } from "../../../../src/events/index.ts";
import { Dict, toJson } from "../../../../src/values/index.ts";

const call = { id: "c1", name: "look", session: "s" };
const args = Dict.of({ path: "a.txt" });
const outcome = { arguments: args, rendered: "text", ok: true, status: "ok" };
const report = {
  tool: { name: "look", args: { path: "a.txt" }, tool_call_id: "c1" },
  tool_call_id: "c1",
  session: { id: "s" },
};

describe("hooks of tools are told", () => {
  it.each([
    ["before a call", preToolUse(call, args), { event: "PreToolUse", ...report }],
    [
      "what it gave",
      postToolUse(call, outcome),
      { event: "PostToolUse", ...report, result: { text: "text", ok: true, status: "ok" } },
    ],
    [
      "that it failed",
      postToolUse(call, { ...outcome, ok: false, status: "error" }),
      { event: "PostToolUse", ...report, result: { text: "text", ok: false, status: "error" } },
    ],
  ])("%s", (_, event, expected) => {
    expect(toJson(event)).toEqual(expected);
  });
});
