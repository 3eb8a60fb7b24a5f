/** Which jobs the engine has lost; `test/unit/cli/cluster/check.test.ts` has the command. */
import { expect, it } from "vitest";
import { isLost } from "../../../src/cluster/check.ts";

it("a job that was handed out again while it is looked for is not lost, and nobody waits for its end", async () => {
  const looks = [false, true];
  const engine = {
    isOpen: async () => looks.shift() === true,
    ended: (_name: string, signal?: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        if (signal === undefined) reject(new Error("it is waited for its end"));
        else signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  };
  expect(await isLost(engine, "r", 1)).toBe(false);
  expect(looks).toEqual([]);
});
