/** `h.fork(run, {at, result})`: what a step can't have given is refused before anything is done, whatever step it is. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type HarnError, harn } from "../../../src/library/index.ts";
import type { Json, RunEnd } from "../../../src/library/types.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("fork-results");
// As from a vendor: each of its answers is a step.
const tape = join(folder, "tape.jsonl");
writeFileSync(tape, `${JSON.stringify({ text: "hi" })}\n`.repeat(3));
const h = harn({ cwd: folder, store: join(folder, "state"), env: {}, tape });
afterAll(() => h.close());

const flow = h.flow("all", async (ctx) => {
  const one = await ctx.step("one", 1, () => 7);
  await ctx.sleep(1);
  ctx.now();
  const { text } = await ctx.agent({ prompt: "p" });
  return [one, text];
});

const recorded = (async () => {
  await h.run({ text: 'sleep(1ms)\nwrite_file("a", "1")\nreturn read_file("a")' }, { name: "script" });
  expect((await h.agent({ prompt: "p", name: "agent" })).text).toBe("hi");
  expect(await flow(null, { name: "flow" })).toEqual([7, "hi"]);
})();

const odd: readonly Json[] = ["x", 5, null, { text: 5 }, { a: "ü".repeat(9000) }];

it.each(["script", "agent", "flow"])("of any step: %s", async (run) => {
  await recorded;
  const before = (await h.runs.list()).length;
  let [forked, refused] = [0, 0];
  for (let at = 1; ; at++)
    for (const result of odd) {
      const { status, error }: RunEnd = await h.fork(run, { at, result }).done;
      if (error?.code === "HARN-CLI-002") {
        expect([error.message, refused > 0]).toEqual([expect.stringMatching(`there is no step ${at}`), true]);
        // Of what was refused there is no run.
        expect((await h.runs.list()).length - before).toBe(forked);
        return;
      }
      expect(error?.code).not.toBe("HARN-CLI-013");
      if (error?.code !== "HARN-CLI-003") forked++;
      else {
        refused++;
        expect([status, error.message]).toEqual([
          "failed",
          expect.stringMatching(new RegExp(`^\`result\`: step ${at} is [\\w.]+, which gives .+, not `)),
        ]);
        expect(error.message.length).toBeLessThan(900);
      }
    }
});

const refusal = async (run: string, at: number, result: Json): Promise<HarnError | undefined> =>
  (await h.fork(run, { at, result }).done).error as HarnError | undefined;

it("says the kind of the step, what it gives, and which part is wrong", async () => {
  await recorded;
  expect(await refusal("script", 1, 5)).toMatchObject({
    message: expect.stringMatching(
      /^`result`: step 1 is sleep, which gives null, not 5\n {2}at script\.harn:1:1\n/,
    ),
    place: { file: "script.harn", line: 1, column: 1 },
  });
  expect((await refusal("agent", 1, "x"))?.message).toMatch(
    /step 1 is clock\.now, which gives a number, not "x"/,
  );
  const messages: string[] = [];
  for (let at = 1; at < 9; at++) messages.push((await refusal("agent", at, { text: 5 }))?.message ?? "");
  expect(messages.join("\n")).toMatch(
    /is llm\.call, which gives an object with `ok`, `response`.*: response\.text is not a text/,
  );
  expect((await refusal("flow", 2, "x"))?.place?.file).toBe(import.meta.filename);
});

it("what a step can have given is taken", async () => {
  await recorded;
  expect(await h.fork("flow", { at: 1, result: { other: [1] } })).toEqual([{ other: [1] }, "hi"]);
  expect(await h.fork("script", { at: 3, result: "mine" })).toBe("mine");
  expect((await refusal("script", 1, null))?.code).toBeUndefined();
});
