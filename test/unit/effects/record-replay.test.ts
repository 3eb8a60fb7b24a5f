/** Record → replay: same output, same outcome, nothing outside touched; and what a replay says when it can't go on. */
import { describe, expect, test } from "vitest";
import { type JournalRecord, MemoryJournal, Secrets } from "../../../src/effects/index.ts";
import {
  awaitHandle,
  Channel,
  limitCheckpoint,
  runParallel,
  select,
  spawnTask,
  type Task,
  withDeadline,
} from "../../../src/interp/index.ts";
import { display, List, ScriptError, thrown, type Value } from "../../../src/values/index.ts";
import {
  recordAndReplay,
  recordingEffects,
  replayEffects,
  runToEnd,
  type TestProgram,
  testRun,
  unusableHost,
} from "../../support/concurrent.ts";
import { createMemoryHost, type MemoryHost } from "../../support/memory-host.ts";
import { effect, now, sleep } from "../../support/task-effects.ts";

async function same(program: TestProgram): Promise<readonly JournalRecord[]> {
  const { recorded, replayed, journal } = await recordAndReplay(program);
  expect(replayed).toEqual(recorded);
  return journal.records;
}

describe("replay gives what was recorded", () => {
  test("observations, random numbers, files and their errors", async () => {
    const records = await same((task) => {
      task.write(`${now(task)} ${task.runtime.effects.random32(task.scope)}\n`);
      void effect(
        task,
        "write_file",
        () => {
          task.runtime.host.files.write("/work/a", "x");
          return null;
        },
        ["/work/a"],
        "write",
      );
      try {
        void effect(
          task,
          "read_file",
          () => {
            throw thrown("no such file");
          },
          ["/work/b"],
        );
      } catch (error) {
        task.write(`${(error as ScriptError).value}\n`);
      }
      return 1;
    });
    expect(records.map((record) => record.t)).toEqual([
      "result",
      "intent",
      "result",
      "intent",
      "result",
      "end",
    ]);
  });

  test("the order in which results come, whoever asked first", async () => {
    const records = await same(async (task) => {
      const order: Value[] = [];
      await runParallel(task, "each", new List([30, 10, 20]), async (child, ms) => {
        await sleep(child, ms as number);
        order.push(ms);
        return null;
      });
      task.write(display(new List(order)));
      return null;
    });
    const orders = records.flatMap((record) => (record.t === "result" ? [[record.p, record.o]] : []));
    expect(orders).toEqual([
      ["0.1", 0],
      ["0.2", 1],
      ["0.0", 2],
    ]);
  });

  test("channels, select and timers without entries of their own", async () => {
    const records = await same(async (task) => {
      const jobs = new Channel("jobs", 2);
      const worker = spawnTask(task, async (child) => {
        for (let i = 0; i < 4; i++) {
          await sleep(child, 10 * i);
          await jobs.send(child, i);
        }
        jobs.closeChannel();
        return null;
      });
      for (;;) {
        const got = await select(task, [jobs], 15, false);
        task.write(`${got.outcome}:${got.value} `);
        if (jobs.drained) break;
      }
      await awaitHandle(task, worker);
      return null;
    });
    expect(new Set(records.map((record) => ("k" in record ? record.k : record.t)))).toEqual(
      new Set(["sleep", "timer", "result", "end"]),
    );
  });

  test("deadlines that pass while waiting and while computing", async () => {
    const host = createMemoryHost();
    const spin = (task: Task): never => {
      for (;;) {
        if (task.runtime.effects.mode === "record") host.clock.advance(0.01);
        if (++task.steps >= task.checkAt) limitCheckpoint(task);
      }
    };
    const program: TestProgram = async (task) => {
      for (const body of [() => sleep(task, 500), () => spin(task)]) {
        try {
          await withDeadline(task, 20, body);
        } catch (error) {
          task.write(`${(error as ScriptError).value} at ${task.steps > 0} ${now(task)}\n`);
        }
      }
      return task.steps;
    };
    const { recorded, replayed, journal } = await recordAndReplay(program, host);
    expect(replayed).toEqual(recorded);
    const decisions = journal.records.filter((record) => record.t === "decision");
    expect(decisions).toMatchObject([{ p: "0", k: "deadline", of: "0#0" }]);
  });

  test("an uncaught error", async () => {
    await same(async (task) => {
      await sleep(task, 1);
      task.write("before\n");
      throw thrown("boom");
    });
  });

  test("a stop while waiting: finally blocks run, and again on replay", async () => {
    const program: TestProgram = async (task) => {
      try {
        await sleep(task, 60_000);
      } finally {
        task.write("tidied up\n");
      }
      return null;
    };
    const writer = new MemoryJournal();
    const effects = recordingEffects(writer);
    const host = createMemoryHost();
    host.clock.sleep = () => new Promise(() => {});
    setImmediate(() => effects.requestStop({ reason: "interrupt", exitCode: 130 }));
    const recorded = await runToEnd(program, effects, host);
    expect(recorded).toMatchObject({ output: "tidied up\n", guarded: { kind: "stopped" } });
    const replayed = await runToEnd(program, replayEffects(writer.read()), unusableHost());
    expect(replayed).toMatchObject({
      output: "tidied up\n",
      guarded: { kind: "stopped", request: { reason: "interrupt", exitCode: 130 } },
    });
  });

  test("what is abandoned stays abandoned", async () => {
    await same(async (task) => {
      spawnTask(task, (child) => sleep(child, 60_000));
      await sleep(task, 1);
      return "done";
    });
  });

  test("effects inside an effect belong to it", async () => {
    await same((task) => {
      const outer = effect(task, "outer", () => (effect(task, "inner", () => 20) as number) + 1);
      return effect(task, "next", () => (outer as number) * 2);
    });
  });

  test("results that have no stored form are told to the script, then and now", async () => {
    await same((task) => {
      try {
        void effect(task, "give_channel", () => new Channel("c", 1));
      } catch (error) {
        task.write(String((error as ScriptError).value));
      }
      return null;
    });
  });
});

describe("a replay that can't go on", () => {
  const record = async (program: TestProgram): Promise<MemoryJournal> => {
    const writer = new MemoryJournal();
    await runToEnd(program, recordingEffects(writer));
    return writer;
  };
  const replay = async (writer: MemoryJournal, program: TestProgram) =>
    (await runToEnd(program, replayEffects(writer.read()), unusableHost())).guarded;
  const read =
    (path: string): TestProgram =>
    (task) =>
      effect(task, "read_file", () => "text", [path]);

  test("on another machine: the versions that differ are named", async () => {
    const journal = (await record(read("/a"))).read();
    const then = {
      ...journal,
      header: { ...journal.header, platform: { node: "1.2.3", tz: "2020a", os: "linux" } },
    };
    const versions = { runtime: "0", node: "24.0.0", tz: "2020a", icu: "78" };
    const { guarded } = await runToEnd(read("/b"), replayEffects(then, undefined, versions), unusableHost());
    const details = guarded.kind === "problem" ? guarded.problem.details : [];
    expect(details.at(-1)).toBe("it was recorded with node 1.2.3 (now 24.0.0)");
  });

  test("other arguments: both sides and where they part", async () => {
    const problem = await replay(await record(read("/a")), read("/b"));
    expect(problem).toMatchObject({
      kind: "problem",
      problem: {
        kind: "mismatch",
        message: "the replay asks for something else than was recorded (effect 0#0)",
        details: [
          'recorded: read_file (read) ["/a"]',
          'asked:    read_file (read) ["/b"]',
          'they differ at arguments[0]: "/a" → "/b"',
          expect.stringContaining("record it again"),
        ],
      },
    });
  });

  test("another effect, and one more than was recorded", async () => {
    const other = await replay(await record(read("/a")), (task) => now(task));
    expect(other).toMatchObject({ problem: { kind: "mismatch" } });
    const more = await replay(await record(read("/a")), async (task) => {
      await read("/a")(task);
      return read("/b")(task);
    });
    expect(more).toMatchObject({
      problem: {
        kind: "mismatch",
        details: [
          "recorded: nothing; the run ended with done (exit code 0)",
          expect.any(String),
          expect.any(String),
        ],
      },
    });
  });

  test("no script can catch it, and nothing is printed any more", async () => {
    const writer = await record(read("/a"));
    const run = testRun(replayEffects(writer.read()), unusableHost());
    let caught: unknown;
    try {
      await read("/b")(run.task);
    } catch (error) {
      caught = error;
    }
    expect(caught).not.toBeInstanceOf(ScriptError);
    run.task.write("after");
    expect(run.printed).toEqual([]);
  });

  test("a program that waits for something else", async () => {
    const writer = await record(async (task) => {
      await Promise.all([sleep(task, 10), sleep(task, 20)]);
      return null;
    });
    // The first sleep is handed over; the second was never asked for: the hang must be told.
    const problem = await replay(writer, async (task) => {
      await sleep(task, 10);
      await new Channel("c", 1).receive(task);
      return null;
    });
    expect(problem).toMatchObject({
      problem: {
        kind: "mismatch",
        message: "the replay waits for something else than was recorded",
        details: [
          "recorded: the result of effect 0#1 sleep comes next",
          "asked:    nothing",
          expect.any(String),
        ],
      },
    });
  });

  test("a program that asks for less", async () => {
    const divergence = {
      place: "0#1",
      recorded: "effect 0#1 read_file comes next",
      now: "nothing, the program has ended",
    };
    const writer = await record((task) => {
      void read("/a")(task);
      return read("/b")(task);
    });
    expect(await replay(writer, read("/a"))).toMatchObject({
      problem: { kind: "mismatch", message: "the program ends earlier than it did then", divergence },
    });
  });

  test("less than was recorded, and other output", async () => {
    const writer = await record((task) => {
      task.write("one\n");
      return null;
    });
    expect(
      await replay(writer, (task) => {
        task.write("two\n");
        return null;
      }),
    ).toMatchObject({
      problem: { kind: "mismatch", message: expect.stringContaining("printed something else") },
    });
  });

  test("a journal that was cut off says so", async () => {
    const program: TestProgram = async (task) => {
      for (let i = 0; i < 5; i++) {
        await sleep(task, 10);
        task.write(`${i}\n`);
      }
      return null;
    };
    const writer = await record(program);
    for (let kept = 1; kept < writer.lines.length; kept++) {
      const cut = new MemoryJournal();
      for (const line of writer.lines.slice(0, kept)) cut.append(line);
      const { guarded, output } = await runToEnd(program, replayEffects(cut.read()), unusableHost());
      expect(guarded).toMatchObject({ kind: "problem", problem: { kind: "ended-early" } });
      expect("0\n1\n2\n3\n4\n".startsWith(output)).toBe(true);
    }
  });
});

test("a deadline whose passing the journal has lost ends the replay, which would compute for ever", async () => {
  const spinOn = (host: MemoryHost): TestProgram => {
    return (task) =>
      withDeadline(task, 20, () => {
        for (;;) {
          host.clock.advance(0.01);
          if (++task.steps >= task.checkAt) limitCheckpoint(task);
        }
      });
  };
  const host = createMemoryHost();
  const { journal } = await recordAndReplay(spinOn(host), host);
  const records = journal.records.filter((one) => one.t !== "decision");
  expect(records).toHaveLength(journal.records.length - 1);
  const other = createMemoryHost();
  const { guarded } = await runToEnd(spinOn(other), replayEffects({ ...journal, records }), other);
  expect(guarded).toMatchObject({
    problem: {
      kind: "mismatch",
      details: [
        "recorded: nothing that ends this computation",
        "asked:    deadline 0#0 has 20 ms, and they are over by far",
        expect.any(String),
      ],
    },
  });
});

test("a deadline that the journal names and the program has not", async () => {
  const host = createMemoryHost();
  const program: TestProgram = (task) =>
    withDeadline(task, 20, () => {
      for (;;) {
        if (task.runtime.effects.mode === "record") host.clock.advance(0.01);
        if (++task.steps >= task.checkAt) limitCheckpoint(task);
      }
    });
  const { journal } = await recordAndReplay(program, host);
  for (const changed of [{ of: "0#7" }, { k: "eternity", of: "0#1" }]) {
    const records = journal.records.map((one) => (one.t === "decision" ? { ...one, ...changed } : one));
    const { guarded } = await runToEnd(program, replayEffects({ ...journal, records }), unusableHost());
    expect(guarded).toMatchObject({
      problem: {
        kind: "mismatch",
        message: "the replay computes something else than was recorded",
        details: [
          expect.stringMatching(/^recorded: (deadline|eternity) 0#[17] passes at step \d+ of task 0$/),
          "asked:    nothing of that name is in force there",
          expect.any(String),
        ],
      },
    });
  }
});

describe("secrets", () => {
  test("never reach the journal, and fingerprints use the placeholder", async () => {
    const key = "sk-verysecret/123";
    const secrets = Secrets.ofEnvironment([
      ["OPENAI_API_KEY", key],
      ["HOME", "/home/someone"],
      ["DB_PASSWORD", "short"],
    ]);
    const program: TestProgram = (task) => {
      void effect(
        task,
        "http_post",
        () => `echo ${key}`,
        { url: `https://x/?k=${encodeURIComponent(key)}`, [key]: 1 },
        "write",
      );
      try {
        void effect(
          task,
          "exec",
          () => {
            throw thrown(`bad key ${key}`);
          },
          [key],
          "write",
        );
      } catch {
        return null;
      }
      return null;
    };
    const writer = new MemoryJournal();
    await runToEnd(program, recordingEffects(writer, secrets, [`--key=${key}`]));
    const text = JSON.stringify(writer.lines);
    expect(text).not.toContain("verysecret");
    expect(text).toContain("{{secret:OPENAI_API_KEY}}");
    expect(text).not.toContain("{{secret:HOME}}");
    const replayed = await runToEnd(program, replayEffects(writer.read(), secrets), unusableHost());
    expect(replayed.guarded.kind).toBe("ended");
  });
});

describe("a journal that holds what Harn never records", () => {
  /** Replays with another result in place of the recorded one. */
  async function withResult(program: TestProgram, input: unknown) {
    const writer = new MemoryJournal();
    await runToEnd(program, recordingEffects(writer));
    const journal = writer.read();
    const records = journal.records.map((record) =>
      record.t === "result" ? ({ ...record, v: input } as JournalRecord) : record,
    );
    return runToEnd(program, replayEffects({ ...journal, records }), unusableHost());
  }

  test("is told as damage, with the result that was read last, where Harn fails with it", async () => {
    const { guarded } = await withResult((task) => {
      const read = effect(task, "lines", () => new List(["a"])) as List;
      return [...read].length;
    }, 7);
    expect(guarded).toMatchObject({
      kind: "problem",
      problem: {
        kind: "unreadable",
        message: "the recorded run can't be followed: it holds what Harn does not record",
        details: [
          "the result of effect 0#0 lines was read last",
          "if nobody changed the journal, this is a defect of Harn: please report it, with `harn runs export`",
        ],
        cause: expect.any(TypeError),
      },
    });
  });

  test("the same later, in a run that nothing was read for", async () => {
    const { guarded } = await withResult((task) => {
      if (task.runtime.effects.mode === "replay") throw new TypeError("a defect");
      return 1;
    }, null);
    expect(guarded).toMatchObject({
      kind: "problem",
      problem: { details: ["no result had been read", expect.stringContaining("please report it")] },
    });
  });
});
