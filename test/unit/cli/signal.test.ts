/** std/signal: what a program does when a real signal reaches its process, and what its replay and its resumption do. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder, tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("state");

const folder = tempFolder("signal");

const program = (...lines: readonly string[]): string => ['import "std/signal"', ...lines].join("\n");
const asleep = ['println("ready")', "sleep(600000)"];

/** Node arms its watch now and then; in these 30 µs a signal ends the process plainly (host/interrupts.ts). */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

let journals = 0;

/** Runs it, sends the signal once it is ready, and gives how it ended, with its replay beside it. */
async function interruptedRun(script: string, signal: NodeJS.Signals, again?: string) {
  journals++;
  const journal = join(folder, `${journals}.journal`);
  const run = startHarn(["run", "--record", journal, "-e", script]);
  await run.shows("ready");
  await pause();
  run.child.kill(signal);
  if (again !== undefined) {
    await run.shows(again);
    await pause();
    run.child.kill(signal);
  }
  return { done: await run.ended, replay: () => harn(["replay", journal]) };
}

describe("handlers of interrupts", () => {
  it("are called newest first, may wait, and are over before anything unwinds", async () => {
    const script = program(
      'on_interrupt({ event -> println("oldest ${event.reason} ${event.signal}") })',
      "on_interrupt({ event ->",
      "  sleep(20)",
      '  println("newest ${interrupted()}")',
      "})",
      'println("ready")',
      'try { sleep(600000) } finally { println("unwinds ${interrupted()}") }',
    );
    const { done, replay } = await interruptedRun(script, "SIGINT");
    expect(done).toMatchObject({
      stdout: "ready\nnewest true\noldest interrupt SIGINT\nunwinds true\n",
      status: 130,
    });
    expect(replay()).toMatchObject({ stdout: done.stdout, status: 130 });
  });

  it("hear of TERM as well", async () => {
    const script = program("on_interrupt({ event -> println(event) })", ...asleep);
    const { done, replay } = await interruptedRun(script, "SIGTERM");
    expect(done).toMatchObject({ stdout: "ready\n{reason: terminate, signal: SIGTERM}\n", status: 143 });
    expect(replay()).toMatchObject({ stdout: done.stdout, status: 143 });
  });

  it("hear of HUP as well, and the blocks of the program run", async () => {
    const script = program(
      "on_interrupt({ event -> println(event) })",
      'try { println("ready"); sleep(600000) } finally { println("unwinds") }',
    );
    const { done, replay } = await interruptedRun(script, "SIGHUP");
    const stdout = "ready\n{reason: hangup, signal: SIGHUP}\nunwinds\n";
    expect(done).toMatchObject({ stdout, status: 129 });
    expect(replay()).toMatchObject({ stdout, status: 129 });
  });

  it("are not called for USR1, which does not open a debugger either", async () => {
    const run = startHarn(["run", "-e", program(...asleep)]);
    await run.shows("ready");
    run.child.kill("SIGUSR1");
    await pause();
    run.child.kill("SIGTERM");
    const done = await run.ended;
    expect(done.status).toBe(143);
    expect(done.stderr).not.toContain("Debugger");
  });

  it("belong to a body while it runs", async () => {
    const script = program(
      'with_interrupt({ event -> println("over") }, fn() { nil })',
      'with_interrupt({ event -> println("inside") }, fn() {',
      ...asleep,
      "})",
    );
    const { done } = await interruptedRun(script, "SIGINT");
    expect(done).toMatchObject({ stdout: "ready\ninside\n", status: 130 });
  });

  it("say with `exit` what the process ends with", async () => {
    const handler = ["on_interrupt({ event ->", '  println("saved")', "  exit(7)", "})"];
    const script = program('on_interrupt({ event -> println("not called") })', ...handler, ...asleep);
    const { done, replay } = await interruptedRun(script, "SIGINT");
    expect(done).toMatchObject({ stdout: "ready\nsaved\n", status: 7 });
    expect(replay()).toMatchObject({ stdout: done.stdout, status: 7 });
  });

  it("do not keep each other from running when one fails", async () => {
    const script = program(
      'on_interrupt({ event -> println("oldest") })',
      'on_interrupt({ event -> throw "no disk" })',
      ...asleep,
    );
    const { done } = await interruptedRun(script, "SIGINT");
    expect(done).toMatchObject({ stdout: "ready\noldest\n", status: 130 });
    expect(done.stderr).toContain("harn: a handler of the interrupt failed: Thrown: no disk\n");
  });

  it("let the program go on until they are done: it may end by itself", async () => {
    const script = program(
      'let finished = channel("finished")',
      "on_interrupt({ event -> receive(finished) })",
      'println("ready")',
      "while !interrupted() { sleep(400) }",
      'println("last round")',
      "send(finished, true)",
    );
    const { done, replay } = await interruptedRun(script, "SIGINT");
    expect(done).toMatchObject({ stdout: "ready\nlast round\n", status: 130 });
    expect(replay()).toMatchObject({ stdout: done.stdout, status: 130 });
  });

  it("have five seconds, whatever they catch", async () => {
    const script = program(
      'on_interrupt({ event -> println("never") })',
      "on_interrupt({ event -> while true { try { sleep(600000) } catch (e) { nil } } })",
      'println("ready")',
      'try { sleep(600000) } finally { println("tidied") }',
    );
    const { done, replay } = await interruptedRun(script, "SIGINT");
    expect(done).toMatchObject({ stdout: "ready\ntidied\n", status: 130 });
    expect(done.stderr).toContain("took longer than 5 s and were ended");
    expect(replay()).toMatchObject({ stdout: done.stdout, status: 130 });
  });

  it("are ended by a second signal", async () => {
    const handler = ["on_interrupt({ event ->", '  println("saving")', "  sleep(600000)", "})"];
    const script = program(...handler, 'println("ready")', 'try { sleep(600000) } finally { println("no") }');
    const { done } = await interruptedRun(script, "SIGINT", "saving");
    expect(done).toMatchObject({ stdout: "ready\nsaving\n", status: 130 });
  });

  it("are ended by a second signal while they compute, too", async () => {
    const handler = [
      "on_interrupt({ event ->",
      '  println("saving")',
      "  sleep(1)",
      "  while true { }",
      "})",
    ];
    const { done } = await interruptedRun(program(...handler, ...asleep), "SIGINT", "saving");
    expect(done).toMatchObject({ stdout: "ready\nsaving\n", status: 130 });
  });
});

describe("handlers of a program that computes", () => {
  const script = program(
    "let rounds = atomic()",
    "on_interrupt({ event ->",
    "  sleep(10)",
    '  println("stopped ${atomic_get(rounds) > 0}")',
    "})",
    'println("ready")',
    "while true { atomic_add(rounds, 1) }",
  );

  it("are called, off the record", async () => {
    const { done, replay } = await interruptedRun(script, "SIGINT");
    expect(done).toMatchObject({ stdout: "ready\nstopped true\n", status: 130 });
    expect(replay()).toMatchObject({ stdout: "ready\n", status: 130 });
  });

  it("are called where it has waited before, too", async () => {
    const waited = program(
      'on_interrupt({ event -> println("saving") })',
      "sleep(1)",
      'println("ready")',
      "while true { }",
    );
    const { done, replay } = await interruptedRun(waited, "SIGINT");
    expect(done).toMatchObject({ stdout: "ready\nsaving\n", status: 130 });
    expect(replay()).toMatchObject({ stdout: "ready\n", status: 130 });
  });

  it("are not called when nobody takes the output any more", () => {
    const file = join(folder, "endless.harn");
    writeFileSync(
      file,
      program('on_interrupt({ event -> eprintln("called") })', 'while true { println("line") }'),
    );
    const done = startHarn(["run", file], { cwd: folder });
    done.child.stdout?.once("data", () => done.child.stdout?.destroy());
    return done.ended.then(({ stderr }) => expect(stderr).not.toContain("called"));
  });
});

describe("a run that was interrupted", () => {
  it("knows nothing of it when it is resumed", async () => {
    const state = freshFolder();
    const file = join(state, "work.harn");
    writeFileSync(
      file,
      program(
        'on_interrupt({ event -> println("saving ${interrupted()}") })',
        'println("ready")',
        "try {",
        // Rarely at work: what a signal breaks off while it computes does not unwind.
        '  while !file_exists("go") { sleep(200) }',
        "} finally {",
        '  if interrupted() { println("unwinding") }',
        "}",
        'println("done, interrupted: ${interrupted()}")',
        "sleep(1)",
        'println("end")',
      ),
    );
    const run = startHarn(["run", file], { cwd: state });
    await run.shows("ready");
    await pause();
    run.child.kill("SIGINT");
    expect(await run.ended).toMatchObject({ stdout: "ready\nsaving true\nunwinding\n", status: 130 });
    writeFileSync(join(state, "go"), "");
    const resumed = harn(["run", "--resume", "last"], { cwd: state });
    expect(resumed).toMatchObject({ stdout: "done, interrupted: false\nend\n", status: 0 });
    expect(harn(["replay", "last"], { cwd: state }).stdout).toBe("ready\ndone, interrupted: false\nend\n");
  });
});
