import { describe, expect, it } from "vitest";
import { machine } from "../../../support/builtin-call.ts";

describe("spans", () => {
  it("are named by log lines inside them; closing one closes those inside it", () => {
    const run = machine();
    run.call("mock_time", 0);
    const outer = run.call("trace_start", "load");
    run.call("trace_start", "part");
    run.call("log_info", "hi", { n: 1 });
    run.call("advance_time", 5);
    run.call("trace_end", outer);
    expect(run.show("trace_id")).toBe("nil");
    const [line, end] = run
      .output()
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(line).toEqual({
      ts: expect.any(String),
      level: "info",
      msg: "hi",
      trace_id: end.trace_id,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      n: 1,
    });
    expect(end).toMatchObject({
      msg: "span_end",
      duration_ms: 5,
      name: "load",
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(Object.keys(end).slice(3)).toEqual(["duration_ms", "name", "span_id", "trace_id"]);
  });
});
