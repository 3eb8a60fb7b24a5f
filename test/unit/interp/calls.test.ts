/** Calls from native code, builtins and their effect classes, generators, and errors on their way out. */
import { describe, expect, it } from "vitest";
import type { EffectCall } from "../../../src/effects/index.ts";
import {
  bindBuiltin,
  ExitProgram,
  FunctionCode,
  GeneratorValue,
  InternalError,
  Interruption,
  locatedFrame,
  newFrame,
  ownError,
  type Run,
  ScriptClosure,
  TailCall,
  unwound,
} from "../../../src/interp/index.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { defineBuiltins } from "../../../src/table/index.ts";
import { List, runtimeError, ScriptError, type Value } from "../../../src/values/index.ts";
import { testRun } from "../../support/concurrent.ts";

const code = (
  body: Run,
  params: readonly string[],
  more: { rest?: boolean; size?: number; maxDepth?: number } = {},
) =>
  new FunctionCode({
    name: "f",
    params,
    size: more.size ?? 2 + params.length,
    rest: more.rest ?? false,
    captureBase: 2 + params.length,
    missing: null,
    maxDepth: more.maxDepth ?? 100,
    lower: () => body,
  });

describe("closures", () => {
  const { task } = testRun();

  it("fill missing arguments with nil and drop extra ones", () => {
    const pair = new ScriptClosure(
      code((f) => new List([f[2], f[3]]), ["a", "b"]),
      [],
    );
    const list = (value: unknown) => (value as List).toArray();
    expect(list(pair.call(task, [1]))).toEqual([1, null]);
    expect(list(pair.call(task, [1, 2, 3]))).toEqual([1, 2]);
    expect(list(pair.call1(task, 5))).toEqual([5, null]);
    expect(list(pair.call2(task, 5, 6))).toEqual([5, 6]);
  });

  it("collect the rest", () => {
    const rest = new ScriptClosure(
      code((f) => f[3], ["a", "more"], { rest: true }),
      [],
    );
    expect((rest.call(task, [1, 2, 3]) as List).toArray()).toEqual([2, 3]);
    expect((rest.call1(task, 1) as List).toArray()).toEqual([]);
  });

  it("start each call from their captures", () => {
    const counter = new ScriptClosure(
      code((f) => ++f[2], [], { size: 3 }),
      [10],
    );
    expect([counter.call(task, []), counter.call(task, [])]).toEqual([11, 11]);
  });

  it("lower their body at the first call, once", () => {
    let lowered = 0;
    const lazy = new FunctionCode({
      name: "",
      params: [],
      size: 2,
      rest: false,
      captureBase: 2,
      missing: null,
      maxDepth: 9,
      lower: () => {
        lowered++;
        return () => 1;
      },
    });
    const closure = new ScriptClosure(lazy, []);
    expect(lowered).toBe(0);
    closure.call(task, []);
    closure.call(task, []);
    expect(lowered).toBe(1);
  });

  it("run tail calls in place, and nil for a body that gives nothing", () => {
    const end = code((f) => f[2], ["n"]);
    const start = code(
      (f) => {
        const g = newFrame(3, f[0], f[1]);
        g[2] = f[2] + 1;
        return new TailCall(end, g);
      },
      ["n"],
    );
    start.tails = true;
    expect(new ScriptClosure(start, []).call1(task, 1)).toBe(2);
    expect(
      new ScriptClosure(
        code(() => undefined, []),
        [],
      ).call(task, []),
    ).toBeNull();
  });

  it("refuse calls deeper than allowed, counting from the task's depth", () => {
    const closure = new ScriptClosure(
      code(() => 1, [], { maxDepth: 5 }),
      [],
    );
    task.depth = 5;
    expect(() => closure.call(task, [])).toThrow(
      expect.objectContaining({ value: "Stack overflow: too many nested calls" }),
    );
    task.depth = 0;
    expect(closure.call(task, [])).toBe(1);
  });
});

describe("builtins", () => {
  const spec = (effect: "pure" | "state" | "read", performs = false) =>
    defineBuiltins("test", {
      b: { doc: "", sig: "(a: any) -> any", effect, performs, run: (_task, a) => a },
    })[0]!;

  it("pure and state run as they are, effects go through the port with kind and arguments", () => {
    const { task } = testRun();
    const asked: [string, string, unknown][] = [];
    task.perform = <T>(call: EffectCall<T>) => {
      asked.push([call.effect, call.kind, call.args()]);
      return call.run(new AbortController().signal);
    };
    for (const effect of ["pure", "state", "read"] as const)
      expect(bindBuiltin(spec(effect)).call(task, ["x"])).toBe("x");
    expect(bindBuiltin(spec("read", true)).call1(task, 7)).toBe(7);
    expect(asked).toEqual([["read", "b", ["x"]]]);
  });

  it("arguments without a stored form still have a fingerprint", () => {
    const { task } = testRun();
    let args: unknown;
    task.perform = <T>(call: EffectCall<T>) => {
      args = call.args();
      return call.run(new AbortController().signal);
    };
    bindBuiltin(spec("read")).call(task, [bindBuiltin(spec("pure"))]);
    expect(args).toEqual([{ $: "opaque", v: "<builtin b>" }]);
  });
});

describe("generators", () => {
  const { task } = testRun();
  const generator = (steps: () => Generator<Value | Promise<unknown>, unknown, unknown>) =>
    new GeneratorValue("generator", task, newFrame(2, task, 0), steps as never);

  it("wait for promises of their body and give them back", async () => {
    const one = generator(function* () {
      const got = yield Promise.resolve(5);
      yield (got as number) + 1;
    });
    expect(await one.next(task)).toBe(6);
    expect(await one.next(task)).toBeUndefined();
    expect(one.display()).toBe("<generator (done)>");
  });

  it("are done after an error, which leaves in its uncaught form", async () => {
    const one = generator(function* () {
      yield Promise.reject(runtimeError("broken"));
    });
    await expect(one.next(task)).rejects.toMatchObject({ isolated: true });
    expect(one.next(task)).toBeUndefined();
  });

  it("count effects on their own path, and give the task its own back", () => {
    const outer = task.scope;
    let inside = "";
    const one = generator(function* () {
      inside = task.scope.path;
      yield 1;
    });
    one.next(task);
    expect(inside.startsWith(`${outer.path}.`)).toBe(true);
    expect(task.scope).toBe(outer);
  });

  it("cannot be pulled by their own body", () => {
    const holder: { one?: GeneratorValue } = {};
    holder.one = generator(function* () {
      yield holder.one!.next(task) as Value;
    });
    expect(() => holder.one!.next(task)).toThrow(
      expect.objectContaining({ value: "generator is already running" }),
    );
  });
});

describe("errors", () => {
  const site = { source: new SourceFile("x", "abc"), span: { start: 1, end: 2 } };

  it("keep the innermost position and collect frames, not without end", () => {
    const error = locatedFrame(runtimeError("r"), site) as ScriptError;
    const outer = { ...site, span: { start: 0, end: 1 } };
    expect(locatedFrame(error, outer)).toBe(error);
    expect(error.span).toBe(site.span);
    for (let i = 0; i < 5000; i++) unwound(error, outer, "f");
    expect(error.trace.length).toBeLessThanOrEqual(200);
  });

  it("sort out what no script may catch", () => {
    for (const one of [new Interruption("stopped"), new ExitProgram(1)]) expect(ownError(one)).toBe(one);
    expect(ownError(new TypeError("ours"))).toBeInstanceOf(InternalError);
    expect(ownError(new RangeError("Maximum call stack size exceeded"))).toBeInstanceOf(ScriptError);
    expect(ownError(new RangeError("Invalid string length"))).toBeInstanceOf(ScriptError);
  });
});
