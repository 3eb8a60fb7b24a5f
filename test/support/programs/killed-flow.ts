/**
 * A program with a flow of 30 steps and an agent with two tools, which is killed and started again until its run has ended:
 * `node killed-flow.ts LIBRARY FOLDER RUN [charge|book N]`; with a last word it says `held` in its Nth work of that kind in this process,
 * on either side of doing it, and waits there to be killed. What it does outside are lines of `ledger.jsonl`. Says `at work` when its flow is called,
 * and at the end its result.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Entry } from "../flow-ledger.ts";

const [library = "", folder = "", name = "", heldIn, heldAt] = process.argv.slice(2);
const { harn, tool } = (await import(library)) as typeof import("../../../src/library/index.ts");
const ledger = join(folder, "ledger.jsonl");

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, Math.random() * 6));

let untilHeld = Number(heldAt);
async function hold(): Promise<void> {
  process.stdout.write("held\n");
  await new Promise((done) => setTimeout(done, 1_000_000_000));
}

/** Does it, between two moments at which the program may be killed. */
async function enter(entry: Entry): Promise<number> {
  const isHeld = heldIn === (entry.again ? "book" : "charge") && --untilHeld === 0;
  const isBefore = Math.random() < 0.5;
  await pause();
  if (isHeld && isBefore) await hold();
  appendFileSync(ledger, `${JSON.stringify(entry)}\n`);
  if (isHeld) await hold();
  await pause();
  return entry.n;
}

const isEntered = (n: number): boolean =>
  existsSync(ledger) && readFileSync(ledger, "utf8").includes(`"run":"${name}","n":${n},`);

type Context = { readonly run: string; readonly idempotencyKey: string; readonly attempt: number };
const entryOf = (n: number, again: boolean, { run, idempotencyKey: key, attempt }: Context): Entry => ({
  run,
  n,
  again,
  key,
  attempt,
});

const entering = (called: "charge" | "book") =>
  tool({
    name: called,
    description: "Enters a number.",
    input: z.object({ n: z.number() }),
    idempotent: called === "book",
    execute: ({ n }, context) => enter(entryOf(n, called === "book", context)),
  });

const call = (called: string, n: number) => ({ tool_calls: [{ name: called, arguments: { n } }] });

await using h = harn({
  cwd: folder,
  store: join(folder, "state"),
  env: {},
  tools: [entering("charge"), entering("book")],
  mock: [call("charge", 101), call("book", 102), { text: "booked" }],
  // Somebody who looks whether it happened.
  onQuestion: ({ kind, arguments: args }) => {
    if (kind !== "doubt") return undefined;
    const choice = isEntered((args as { readonly n: number }).n) ? "skip" : "redo";
    appendFileSync(join(folder, "doubts.txt"), `${choice}\n`);
    return choice;
  },
});

const flow = h.flow("thirty", async (ctx, input: { readonly from: number }) => {
  process.stdout.write("at work\n");
  let n = input.from;
  const next = (by = ctx, again = false, at = n++): Promise<number> =>
    by.step(again ? "book" : "charge", { n: at }, ({ n }, context) => enter(entryOf(n, again, context)), {
      idempotent: again,
    });
  for (let step = 0; step < 5; step++) await next();
  for (let step = 0; step < 5; step++) await next(ctx, true);
  await Promise.all([next(), next(ctx, true), next(), next(ctx, true), next()]);
  const { text } = await ctx.agent({ prompt: "Book it." });
  await ctx.sleep(20);
  const branches = [n, n + 4, n + 8];
  n += 12;
  await ctx.parallel(
    branches,
    async (own, first) => {
      for (let at = first; at < first + 4; at++) await next(own, at % 2 === 0, at);
    },
    { concurrency: 2 },
  );
  const read = await ctx.step("read", { n }, ({ n }) => n, { effect: "read" });
  await next();
  await next(ctx, true);
  return { text, read, last: n };
});

const known = await h.runs.get(name);
const run =
  known === undefined
    ? flow({ from: 1 }, { name })
    : known.status === "done"
      ? h.replay(name)
      : h.resume(name);
process.stdout.write(`${JSON.stringify(await run)}\n`);
