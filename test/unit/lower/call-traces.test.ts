/** The call stack of an uncaught error: one frame for each call that was left, and for nothing else. */
import { expect, test } from "vitest";
import { runScript } from "../../support/run-script.ts";

async function frames(text: string): Promise<string[]> {
  const error = (await runScript(text)).outcome?.error?.error;
  return (error?.trace ?? []).map(
    (frame) => `${frame.name}:${frame.source === undefined ? "?" : frame.source.line(frame.span!.start)}`,
  );
}

test("an error among the arguments of a call did not come through the call", async () => {
  expect(await frames("println(1 + nil)")).toEqual([]);
  expect(await frames("println(1 + nil, 2)")).toEqual([]);
  expect(await frames("println(1, 1 + nil, 2)")).toEqual([]);
  expect(await frames("fn f(a) { return a + 1 }\nprintln(f(nil))")).toEqual(["pipeline:2"]);
});

test("a method of a struct is one frame", async () => {
  const program = "struct P { x: int }\nimpl P { fn m(self) { return 1 + nil } }\nP{x: 1}.m()";
  expect(await frames(program)).toEqual(["pipeline:3"]);
});

test("each function on the way is one frame, innermost first", async () => {
  const program = "fn a(x) { return x / 0 + 1 }\nfn b(x) { return a(x) + 1 }\nb(1)";
  expect(await frames(program)).toEqual(["b:2", "pipeline:3"]);
});
