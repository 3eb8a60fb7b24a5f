/** `killAtEachRecord()`: nothing lost, nothing done twice that may not be; and that it finds where that is not so. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type AnyTool, HarnError, harn, tool } from "../../../../src/library/index.ts";
import { killAtEachRecord } from "../../../../src/library/testing.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("library-kills");

function toolThat(name: string, how: { effect?: "read" | "write"; idempotent?: boolean } = {}): AnyTool {
  return tool({
    name,
    description: name,
    input: z.object({ q: z.number() }),
    ...how,
    execute: async ({ q }): Promise<unknown> => q * 2,
  });
}

const script = {
  text: `let a = host_call("tool.lookup", {q: 1})
    write_file("notes.txt", to_string(a))
    let b = host_call("tool.put", {q: a})
    let c = host_call("tool.pay", {q: b})
    sleep(60s)
    return [a, b, c, read_file("notes.txt")]`,
};
const tools = [
  toolThat("lookup", { effect: "read" }),
  toolThat("put", { idempotent: true }),
  toolThat("pay"),
];

test("tools, files, waiting: killed after every record", async () => {
  const ledger = await killAtEachRecord((h) => h.run(script, { tools }), { cwd });
  expect(ledger.end).toMatchObject({ status: "done", output: [2, 4, 8, "2"] });
  expect(ledger.calls.map(({ tool, times }) => `${tool} ${times}`)).toEqual(["lookup 1", "put 1", "pay 1"]);
  expect(ledger.kills.at(-1)?.record).toBe(ledger.records - 1);
  expect(ledger.kills.length).toBeGreaterThan(8);
  expect(ledger.twice).toEqual([]);
  expect(ledger.differing).toEqual([]);
  const after = (words: string) => ledger.kills.find((kill) => kill.after.startsWith(words));
  // Of what may be made twice nobody asks.
  const put = after("intent tool.put");
  expect(put?.end.status).toBe("done");
  expect(put?.calls.find((call) => call.tool === "put")).toMatchObject({ times: 2, mayRepeat: true });
  const pay = after("intent tool.pay");
  expect(pay?.end).toMatchObject({
    status: "waiting",
    questions: [{ kind: "doubt" }],
  });
  expect(pay?.calls.find((call) => call.tool === "pay")?.times).toBe(1);
});

test("what is done twice because the program says so is in the ledger", async () => {
  const { twice, differing } = await killAtEachRecord((h) => h.run(script, { tools }), {
    cwd,
    onDoubt: "redo",
  });
  expect(twice).toEqual([
    {
      tool: "pay",
      key: expect.stringMatching(/^0#\d+$/),
      times: 2,
      mayRepeat: false,
      record: expect.any(Number),
    },
  ]);
  expect(differing).toEqual([]);
});

test("an agent with a tool", async () => {
  const mock = [{ tool_calls: [{ name: "pay", arguments: { q: 3 } }] }, { text: "paid" }];
  const ledger = await killAtEachRecord((h) => h.agent({ prompt: "pay", tools: [toolThat("pay")] }), {
    cwd,
    mock,
  });
  expect(ledger.end).toMatchObject({ status: "done", output: { text: "paid" } });
  expect(ledger.calls).toMatchObject([{ tool: "pay", times: 1 }]);
  expect(ledger.twice).toEqual([]);
  expect(ledger.differing).toEqual([]);
});

test("a program that ends otherwise after a kill is told", async () => {
  let runs = 0;
  const counts = tool({
    name: "count",
    description: "counts",
    input: z.object({}),
    effect: "read",
    execute: async (): Promise<unknown> => ++runs,
  });
  const { differing } = await killAtEachRecord(
    (h) => h.run({ text: `return host_call("tool.count", {})` }, { tools: [counts] }),
    { cwd },
  );
  expect(differing.length).toBeGreaterThan(0);
});

test("what it can't do is said", async () => {
  await expect(killAtEachRecord((h) => h.run(script), { store: false })).rejects.toBeInstanceOf(HarnError);
  await using other = harn({ cwd, store: "memory" });
  await expect(killAtEachRecord(() => other.run({ text: "return 1" }), { cwd })).rejects.toThrow(
    "not begun in the `h` that it is given",
  );
});

test("a flow: steps that are done stay done", async () => {
  const done: string[] = [];
  const ledger = await killAtEachRecord(
    (h) => {
      const flow = h.flow("order", async (ctx, { id }: { id: number }) => {
        const price = await ctx.step("price", id, () => id * 3);
        await ctx.sleep(60_000);
        return await ctx.step("total", price, () => {
          done.push("total");
          return price + 1;
        });
      });
      return flow({ id: 2 });
    },
    { cwd },
  );
  expect(ledger.end).toMatchObject({ status: "done", output: 7 });
  expect(ledger.kills.length).toBeGreaterThan(3);
  expect(ledger.differing).toEqual([]);
  expect(done.length).toBeGreaterThan(1);
});
