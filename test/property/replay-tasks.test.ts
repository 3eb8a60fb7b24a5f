/**
 * Record → replay is the identity, for generated concurrent programs: tasks in tasks, channels, select, locks, timers,
 * deadlines, cancellation, errors, random numbers. The programs are driven on the scheduler itself, without the parser.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  awaitHandle,
  Channel,
  cancelGracefully,
  cancelHandle,
  limitCheckpoint,
  runParallel,
  select,
  spawnTask,
  type Task,
  TaskHandle,
  withDeadline,
  withMutex,
} from "../../src/interp/index.ts";
import { List, ScriptError, thrown, uncaughtText, type Value } from "../../src/values/index.ts";
import { recordAndReplay, type TestProgram } from "../support/concurrent.ts";
import { createMemoryHost } from "../support/memory-host.ts";
import { effect, now, sleep } from "../support/task-effects.ts";

type Op =
  | { op: "sleep"; ms: number }
  | { op: "print" | "random" | "now" | "file" | "throw" | "await" | "cancel" | "graceful" }
  | { op: "send" | "receive" | "try" | "close"; channel: number }
  | { op: "select"; timeout: number }
  | { op: "spawn" | "mutex" | "catch"; body: Op[] }
  | { op: "deadline"; ms: number; body: Op[] }
  | { op: "spin"; steps: number }
  | { op: "parallel"; mode: "count" | "each" | "settle"; bodies: Op[][]; max: number };

const small = fc.integer({ min: 0, max: 30 });
const channel = fc.integer({ min: 0, max: 2 });

const { ops } = fc.letrec<{ ops: Op[]; op: Op }>((tie) => ({
  ops: fc.array(tie("op"), { maxLength: 6, depthIdentifier: "nest" }),
  op: fc.oneof(
    { depthIdentifier: "nest", maxDepth: 3 },
    fc.record({ op: fc.constant("sleep" as const), ms: small }),
    fc.record({
      op: fc.constantFrom(
        "print",
        "random",
        "now",
        "file",
        "throw",
        "await",
        "cancel",
        "graceful",
      ) as fc.Arbitrary<"print">,
    }),
    fc.record({ op: fc.constantFrom("send", "receive", "try", "close") as fc.Arbitrary<"send">, channel }),
    fc.record({ op: fc.constant("select" as const), timeout: small }),
    fc.record({ op: fc.constant("spin" as const), steps: fc.integer({ min: 0, max: 20_000 }) }),
    fc.record({ op: fc.constantFrom("spawn", "mutex", "catch") as fc.Arbitrary<"spawn">, body: tie("ops") }),
    fc.record({ op: fc.constant("deadline" as const), ms: small, body: tie("ops") }),
    fc.record({
      op: fc.constant("parallel" as const),
      mode: fc.constantFrom("count", "each", "settle") as fc.Arbitrary<"count">,
      bodies: fc.array(tie("ops"), { maxLength: 4 }),
      max: fc.integer({ min: 0, max: 3 }),
    }),
  ),
}));

/** What tasks of one program share. */
class World {
  readonly channels = [new Channel("a", 1), new Channel("b", 2), new Channel("c", 4)];
  count = 0;
}

async function runAll(task: Task, world: World, list: readonly Op[]): Promise<Value> {
  const handles: Value[] = [];
  for (const op of list) await run(task, world, op, handles);
  return world.count;
}

async function run(task: Task, world: World, op: Op, handles: Value[]): Promise<void> {
  world.count++;
  const say = (text: unknown): void => task.write(`${task.id} ${world.count} ${op.op} ${String(text)}\n`);
  switch (op.op) {
    case "sleep":
      await sleep(task, op.ms);
      return;
    case "print":
      return say(world.count);
    case "random":
      return say(task.runtime.effects.random32(task.scope));
    case "now":
      return say(now(task));
    case "file":
      return say(await effect(task, "read_file", () => `text of ${task.path}`, [task.path]));
    case "throw":
      throw thrown(`thrown by ${task.id}`);
    case "await":
      return say(await awaitHandle(task, handles.shift() ?? "none"));
    case "cancel":
      return say(cancelHandle(task, handles.shift() ?? "none"));
    case "graceful":
      return say((await cancelGracefully(task, handles.shift() ?? "none", 20)) !== null);
    case "send":
      return say(await world.channels[op.channel]!.send(task, world.count));
    case "receive":
      return say(await world.channels[op.channel]!.receive(task));
    case "try":
      return say(world.channels[op.channel]!.tryReceive());
    case "close":
      return world.channels[op.channel]!.closeChannel();
    case "select": {
      const got = await select(task, world.channels, op.timeout, false);
      return say(`${got.outcome} ${got.index} ${got.value}`);
    }
    case "spawn": {
      const handle = spawnTask(task, (child) => runAll(child, world, op.body));
      expect(handle).toBeInstanceOf(TaskHandle);
      handles.push(handle);
      return;
    }
    case "mutex":
      await withMutex(task, undefined, () => runAll(task, world, op.body));
      return;
    case "catch":
      try {
        say(await runAll(task, world, op.body));
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        say(uncaughtText(error));
      }
      return;
    case "deadline":
      say(await withDeadline(task, op.ms, () => runAll(task, world, op.body)));
      return;
    case "spin":
      for (let i = 0; i < op.steps; i++) if (++task.steps >= task.checkAt) limitCheckpoint(task);
      return;
    case "parallel": {
      const items = new List(op.bodies.map((_, index) => index));
      const operand = op.mode === "count" ? op.bodies.length : items;
      const body = (child: Task, index: Value): Promise<Value> =>
        runAll(child, world, op.bodies[index as number] ?? []);
      say((await runParallel(task, op.mode, operand, body, op.max)) !== null);
      return;
    }
  }
}

const program =
  (list: readonly Op[]): TestProgram =>
  (task) =>
    runAll(task, new World(), list);

/** A machine whose clock moves with every look, so that computations can miss their deadlines. */
function restlessHost() {
  const host = createMemoryHost();
  const { monotonic } = host.clock;
  host.clock.monotonic = function (this: typeof host.clock) {
    this.advance(7);
    return monotonic.call(this);
  };
  return host;
}

test("generated concurrent programs replay to the same output and outcome", async () => {
  let waited = 0;
  await fc.assert(
    fc.asyncProperty(ops, async (list) => {
      const { recorded, replayed, journal } = await recordAndReplay(program(list), restlessHost());
      if (journal.records.some((record) => record.t === "result" && (record.o ?? 0) > 1)) waited++;
      expect(replayed).toEqual(recorded);
      expect(recorded.guarded.kind).toBe("ended");
    }),
    { numRuns: 400 },
  );
  expect(waited).toBeGreaterThan(50);
});
