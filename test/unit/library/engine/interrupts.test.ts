/** What stops a run of a program: each request once, in time. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import type { StopRequest } from "../../../../src/effects/index.ts";
import { ProgramInterrupts } from "../../../../src/library/engine/program-interrupts.ts";
import { CallSite } from "../../../../src/library/handles/call-site.ts";
import { RunHandle } from "../../../../src/library/handles/run-handle.ts";

/** Of a run that has begun; what it is told. */
function begun(timeout?: number) {
  const told: StopRequest[] = [];
  const interrupts = new ProgramInterrupts(timeout);
  const nothing = (): void => {};
  interrupts.listen({
    stop: (request) => void told.push(request),
    broken: nothing,
    force: nothing,
    lost: nothing,
    flush: nothing,
  });
  interrupts.stretch(nothing);
  return { interrupts, told };
}

it("a run is told of the first request to stop, and of one to stop at once", () => {
  const { interrupts, told } = begun();
  interrupts.stop("its time is over");
  interrupts.stop("closed");
  expect(told).toHaveLength(1);
  expect(told[0]?.atOnce).toBeUndefined();
  interrupts.stop("now", true);
  expect(told.map(({ atOnce }) => atOnce)).toEqual([undefined, true]);
  expect(interrupts.why).toBe("its time is over");
});

it("a run is asked to stop once, however often its handle is", async () => {
  const asked: string[] = [];
  const over = Promise.withResolvers<never>();
  const run = new RunHandle(
    "r",
    (listener) => {
      listener.lives({ answer: () => {}, stop: (why) => void asked.push(why) });
      return over.promise;
    },
    [],
    new CallSite(begun),
  );
  await wait(1);
  const stops = [run.stop("first"), run.stop("second")];
  over.reject(new Error("over"));
  await Promise.all(stops);
  expect(asked).toEqual(["first"]);
});

it("more time than a timer takes is not over at once", async () => {
  const { interrupts, told } = begun(30 * 86_400_000);
  await wait(20);
  expect(told).toEqual([]);
  interrupts.end();
  const short = begun(5);
  await expect.poll(() => short.told).toHaveLength(1);
});
