/** Ctrl-C and TERM: wherever the program is, it stops cleanly, says how to look at what was recorded, and replays. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("interrupt");

const programs: Readonly<Record<string, string>> = {
  "a loop that never ends": 'println("ready")\nsleep(1)\nwhile true { }',
  "a loop that never ends, from the start": 'println("ready")\nwhile true { }',
  "a sleep": 'println("ready")\nsleep(600000)',
  "a catch that would swallow it": 'println("ready")\ntry { sleep(600000) } catch (e) { println("caught") }',
  "many tasks": 'println("ready")\nparallel each [1, 2, 3] { x -> sleep(600000) }',
  "recursion without end": 'println("ready")\nfn f(n) { return f(n + 1) }\nf(0)',
};

describe("Ctrl-C", () => {
  for (const [name, script] of Object.entries(programs)) {
    it(`ends ${name}, and the journal replays to the same end`, async () => {
      const journal = join(folder, `${name.replaceAll(/\W+/g, "-")}.journal`);
      const run = startHarn(["run", "--record", journal, "-e", script]);
      await run.shows("ready");
      // A signal in the 30 µs in which Node arms its watch ends the process plainly (host/interrupts.ts says why).
      await pause(100);
      run.child.kill("SIGINT");
      const done = await run.ended;
      expect(done).toMatchObject({ stdout: "ready\n", status: 130, signal: null });
      expect(done.stderr).toBe(
        `harn: interrupted; what ran was recorded: \`harn replay ${journal}\` shows it again\n`,
      );
      const again = harn(["replay", journal]);
      expect(again).toMatchObject({ stdout: "ready\n", status: 130 });
    });
  }

  it("ends a replay, and does not say that the run was interrupted", async () => {
    const journal = join(folder, "long.journal");
    const script = 'println("ready ${now_ms() > 0}")\nvar i = 0\nwhile i < 300000000 { i += 1 }';
    expect(harn(["run", "--record", journal, "-e", script]).status).toBe(0);
    const again = startHarn(["replay", journal]);
    await again.shows("ready");
    await pause(50);
    again.child.kill("SIGINT");
    expect(await again.ended).toMatchObject({ stderr: "harn: the replay was stopped\n", status: 130 });
  });

  const printing: Readonly<Record<string, string>> = {
    "a loop": 'println("ready")\nvar i = 0\nwhile true { println("line ${i}")\ni += 1 }',
    "a task beside others":
      'println("ready")\nparallel each [1, 2] { x -> for i in 0 to 20000 { } }\nlet h = spawn { for i in 0 to 9000 { } }\nawait(h)\nvar i = 0\nwhile true { println("line ${i}")\ni += 1 }',
    "a loop that waits now and then":
      'println("ready")\nwhile true { for i in 0 to 2000000 { println(i) }\nsleep(1) }',
    "a deadline":
      'println("ready")\nwhile true { try { deadline 3ms { while true { } } } catch (e) { println(e) } }',
  };
  for (const [name, script] of Object.entries(printing)) {
    it(`loses and doubles nothing of what ${name} prints`, async () => {
      const journal = join(folder, `${name.replaceAll(/\W+/g, "-")}-printing.journal`);
      const run = startHarn(["run", "--record", journal, "-e", script]);
      await run.shows("ready");
      await new Promise((resolve) => setTimeout(resolve, 150));
      run.child.kill("SIGINT");
      const done = await run.ended;
      expect(done.status).toBe(130);
      const again = harn(["replay", journal]);
      expect(again.stderr).toBe(
        `harn: here the run was interrupted; \`harn run --resume ${journal}\` goes on from there\n`,
      );
      expect(again.status).toBe(130);
      expect(again.stdout === done.stdout).toBe(true);
    });
  }

  it("runs finally blocks of a program that waits", async () => {
    const run = startHarn([
      "run",
      "-e",
      'println("ready")\ntry { sleep(600000) } finally { println("tidied") }',
    ]);
    await run.shows("ready");
    run.child.kill("SIGINT");
    expect(await run.ended).toMatchObject({ stdout: "ready\ntidied\n", status: 130 });
  });

  it("kills the sub-process tree", async () => {
    const pidFile = join(folder, "grandchild");
    const script = `shell("(sleep 600) & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; sleep 600")`;
    const run = startHarn(["run", "-e", script]);
    while (!existsSync(pidFile)) await pause(10);
    run.child.kill("SIGINT");
    expect((await run.ended).status).toBe(130);
    const grandchild = Number(readFileSync(pidFile, "utf8"));
    while (isRunning(grandchild)) await pause(10);
  });

  it("kills a sub-process that is being started", async () => {
    const mark = `6${process.pid}`;
    const run = harn(["run", "-e", `exec("sleep", "${mark}")`], {
      env: { NODE_OPTIONS: `--require ${join(projectRoot, "test/support/signal-at-spawn.cjs")}` },
    });
    expect(run.status).toBe(130);
    const left = () => spawnSync("pgrep", ["-f", `^sleep ${mark}$`], { encoding: "utf8" }).stdout;
    await expect.poll(left).toBe("");
  });
});

/** A process that ended and waits for its parent to notice runs no more. */
const isRunning = (pid: number): boolean => {
  const { status, stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && !stdout.startsWith("Z");
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("TERM", () => {
  it("ends a program that waits with 143", async () => {
    const run = startHarn(["run", "-e", programs["a sleep"]!]);
    await run.shows("ready");
    run.child.kill("SIGTERM");
    const done = await run.ended;
    expect(done.status).toBe(143);
    expect(done.stderr).toMatch(/^harn: terminated; /);
  });
});
