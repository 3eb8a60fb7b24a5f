/** `harn test` as users run it: through the launcher, on real files and processes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { startProviderServer } from "../../support/provider-server/index.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const root = tempFolder("test-cli");

let count = 0;
/** A project of its own: files by path. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = join(root, `p${++count}`);
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const run = (files: Readonly<Record<string, string>>, ...flags: string[]): CliResult & { cwd: string } => {
  const cwd = project(files);
  return { ...harn(["test", ...flags], { cwd }), cwd };
};

/** Times and seeds differ from run to run. */
const steady = (text: string): string =>
  text.replace(/[\d.]+ (ms|s)\b/g, "N ms").replace(/seed \w+/g, "seed S");

const good = "pipeline test_adds() { assert_eq(1 + 2, 3) }\n";
const bad = 'pipeline test_fails() { println("seen")\n  assert_eq(1 + 2, 4) }\n';

describe("harn test", () => {
  it("finds tests below the current folder and says how many passed", () => {
    const { stdout, stderr, status } = run({
      "a.harn": good,
      "deep/b.harn": good,
      "deep/x.harn": 'println("x")\n',
      "deep/x.expected": "x\n",
      "node_modules/c.harn": bad,
      ".harn/packages/d.harn": bad,
      "plain.harn": "throw 1\n",
    });
    expect(steady(stdout)).toBe(
      "ok  a.harn  1 test, N ms\nok  deep/b.harn  1 test, N ms\nok  deep/x.harn  1 test, N ms\n\n3 passed in N ms; seed S\n",
    );
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  });

  it("shows a failure with place, caret, difference and output, and exits with 1", () => {
    const { stdout, status } = run({ "a.harn": good + bad });
    expect(steady(stdout)).toBe(
      `FAIL  a.harn  1 of 2 tests failed, N ms
  FAIL test_fails  Thrown: Assertion failed: expected 4, got 3
      error: Thrown: Assertion failed: expected 4, got 3 (HARN-RUN-002)
        --> a.harn:3:3
         |
       3 |   assert_eq(1 + 2, 4) }
         |   ^^^^^^^^^^^^^^^^^^^
      expected: 4
      actual:   3
      stdout:
        seen

1 passed, 1 failed in N ms; seed S
`,
    );
    expect(status).toBe(1);
  });

  it("says so when there are no tests", () => {
    const none = run({ "a.harn": 'println("x")\n' });
    expect(none).toMatchObject({ stdout: "No test pipelines found\n", status: 1 });
    const filtered = run({ "a.harn": good }, "--filter", "nothing");
    expect(filtered).toMatchObject({ stdout: "No test pipelines found\n", status: 1 });
  });

  it("filters, and is verbose", () => {
    const { stdout } = run(
      { "a.harn": `${good}pipeline test_other() { println("other")\n eprintln("err") }\n` },
      "--filter",
      "other",
      "--verbose",
    );
    expect(steady(stdout)).toBe(
      "ok  a.harn  1 test, N ms\n  ok test_other\n      stdout:\n        other\n      stderr:\n        err\n\n1 passed in N ms; seed S\n",
    );
  });

  it("runs a test in its file's folder, with a temporary and a state folder of its own", () => {
    const { stdout, status } = run({
      "deep/a.harn": `
pipeline test_one() {
  assert(cwd().ends_with("/deep"))
  write_file("made.txt", "by a test")
  write_file(path_join(temp_dir(), "mine"), "x")
  assert(env("HARN_STATE_DIR").starts_with(temp_dir()))
}
pipeline test_two() {
  assert(!file_exists(path_join(temp_dir(), "mine")))
  assert_eq(env("HARN_TEST_WORKER"), nil)
}
`,
    });
    expect(stdout).toContain("2 passed");
    expect(status).toBe(0);
  });

  it("leaves no temporary folders behind", () => {
    const temp = join(project({}), "tmp");
    mkdirSync(temp);
    const cwd = project({ "a.harn": 'pipeline test_a() { write_file(path_join(temp_dir(), "x"), "x") }' });
    expect(harn(["test"], { cwd, env: { TMPDIR: temp } }).status).toBe(0);
    expect(readdirSync(temp)).toEqual([]);
  });

  it("stops a test that computes for ever, and runs the others", () => {
    const { stdout, status } = run(
      {
        "a.harn": `
pipeline test_spins() { while true { try { throw 1 } catch e { } } }
pipeline test_waits() { sleep(60s) }
pipeline test_recurses() { fn f(n) { return f(n) }
  f(1) }
pipeline test_starts_a_program() { exec("sleep", "60") }
${good}`,
      },
      "--timeout",
      "300ms",
    );
    expect(steady(stdout).match(/TIME \w+ .*stopped at its limit/g)).toHaveLength(4);
    expect(stdout).toContain("1 passed, 4 timed out");
    expect(status).toBe(1);
  });

  it("a test that ends its process costs that test only", () => {
    const { stdout, status } = run({
      "a.harn": `
pipeline test_before() { assert(true) }
pipeline test_kills() { shell("kill -9 $PPID") }
pipeline test_after() { assert(true) }
`,
      "b.harn": good,
    });
    expect(steady(stdout)).toContain("CRASH test_kills  its process ended under it (SIGKILL)");
    expect(stdout).toContain("3 passed, 1 crashed");
    expect(status).toBe(1);
  });

  it("a process that does not even notice the limit is ended", () => {
    const { stdout } = run(
      { "a.harn": `pipeline test_stops() { shell("kill -STOP $PPID") }\n${good}` },
      "--timeout",
      "200ms",
    );
    expect(stdout).toContain("did not stop at its limit; its process was ended");
    expect(stdout).toContain("1 passed, 1 timed out");
  });

  it("runs files at once and reports them in their order", () => {
    const files: Record<string, string> = {};
    for (const [i, ms] of [400, 10, 200, 1].entries())
      files[`${i}.harn`] = `pipeline test_a() { sleep(${ms}) }\n`;
    for (const flags of [["--parallel"], ["--jobs", "3"]]) {
      const { stdout } = run(files, ...flags);
      expect(stdout.match(/^ok {2}(\d)/gm)).toEqual(["ok  0", "ok  1", "ok  2", "ok  3"]);
      expect(stdout).toContain("4 passed");
    }
  });

  it("writes JUnit and JSON", () => {
    const { cwd, stdout } = run({ "a.harn": good + bad }, "--json", "--junit", "out/junit.xml");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ type, name, status }) => [type, name, status])).toEqual([
      ["test", "test_adds", "passed"],
      ["test", "test_fails", "failed"],
      ["summary", undefined, undefined],
    ]);
    expect(lines[2]).toMatchObject({ passed: 1, failed: 1 });
    const xml = readFileSync(join(cwd, "out/junit.xml"), "utf8");
    expect(xml).toContain('tests="2" failures="1" errors="0"');
    expect(xml).toContain("<system-out>seen\n</system-out>");
  });

  it("counts lines and writes lcov", () => {
    const lib = "pub fn used() {\n  return 1\n}\npub fn unused() {\n  return 2\n}\n";
    const { cwd, stdout } = run(
      { "src/lib.harn": lib, "a.harn": 'import "src/lib"\npipeline test_a() { assert_eq(used(), 1) }\n' },
      "--coverage",
    );
    expect(stdout).toContain(
      "coverage: 50.0% of lines (1 of 2)\n  src/lib.harn   50.0%  1 of 2 lines, missing 5\n  written to coverage/lcov.info\n",
    );
    expect(readFileSync(join(cwd, "coverage/lcov.info"), "utf8")).toBe(
      "TN:\nSF:src/lib.harn\nDA:2,1\nDA:5,0\nLF:2\nLH:1\nend_of_record\n",
    );
  });

  it("repeats a run by its seed", () => {
    const files = { "a.harn": "pipeline test_a() { println(random_int(0, 1000000000)) }\n" };
    const draw = (...flags: string[]): string => run(files, "--verbose", ...flags).stdout.split("\n")[3]!;
    expect(draw("--seed", "x")).toBe(draw("--seed", "x"));
    expect(draw("--seed", "x")).not.toBe(draw("--seed", "y"));
  });

  it("runs twice with --determinism", () => {
    const files = { "a.harn": "pipeline test_a() { println(random_int(0, 1000000000)) }\n" };
    const { stdout, status } = run(files, "--determinism");
    expect(stdout).toContain("two runs of this test differ");
    expect(status).toBe(1);
    expect(run(files, "--determinism", "--seed", "x").status).toBe(0);
  });

  it("answers from the fixture file beside a program", () => {
    const { stdout, status } = run({
      "a.harn": 'println(llm_call("hello", nil, {}).text)\n',
      "a.expected": "from the file\n",
      "a.llm-mock.jsonl": '{"text": "from the file"}\n',
      "b.harn": 'pipeline test_b() { llm_call("hello", nil, {}) }\n',
      "b.llm-mock.jsonl": "not json\n",
    });
    expect(stdout).toContain("ok  a.harn");
    expect(stdout).toMatch(/FAIL test_b {2}.*b\.llm-mock\.jsonl:1: not valid JSON/);
    expect(status).toBe(1);
  });

  it("answers from the fixture file that is named", () => {
    const { stdout } = run(
      {
        "a.harn": 'println(llm_call("hello", nil, {}).text)\n',
        "a.expected": "named\n",
        "a.llm-mock.jsonl": '{"text": "beside"}\n',
        "other.jsonl": '{"text": "named"}\n',
      },
      "--llm-mock",
      "other.jsonl",
    );
    expect(stdout).toContain("1 passed");
  });

  it("an expectation program keeps its state in its folder, for its own time only", () => {
    const program = 'println(store_get("k"))\nstore_set("k", 1)\nprintln(file_exists(".harn/store.json"))\n';
    const { stdout, cwd } = run({
      "a/a.harn": program,
      "a/a.expected": "nil\ntrue\n",
      "a/b.harn": program,
      "a/b.expected": "nil\ntrue\n",
      "a/.harn/packages/p/lib.harn": "pub fn f() { return 1 }\n",
      "b/c.harn": program,
      "b/c.expected": "nil\ntrue\n",
    });
    expect(stdout).toContain("3 passed");
    expect(readdirSync(join(cwd, "a/.harn"))).toEqual(["packages"]);
    expect(existsSync(join(cwd, "b/.harn"))).toBe(false);
  });

  it("asks for its tests again when something changes", async () => {
    const cwd = project({
      "lib.harn": "pub fn f() { return 1 }\n",
      "a.harn":
        'import "lib"\npipeline test_a() { write_file("made.txt", random_string())\n assert_eq(f(), 1) }\nfn random_string() { return to_string(random_int(0, 1000000)) }\n',
      "other/b.harn": good,
    });
    const watching = startHarn(["test", "--watch"], { cwd });
    await watching.shows("2 passed");
    await watching.shows("watching for changes");
    writeFileSync(join(cwd, "lib.harn"), "pub fn f() { return 2 }\n");
    await watching.shows("1 failed");
    watching.child.kill("SIGINT");
    const { stdout, status } = await watching.ended;
    expect(status).toBe(130);
    // What the change does not touch did not run again.
    expect(stdout.match(/other\/b\.harn/g)).toHaveLength(1);
  });

  it("Ctrl-C ends everything, sub-processes included", async () => {
    const cwd = project({ "a.harn": 'pipeline test_a() { shell("touch started; sleep 300.25") }\n' });
    const testing = startHarn(["test", "--verbose"], { cwd });
    while (!existsSync(join(cwd, "started"))) await new Promise((resolve) => setTimeout(resolve, 20));
    testing.child.kill("SIGINT");
    expect((await testing.ended).status).toBe(130);
    const left = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout;
    expect(left.split("\n").filter((line) => line === "sleep 300.25")).toEqual([]);
  });
});

describe("--record and --replay", () => {
  it("keeps what a vendor answered and plays it without a key", async () => {
    const server = await startProviderServer();
    const cwd = project({
      "a.harn": `pipeline test_a() {
  let first = llm_call("What is it?", "Be brief.", {})
  assert_eq(first.text, "Answer one.")
  assert_eq(llm_call("What is it?", "Be brief.", {}).text, "Answer two.")
}
`,
    });
    const env = {
      OPENAI_API_KEY: "sk-for-tests",
      OPENAI_BASE_URL: `${server.url}/v1`,
      HARN_LLM_MODEL: "gpt-4o",
    };
    const answer = (text: string) =>
      ({ kind: "answer", text, usage: { input: 5, output: 2 }, stop: "end_turn" }) as const;
    server.next(answer("Answer one."), answer("Answer two."));
    const recording = startHarn(["test", "--record"], { cwd, env });
    expect((await recording.ended).stdout).toContain("1 passed");
    await server.close();
    const files = readdirSync(join(cwd, ".harn-fixtures")).sort();
    expect(files).toHaveLength(2);
    expect(files.every((name) => /^[0-9a-f]{64}(-2)?\.json$/.test(name))).toBe(true);
    expect(JSON.parse(readFileSync(join(cwd, ".harn-fixtures", files[0]!), "utf8"))).toMatchObject({
      model: "gpt-4o",
      provider: "openai",
      stop_reason: "end_turn",
    });
    const replayed = harn(["test", "--replay"], { cwd, env: { HARN_LLM_MODEL: "gpt-4o" } });
    expect(replayed.stdout).toContain("1 passed");
    writeFileSync(join(cwd, "a.harn"), 'pipeline test_a() { llm_call("Something else?", nil, {}) }\n');
    const missing = harn(["test", "--replay"], { cwd, env: { HARN_LLM_MODEL: "gpt-4o" } });
    expect(missing.stdout).toContain("no recorded answer for this request to openai (gpt-4o)");
    expect(missing.status).toBe(1);
  });
});

describe("bad input of harn test", () => {
  const clear = (result: CliResult, status: number, text: RegExp): void => {
    expect(result.stderr).toMatch(text);
    expect(result.stderr).not.toMatch(/\n\s+at .*\.(ts|js|cjs):\d+|internal error/);
    expect(result.status).toBe(status);
  };

  it("a path that does not exist", () => {
    clear(
      harn(["test", "nowhere"], { cwd: project({}) }),
      1,
      /Error reading nowhere: no such file or folder/,
    );
  });

  it("flags that make no sense", () => {
    const cwd = project({ "a.harn": good });
    clear(harn(["test", "--timeout", "soon"], { cwd }), 2, /--timeout: expected a duration such as 500ms/);
    clear(harn(["test", "--jobs", "0"], { cwd }), 2, /--jobs: expected a whole number/);
    clear(harn(["test", "--record", "--replay"], { cwd }), 2, /either --record or --replay/);
    clear(harn(["test", "--nope"], { cwd }), 2, /unknown option/);
  });

  it("reports that cannot be written", () => {
    const cwd = project({ "a.harn": good, file: "" });
    clear(harn(["test", "--junit", "file/x.xml"], { cwd }), 1, /--junit: cannot write file\/x\.xml/);
  });

  it("files that are no scripts, that cannot be read, that do not parse", () => {
    const cwd = project({
      "binary.harn": "test_\u0000\u0001",
      "broken.harn": "pipeline test_a() { let = }\n",
      "empty.harn": "",
      "empty.expected": "",
    });
    const { stdout, stderr, status } = harn(["test"], { cwd });
    expect(stderr).toBe("");
    expect(stdout).toContain("ok  empty.harn");
    expect(stdout).toContain("This is not a text file");
    expect(stdout).toContain("broken.harn:1:25");
    expect(stdout).toContain("1 passed, 2 failed");
    expect(status).toBe(1);
  });

  it("the workers' own command says whose it is", () => {
    clear(harn(["test-worker"]), 2, /this command is for `harn test` itself/);
  });
});
