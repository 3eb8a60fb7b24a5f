/** Tasks, channels, select, parallel, locks and deadlines, driven from TypeScript (language.md §13). */

import { describe, expect, test } from "vitest";
import { shape } from "../../../src/effects/index.ts";
import {
  awaitHandle,
  Channel,
  cancelGracefully,
  cancelHandle,
  Interruption,
  limitCheckpoint,
  lockOf,
  type ParallelBody,
  parallelStream,
  runParallel,
  select,
  spawnTask,
  startTimer,
  type Task,
  withDeadline,
  withMutex,
} from "../../../src/interp/index.ts";
import {
  Dict,
  Duration,
  display,
  List,
  type MaybePromise,
  type Pullable,
  ScriptError,
  thrown,
  uncaughtText,
  type Value,
} from "../../../src/values/index.ts";
import { testRun } from "../../support/concurrent.ts";

/** Sleeps as the builtin does. */
async function sleep(task: Task, ms: number): Promise<null> {
  await task.perform({
    effect: "observe",
    kind: "sleep",
    args: () => ms,
    run: (signal) => task.runtime.host.clock.sleep(ms, signal).then(() => null),
    result: shape.nothing,
  });
  return null;
}

async function failure(run: () => MaybePromise<unknown>): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ScriptError) return uncaughtText(error);
    throw error;
  }
  return "no error";
}

const ints = (...items: number[]): List => new List(items);

describe("spawn and await", () => {
  test("a task gives its value, its output comes where it is awaited", async () => {
    const { task, printed } = testRun();
    const handle = spawnTask(task, (child) => {
      child.write("inside\n");
      return 42;
    });
    expect(display(handle)).toBe("<task:vm_task_1>");
    expect(handle.task.id).toBe("task_root:spawn:1");
    task.write("before\n");
    expect(await awaitHandle(task, handle)).toBe(42);
    expect(printed).toEqual(["before\n", "inside\n"]);
    expect(await awaitHandle(task, handle)).toBe(null);
    expect(await awaitHandle(task, 7)).toBe(7);
  });

  test("an error comes out of await, with the output before it", async () => {
    const { task, printed } = testRun();
    const handle = spawnTask(task, (child) => {
      child.write("so far\n");
      throw thrown("boom");
    });
    expect(await failure(() => awaitHandle(task, handle))).toBe("Thrown: boom");
    expect(printed).toEqual(["so far\n"]);
  });

  test("a task cancelled before it began never runs", async () => {
    const { task } = testRun();
    let ran = false;
    const handle = spawnTask(task, () => {
      ran = true;
      return 1;
    });
    cancelHandle(task, handle);
    expect(await awaitHandle(task, handle)).toBe(null);
    await sleep(task, 5);
    expect(ran).toBe(false);
  });

  test("cancel ends a waiting task, whose clean-up runs and whose catch does not", async () => {
    const { task } = testRun();
    const seen: string[] = [];
    const handle = spawnTask(task, async (child) => {
      try {
        await sleep(child, 60_000);
      } catch (error) {
        seen.push(error instanceof Interruption ? "interruption" : "script error");
        throw error;
      } finally {
        seen.push("finally");
      }
      return 1;
    });
    await sleep(task, 1);
    cancelHandle(task, handle);
    await sleep(task, 1);
    expect(seen).toEqual(["interruption", "finally"]);
  });

  test("cancel_graceful: a task that looks at the flag gives its value", async () => {
    const { task } = testRun();
    const handle = spawnTask(task, async (child) => {
      while (!child.cancelled) await sleep(child, 10);
      return "clean";
    });
    await sleep(task, 1);
    expect(display(await cancelGracefully(task, handle, new Duration(1000)))).toBe("Result.Ok(clean)");
    expect(display(await cancelGracefully(task, handle, new Duration(1000)))).toBe("Result.Ok(nil)");
  });

  test("cancel_graceful: a sleeping task is woken with the cancellation text", async () => {
    const { task } = testRun();
    const handle = spawnTask(task, (child) => sleep(child, 60_000));
    await sleep(task, 1);
    expect(display(await cancelGracefully(task, handle, 5000))).toBe(
      "Result.Err(Thrown: kind:cancelled:VM cancelled by host)",
    );
  });

  test("cancel_graceful: one that goes on catching is ended", async () => {
    const { task } = testRun();
    const handle = spawnTask(task, async (child) => {
      for (;;) {
        try {
          await sleep(child, 60_000);
        } catch (error) {
          if (!(error instanceof ScriptError)) throw error;
        }
      }
    });
    await sleep(task, 1);
    expect(display(await cancelGracefully(task, handle, 100))).toBe(
      "Result.Err(cancel_graceful: timeout, task forcefully aborted)",
    );
  });
});

describe("parallel", () => {
  const run = (
    mode: "count" | "each" | "settle",
    operand: Value,
    body: ParallelBody,
    max?: Value,
  ): { result: MaybePromise<Value>; printed: string[]; task: Task } => {
    const { task, printed } = testRun();
    return { result: runParallel(task, mode, operand, body, max), printed, task };
  };

  test("bodies that do not wait make it synchronous", () => {
    const { result } = run("count", 4, (_child, i) => (i as number) * 10);
    expect(result).toBeInstanceOf(List);
    expect(display(result as Value)).toBe("[0, 10, 20, 30]");
  });

  test("results and output in input order, whoever ends first", async () => {
    const { result, printed } = run("each", ints(30, 10, 20), async (child, ms) => {
      await sleep(child, ms as number);
      child.write(`${ms} `);
      return ms;
    });
    expect(display((await result) as Value)).toBe("[30, 10, 20]");
    expect(printed.join("")).toBe("30 10 20 ");
  });

  test("ids follow the parent's counter", async () => {
    const ids: string[] = [];
    const { task } = run("count", 2, (child) => {
      ids.push(child.id);
      return null;
    });
    void runParallel(task, "settle", ints(1), (child) => {
      ids.push(child.id);
      return null;
    });
    expect(ids).toEqual([
      "task_root:parallel:1:0",
      "task_root:parallel:1:1",
      "task_root:parallel_settle:2:0",
    ]);
  });

  test("max_concurrent bounds the bodies in flight", async () => {
    let running = 0;
    let limit = 0;
    const { result } = run(
      "count",
      20,
      async (child) => {
        running++;
        limit = Math.max(limit, running);
        await sleep(child, 5);
        running--;
        return null;
      },
      3,
    );
    await result;
    expect(limit).toBe(3);
  });

  test("the first error in input order, after all have ended", async () => {
    const ended: number[] = [];
    const { result } = run("each", ints(0, 1, 2), async (child, i) => {
      await sleep(child, 30 - (i as number) * 10);
      ended.push(i as number);
      if ((i as number) < 2) throw thrown(`e${i}`);
      return null;
    });
    expect(await failure(() => result)).toBe("Thrown: e0");
    expect(ended).toEqual([2, 1, 0]);
  });

  test("settle gives Results and counts", async () => {
    const { result } = run("settle", ints(1, 2), (_child, i) => {
      if (i === 2) throw thrown("boom");
      return i as number;
    });
    const dict = (await result) as Dict;
    expect(dict).toBeInstanceOf(Dict);
    expect(display(dict)).toBe(
      "{failed: 1, results: [Result.Ok(1), Result.Err(Thrown: boom)], succeeded: 1}",
    );
  });

  test("operands that are no lists or counts", async () => {
    const nothing = (): Value => 1;
    expect(await failure(() => run("each", 5, nothing).result)).toBe(
      "Runtime error: cannot iterate over int; write 0 to 5 exclusive",
    );
    expect(await failure(() => run("settle", "abc", nothing).result)).toBe(
      "Runtime error: cannot iterate over string; use s.chars()",
    );
    expect(display(run("each", null, nothing).result as Value)).toBe("[]");
    expect(display(run("count", -3, nothing).result as Value)).toBe("[]");
    expect(await failure(() => run("count", "x", nothing).result)).toBe(
      "Type error: parallel takes how many there are, an int; got string",
    );
  });

  test("max_concurrent must be an int", async () => {
    expect(await failure(() => run("count", 1, () => 1, "two").result)).toBe(
      "Type error: parallel max_concurrent must be an int; got string",
    );
  });

  test("as stream: completion order", async () => {
    const { task } = testRun();
    const stream = parallelStream(task, ints(30, 10, 20), async (child, ms) => {
      await sleep(child, ms as number);
      return ms as number;
    }) as Pullable;
    const got: Value[] = [];
    for (let v = await stream.next(task); v !== undefined; v = await stream.next(task)) got.push(v);
    expect(got).toEqual([10, 20, 30]);
    expect(await stream.next(task)).toBe(undefined);
  });
});

describe("channels and select", () => {
  test("a full channel makes the sender wait, in order", async () => {
    const { task } = testRun();
    const channel = new Channel("c", 2);
    const sent: number[] = [];
    const sender = spawnTask(task, async (child) => {
      for (let i = 0; i < 6; i++) {
        await channel.send(child, i);
        sent.push(i);
      }
      channel.closeChannel();
      return null;
    });
    await sleep(task, 1);
    expect(sent).toEqual([0, 1]);
    const got: Value[] = [];
    for (let v = await channel.next(task); v !== undefined; v = await channel.next(task)) got.push(v);
    expect(got).toEqual([0, 1, 2, 3, 4, 5]);
    await awaitHandle(task, sender);
    expect(await channel.send(task, 9)).toBe(false);
  });

  test("closing lets waiting senders and receivers go", async () => {
    const { task } = testRun();
    const full = new Channel("full", 1);
    const empty = new Channel("empty", 1);
    await full.send(task, 1);
    const sender = spawnTask(task, (child) => full.send(child, 2));
    const receiver = spawnTask(task, async (child) => (await empty.receive(child)) === undefined);
    await sleep(task, 1);
    full.closeChannel();
    empty.closeChannel();
    expect(await awaitHandle(task, sender)).toBe(false);
    expect(await awaitHandle(task, receiver)).toBe(true);
  });

  test("nil travels through a channel", async () => {
    const { task } = testRun();
    const channel = new Channel("c", 4);
    await channel.send(task, null);
    expect(await channel.receive(task)).toBe(null);
  });

  test("earlier cases win ties; default and timeout", async () => {
    const { task, host } = testRun();
    const a = new Channel("a", 1);
    const b = new Channel("b", 1);
    expect(await select(task, [a, b], undefined, true)).toMatchObject({ outcome: "otherwise" });
    await b.send(task, "from b");
    await a.send(task, "from a");
    expect(await select(task, [a, b], undefined, false)).toMatchObject({ index: 0, value: "from a" });
    expect(await select(task, [a, b], undefined, false)).toMatchObject({ index: 1, value: "from b" });
    const before = host.clock.monotonic();
    expect(await select(task, [a, b], new Duration(250), false)).toMatchObject({ outcome: "otherwise" });
    expect(host.clock.monotonic() - before).toBe(250);
  });

  test("a select that was served leaves the other channels", async () => {
    const { task } = testRun();
    const a = new Channel("a", 1);
    const b = new Channel("b", 1);
    const selecting = spawnTask(task, async (child) => (await select(child, [a, b], 5000, false)).index);
    await sleep(task, 1);
    await b.send(task, 1);
    await a.send(task, 2);
    expect(await awaitHandle(task, selecting)).toBe(1);
    expect(a.length).toBe(1);
  });

  test("only closed channels: the statement ends", async () => {
    const { task } = testRun();
    const a = new Channel("a", 1);
    a.closeChannel();
    expect(await select(task, [a], undefined, false)).toMatchObject({ outcome: "closed" });
    const b = new Channel("b", 1);
    const closer = spawnTask(task, () => {
      b.closeChannel();
      return null;
    });
    expect(await select(task, [b], undefined, false)).toMatchObject({ outcome: "closed" });
    await awaitHandle(task, closer);
  });
});

describe("deadlines", () => {
  test("one that waits too long", async () => {
    const { task } = testRun();
    expect(await failure(() => withDeadline(task, new Duration(20), () => sleep(task, 1000)))).toBe(
      "Thrown: Deadline exceeded",
    );
    expect(task.deadline).toBe(undefined);
  });

  test("one that is in time", async () => {
    const { task } = testRun();
    expect(
      await withDeadline(task, 1000, async () => {
        await sleep(task, 10);
        return 7;
      }),
    ).toBe(7);
    await sleep(task, 2000);
  });

  test("a loop that never waits", async () => {
    const { task, host } = testRun();
    const spin = (spinning: Task): never => {
      for (;;) {
        host.clock.advance(0.001);
        if (++spinning.steps >= spinning.checkAt) limitCheckpoint(spinning);
      }
    };
    expect(await failure(() => withDeadline(task, 50, () => spin(task)))).toBe("Thrown: Deadline exceeded");
    const nested = (): MaybePromise<Value> => runParallel(task, "count", 3, (child) => spin(child));
    expect(await failure(() => withDeadline(task, 50, nested))).toBe("Thrown: Deadline exceeded");
  });

  test("bodies of parallel are ended with their block", async () => {
    const { task } = testRun();
    let ended = 0;
    const body = async (child: Task): Promise<Value> => {
      try {
        await sleep(child, 60_000);
      } finally {
        ended++;
      }
      return null;
    };
    expect(await failure(() => withDeadline(task, 50, () => runParallel(task, "count", 3, body)))).toBe(
      "Thrown: Deadline exceeded",
    );
    await sleep(task, 1);
    expect(ended).toBe(3);
  });

  test("the inner of two nested ones first", async () => {
    const { task } = testRun();
    const text = await withDeadline(task, 1000, async () => {
      try {
        return await withDeadline(task, 10, () => sleep(task, 60_000));
      } catch {
        await sleep(task, 20);
        return "inner";
      }
    });
    expect(text).toBe("inner");
  });

  test("the operand must be a duration or an int", async () => {
    const { task } = testRun();
    expect(await failure(() => withDeadline(task, "soon", () => null))).toBe(
      "Type error: deadline must be a duration or an int; got string",
    );
  });
});

describe("locks", () => {
  test("a mutex keeps others out, also across waits and errors", async () => {
    const { task } = testRun();
    const log: string[] = [];
    const body = (child: Task, name: Value): MaybePromise<Value> =>
      withMutex(child, undefined, async () => {
        log.push(`+${name}`);
        await sleep(child, 5);
        log.push(`-${name}`);
        if (name === "a") throw thrown("a failed");
      });
    await failure(() => runParallel(task, "each", new List(["a", "b", "c"]), body));
    expect(log).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
  });

  test("taking a mutex twice is told at once", async () => {
    const { task } = testRun();
    expect(
      await failure(() => withMutex(task, undefined, () => withMutex(task, undefined, () => null))),
    ).toContain("deadlock: this task already holds mutex `__default__`");
    expect(withMutex(task, undefined, () => null)).toBe(null);
  });

  test("two tasks that take two locks in different order", async () => {
    const { task } = testRun();
    const both = (child: Task, first: string, second: string): MaybePromise<Value> =>
      withMutex(child, first, async () => {
        await sleep(child, 5);
        await withMutex(child, second, () => null);
      });
    const orders = [(child: Task) => both(child, "x", "y"), (child: Task) => both(child, "y", "x")];
    // A timer is in progress all the time: the circle is told all the same.
    const stop = startTimer(task, 60_000, "test", () => {});
    const text = await failure(() =>
      runParallel(task, "count", 2, (child, i) => orders[i as number]!(child)),
    );
    stop();
    expect(text).toBe(
      "Runtime error: deadlock: tasks wait for each other " +
        "(task_root:parallel:1:0 holds mutex `x`, task_root:parallel:1:1 holds mutex `y`)",
    );
  });

  test("a wait for a lock that a deadline ends leaves nothing behind", async () => {
    const { task } = testRun();
    const holder = spawnTask(task, (child) => withMutex(child, "m", () => sleep(child, 100)));
    await sleep(task, 1);
    const waiting = (): MaybePromise<Value> => withMutex(task, "m", () => null);
    expect(await failure(() => withDeadline(task, 10, waiting))).toBe("Thrown: Deadline exceeded");
    await awaitHandle(task, holder);
    expect(waiting()).toBe(null);
  });

  test("permits, timeouts and release at the end of the holder", async () => {
    const { task } = testRun();
    const lock = lockOf(task.runtime, "semaphore", "s", 2);
    const holder = spawnTask(task, async (child) => {
      await lock.acquire(child, 2, false);
      await sleep(child, 50);
      return null;
    });
    await sleep(task, 1);
    expect(await lock.acquire(task, 1, false, 0)).toBe(undefined);
    expect(await lock.acquire(task, 1, false, 10)).toBe(undefined);
    expect(await lock.acquire(task, 1, false)).toBeDefined();
    await awaitHandle(task, holder);
    expect(lock.metrics().get("timeout_count")).toBe(2);
    expect(lock.metrics().get("current_held")).toBe(1);
  });
});

describe("deadlocks", () => {
  test("every task waits: the program is told who waits for what", async () => {
    const { task } = testRun();
    const a = new Channel("a", 1);
    const b = new Channel("b", 1);
    spawnTask(task, async (child) => (await b.receive(child)) ?? null);
    const text = await failure(() => a.receive(task));
    expect(text).toBe(
      "Runtime error: deadlock: every task waits for something that can never come\n" +
        "  task_root waits in receive on channel `a`\n" +
        "  task_root:spawn:1 waits in receive on channel `b`",
    );
  });

  test("not while a timer may still change something", async () => {
    const { task } = testRun();
    const a = new Channel("a", 1);
    startTimer(task, 100, "test", () => a.closeChannel());
    expect(await a.receive(task)).toBe(undefined);
  });
});
