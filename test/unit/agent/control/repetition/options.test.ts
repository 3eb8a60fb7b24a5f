/** Three options switch the looks of one watcher on; each takes `true` for the defaults of its rows. */
import { expect, it } from "vitest";
import { loopOptionsOf } from "../../../../../src/agent/options/loop-options.ts";
import { type Dict, fromJson } from "../../../../../src/values/index.ts";

const read = (options: object) => loopOptionsOf(fromJson(options as never) as Dict).repetition;

it("nobody watches what nobody asked for", () => {
  const nobody = { progress: null, circles: null, equalCalls: null };
  expect(read({ max_turns: 3 })).toEqual(nobody);
  expect(read({ stall: false, stall_threshold: 4, doom_loop: false, stall_diagnostics: false })).toEqual(
    nobody,
  );
  expect(read({ stall_diagnostics: { enabled: false } }).equalCalls).toBeNull();
});

it("true is the defaults, a dict changes them", () => {
  const all = read({ stall: true, doom_loop: true, stall_diagnostics: true });
  expect(all.progress).toMatchObject({ threshold: 3, interventions: 1, onStop: "stop" });
  expect(all.circles).toMatchObject({ repeat: 3, period: 2, strikes: 3, blockTurns: 5 });
  expect(all.equalCalls).toMatchObject({
    threshold: 3,
    injectFeedback: true,
    maxFeedback: 1,
    includeArguments: false,
  });
  expect(read({ stall: { on_stop: "pause" } }).progress?.onStop).toBe("pause");
  expect(read({ doom_loop: { repeat: 5 } }).circles).toMatchObject({ repeat: 5, period: 2 });
});

it("stall_threshold switches the watch over progress on, and a threshold of `stall` outranks it", () => {
  expect(read({ stall_threshold: 5 }).progress?.threshold).toBe(5);
  expect(read({ stall: true, stall_threshold: 5 }).progress?.threshold).toBe(5);
  expect(read({ stall: { threshold: 2 }, stall_threshold: 5 }).progress?.threshold).toBe(2);
});

it("tools that may repeat: globs for progress, names for calls, under both of their names", () => {
  const exempt = { stall: { exempt: ["read_*"] }, doom_loop: { exempt_tools: ["ls"] } };
  const { progress, circles } = read(exempt);
  expect([progress?.exempt("read_file"), progress?.exempt("ls")]).toEqual([true, false]);
  expect([circles?.exempt("ls"), circles?.exempt("cat")]).toEqual([true, false]);
  expect(read({ stall_diagnostics: { allow_repeated_tools: ["ls"] } }).equalCalls?.exempt("ls")).toBe(true);
});
