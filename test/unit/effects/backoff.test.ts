import { expect, it } from "vitest";
import { backoffMs } from "../../../src/effects/index.ts";

it.each<[Parameters<typeof backoffMs>[0], number[]]>([
  [{ baseMs: 250 }, [250, 500, 1000, 2000]],
  [{ baseMs: 1000, maxMs: 3000 }, [1000, 2000, 3000, 3000]],
  [{ baseMs: 100, factor: 1 }, [100, 100, 100, 100]],
  [{ baseMs: 100, factor: 3 }, [100, 300, 900, 2700]],
])("%j pauses %j", (backoff, pauses) => {
  expect(pauses.map((_, at) => backoffMs(backoff, at + 1))).toEqual(pauses);
});

it("stays a number however often it failed", () => {
  expect(backoffMs({ baseMs: 0 }, 5000)).toBe(0);
  expect(backoffMs({ baseMs: 1 }, 5000)).toBe(Number.MAX_SAFE_INTEGER);
});
