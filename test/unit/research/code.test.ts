/** The sandbox of std/research/code: what it gives, what it keeps out, and that nothing outlives it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("research-code");

async function run(body: string): Promise<string[]> {
  const file = join(folder, "code.harn");
  writeFileSync(
    file,
    `import { sandbox } from "std/research/code"
let box = sandbox({folder: "work", kind: "process"})
fn show(body) {
  let r = try { body() }
  println(json_stringify(is_err(r) ? {error: unwrap_err(r)} : unwrap(r)))
}
${body}`,
  );
  const done = await harnHere(["run", "--no-record", file], {
    cwd: folder,
    env: { RESEARCH_SECRET: "s3cret" },
  });
  expect(done.stderr).toBe("");
  return done.stdout.trimEnd().split("\n");
}

/** Processes that have a text in their command line. */
const running = (text: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    });

test("output, exit code, changed files, a short environment, output that is too long", async () => {
  const [first, second, third, fourth] = (
    await run(`mkdir("work")
show({ -> box.run("bash", "echo hi; echo bad >&2; echo x > made.txt; exit 3") })
show({ -> box.run("bash", "echo x$RESEARCH_SECRET $HOME $PWD") })
show({ -> box.run("bash", "rm made.txt; head -c 70000 /dev/zero | tr '\\\\0' x") })
show({ -> box.run("bash", "dd if=/dev/zero of=big bs=1M count=200 2>&1 | tail -1; stat -c %s big") })`)
  ).map((line) => JSON.parse(line));
  expect(first).toMatchObject({ ok: false, exit_code: 3, stdout: "hi\n", stderr: "bad\n", timed_out: false });
  expect(first.files_changed).toEqual(["made.txt"]);
  expect(second.stdout.trim().split(" ")).toEqual(["x", join(folder, "work"), join(folder, "work")]);
  expect(third.files_changed).toEqual(["made.txt (removed)"]);
  expect(third.stdout).toMatch(/x{100}\n… and 4464 more characters$/);
  // What `prlimit` limits, where it is there.
  expect(Number(fourth.stdout.trim().split("\n").at(-1))).toBeLessThanOrEqual(200 * 1024 * 1024);
});

test("a time that is over ends everything that was started", async () => {
  const mark = `9${process.pid}`;
  const [late] = await run(
    `mkdir("work")\nshow({ -> box.run("bash", "trap '' TERM; (setsid sleep ${mark} &); sleep ${mark}", 1) })`,
  );
  expect(JSON.parse(late ?? "")).toMatchObject({ ok: false, timed_out: true });
  expect(running(`sleep\0${mark}`)).toEqual([]);
});

test("bad input", async () => {
  const lines = await run(`mkdir("work")
show({ -> box.run("cobol", "x") })
show({ -> box.run("bash", " ") })
show({ -> box.run("bash", "x", 0) })
show({ -> sandbox({kind: "vm"}) })
let wrong = json_parse("{\\"foldr\\": 1}")
show({ -> sandbox(wrong) })`);
  expect(lines.map((line) => (JSON.parse(line) as { error: string }).error)).toEqual([
    expect.stringContaining("run_code: `cobol` can't be run; there are "),
    "run_code: the code is empty",
    "run_code: `timeout_s` must be from 1 to 600",
    'sandbox: `kind` must be "bwrap" or "process"; got "vm"',
    'sandbox: unknown option "foldr", did you mean "folder"?',
  ]);
});
