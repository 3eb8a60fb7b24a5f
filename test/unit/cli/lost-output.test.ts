/** Standard output that nobody takes any more ends the run: as `harn run x | head`, or on a full disk. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher, projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder, tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("run");

const folder = tempFolder("output");

/** A shell line, with `harn` as `$0` and the script as `$1`; what is after the pipe gives the code of the run. */
function shell(
  line: string,
  script: string,
  cwd?: string,
): { stdout: string; stderr: string; status: number | null } {
  return spawnSync("bash", ["-c", line, launcher, script, join(folder, "journal")], {
    cwd: cwd ?? projectRoot,
    env: cleanEnvironment(cwd === undefined ? { HARN_STATE_DIR: join(folder, "state") } : {}),
    encoding: "utf8",
    timeout: 300_000,
  });
}

describe("a reader that goes away", () => {
  const endless: Readonly<Record<string, string>> = {
    "a loop": 'while true { println("x") }',
    "a loop that catches": 'while true { try { println("x") } catch { } finally { println("y") } }',
    "a loop that waits": 'while true { println("x")\nsleep(1) }',
    tasks:
      'parallel each [1, 2] { x -> sleep(1) }\nlet h = spawn { while true { sleep(1) } }\nwhile true { println("x") }',
  };
  for (const [name, script] of Object.entries(endless)) {
    it(`ends ${name}`, () => {
      const run = shell('"$0" run -e "$1" | head -1; echo "${PIPESTATUS[0]}"', script);
      expect(run).toMatchObject({ stdout: "x\n141\n", stderr: "", status: 0 });
    });
  }

  it.each(["test --json test/golden/syntax", "doc --all"])("ends other commands: %s", (command) => {
    const run = shell(`"$0" ${command} | head -1 > /dev/null; echo "\${PIPESTATUS[0]}"`, "");
    expect(run).toMatchObject({ stdout: "141\n", stderr: "", status: 0 });
  });

  it("leaves a journal that replays to the same end", () => {
    const run = shell(
      '"$0" run --record "$2" -e "$1" | head -1; "$0" replay "$2" > /dev/null; echo $?',
      'while true { println("x") }',
    );
    expect(run).toMatchObject({ stdout: "x\n141\n", stderr: "" });
  });

  it("is told of by a program that was through before it could know", async () => {
    // It prints once the reader is gone, and then has nothing left to do.
    const run = startHarn(["run", "-e", 'read_line()\nprintln("a")\nprintln("b")'], { keepInput: true });
    await new Promise<void>((resolve) => {
      run.child.stdout?.once("close", resolve);
      run.child.stdout?.destroy();
    });
    run.child.stdin?.end("go\n");
    expect(await run.ended).toMatchObject({ stderr: "", status: 141 });
  });
});

const full = "harn: cannot write standard output: ENOSPC: no space left on device, write (HARN-CLI-012)\n";

it.skipIf(!existsSync("/dev/full"))("says that a disk is full, and fails", () => {
  for (const script of ["println(1)", "while true { println(1) }"]) {
    const run = shell('"$0" run -e "$1" > /dev/full', script);
    expect(run).toMatchObject({ status: 1, stderr: full });
  }
});

it.skipIf(!existsSync("/dev/full")).each([
  ["at its end", 'write_file("at-end.txt", "1")\nprintln("one")\nprintln("two")', "one\ntwo\n"],
  ["on its way", 'println("one")\nsleep(1)\nwrite_file("later.txt", "1")\nprintln("two")', "one\ntwo\n"],
])("a run whose output is not taken %s is not done, and goes on with all of it", (name, script, printed) => {
  const cwd = freshFolder();
  const run = shell('"$0" run -e "$1" > /dev/full', script, cwd);
  expect(run.status).toBe(1);
  expect(run.stderr).toMatch(
    /^harn: cannot write .*\nharn: `harn run --resume run-[\w-]+` goes on from there\n$/,
  );
  expect(harn(["runs"], { cwd }).stdout).toMatch(/ stopped \(1\) /);
  expect(harn(["replay", "last"], { cwd })).toMatchObject({
    status: 1,
    stdout: name === "at its end" ? printed : "one\n",
  });
  const resumed = harn(["run", "--resume", "last"], { cwd });
  expect(resumed).toMatchObject({ stdout: printed, stderr: "", status: 0 });
  expect(harn(["run", "--resume", "last"], { cwd }).stderr).toContain("has ended");
});

it("a standard output that is closed from the start is not missed", () => {
  const mark = join(folder, "written");
  const run = shell('"$0" run -e "$1" >&-', `println(1)\nwrite_file("${mark}", "done")`);
  expect(run).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(mark, "utf8")).toBe("done");
});
