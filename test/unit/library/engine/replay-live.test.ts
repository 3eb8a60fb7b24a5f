/** `replay({tools: "live"})`: tools that may be called twice are called, and compared with what was recorded. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type AnyTool, type HarnOptions, harn, type LogLine, tool } from "../../../../src/library/index.ts";
import type { ToolContext } from "../../../../src/library/types.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("library-replay-live");

interface Called {
  readonly name: string;
  readonly input: unknown;
  readonly key: string;
}

/** Tools whose answers a test sets; every call of them is noted. */
function tools(answers: { [name: string]: (input: { q: string }, context: ToolContext) => unknown }) {
  const calls: Called[] = [];
  const made = (name: string, how: { effect?: "read" | "write"; idempotent?: boolean }): AnyTool =>
    tool({
      name,
      description: name,
      input: z.object({ q: z.string() }),
      ...how,
      execute: async (input, context): Promise<unknown> => {
        calls.push({ name, input, key: context.idempotencyKey });
        return answers[name]?.(input, context);
      },
    });
  const all = [
    made("lookup", { effect: "read" }),
    made("put", { idempotent: true }),
    made("pay", {}),
  ] as const;
  return { calls, all };
}

const script = `
  let found = host_call("tool.lookup", {q: "a"})
  let put = host_call("tool.put", {q: "b"})
  let paid = host_call("tool.pay", {q: "c"})
  return [found, put, paid, try { host_call("tool.lookup", {q: "bad"}) } catch (e) { e.message }]`;

const lookup = ({ q }: { q: string }): unknown => {
  if (q === "bad") throw new Error("no such q");
  return { of: q, at: [1, 2] };
};

/** A recorded run, and how its replay with today's tools ends. */
async function replayed(now: Parameters<typeof tools>[0], today = tools(now).all as readonly AnyTool[]) {
  const store = `${cwd}/${Math.random()}`;
  const options: HarnOptions = { cwd, store, env: {} };
  const then = tools({ lookup, put: () => "put", pay: () => "paid" });
  const log: LogLine[] = [];
  await using first = harn({ ...options, tools: then.all });
  const run = first.run<unknown>({ text: script });
  const output = await run;
  await using second = harn({ ...options, tools: today, log: (line) => log.push(line) });
  return {
    output,
    calledThen: then.calls,
    log,
    end: await second.replay(run.id, { tools: "live" }).done,
    id: run.id,
  };
}

test("the same: called are those that read or are idempotent, with the keys of then", async () => {
  const today = tools({ lookup, put: () => "put", pay: () => "never" });
  const { output, calledThen, end, id } = await replayed({}, today.all);
  expect(output).toEqual([{ of: "a", at: [1, 2] }, "put", "paid", "no such q"]);
  expect(end).toMatchObject({ status: "done", output });
  expect(today.calls).toEqual(calledThen.filter(({ name }) => name !== "pay"));
  expect(today.calls[0]?.key).toBe(`${id}#0#0`);
});

test("a difference ends the replay, with the call and both values", async () => {
  const { end } = await replayed({ lookup: ({ q }) => ({ of: q, at: [1, 3] }), put: () => "put" });
  expect(end.status).toBe("failed");
  expect(end.error?.code).toBe("HARN-CLI-030");
  expect(end.error?.message).toContain("tool.lookup gives something else than was recorded (effect 0#0)");
  expect(end.error?.message).toContain('call:     tool.lookup (read) {"q":"a"}');
  expect(end.error?.message).toContain("they differ at outcome.result.at[1]: 2 → 3");
});

test("an error in place of a value, a value in place of an error, another error", async () => {
  const broken = await replayed({
    lookup: () => {
      throw new Error("down");
    },
  });
  expect(broken.end.error?.message).toMatch(/now: +\{"error":.*down/);
  const mended = await replayed({ lookup: ({ q }) => (q === "bad" ? 1 : lookup({ q })), put: () => "put" });
  expect(mended.end.error?.message).toMatch(/recorded: \{"error":.*no such q/);
  const other = await replayed({
    lookup: ({ q }) => {
      if (q === "bad") throw new Error("other");
      return lookup({ q });
    },
    put: () => "put",
  });
  expect(other.end.error?.message).toContain("other");
});

test("calls that are made at once are tried at once", async () => {
  const store = `${cwd}/at-once`;
  const gate = Promise.withResolvers<void>();
  let open = 0;
  const slow = tools({
    lookup: async ({ q }) => {
      if (++open === 2) gate.resolve();
      await gate.promise;
      return q;
    },
  });
  const text = `let a = spawn { host_call("tool.lookup", {q: "a"}) }
    let b = spawn { host_call("tool.lookup", {q: "b"}) }
    return [await(a), await(b)]`;
  await using h = harn({ cwd, store, env: {}, tools: slow.all });
  const run = h.run({ text });
  await run;
  open = 0;
  expect(await h.replay(run.id, { tools: "live" })).toEqual(["a", "b"]);
  expect(slow.calls).toHaveLength(4);
});

test("a tool that is not there any more is told, and answered from the record", async () => {
  const { end, output, log } = await replayed({}, tools({ lookup }).all.slice(0, 1));
  expect(end).toMatchObject({ status: "done", output });
  expect(log.map(({ text }) => text)).toEqual([
    "put is not among the tools: what it gave is taken from the record",
    "pay is not among the tools: what it gave is taken from the record",
  ]);
});

test("without tools there is nothing to call; stopping ends a call that hangs", async () => {
  const none = await replayed({}, []);
  expect(none.end.error).toMatchObject({ code: "HARN-LIB-001" });
  const store = `${cwd}/hangs`;
  const aborted = Promise.withResolvers<void>();
  let calls = 0;
  const hangs = tools({
    lookup: (_, { signal }) => {
      if (calls++ === 0) return 1;
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => {});
    },
  });
  await using h = harn({ cwd, store, env: {}, tools: hangs.all });
  const run = h.run({ text: 'return host_call("tool.lookup", {q: "a"})' });
  await run;
  const replay = h.replay(run.id, { tools: "live" });
  setTimeout(() => void replay.stop(), 50);
  expect((await replay.done).status).toBe("stopped");
  await aborted.promise;
});
