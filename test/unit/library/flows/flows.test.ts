/** Flows: what their functions can do, and that a replay does it again with nothing outside touched. */
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { tool } from "../../../../src/library/index.ts";
import type { AgentResult, FlowContext, Json, Recorded, StepContext } from "../../../../src/library/types.ts";
import { flowProgram, pause } from "../../../support/flow-harn.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("flows");

describe("steps", () => {
  it("run once; a replay answers them, and gives the same result", async () => {
    const seen: [unknown, StepContext][] = [];
    await using program = flowProgram(folder, async (ctx, input: { readonly name: string }) => {
      const order = await ctx.step("load", input, ({ name }, context) => {
        seen.push([name, context]);
        return { name, at: new Date(0), tags: new Set(["a"]), none: undefined };
      });
      expectTypeOf(order).toEqualTypeOf<{ name: string; at: string; tags: string[]; none: undefined }>();
      const none = await ctx.step("save", order, async () => {}, { effect: "read" });
      expectTypeOf(none).toEqualTypeOf<null>();
      return { order, none };
    });
    const run = program.flow({ name: "tea" });
    const result = { order: { name: "tea", at: "1970-01-01T00:00:00.000Z", tags: ["a"] }, none: null };
    expect(await run).toEqual(result);
    expect(seen).toMatchObject([
      ["tea", { run: run.id, attempt: 1, idempotencyKey: `${run.id}#0#0`, signal: expect.any(AbortSignal) }],
    ]);
    expect(await program.h.replay(run.id)).toEqual(result);
    expect(seen).toHaveLength(1);
  });

  it("of one name are different steps", async () => {
    await using program = flowProgram(folder, async (ctx) => [
      await ctx.step("next", 1, (n) => n),
      await ctx.step("next", 2, (n) => n),
      await ctx.step("next", 2, (n) => n),
    ]);
    const run = program.flow();
    expect(await run).toEqual([1, 2, 2]);
    expect(await program.h.replay(run.id)).toEqual([1, 2, 2]);
  });

  it("give errors with name, message and code, live and on record", async () => {
    await using program = flowProgram(folder, async (ctx, how: string) => {
      try {
        await ctx.step("bad", how, () => {
          if (how === "text") throw "only a text";
          throw Object.assign(new RangeError("too far", { cause: new Error("why") }), { code: "E_FAR" });
        });
      } catch (error) {
        if (!(error instanceof Error)) return error;
        const { name, message, cause } = error;
        return [name, message, (error as { code?: string }).code, (cause as Error).message];
      }
    });
    for (const [how, caught] of [
      ["error", ["RangeError", "too far", "E_FAR", "why"]],
      ["text", "only a text"],
    ] as const) {
      const run = program.flow(how);
      expect(await run).toEqual(caught);
      expect(await program.h.replay(run.id)).toEqual(caught);
    }
  });

  it("that nobody awaits are done before the run ends", async () => {
    const done: number[] = [];
    await using program = flowProgram(folder, async (ctx) => {
      const work = async (n: number): Promise<void> => {
        await ctx.step("first", n, () => pause(5));
        for (let more = 0; more < 100; more++) await Promise.resolve();
        await ctx.step("second", n, (n) => done.push(n));
      };
      void work(1);
      void work(2);
    });
    const run = program.flow();
    expect(await run).toBeNull();
    expect(done).toEqual([1, 2]);
    expect(await program.h.replay(run.id)).toBeNull();
  });
});

describe("side by side", () => {
  /** The order in which results come depends on time, and what is done after each on the order. */
  const racing = async (ctx: FlowContext): Promise<string[]> => {
    const log: string[] = [];
    const chain = async (name: string, ms: number): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        const got = await ctx.step(name, { n }, async () => {
          await pause(Math.random() * ms);
          return `${name}${n}`;
        });
        log.push(got);
        await Promise.resolve();
        log.push(`${got}+`);
      }
    };
    await Promise.all([chain("a", 20), chain("b", 10), chain("c", 15)]);
    return log;
  };

  it("promises of the function interleave on replay as they did", async () => {
    await using program = flowProgram(folder, racing);
    for (let round = 0; round < 3; round++) {
      const run = program.flow();
      const log = await run;
      expect(log).toHaveLength(18);
      expect(await program.h.replay(run.id)).toEqual(log);
    }
  });

  it("`Promise.race` leaves the one that loses to its end, and waits for no `sleep`", async () => {
    const ended: string[] = [];
    await using program = flowProgram(folder, (ctx) =>
      Promise.race([
        ctx.step("slow", null, async () => {
          await pause(40);
          ended.push("slow");
        }),
        ctx.step("fast", null, () => "fast"),
        ctx.sleep(60_000),
      ]),
    );
    const run = program.flow();
    expect(await run).toBe("fast");
    expect(ended).toEqual(["slow"]);
    expect(await program.h.replay(run.id)).toBe("fast");
  });

  it("`parallel` bounds how many work, nests, keeps the order of items, and fails with the first error", async () => {
    let at = 0;
    let most = 0;
    await using program = flowProgram(folder, async (ctx, fails: boolean) =>
      ctx.parallel(
        new Set([0, 1, 2, 3]),
        async (own, item, index) => {
          const got = await own.step("work", { item }, async () => {
            most = Math.max(most, ++at);
            await pause(10 - item);
            at--;
            if (fails && item > 1) throw new Error(`no ${item}`);
            return item * 10;
          });
          const inner = await own.parallel(["x", "y"], (inmost, name) =>
            inmost.step(name, got, (n) => `${name}${n}`),
          );
          return { index, inner, path: own === ctx };
        },
        { concurrency: 2 },
      ),
    );
    const run = program.flow(false);
    const result = [0, 1, 2, 3].map((n) => ({ index: n, inner: [`x${n * 10}`, `y${n * 10}`], path: false }));
    expect(await run).toEqual(result);
    expect(most).toBe(2);
    expect(await program.h.replay(run.id)).toEqual(result);
    const bad = program.flow(true);
    await expect(bad).rejects.toThrow(/^no 2$/);
    await expect(program.h.replay(bad.id)).rejects.toThrow(/^no 2$/);
  });
});

describe("agents, people and time", () => {
  it("an agent has tools and a typed result; tools of one name stay with their agents", async () => {
    const called: string[] = [];
    const lookup = (who: string) =>
      tool({
        name: "lookup",
        description: "Looks up.",
        input: z.object({ word: z.string() }),
        execute: async ({ word }) => {
          await pause(5);
          called.push(`${who}:${word}`);
          return { who };
        },
      });
    const mock = [
      { match: "*ada*", tool_calls: [{ name: "lookup", arguments: { word: "ada" } }] },
      { match: "*bob*", tool_calls: [{ name: "lookup", arguments: { word: "bob" } }] },
    ];
    await using program = flowProgram(
      folder,
      async (ctx) => {
        const ask = (who: string) => ctx.agent({ prompt: who, tools: [lookup(who)], maxIterations: 1 });
        const [a, b] = await Promise.all([ask("ada").catch(String), ask("bob").catch(String)]);
        return [a, b];
      },
      { mock },
    );
    const run = program.flow();
    const over = expect.stringContaining("it ended as budget_exhausted (max_iterations)");
    expect(await run).toEqual([over, over]);
    expect(called.sort()).toEqual(["ada:ada", "bob:bob"]);
    called.length = 0;
    expect(await program.h.replay(run.id)).toEqual([over, over]);
    expect(called).toEqual([]);
  });

  it("an agent's data is typed by `output`; one that fails is an error", async () => {
    const output = z.object({ kind: z.enum(["bug", "wish"]) });
    await using program = flowProgram(
      folder,
      async (ctx) => {
        const data = await ctx.agent({ prompt: "classify", output });
        expectTypeOf(data).toEqualTypeOf<{ kind: "bug" | "wish" }>();
        try {
          await ctx.agent({ prompt: "again" });
        } catch (error) {
          return [data.kind, (error as { code?: string }).code, (error as Error).message];
        }
      },
      { mock: [{ text: '{"kind": "bug"}' }, { error: { category: "auth", message: "no key" } }] },
    );
    const run = program.flow();
    expect(await run).toEqual(["bug", "HARN-LIB-008", expect.stringContaining("no key")]);
    expect(await program.h.replay(run.id)).toEqual([
      "bug",
      "HARN-LIB-008",
      expect.stringContaining("no key"),
    ]);
  });

  it("a question parks the run; an answer that does not fit is asked for again", async () => {
    const schema = z.object({ count: z.number() });
    await using program = flowProgram(folder, async (ctx) => {
      const [name, { count }] = await Promise.all([
        ctx.ask("Name?"),
        ctx.ask("How many?", { schema, choices: ["1", "2"] }),
      ]);
      expectTypeOf(name).toEqualTypeOf<Json>();
      return `${count} for ${name}`;
    });
    const { h } = program;
    const run = program.flow(undefined, { name: "asks" });
    expect(await run.done).toMatchObject({ status: "waiting", error: { code: "HARN-LIB-002" } });
    const answer = async (prompt: string, value: unknown): Promise<void> => {
      const found = (await h.runs.questions("asks")).find((one) => one.prompt === prompt);
      await h.runs.answer("asks", found?.id ?? "", value);
    };
    await answer("Name?", "Ada");
    expect((await h.resume("asks").done).status).toBe("waiting");
    await answer("How many?", { count: 2 });
    expect(await h.resume("asks")).toBe("2 for Ada");
    expect(await h.replay("asks")).toBe("2 for Ada");
  });

  it("time is what it was; a default answers in its time", async () => {
    await using program = flowProgram(folder, async (ctx) => {
      const from = ctx.now();
      await ctx.sleep(30);
      const until = ctx.now();
      return [from, until, await ctx.ask("Well?", { default: 7, timeout: 20 })];
    });
    const run = program.flow();
    const [from, until, answer] = await run;
    expect((until as number) - (from as number)).toBeGreaterThanOrEqual(29);
    expect(answer).toBe(7);
    await pause(5);
    expect(await program.h.replay(run.id)).toEqual([from, until, answer]);
  });
});

describe("types", () => {
  it("are what a record gives back, however deep they are", () => {
    type Tree = null | Date | Tree[] | { [key: string]: Tree };
    expectTypeOf<Recorded<Json>>().toEqualTypeOf<Json>();
    expectTypeOf<Recorded<AgentResult>>().toEqualTypeOf<AgentResult>();
    expectTypeOf<Recorded<[Date, Map<string, URL>, 1]>>().toEqualTypeOf<
      [string, { [key: string]: string }, 1]
    >();
    expectTypeOf<Recorded<{ a?: Date; b: readonly Set<number>[] }>>().toEqualTypeOf<{
      a?: string;
      b: number[][];
    }>();
    expectTypeOf<Recorded<Tree>>().not.toBeAny();
    expectTypeOf<Recorded<void>>().toEqualTypeOf<null>();
    expectTypeOf<Recorded<unknown>>().toEqualTypeOf<unknown>();
    expectTypeOf<Recorded<number | undefined>>().toEqualTypeOf<number | null>();
  });
});
