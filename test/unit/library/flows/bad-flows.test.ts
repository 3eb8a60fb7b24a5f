/** Flows that can't be: made, found, ended, used. Each is told once, in a line that says what to do. */
import { describe, expect, it } from "vitest";
import { harn } from "../../../../src/library/index.ts";
import type { FlowContext, Harn } from "../../../../src/library/types.ts";
import { flowProgram, never, pause } from "../../../support/flow-harn.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("bad-flows");

const thrown = (body: () => unknown): unknown => {
  try {
    return body();
  } catch (error) {
    return error;
  }
};

describe("making one", () => {
  const h = harn({ store: "memory", env: {} });
  h.flow("known", async () => 1);
  const cases: readonly (readonly [string, (h: Harn) => unknown, string])[] = [
    ["of a name that is taken", (h) => h.flow("known", async () => 2), "there is a flow `known` already"],
    ["without a name", (h) => h.flow("", async () => 2), "1 to 100 letters"],
    ["of a name that is no word", (h) => h.flow("a b", async () => 2), "1 to 100 letters"],
    ["without a function", (h) => h.flow("new", 7 as never), "needs a function"],
  ];
  for (const [what, make, told] of cases)
    it(what, () =>
      expect(thrown(() => make(h))).toMatchObject({
        code: "HARN-LIB-021",
        message: expect.stringContaining(told),
      }),
    );

  it("in a harn that is closed", async () => {
    const closed = harn({ store: "memory", env: {} });
    await closed.close();
    expect(thrown(() => closed.flow("late", async () => 1))).toMatchObject({ code: "HARN-LIB-010" });
  });
});

describe("a run whose flow is not here", () => {
  it("is not resumed, replayed or forked, and says which flow it lacks", async () => {
    let began = false;
    await using first = flowProgram(folder, async (ctx) =>
      ctx.step("one", 1, () => {
        began = true;
        return never();
      }),
    );
    const stopped = first.flow(undefined, { name: "lost" });
    while (!began) await pause(5);
    await stopped.stop();
    await using other = harn({ cwd: folder, store: `${folder}/state`, env: {} });
    other.flow("works", async () => 1);
    const lacking = { code: "HARN-LIB-020", message: expect.stringContaining("did you mean `works`?") };
    await expect(first.h.resume("lost", { script: "a.harn" })).rejects.toThrow(
      /no other script than its own/,
    );
    await expect(other.resume("lost")).rejects.toMatchObject(lacking);
    await expect(other.replay("lost")).rejects.toMatchObject(lacking);
    await expect(other.fork("lost", { at: 1 })).rejects.toMatchObject(lacking);
    expect((await other.runs.get("lost"))?.status).toBe("stopped");
  });
});

describe("a function that", () => {
  it("throws no error, or what has no value", async () => {
    await using program = flowProgram(folder, async (_ctx, what: string) => {
      if (what === "text") throw "bad";
      throw what === "data" ? { status: 404 } : Symbol("s");
    });
    for (const [what, message] of [
      ["text", /bad/],
      ["data", /404/],
      ["symbol", /a symbol cannot be given/],
    ] as const)
      expect((await program.flow(what).done).error).toMatchObject({
        code: "HARN-LIB-009",
        message: expect.stringMatching(message),
      });
  });

  it("gives no value", async () => {
    await using program = flowProgram(folder, async (_ctx, what: string): Promise<unknown> => {
      const circle: { self?: unknown } = {};
      circle.self = circle;
      return { function: { f: () => 1 }, circle, class: { of: new (class Own {})() } }[what];
    });
    for (const what of ["function", "circle", "class"])
      expect((await program.flow(what).done).error).toMatchObject({
        code: "HARN-LIB-004",
        message: expect.stringMatching(/^the result of the flow work: \$\.(f|self|of): /),
      });
  });

  it("gives a step no value", async () => {
    await using program = flowProgram(folder, (ctx) => ctx.step("send", { to: () => "me" }, () => 1));
    expect((await program.flow().done).error).toMatchObject({
      code: "HARN-LIB-004",
      message: expect.stringContaining("the input of step send: $.to: a function"),
    });
  });

  it("awaits something else is waited for, and stopped at once", async () => {
    const left: string[] = [];
    await using program = flowProgram(folder, async (ctx, long: boolean) => {
      try {
        await ctx.step("one", 1, () => 1);
        await (long ? never() : pause(30));
        return await ctx.step("two", 2, (n) => n);
      } finally {
        left.push("left");
      }
    });
    const short = program.flow(false);
    expect(await short).toBe(2);
    expect(await program.h.replay(short.id)).toBe(2);
    expect(left).toEqual(["left", "left"]);
    const long = program.flow(true);
    await pause(200);
    const from = performance.now();
    await long.stop("enough");
    expect(performance.now() - from).toBeLessThan(1000);
    expect((await long.done).error).toMatchObject({
      code: "HARN-LIB-003",
      message: expect.stringMatching(/enough$/),
    });
    expect(left).toHaveLength(2);
  });

  it("takes too long", async () => {
    const signals: AbortSignal[] = [];
    await using program = flowProgram(folder, (ctx) =>
      ctx.step("long", null, (_, { signal }) => {
        signals.push(signal);
        return never();
      }),
    );
    const end = await program.flow(undefined, { timeout: 300 }).done;
    expect(end).toMatchObject({ status: "stopped", error: { code: "HARN-LIB-003" } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("uses its context after its end, inside a step, or wrongly", async () => {
    const kept: FlowContext[] = [];
    await using program = flowProgram(folder, async (ctx) => {
      kept.push(ctx);
      const inside = await ctx.step("outer", null, async () => {
        const told = [await ctx.step("inner", 1, (n) => n).catch(String)];
        return [...told, String(thrown(() => ctx.now()))];
      });
      const wrong = await Promise.all(
        [
          ctx.step("", 1, (n) => n),
          ctx.step("a", (() => 1) as never, undefined as never),
          ctx.step("a", 1, (n) => n, { idempotant: true } as never),
          ctx.sleep(-1),
          ctx.ask(""),
          ctx.agent({ prompt: "hi", maxIteration: 1 } as never),
          ctx.agent({} as never),
          ctx.agent({ prompt: "hi", iterationBudget: { extendBy: 0 } }),
          ctx.parallel([1], undefined as never),
          ctx.parallel([1], () => 1, { concurrency: 0 }),
        ].map((call) => call.catch(String)),
      );
      return { inside, wrong };
    });
    const run = program.flow();
    const told = await run;
    expect(told.inside[0]).toMatch(/ctx\.step inside the step `outer`/);
    expect(told.inside[1]).toMatch(/ctx\.now inside the step `outer`/);
    const expected = [
      "the name of the step",
      "step `a` needs a function",
      "did you mean `idempotent`?",
      "whole number from 0",
      "what is asked",
      "ctx.agent: there is no option `maxIteration`, did you mean `maxIterations`?",
      "`prompt` is missing",
      "HarnError: ctx.agent: `iterationBudget.extendBy`: expected int >= 1, got int 0",
      "(ctx, item, index)",
      "a whole number from 1",
    ];
    expect(told.wrong).toEqual(expected.map((part) => expect.stringContaining(part)));
    expect(await program.h.replay(run.id)).toEqual(told);
    const after = { code: "HARN-LIB-022", message: expect.stringContaining("has ended") };
    await expect(kept[0]?.step("late", 1, (n) => n)).rejects.toMatchObject(after);
    expect(thrown(() => kept[0]?.now())).toMatchObject(after);
  });

  it("gets options that mean nothing, or a signal that is aborted", async () => {
    let called = 0;
    await using program = flowProgram(folder, async () => ++called);
    expect(thrown(() => program.flow(undefined, { tool: [] } as never))).toMatchObject({
      code: "HARN-LIB-001",
      message: expect.stringContaining("did you mean `tools`?"),
    });
    const end = await program.flow(undefined, { signal: AbortSignal.abort() }).done;
    expect([end.status, called]).toEqual(["stopped", 0]);
  });
});
