/** Runs that end too early, in every way, and go on: as a user does it, through the store of a project. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { freeze } from "../../support/freeze.ts";
import { harnHere } from "../../support/harn-here.ts";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { type RunningCli, startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("resume");

const killAtWrite = join(projectRoot, "test/support/kill-at-write.cjs");

let projects = 0;

interface Project {
  readonly cwd: string;
  write(name: string, text: string): void;
  read(name: string): string;
  harn(...args: string[]): Promise<CliResult>;
  start(...args: string[]): RunningCli;
  /** A run that kills itself around a write to standard output (`kill-at-write.cjs`): `after 1`, `before 2`. */
  killedAtWrite(at: string): CliResult;
}

function project(script: string): Project {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
  write("a.harn", script);
  return {
    cwd,
    write,
    read: (name) => readFileSync(join(cwd, name), "utf8"),
    harn: (...args) => harnHere(args, { cwd }),
    start: (...args) => startHarn(args, { cwd }),
    killedAtWrite: (at) => {
      const ended = harn(["run", "a.harn"], {
        cwd,
        env: { NODE_OPTIONS: `--require ${killAtWrite}`, KILL_AT_WRITE: at },
      });
      expect(ended.signal).toBe("SIGKILL");
      return ended;
    },
  };
}

const state = async (one: Project): Promise<string> =>
  JSON.parse((await one.harn("runs", "list", "--json")).stdout.split("\n")[0] ?? "").state;

/** Runs it, kills it once it shows the text, and lets the next one through. */
async function killed(one: Project, shown: string, signal: NodeJS.Signals = "SIGKILL"): Promise<CliResult> {
  const run = one.start("run", "a.harn");
  await run.shows(shown);
  run.child.kill(signal);
  const result = await run.ended;
  one.write("go", "");
  return result;
}

/** Appends to a file, says where it is, and works until there is a file `go`: until then it can be killed. */
const waiting = `append_file("log.txt", "begun\\n")
println("one \${random_int(1, 1000000)}")
println("two")
while !file_exists("go") { sleep(20) }
append_file("log.txt", "done\\n")
println("three \${read_file("log.txt").len()}")`;

describe("harn run --resume", () => {
  it("goes on after kill -9: nothing is done or printed twice", async () => {
    const one = project(waiting);
    const first = await killed(one, "two\n");
    expect(await state(one)).toBe("interrupted");
    const second = await one.harn("run", "--resume", "last");
    expect(second).toMatchObject({ stderr: "", status: 0, stdout: "three 11\n" });
    expect(one.read("log.txt")).toBe("begun\ndone\n");
    expect(await state(one)).toBe("done");
    const again = await one.harn("replay", "last");
    expect(again.stdout).toBe(first.stdout + second.stdout);
    const third = await one.harn("run", "--resume", "last");
    expect(third.status).toBe(1);
    expect(third.stderr).toMatch(/has ended \(exit code 0\): there is nothing to go on with/);
  });

  it("goes on after Ctrl-C, under the same name", async () => {
    const one = project(waiting);
    const first = await killed(one, "two\n", "SIGINT");
    expect(first.status).toBe(130);
    const [, name = ""] = /`harn run --resume (\S+)` goes on from here/.exec(first.stderr) ?? [];
    expect(await state(one)).toBe("stopped");
    expect(await one.harn("run", "--resume", name)).toMatchObject({ stdout: "three 11\n", status: 0 });
    expect((await one.harn("runs")).stdout.trim().split("\n")).toHaveLength(1);
  });

  it("goes on in tasks, channels, generators, and after several interruptions", async () => {
    const one = project(`
let jobs = channel("jobs", 2)
let workers = [1, 2, 3].map({ id -> spawn {
  var mine = 0
  for job in jobs {
    sleep(random_int(20, 60))
    append_file("log.txt", "\${job}\\n")
    mine = mine + 1
  }
  mine
} })
gen fn numbers() { for i in 1 to 8 { sleep(20)
emit i } }
for i in numbers() { send(jobs, i)
println("sent \${i}")
while i % 2 == 0 && !file_exists("go \${i}") { sleep(20) } }
close_channel(jobs)
println(workers.map({ w -> await(w) }).sum())`);
    let stdout = (await killed(one, "sent 2")).stdout;
    for (const n of [2, 4]) {
      one.write(`go ${n}`, "");
      const run = one.start("run", "--resume", "last");
      await run.shows(`sent ${n + 2}`);
      run.child.kill("SIGKILL");
      stdout += (await run.ended).stdout;
    }
    for (const n of [6, 8]) one.write(`go ${n}`, "");
    const last = await one.harn("run", "--resume", "last");
    expect(last).toMatchObject({ stderr: "", status: 0 });
    expect(stdout + last.stdout).toBe(`${[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `sent ${n}\n`).join("")}8\n`);
    expect(one.read("log.txt").trim().split("\n").sort()).toEqual([..."12345678"]);
  });

  it("does again what failed, once the reason is gone", async () => {
    const one = project('println("a")\nprintln(read_file("data.txt"))');
    expect(await one.harn("run", "a.harn")).toMatchObject({ stdout: "a\n", status: 1 });
    one.write("data.txt", "here");
    expect(await one.harn("run", "--resume", "last")).toMatchObject({ stdout: "here\n", status: 0 });
  });

  it("has one owner: a second resume is refused, a frozen owner that was overtaken writes nothing more", async () => {
    const one = project(
      'println("works")\nwhile !file_exists("go") {\n  sleep(50)\n  append_file("log.txt", "x")\n}\nprintln("end")',
    );
    const run = one.start("run", "a.harn");
    await run.shows("works\n");
    const refused = await one.harn("run", "--resume", "last");
    expect(refused.status).toBe(75);
    expect(refused.stderr).toMatch(
      /^harn: the run \S+ is being worked on by process \d+, and goes on there; .*\n$/,
    );
    await freezeLong(run, one);
    one.write("go", "");
    const next = await one.harn("run", "--resume", "last");
    expect(next).toMatchObject({ stdout: "end\n", status: 0 });
    const records = JSON.parse((await one.harn("runs", "show", "last", "--json")).stdout).records;
    run.child.kill("SIGCONT");
    const old = await run.ended;
    expect(old.status).toBe(1);
    expect(old.stderr).toContain("was taken over by another process");
    expect(JSON.parse((await one.harn("runs", "show", "last", "--json")).stdout)).toMatchObject({
      records,
      state: "done",
    });
  });
});

describe("several resumes at the same moment", () => {
  /** It is killed after its first piece of output: the last lines were printed by nobody. It ends when it is told to. */
  const script = `append_file("log.txt", "x")
for i in range(2000) { println("line \${i}") }
while !file_exists("go") { sleep(20) }
append_file("log.txt", "y")
println("end")`;
  const lines = Array.from({ length: 2000 }, (_, at) => `line ${at}\n`).join("");

  it("one goes on, the others leave it alone; nothing is printed or done twice", async () => {
    const one = project(script);
    const first = one.killedAtWrite("after 1");
    const resumes = [1, 2, 3].map(() => one.start("run", "--resume", "last"));
    const left: CliResult[] = [];
    for (const resume of resumes) void resume.ended.then((result) => left.push(result));
    while (left.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const result of left) {
      expect(result).toMatchObject({ stdout: "", status: 75 });
      expect(result.stderr).toMatch(
        /^harn: the run \S+ is being worked on by process \d+, and goes on there; .*\n$/,
      );
    }
    one.write("go", "");
    const results = await Promise.all(resumes.map(({ ended }) => ended));
    const [done] = results.filter(({ status }) => status === 0);
    expect(done?.stderr).toBe("");
    expect(`${first.stdout}${done?.stdout}`).toBe(`${lines}end\n`);
    expect(one.read("log.txt")).toBe("xy");
  });

  it("what a resume prints on its way is not printed by the next one", async () => {
    const one = project(script);
    const first = one.killedAtWrite("after 1");
    const second = one.start("run", "--resume", "last");
    await second.shows("line 1999\n");
    second.child.kill("SIGKILL");
    const { stdout } = await second.ended;
    one.write("go", "");
    const third = await one.harn("run", "--resume", "last");
    expect(first.stdout).toMatch(/^line 0\n/);
    expect(`${first.stdout}${stdout}${third.stdout}`).toBe(`${lines}end\n`);
  });

  it("a piece whose printing was noted and did not happen is lost; nothing is printed twice", async () => {
    const one = project(script);
    const first = one.killedAtWrite("before 2");
    expect(lines.startsWith(first.stdout)).toBe(true);
    expect(first.stdout.length).toBeGreaterThan(16_000);
    one.write("go", "");
    expect(await one.harn("run", "--resume", "last")).toMatchObject({
      stdout: "end\n",
      stderr: "",
      status: 0,
    });
    expect((await one.harn("replay", "last")).stdout).toBe(`${lines}end\n`);
  });
});

/** Freezes the process and lets its lease run out, as half a minute would. */
async function freezeLong(run: RunningCli, one: Project): Promise<void> {
  const state = join(one.cwd, ".harn");
  await freeze([run.child.pid as number], state);
  const db = new DatabaseSync(join(state, "state.db"));
  db.exec("UPDATE run SET owned_until = 0");
  db.close();
}

describe("an edited script", () => {
  const before = 'println(read_file("a.txt"))\nwhile !file_exists("go") { sleep(20) }\nprintln("end")';

  it("goes on when it does the same up to there", async () => {
    const one = project(before);
    one.write("a.txt", "text");
    await killed(one, "text\n");
    one.write("a.harn", `${before.replace('"end"', '"another end"')}\nwrite_file("b.txt", "b")`);
    expect(await one.harn("run", "--resume", "last")).toMatchObject({ stdout: "another end\n", status: 0 });
    expect((await one.harn("replay", "last")).stdout).toBe("text\nanother end\n");
  });

  it("stops when it ends before its past does", async () => {
    const one = project(before);
    one.write("a.txt", "text");
    await killed(one, "text\n");
    one.write("a.harn", "");
    const stopped = await one.harn("run", "--resume", "last");
    expect(stopped.status).toBe(3);
    expect(stopped.stderr).toContain("the program ends earlier than it did then");
  });

  it("shows both sides where it differs, and goes on as a new run when that is accepted", async () => {
    const one = project(before);
    one.write("a.txt", "text");
    one.write("c.txt", "other");
    await killed(one, "text\n");
    one.write("a.harn", before.replace("a.txt", "c.txt"));
    const stopped = await one.harn("run", "--resume", "last");
    expect(stopped).toMatchObject({ stdout: "", status: 3 });
    expect(stopped.stderr).toContain('recorded: read_file (read) ["a.txt"]');
    expect(stopped.stderr).toContain('asked:    read_file (read) ["c.txt"]');
    expect(stopped.stderr).toContain("--accept-changes");
    expect(await state(one)).toBe("interrupted");
    const accepted = await one.harn("run", "--resume", "last", "--accept-changes");
    expect(accepted.status).toBe(0);
    expect(accepted.stdout).toContain("end\n");
    const [newest, old] = (await one.harn("runs", "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(newest).toMatchObject({ state: "done", parent: old.run });
  });
});

describe("people", () => {
  const script =
    'import "std/hitl"\nprintln("asking")\nprintln("hello ${ask_user("Your name?")}")\nprintln(request_approval("deploy", {}).approved)';

  it("park a run without a terminal, and their answers let it go on", async () => {
    const one = project(script);
    expect(await one.harn("run", "a.harn")).toMatchObject({ stdout: "asking\n", status: 75 });
    expect(await state(one)).toBe("waiting");
    expect((await one.harn("hitl")).stdout).toContain("question: Your name?");
    expect((await one.harn("run", "--resume", "last")).status).toBe(75);
    expect(await one.harn("replay", "last")).toMatchObject({
      stdout: "asking\n",
      stderr: "harn: here the run waits for a person; `harn run --resume last` goes on from there\n",
      status: 75,
    });
    expect((await one.harn("hitl", "answer", "last", '{"answer": "Ann"}')).status).toBe(0);
    expect(await one.harn("run", "--resume", "last")).toMatchObject({ stdout: "hello Ann\n", status: 75 });
    expect((await one.harn("hitl", "approve", "last")).status).toBe(0);
    expect(await one.harn("run", "--resume", "last")).toMatchObject({ stdout: "true\n", status: 0 });
    expect((await one.harn("replay", "last")).stdout).toBe("asking\nhello Ann\ntrue\n");
    expect((await one.harn("hitl")).stdout).toBe("nobody is asked anything\n");
    expect((await one.harn("hitl", "deny", "last")).stderr).toContain("waits for no answer");
  });
});

describe("harn fork and harn runs", () => {
  it("stop a run from another terminal: a spinning one, one that waits, one that unwinds for long", async () => {
    const spins = project('println("go ${now_ms() > 0}")\nwhile true { }');
    const spinning = spins.start("run", "a.harn");
    await spinning.shows("go true\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await spins.harn("runs", "stop", "last")).stdout).toMatch(/^run-.* is stopped\n$/);
    expect((await spinning.ended).status).toBe(130);
    expect((await spins.harn("runs", "stop", "last")).stderr).toMatch(
      /nobody works on the run .*: it is stopped/,
    );
    const slow = project(
      'println("go ${now_ms() > 0}")\ntry { sleep(60000) } finally { println("unwinds")\nexec("sleep", "30") }',
    );
    for (let tries = 1; ; tries++) {
      const unwinding = slow.start("run", "a.harn");
      await unwinding.shows("go true\n");
      const stopping = slow.start("runs", "stop", "last");
      await unwinding.shows("unwinds\n");
      const now = await slow.harn("runs", "stop", "--now", "last");
      expect((await unwinding.ended).status).toBe(130);
      expect((await stopping.ended).status).toBe(0);
      // Unwinding has two seconds: on a busy machine they may be over before the command has begun.
      if (tries < 10 && now.stderr.includes("nobody works on the run")) continue;
      expect(now).toMatchObject({ status: 0 });
      break;
    }
    expect((await slow.harn("runs", "stop", "nothing")).stderr).toContain("there is no run nothing");
  });

  it("a result that the step can't have given is refused before anything is done", async () => {
    const one = project("println(1)\nsleep(1ms)\nprintln(now_ms() > 0)");
    expect((await one.harn("run", "a.harn")).stdout).toBe("1\ntrue\n");
    const before = (await one.harn("runs", "list", "--json")).stdout;
    for (const [at, result, gives, not] of [
      ["1", '"yes"', "sleep, which gives null", '"yes"'],
      ["2", "yes", "clock.now, which gives a number", '"yes"'],
    ] as const) {
      const { status, stdout, stderr } = await one.harn("fork", "last", "--at", at, "--result", result);
      expect([status, stdout]).toEqual([1, "1\n"]);
      expect(stderr).toContain(`harn: --result: step ${at} is ${gives}, not ${not} (HARN-CLI-003)\n`);
      expect(stderr).toMatch(/\n {2}at \S*a\.harn:\d:\d+\n {2}nothing was done/);
    }
    expect((await one.harn("runs", "list", "--json")).stdout).toBe(before);
  });

  it("begin anew at a step, with another result or environment", async () => {
    const one = project(
      'println(read_file("a.txt"))\nprintln(env_or("NAME", "nobody"))\nwrite_file("b.txt", "b")',
    );
    one.write("a.txt", "first");
    expect((await one.harn("run", "a.harn")).stdout).toBe("first\nnobody\n");
    one.write("a.txt", "second");
    expect((await one.harn("fork", "last", "--at", "1", "--set", "NAME=Bo")).stdout).toBe("second\nBo\n");
    expect((await one.harn("fork", "last", "--at", "2")).stdout).toBe("second\nnobody\n");
    const own = await one.harn("fork", "last", "--at", "1", "--result", '"mine"');
    expect(own.stdout).toBe("mine\nnobody\n");
    expect((await one.harn("replay", "last")).stdout).toBe("mine\nnobody\n");
    expect((await one.harn("fork", "last", "--at", "9")).stderr).toContain("there is no step 9");
    expect((await one.harn("fork", "last")).stderr).toContain("--at N is needed");
    expect((await one.harn("runs", "prune", "--keep", "1")).stdout).toBe("removed 3 runs\n");
    expect((await one.harn("runs", "delete", "last")).status).toBe(0);
    expect((await one.harn("runs")).stdout).toMatch(/^no runs in /);
  });

  it("a file carries a run elsewhere; one that was edited or cut is refused", async () => {
    const one = project(waiting);
    await killed(one, "two\n");
    expect((await one.harn("runs", "export", "last", "run.json")).status).toBe(0);
    const other = project("");
    rmSync(join(other.cwd, "a.harn"));
    other.write("log.txt", "begun\n");
    other.write("go", "");
    const text = one.read("run.json");
    other.write("run.json", text);
    expect(await other.harn("run", "--resume", "run.json")).toMatchObject({
      stdout: "three 11\n",
      status: 0,
    });
    expect((await other.harn("runs", "import", "run.json")).status).toBe(0);
    const fresh = project("");
    fresh.write("edited.json", text.replace("begun", "other"));
    expect((await fresh.harn("run", "--resume", "edited.json")).stderr).toMatch(
      /was changed after it was written/,
    );
    fresh.write("cut.json", text.slice(0, 40));
    expect((await fresh.harn("runs", "import", "cut.json")).status).toBe(1);
    fresh.write("none.json", "{}");
    expect((await fresh.harn("run", "--resume", "none.json")).stderr).toContain(
      "this is not a journal of harn",
    );
  });
});

describe("what a run leaves", () => {
  it("nothing without effects, nothing with --no-record", async () => {
    const one = project('println("hi")');
    expect((await one.harn("run", "a.harn")).stdout).toBe("hi\n");
    expect(existsSync(join(one.cwd, ".harn"))).toBe(false);
    one.write("a.harn", "println(now_ms() > 0)");
    expect((await one.harn("run", "--no-record", "a.harn")).stdout).toBe("true\n");
    expect(existsSync(join(one.cwd, ".harn"))).toBe(false);
    expect((await one.harn("run", "--resume", "last")).stderr).toMatch(/there is no store in/);
  });

  it("a store that can't be used is a clear error", async () => {
    const one = project("println(now_ms() > 0)");
    mkdirSync(join(one.cwd, ".harn"));
    one.write(
      ".harn/state.db",
      "this is no database, but it is long enough to look like something".repeat(20),
    );
    const garbage = await one.harn("run", "a.harn");
    expect(garbage).toMatchObject({ stdout: "", status: 1 });
    expect(garbage.stderr).toContain("it is no store of harn");
    expect((await one.harn("runs")).stderr).toContain("it is no store of harn");
    rmSync(join(one.cwd, ".harn/state.db"));
    const db = new DatabaseSync(join(one.cwd, ".harn/state.db"));
    db.exec("PRAGMA user_version = 99");
    db.close();
    expect((await one.harn("run", "a.harn")).stderr).toContain(
      "has version 99, this version of harn reads up to",
    );
  });

  it("a record that was edited is named, and what lies before it stays readable", async () => {
    const one = project('println(read_file("a.harn").len() > 0)\nwrite_file("b.txt", "b")');
    await one.harn("run", "a.harn");
    const db = new DatabaseSync(join(one.cwd, ".harn/state.db"));
    db.exec("UPDATE record SET body = replace(body, 'b.txt', 'c.txt')");
    db.close();
    const replayed = await one.harn("replay", "last");
    expect(replayed.status).toBe(1);
    expect(replayed.stderr).toMatch(/is damaged at record \d+/);
  });

  it.skipIf(process.getuid?.() === 0)("a read-only folder costs the record, not the run", async () => {
    const one = project("println(now_ms() > 0)");
    chmodSync(one.cwd, 0o500);
    const run = await one.harn("run", "a.harn");
    chmodSync(one.cwd, 0o700);
    expect(run).toMatchObject({ stdout: "true\n", status: 0 });
    expect(run.stderr).toMatch(/^harn: this run is not recorded: .*permission denied/);
  });
});
