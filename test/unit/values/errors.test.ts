import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../src/source/index.ts";
import {
  always,
  asUncaught,
  bareError,
  categorisedError,
  caughtValue,
  display,
  forEachThen,
  invoke1,
  mapThen,
  proceed,
  rethrowIsolated,
  runtimeError,
  type ScriptError,
  thrown,
  typeError,
  uncaughtText,
  untilThen,
} from "../../../src/values/index.ts";
import { closure, noTask } from "../../support/script-function.ts";
import { dict } from "../../support/values.ts";

const source = new SourceFile("demo.harn", "one\ntwo\nthree\n");

/** The same error raised on line 2. */
function placed(error: ScriptError): ScriptError {
  error.source = source;
  error.span = { start: 4, end: 7 };
  return error;
}

describe("§12.1 and §28.2 forms", () => {
  test.each<[ScriptError, string, string, string]>([
    [thrown("boom"), "boom", "boom", "Thrown: boom"],
    [thrown(dict({ a: 1 })), "{a: 1}", "{a: 1}", "Thrown: {a: 1}"],
    [typeError("m"), "Type error: m", "Type error: m (line 2)", "Type error: m (line 2)"],
    [runtimeError("m"), "Runtime error: m", "Runtime error: m (line 2)", "Runtime error: m (line 2)"],
    [
      bareError("Division by zero"),
      "Division by zero",
      "Runtime error: Division by zero (line 2)",
      "Runtime error: Division by zero (line 2)",
    ],
    [categorisedError("timeout", "m"), "Error [timeout]: m", "Error [timeout]: m", "Error [timeout]: m"],
  ])("%#", (error, caught, isolated, uncaught) => {
    expect(display(caughtValue(placed(error)))).toBe(caught);
    expect(uncaughtText(error)).toBe(uncaught);
    expect(display(caughtValue(asUncaught(error)))).toBe(isolated);
    expect(uncaughtText(error)).toBe(uncaught);
  });

  test("the position may come after the error left its body", () => {
    const error = asUncaught(bareError("Division by zero"));
    expect(caughtValue(error)).toBe("Runtime error: Division by zero");
    expect(caughtValue(placed(error))).toBe("Runtime error: Division by zero (line 2)");
  });

  test("callbacks mark their errors, synchronous or not; foreign errors pass", async () => {
    const error = runtimeError("m");
    expect(() =>
      invoke1(
        noTask,
        closure(() => rethrow(error)),
        1,
      ),
    ).toThrow();
    expect(error.isolated).toBe(true);
    const later = runtimeError("m");
    await expect(
      invoke1(
        noTask,
        closure(async () => rethrow(later)),
        1,
      ),
    ).rejects.toBe(later);
    expect(later.isolated).toBe(true);
    const foreign = new RangeError("ours");
    expect(() => rethrowIsolated(foreign)).toThrow(foreign);
  });
});

function rethrow(error: unknown): never {
  throw error;
}

describe("values or promises", () => {
  const soon = async <T>(value: T): Promise<T> => value;

  test("proceed", async () => {
    expect(proceed(1, (n) => n + 1)).toBe(2);
    expect(await proceed(soon(1), (n) => n + 1)).toBe(2);
  });

  test.each([-1, 0, 2, 9])("loops are synchronous up to the first promise (at %i)", async (slow) => {
    const seen: number[] = [];
    const result = mapThen(5, (i) => {
      seen.push(i);
      return i === slow ? soon(i * 2) : i * 2;
    });
    expect(result instanceof Promise).toBe(slow >= 0 && slow < 5);
    expect(await result).toEqual([0, 2, 4, 6, 8]);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  test("forEachThen ends early", async () => {
    for (const wrap of [<T>(value: T) => value, soon]) {
      const seen: number[] = [];
      await forEachThen(5, (i) => {
        seen.push(i);
        return wrap(i === 2);
      });
      expect(seen).toEqual([0, 1, 2]);
    }
  });

  test("untilThen repeats", async () => {
    let n = 0;
    expect(untilThen(() => (++n === 3 ? n : undefined))).toBe(3);
    n = 0;
    expect(await untilThen(() => (++n === 2 ? soon(undefined) : n === 4 ? n : undefined))).toBe(4);
  });

  test("always runs on every way out", async () => {
    let count = 0;
    const after = (): void => {
      count++;
    };
    always(() => 1, after);
    expect(() => always(() => rethrow(new Error("x")), after)).toThrow();
    await always(() => soon(1), after);
    await expect(always(() => Promise.reject(new Error("x")), after)).rejects.toThrow();
    expect(count).toBe(4);
  });
});
