/** Flows go on where they were, are forked, and say where a replay of them differs. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { FlowContext } from "../../../../src/library/types.ts";
import { flowProgram, never, pause } from "../../../support/flow-harn.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("flow-records");

describe("a run goes on", () => {
  it("at the first step that is not recorded, in a program that was started later", async () => {
    const done: string[] = [];
    const work =
      (last: () => unknown) =>
      async (ctx: FlowContext, input: { readonly id: number }): Promise<unknown[]> => {
        const one = await ctx.step("one", input, ({ id }) => done.push(`one ${id}`));
        const both = await ctx.parallel(["a", "b"], (own, name) =>
          own.step(name, one, () => done.push(name)),
        );
        const two = await ctx.step("two", both, last, { effect: "read" });
        return [one, both, two];
      };
    {
      await using first = flowProgram(folder, work(never));
      const run = first.flow({ id: 7 }, { name: "later" });
      while (done.length < 3) await pause(5);
      await pause(20);
      await run.stop();
      expect(await run.done).toMatchObject({ status: "stopped", error: { code: "HARN-LIB-003" } });
    }
    await using second = flowProgram(
      folder,
      work(() => done.push("two")),
    );
    expect(await second.h.resume("later")).toEqual([1, [2, 3], 4]);
    expect(done).toEqual(["one 7", "a", "b", "two"]);
    expect(await second.h.replay("later")).toEqual([1, [2, 3], 4]);
  });

  it("a replay is told the run's own name, by whatever it is played", async () => {
    await using program = flowProgram(folder, (ctx: FlowContext) => ctx.step("own", ctx.run, (own) => own));
    await program.flow(undefined, { name: "told" });
    const file = join(folder, "told.run");
    await program.h.runs.export("told", file);
    for (const played of [file, pathToFileURL(file)]) expect(await program.h.replay(played)).toBe("told");
  });

  it("a `sleep` goes on with what is left of it", async () => {
    const nap = async (ctx: FlowContext): Promise<string> => {
      await ctx.sleep(1500);
      return "awake";
    };
    {
      await using first = flowProgram(folder, nap);
      const run = first.flow(undefined, { name: "nap" });
      await pause(700);
      await run.stop();
    }
    await using second = flowProgram(folder, nap);
    const from = performance.now();
    expect(await second.h.resume("nap")).toBe("awake");
    expect(performance.now() - from).toBeLessThan(1300);
  });

  it("after something else that the function waits for beside a step", async () => {
    const work =
      (last: () => unknown) =>
      async (ctx: FlowContext): Promise<unknown> => {
        const late = async (): Promise<number> => {
          await pause(30);
          return await ctx.step("late", 1, (n) => n);
        };
        const both = await Promise.all([ctx.step("long", 2, (n) => pause(150).then(() => n)), late()]);
        return await ctx.step("last", both, last, { effect: "read" });
      };
    {
      await using first = flowProgram(folder, work(never));
      const run = first.flow(undefined, { name: "beside" });
      await pause(600);
      await run.stop();
    }
    await using second = flowProgram(
      folder,
      work(() => "there"),
    );
    expect(await second.h.resume("beside")).toBe("there");
    expect(await second.h.replay("beside")).toBe("there");
  });

  it("at the step that failed it", async () => {
    let failing = true;
    await using program = flowProgram(folder, async (ctx) => {
      const one = await ctx.step("one", 1, (n) => n);
      return (
        one +
        (await ctx.step("two", 2, (n) => {
          if (failing) throw new TypeError("not yet");
          return n;
        }))
      );
    });
    const error = await program.flow(undefined, { name: "fails" }).done;
    expect(error).toMatchObject({
      status: "failed",
      error: { code: "HARN-LIB-009", message: "TypeError: not yet", cause: { name: "TypeError" } },
    });
    expect(error.error).not.toHaveProperty("place");
    failing = false;
    expect(await program.h.resume("fails")).toBe(3);
  });

  it("from a file, in a program with that flow, and without a store", async () => {
    const file = `${folder}/exported.jsonl`;
    const work = (ctx: FlowContext): Promise<number> => ctx.step("one", 1, (n) => n + 1);
    {
      await using first = flowProgram(folder, work);
      const run = first.flow();
      expect(await run).toBe(2);
      await first.h.runs.export(run.id, file);
    }
    await using second = flowProgram(folder, work, { store: false });
    expect(await second.flow()).toBe(2);
    expect(await second.h.replay(pathToFileURL(file))).toBe(2);
  });

  it("from another step on, with what that gives", async () => {
    const done: string[] = [];
    await using program = flowProgram(folder, async (ctx) => {
      const one = await ctx.step("one", null, () => done.push("one"));
      const two = await ctx.step("two", null, () => done.push("two") * 10);
      return [one, two, await ctx.step("three", two, (n) => n + 1)];
    });
    const run = program.flow();
    expect(await run).toEqual([1, 20, 21]);
    expect(await program.h.fork(run.id, { at: 2, result: 50 })).toEqual([1, 50, 51]);
    expect(await program.h.fork(run.id, { at: 2 })).toEqual([1, 30, 31]);
    expect(done).toEqual(["one", "two", "two"]);
  });

  it("knows a fork by its origin's name, and never does in silence again what comes before the step", async () => {
    const done: string[] = [];
    let first = "pay";
    await using program = flowProgram(folder, async (ctx) => {
      await ctx.step(first, ctx.run, () => void done.push(first));
      return await ctx.step("end", ctx.run, (_, { run }) => {
        done.push("end");
        return [ctx.run, run];
      });
    });
    const { run } = await program.flow(undefined, { name: "origin" }).done;
    const fork = program.h.fork<string[]>(run, { at: 2 });
    expect(await fork).toEqual(["origin", fork.id]);
    expect(await program.h.replay(fork.id)).toEqual(["origin", fork.id]);
    expect(done).toEqual(["pay", "end", "end"]);
    first = "other";
    const { error } = await program.h.fork(run, { at: 2 }).done;
    expect([error?.code, done.length]).toEqual(["HARN-CLI-030", 3]);
    expect(error?.message).toContain("a fork does the same up to its step");
  });
});

describe("what differs is told", () => {
  /** A flow of other steps plays the run of one with these. */
  const recorded = async (ctx: FlowContext): Promise<string> => {
    await ctx.step("load", { id: 1, tags: ["a"] }, () => "loaded");
    await ctx.step("save", "loaded", () => "saved");
    return "done";
  };
  const cases: readonly (readonly [
    string,
    (ctx: FlowContext) => Promise<unknown>,
    readonly (RegExp | string)[],
  ])[] = [
    [
      "another input, with both values and the place",
      async (ctx) => {
        await ctx.step("load", { id: 2, tags: ["a"] }, () => "loaded");
        await ctx.step("save", "loaded", () => "saved");
      },
      ["effect 0#0", "arguments.id: 1 → 2", /at \S*flow-records\.test\.ts:\d+:\d+/],
    ],
    [
      "another step",
      async (ctx) => {
        await ctx.step("load", { id: 1, tags: ["a"] }, () => "loaded");
        await ctx.step("check", "loaded", () => "checked");
      },
      ["effect 0#1", 'recorded: step.save (write) "loaded"', 'asked:    step.check (write) "loaded"'],
    ],
    [
      "a step more",
      async (ctx) => {
        await recorded(ctx);
        await ctx.step("tell", "all", () => "told");
      },
      ["an effect that was not recorded (effect 0#2)", 'step.tell (write) "all"'],
    ],
    [
      "another effect",
      async (ctx) => {
        await ctx.step("load", { id: 1, tags: ["a"] }, () => "loaded", { effect: "read" });
      },
      ["recorded: step.load (write)", "asked:    step.load (read)"],
    ],
  ];
  for (const [what, other, told] of cases)
    it(what, async () => {
      await using first = flowProgram(folder, recorded);
      const run = first.flow();
      expect(await run).toBe("done");
      await using second = flowProgram(folder, other);
      const { error } = await second.h.replay(run.id).done;
      expect(error?.code).toBe("HARN-CLI-030");
      for (const part of told) expect(error?.message).toMatch(part);
      expect(error?.place).toMatchObject({ file: import.meta.filename });
    });

  it("where an agent or a question is another one: the place of the call", async () => {
    const options = { mock: [{ text: "done" }], onQuestion: () => "yes" };
    const asked = (prompt: string) => [
      async (ctx: FlowContext): Promise<unknown> => (await ctx.agent({ prompt })).text,
      async (ctx: FlowContext): Promise<unknown> => await ctx.ask(prompt),
      async (ctx: FlowContext): Promise<unknown> =>
        await ctx.parallel([1], async (own) => await own.ask(prompt)),
    ];
    const lines = new Set<number | undefined>();
    for (const [at, work] of asked("sort?").entries()) {
      await using first = flowProgram(folder, work, options);
      const run = first.flow();
      await run;
      await using second = flowProgram(folder, asked("sort!")[at] as typeof work, options);
      for (const again of [second.h.replay(run.id), second.h.fork(run.id, { at: 9 })]) {
        const { error } = await again.done;
        if (error?.code === "HARN-CLI-002") continue;
        expect(error?.code).toBe("HARN-CLI-030");
        expect(error?.message).toMatch(/at \S*flow-records\.test\.ts:\d+:\d+/);
        expect(error?.place?.file).toBe(import.meta.filename);
        lines.add(error?.place?.line);
      }
    }
    expect(lines.size).toBe(3);
  });

  it("another prompt or option of an agent", async () => {
    const mock = [{ text: "done" }];
    await using first = flowProgram(folder, (ctx) => ctx.agent({ prompt: "sort", maxIterations: 3 }), {
      mock,
    });
    const run = first.flow();
    expect((await run).text).toBe("done");
    await using second = flowProgram(folder, (ctx) => ctx.agent({ prompt: "sort", maxIterations: 4 }), {
      mock,
    });
    const { error } = await second.h.replay(run.id).done;
    expect(error?.message).toMatch(/arguments\[1\]\.max_iterations: 3 → 4/);
  });

  it("when the run goes on, too, and it stays as it was", async () => {
    const stopped = async (ctx: FlowContext): Promise<void> => {
      await ctx.step("load", 1, () => "loaded");
      await ctx.step("save", 1, never);
    };
    {
      await using first = flowProgram(folder, stopped);
      const run = first.flow(undefined, { name: "other" });
      await pause(100);
      await run.stop();
    }
    await using second = flowProgram(folder, async (ctx) => {
      try {
        await ctx.step("load", 2, () => "loaded");
      } catch {
        return "caught";
      }
    });
    const { status, error } = await second.h.resume("other").done;
    expect([status, error?.code]).toEqual(["failed", "HARN-CLI-030"]);
    expect(error?.message).toContain("1 → 2");
    await using third = flowProgram(
      folder,
      async (ctx) => {
        await ctx.step("load", 1, () => "loaded");
        return await ctx.step("save", 1, () => "saved");
      },
      { onDoubt: "redo" },
    );
    expect(await third.h.resume("other")).toBe("saved");
  });
});
