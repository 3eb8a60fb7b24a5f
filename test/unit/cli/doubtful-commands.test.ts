/** Commands that were in progress when their run was killed: run again only where that is safe, or somebody says so. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { harnHere } from "../../support/harn-here.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("commands");

let projects = 0;

interface Killed {
  readonly cwd: string;
  harn(...args: string[]): Promise<CliResult>;
  /** How often the command has run. */
  ran(): number;
}

/** It notes that it ran, and waits for `go` the first time. */
const line =
  "echo ran >> ran.txt; test -e again && exit 0; touch again; while ! test -e go; do sleep 0.05; done";
const unsafe = `let r = exec("sh", "-c", "${line}")\nprintln(r?.success)`;

/** A run that was killed while its command was in progress. */
async function killed(script: string, began = "ran.txt"): Promise<Killed> {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.harn"), script);
  const run = startHarn(["run", "a.harn"], { cwd });
  while (!existsSync(join(cwd, began))) await new Promise((resolve) => setTimeout(resolve, 10));
  run.child.kill("SIGKILL");
  await run.ended;
  writeFileSync(join(cwd, "go"), "");
  return {
    cwd,
    harn: (...args) => harnHere(args, { cwd }),
    ran: () => readFileSync(join(cwd, "ran.txt"), "utf8").split("\n").length - 1,
  };
}

describe("a command in doubt", () => {
  it.each([
    ["redo", 2, { stdout: "true\n", status: 0 }],
    ["skip", 1, { stdout: "nil\n", status: 0 }],
    ["fail", 1, { stdout: "", status: 1 }],
  ] as const)(
    "stops the run with 75, names itself and says how to decide; hitl decides: %s",
    async (choice, ran, next) => {
      const one = await killed(unsafe);
      const stopped = await one.harn("run", "--resume", "last");
      expect(stopped).toMatchObject({ stdout: "", status: 75 });
      expect(stopped.stderr).toContain('may not be safe to run again: exec ["sh","-c","echo ran');
      expect(stopped.stderr).toContain("--on-doubt redo|skip|fail");
      expect((await one.harn("run", "--resume", "last")).status).toBe(75);
      expect(one.ran()).toBe(1);
      const list = (await one.harn("hitl", "list")).stdout;
      expect(list).toContain("doubt: this had begun when the run ended");
      expect(list).toContain("answers: redo, skip, fail\n");
      const wrong = await one.harn("hitl", "answer", "last", "maybe");
      expect(wrong.status).toBe(1);
      expect(wrong.stderr).toContain("answers: redo, skip, fail");
      expect((await one.harn("hitl", "approve", "last")).status).toBe(1);
      expect((await one.harn("hitl", "answer", "last", choice)).status).toBe(0);
      expect(await one.harn("run", "--resume", "last")).toMatchObject(next);
      expect(one.ran()).toBe(ran);
      expect((await one.harn("hitl")).stdout).toBe("nobody is asked anything\n");
      if (choice !== "fail") expect(await one.harn("replay", "last")).toMatchObject(next);
    },
  );

  it("is decided on the command line, before or after the run has stopped for it", async () => {
    for (const stopsFirst of [true, false]) {
      const one = await killed(unsafe);
      if (stopsFirst) expect((await one.harn("run", "--resume", "last")).status).toBe(75);
      const next = await one.harn("run", "--resume", "last", "--on-doubt", "redo");
      expect(next).toMatchObject({ stdout: "true\n", status: 0 });
      expect(next.stderr).toContain("it is done again: exec");
      expect(one.ran()).toBe(2);
      expect((await one.harn("hitl")).stdout).toBe("nobody is asked anything\n");
    }
  });

  it("is decided by harn.toml, which the command line outranks", async () => {
    const one = await killed(unsafe);
    writeFileSync(join(one.cwd, "harn.toml"), '[resume]\non_doubt = "often"\n');
    expect((await one.harn("run", "--resume", "last")).stderr).toContain(
      "[resume]: on_doubt: expected one of ask, redo, skip, fail",
    );
    writeFileSync(join(one.cwd, "harn.toml"), '[resume]\non_doubt = "skip"\n');
    expect((await one.harn("run", "--resume", "last", "--on-doubt", "ask")).status).toBe(75);
    expect(await one.harn("run", "--resume", "last")).toMatchObject({ stdout: "nil\n", status: 0 });
    expect(one.ran()).toBe(1);
  });

  it("is asked about once more when the process that ran it again was killed, too", async () => {
    const twice = line
      .replace("test -e again && exit 0; touch again; ", "")
      .replace("test -e go", "test -e never");
    const one = await killed(`exec("sh", "-c", "${twice}")`);
    expect((await one.harn("run", "--resume", "last")).status).toBe(75);
    expect((await one.harn("hitl", "answer", "last", "redo")).status).toBe(0);
    const again = startHarn(["run", "--resume", "last"], { cwd: one.cwd });
    while (one.ran() < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    again.child.kill("SIGKILL");
    await again.ended;
    writeFileSync(join(one.cwd, "never"), "");
    expect((await one.harn("run", "--resume", "last")).status).toBe(75);
    expect(one.ran()).toBe(2);
  });

  it.each([
    ["says so", `exec_opts(["sh", "-c", "${line}"], {idempotent: true})`],
    [
      "says so to std/command",
      `import "std/command"\ncommand_run(["sh", "-c", "${line}"], {idempotent: true})`,
    ],
  ])("runs again when the call %s", async (_, call) => {
    const one = await killed(`${call}\nprintln("end")`);
    const next = await one.harn("run", "--resume", "last");
    expect(next).toMatchObject({ stdout: "end\n", status: 0 });
    expect(next.stderr).toContain("it is done again");
    expect(one.ran()).toBe(2);
  });

  it("runs again when it only reads", async () => {
    // The run is killed, and what it started is not: this ends with the test's own process.
    const one = await killed(
      `spawn { sleep(300)\nwrite_file("ran.txt", "") }\nlet r = exec("tail", "-n", "1", "--pid=${process.pid}", "-f", "a.harn")\nprintln(r.stdout)`,
    );
    const run = startHarn(["run", "--resume", "last"], { cwd: one.cwd });
    await run.shows('it is done again: exec ["tail"');
    run.child.kill("SIGTERM");
    expect((await run.ended).status).toBe(143);
  });
});
