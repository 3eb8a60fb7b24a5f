/** A set is stopped by a signal whenever it comes: also while the plan ends and trials begin, which may never give the event loop a turn. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { SetStop } from "../../../src/eval/local/index.ts";

/** Files of tests share a process: what others have left to end it would. */
const others = process.listeners("SIGINT");
beforeAll(() => {
  process.removeAllListeners("SIGINT");
});
afterAll(() => {
  for (const listener of others) process.on("SIGINT", listener as () => void);
});

/** Seen by the event loop or by a computation that asks: when a signal reaches a busy process is the system's business. */
function asked(stop: SetStop): unknown {
  const broken: unknown[] = [];
  const interrupts = stop.interrupts();
  interrupts.listen({
    stop() {},
    broken: (request) => void broken.push(request),
    flush() {},
    force() {},
    lost() {},
  });
  const until = Date.now() + 20_000;
  while (broken.length === 0 && Date.now() < until) interrupts.busy();
  return broken[0];
}

it("a signal that came before trials are watched is heard by one that computes", async () => {
  const stop = new SetStop();
  try {
    process.kill(process.pid, "SIGINT");
    // As a plan that goes on without coming back to the event loop. The system may give the signal to any thread, which takes its time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    await stop.watch();
    expect(asked(stop)).toMatchObject({ reason: "interrupt", exitCode: 130 });
  } finally {
    stop.close();
  }
});

it("a signal that comes after that is seen from a computation", async () => {
  const stop = new SetStop();
  try {
    await stop.watch();
    process.kill(process.pid, "SIGINT");
    expect(asked(stop)).toMatchObject({ reason: "interrupt", exitCode: 130 });
  } finally {
    stop.close();
  }
});
