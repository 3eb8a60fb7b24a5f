/** Runs that are cut off at any record and go on: same output, nothing done twice; and what a resume refuses. */
import { describe, expect, test } from "vitest";
import { historyBefore, type Json, MemoryJournal, resumePoint, stepsOf } from "../../../src/effects/index.ts";
import { limitCheckpoint, withDeadline } from "../../../src/interp/index.ts";
import type { ScriptError } from "../../../src/values/index.ts";
import {
  recordingEffects,
  replayEffects,
  runToEnd,
  type TestProgram,
  unusableHost,
} from "../../support/concurrent.ts";
import { createMemoryHost, type MemoryHost, ScriptedProcesses } from "../../support/memory-host.ts";
import { type ReplayableRun, runUnder } from "../../support/replay-script.ts";
import { cutJournal, resumingEffects } from "../../support/resuming-effects.ts";
import { sleep } from "../../support/task-effects.ts";

const programs: Readonly<Record<string, string>> = {
  "files, clock and random numbers": `
println("\${now_ms() > 0} \${random_int(1, 1000)}")
append_file("log.txt", "a\\n")
println(read_file("log.txt"))
append_file("log.txt", "b\\n")
delete_file("gone.txt")
println(file_exists("gone.txt"))
println(read_file("log.txt").len())`,
  "tasks and channels": `
let jobs = channel("jobs", 2)
let workers = [1, 2].map({ id -> spawn {
  var n = 0
  for job in jobs { sleep(random_int(1, 9))
append_file("log.txt", "\${job}\\n")
n = n + 1 }
  n
} })
for i in 1 to 4 { send(jobs, i)
println("sent \${i}") }
close_channel(jobs)
println(workers.map({ w -> await(w) }).sum())
println(read_file("log.txt").len())`,
  "generators, deadlines and errors": `
gen fn ticks() { for i in 1 to 3 { sleep(2)
emit i } }
for t in ticks() { println(t) }
try { deadline 5ms { sleep(1h) } } catch e { println(e) }
try { read_file("none.txt") } catch e { println("no file") }
println(parallel each [3, 1, 2] { x -> sleep(x)
x * 2 })`,
};

function machine(): MemoryHost {
  return createMemoryHost({
    files: { "/work/log.txt": "", "/work/gone.txt": "x" },
    processes: new ScriptedProcesses((_program, args) => ({ stdout: `ran ${args.join(" ")}\n` })),
  });
}

async function record(
  text: string,
  host = machine(),
): Promise<{ run: ReplayableRun; journal: MemoryJournal }> {
  const journal = new MemoryJournal();
  const run = await runUnder(text, recordingEffects(journal), host);
  return { run, journal };
}

describe("a run that is cut off at any record", () => {
  for (const [name, text] of Object.entries(programs)) {
    test(`goes on and replays: ${name}`, async () => {
      const whole = await record(text);
      expect(whole.run.error).toBe("");
      for (let kept = 1; kept < whole.journal.lines.length; kept++) {
        // The machine as it was then: the effects up to there have happened.
        const host = machine();
        const left = cutJournal(whole.journal, kept);
        bringTo(left, host);
        const again = await runUnder(text, resumingEffects(left.read(), left), host);
        expect(again.guarded.kind, `cut at ${kept}`).toBe("ended");
        expect(again.stdout.split("\n").length).toBe(whole.run.stdout.split("\n").length);
        expect(new TextDecoder().decode(host.files.readBytes("/work/log.txt")).split("\n").sort()).toEqual(
          name.startsWith("files")
            ? ["", "a", "b"]
            : name.startsWith("tasks")
              ? ["", "1", "2", "3", "4"]
              : [""],
        );
        const replayed = await runUnder(text, replayEffects(left.read()), unusableHost());
        expect(replayed.stdout, `replay of ${kept}`).toBe(again.stdout);
      }
    });
  }
});

/** Does on a machine what the recorded effects have done: the appends and deletions that have results. */
function bringTo(left: MemoryJournal, host: MemoryHost): void {
  const { history } = resumePoint(left.read());
  for (const step of stepsOf(history)) {
    if (step.result === undefined || step.effect !== "write") continue;
    const [path, added] = history.whole(step.args as Json) as readonly string[];
    if (step.kind === "append_file") host.files.append(`/work/${path}`, added ?? "");
    if (step.kind === "delete_file") host.files.remove(`/work/${path}`);
  }
}

test("a run that was killed in a computation under a deadline: the deadline passes when it goes on", async () => {
  const host = machine();
  const program: TestProgram = async (task) => {
    await sleep(task, 5);
    try {
      await withDeadline(task, 20, () => {
        for (;;) {
          if (task.runtime.effects.mode === "record") host.clock.advance(0.01);
          if (++task.steps >= task.checkAt) limitCheckpoint(task);
        }
      });
    } catch (error) {
      task.write(`${(error as ScriptError).value}\n`);
    }
    return 1;
  };
  const whole = new MemoryJournal();
  await runToEnd(program, recordingEffects(whole), host);
  const left = cutJournal(
    whole,
    whole.lines.findIndex(({ t }) => t === "decision"),
  );
  const again = await runToEnd(program, resumingEffects(left.read(), left), host);
  expect(again).toMatchObject({ guarded: { kind: "ended" }, output: "Deadline exceeded\n" });
  expect(await runToEnd(program, replayEffects(left.read()), unusableHost())).toEqual(again);
});

describe("doubtful effects", () => {
  const text = 'println(exec("touch", "x").stdout)';

  async function interrupted(script: string): Promise<MemoryJournal> {
    const { journal } = await record(script);
    const at = journal.lines.findIndex((line) => line.t === "intent" && line.c === "write");
    return cutJournal(journal, at + 1);
  }

  test("a sub-process that may not be run again stops the run; it is run again or failed as asked", async () => {
    for (const [onDoubt, stdout, said] of [
      ["ask", "", 1],
      ["redo", "ran x\n\n", 1],
      ["fail", "", 0],
    ] as const) {
      const left = await interrupted(text);
      const report: string[] = [];
      const options = { onDoubt, reportInDoubt: (line: string) => report.push(line) };
      const again = await runUnder(text, resumingEffects(left.read(), left, options), machine());
      expect(again.stdout).toBe(stdout);
      expect(report).toHaveLength(said);
      if (onDoubt === "fail") expect(again.error).toContain("it is not known whether it happened: exec");
    }
  });

  test("an append that happened is not done again, one that did not is", async () => {
    const script = 'append_file("log.txt", "line")\nprintln(read_file("log.txt"))';
    for (const happened of [true, false]) {
      const left = await interrupted(script);
      const host = machine();
      if (happened) host.files.append("/work/log.txt", "line");
      const again = await runUnder(script, resumingEffects(left.read(), left), host);
      expect(again.stdout).toBe("line\n");
    }
  });

  test("a sleep waits for what is left of it", async () => {
    const script = "sleep(10000)\nprintln(1)";
    const journal = new MemoryJournal();
    const host = machine();
    let slept = 0;
    const note = async (ms: number): Promise<void> => {
      slept = ms;
    };
    const { clock } = host;
    Object.defineProperty(host, "clock", {
      value: { ...clock, now: () => 5000, sleep: note },
    });
    await runUnder(script, recordingEffects(journal), host);
    const left = cutJournal(journal, journal.lines.findIndex((line) => line.t === "intent") + 1);
    const [intent] = left.lines.slice(-1);
    (intent as { due?: number }).due = 8000;
    // On time, too late, and with a clock that was set back: never longer than it was asked to.
    for (const [now, expected] of [
      [5000, 3000],
      [9000, 0],
      [-1_000_000, 10_000],
    ] as const) {
      slept = Number.NaN;
      const again = cutJournal(left, left.lines.length);
      await runUnder(script, resumingEffects(again.read(), again, { now: () => now }), host);
      expect(slept).toBe(expected);
    }
  });
});

describe("an edited program", () => {
  const before = 'println(read_file("log.txt"))\nsleep(1)\nprintln("end")';

  test("stops at the first difference, or goes on from there", async () => {
    const { journal } = await record(before);
    const left = cutJournal(journal, journal.lines.length - 2);
    const after = before.replace("log.txt", "gone.txt");
    const stopped = await runUnder(after, resumingEffects(left.read(), left), machine());
    expect(stopped.guarded).toMatchObject({ kind: "problem", problem: { kind: "mismatch" } });
    const accepted = await runUnder(
      after,
      resumingEffects(left.read(), left, { acceptChanges: true }),
      machine(),
    );
    expect(accepted.stdout).toBe("x\nend\n");
  });

  test("that ends before its history does is stopped", async () => {
    const { journal } = await record(before);
    const left = cutJournal(journal, journal.lines.length - 2);
    const stopped = await runUnder("println(1)", resumingEffects(left.read(), left), machine());
    expect(stopped.guarded).toMatchObject({ kind: "problem", problem: { kind: "mismatch" } });
  });
});

test("a fork before a step does it anew, or takes the result that is given", async () => {
  const text = 'println(read_file("log.txt"))\nprintln(read_file("gone.txt"))';
  const { journal } = await record(text);
  const whole = journal.read();
  const { history } = resumePoint(whole);
  const [, step] = stepsOf(history);
  if (step === undefined) throw new Error("two steps");
  for (const [own, second] of [
    [false, "x"],
    [true, "mine"],
  ] as const) {
    const writer = new MemoryJournal();
    const options = {
      history: historyBefore(whole, history, step, own),
      answers: new Map([[step.place, "mine"]]),
    };
    const forked = await runUnder(
      text,
      resumingEffects(whole, writer, own ? options : { history: options.history }),
      machine(),
    );
    expect(forked.stdout).toBe(`\n${second}\n`);
  }
});

test("what failed is tried again; a run that has ended is not gone on with", async () => {
  const text = 'println(read_file("new.txt"))';
  const { run, journal } = await record(text);
  expect(run.error).toContain("Failed to read file");
  expect(resumePoint(journal.read())).toMatchObject({ because: "failed", failed: "0#0" });
  const host = machine();
  host.files.write("/work/new.txt", "here");
  const again = await runUnder(text, resumingEffects(journal.read(), journal), host);
  expect(again.stdout).toBe("here\n");
  expect(resumePoint(journal.read()).because).toBe("ended");
});
