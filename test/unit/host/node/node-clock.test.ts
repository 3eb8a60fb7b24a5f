import { describe, expect, it } from "vitest";
import { createNodeHost } from "../../../../src/host/index.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";

describe("the machine's clock", () => {
  const { clock } = createNodeHost();

  it("sleeps at least as long as asked", async () => {
    const start = clock.monotonic();
    await clock.sleep(20);
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(20);
  });

  it("wakes with the signal's reason", async () => {
    const aborter = new AbortController();
    const sleep = clock.sleep(60_000, aborter.signal);
    aborter.abort("stop");
    await expect(sleep).rejects.toBe("stop");
    await expect(clock.sleep(1, AbortSignal.abort("before"))).rejects.toBe("before");
  });

  it("doesn't fire at once for spans beyond Node's timers", async () => {
    const aborter = new AbortController();
    let over = false;
    const sleep = clock.sleep(2 ** 33, aborter.signal).then(
      () => {
        over = true;
      },
      () => {},
    );
    await clock.sleep(15);
    expect(over).toBe(false);
    aborter.abort();
    await sleep;
  });
});

describe("the virtual clock of tests", () => {
  it("wakes sleepers in the order of their due times and moves to each", async () => {
    const { clock } = createMemoryHost();
    const start = clock.now();
    const woken: string[] = [];
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(`${name}@${clock.now() - start}`);
    };
    await Promise.all([sleeper("c", 300), sleeper("a", 100), sleeper("b", 200)]);
    expect(woken).toEqual(["a@100", "b@200", "c@300"]);
  });
});
