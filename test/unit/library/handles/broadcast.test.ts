/** What happens in a run is kept for who comes later: the last 10,000 events, and who is further behind is told. */
import { expect, it } from "vitest";
import { Broadcast } from "../../../../src/library/handles/broadcast.ts";
import { CallSite } from "../../../../src/library/handles/call-site.ts";
import { RunHandle } from "../../../../src/library/handles/run-handle.ts";
import type { RunListener } from "../../../../src/library/orders.ts";
import type { RunEnd, RunEvent } from "../../../../src/library/types.ts";

const end: RunEnd = { run: "r", status: "done", output: 1, usage: { input: 0, output: 0 }, cost_usd: 0 };
const event = (seq: number) => ({ seq, type: "run.log" }) as unknown as RunEvent;

/** A run in which so many events happen at once. */
const busy = (events: number): RunHandle<number> =>
  new RunHandle(
    "r",
    async (listener: RunListener) => {
      for (let seq = 1; seq <= events; seq++) listener.event(event(seq));
      return end;
    },
    [],
    new CallSite(busy),
  );

async function readAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

it("everyone gets all of it, from the beginning, also when it is over", async () => {
  const run = busy(19_999);
  const early = readAll(run);
  await run;
  const seqs = Array.from({ length: 19_999 }, (_, at) => at + 1);
  expect((await early).map(({ seq }) => seq)).toEqual(seqs);
  expect((await readAll(run)).map(({ seq }) => seq)).toEqual(seqs);
});

it("who is further behind than what is kept is told so; the run goes well", async () => {
  const run = busy(20_000);
  const events = run[Symbol.asyncIterator]();
  await expect(events.next()).rejects.toMatchObject({
    name: "HarnError",
    code: "HARN-LIB-007",
    run: "r",
    message: expect.stringContaining("10,000"),
  });
  expect(await run).toBe(1);
  await expect(readAll(run.text)).rejects.toMatchObject({ code: "HARN-LIB-007" });
});

it("who keeps up loses nothing, however much there is", async () => {
  const all = new Broadcast<number>(() => new Error("lost"));
  const reader = all.read();
  for (let at = 0; at < 45_000; at++) {
    all.say(at);
    if ((await reader.next()).value !== at) throw new Error(`${at} is missing`);
  }
  all.end();
  expect((await reader.next()).done).toBe(true);
});
