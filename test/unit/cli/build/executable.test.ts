/** `harn build`: the executable does what `harn run` does, in an empty folder, without Node, and goes on after `kill -9`. */
// long: builds executables
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { CliResult } from "../../../support/command-environment.ts";
import { projectRoot } from "../../../support/project.ts";
import { harn } from "../../../support/run-cli.ts";
import { tempFolder, tempFolders } from "../../../support/temp-folder.ts";

const project = tempFolder("build");
const freshFolder = tempFolders("build-empty");
const executable = join(project, "tool");

/** Of the program, on standard output. */
const secret = "sk-of-the-machine-that-builds";

const main = `import { twice, refuse } from "./lib/math"
import { pick_keys } from "std/collections"

fn down(n) {
  if n == 0 { return 0 }
  return 1 + down(n - 1)
}

fn agent() {
  let parameters = {a: {type: "int"}}
  let tools = tool_define(tool_registry(), "add", "Adds.", {parameters: parameters, handler: { args -> args.a + 1 }})
  return agent_loop("go", nil, {tools: tools, max_iterations: 3}).text
}

let what = len(argv) > 0 ? argv[0] : "plain"
if what == "plain" { println("\${twice(21)} \${pick_keys({a: 1, b: 2}, ["a"])}") }
if what == "words" { println(json_stringify(argv)) }
if what == "exit" { exit(7) }
if what == "deep" { println(down(9990)) }
if what == "agent" { println(agent()) }
if what == "parallel" { println(parallel each [1, 2, 3] { n -> twice(n) }) }
if what == "refuse" { refuse(1) }
if what == "child" { println(host_call("process.exec", {mode: "shell", command: "echo from a child"}).stdout) }
if what == "wait" {
  println("drew \${random_int(1, 1000000000)}")
  while !file_exists("go") { sleep(20ms) }
  println("drew \${random_int(1, 1000000000)}")
}
`;

const math = `pub fn twice(n) { return n * 2 }

pub fn refuse(n) {
  throw "no \${n}"
}
`;

beforeAll(() => {
  mkdirSync(join(project, "lib"));
  writeFileSync(join(project, "main.harn"), main);
  writeFileSync(join(project, "lib/math.harn"), math);
  writeFileSync(
    join(project, "mock.jsonl"),
    '{"tool_calls": [{"name": "add", "arguments": {"a": 1}}]}\n{"text": "done ##DONE##"}\n',
  );
  const made = harn(["build", "main.harn", "-o", "tool"], { cwd: project, env: { OPENAI_API_KEY: secret } });
  expect(made.stderr).toBe("");
  expect(made.stdout).toMatch(/^tool: \d+ MB, main\.harn with Node 2\d\.\d+\.\d+\n$/);
});

/** As a user has it who has nothing else: no variables, so no PATH in which a Node could be. */
function run(
  args: readonly string[],
  cwd: string = freshFolder(),
  env: Readonly<Record<string, string>> = {},
): CliResult {
  const done: SpawnSyncReturns<string> = spawnSync(executable, args, {
    cwd,
    env: { NO_COLOR: "1", ...env },
    encoding: "utf8",
  });
  if (done.error !== undefined) throw done.error;
  return { stdout: done.stdout, stderr: done.stderr, status: done.status, signal: done.signal };
}

describe("an executable", () => {
  it.each([
    [["plain"]],
    [["words", "-", "a b", ""]],
    [["exit"]],
    [["deep"]],
    [["parallel"]],
    [["child"]],
    [["refuse"]],
  ])("does what `harn run` does: %j", (args) => {
    expect(run(["--", ...args])).toEqual(harn(["run", "main.harn", "--", ...args], { cwd: project }));
  });

  it("tells an error of a module with its place", () => {
    const { stderr, status } = run(["refuse"]);
    expect(stderr).toContain("no 1");
    expect(stderr).toContain("--> lib/math.harn:4:3");
    expect(status).toBe(1);
  });

  it("takes flags of a run, words, and what follows `--`", () => {
    expect(run(["words", "--seed", "x", "two", "--", "--three"]).stdout).toBe('["words","two","--three"]\n');
    const mock = ["--llm-mock", join(project, "mock.jsonl")];
    expect(run([...mock, "agent"]).stdout).toBe("done ##DONE##\n");
  });

  it.each([[["-e", "println(1)"]], [["--eval=println(1)"]], [["--nope"]]])("refuses %j", (args) => {
    const { stdout, stderr, status } = run(args);
    expect(stdout).toBe("");
    expect(stderr).toContain("unknown option");
    expect(stderr).toContain(`(see \`${executable} --help\`)`);
    expect(status).toBe(2);
  });

  it("says what it takes, and whose work is in it", () => {
    const help = run(["--help"]).stdout;
    expect(help).toContain("--resume <run>");
    expect(help).not.toContain("--eval");
    const licences = run(["--licenses"]).stdout;
    for (const text of ["Node.js is licensed for use as follows", "harn holds code of these packages"])
      expect(licences).toContain(text);
    expect(licences).toContain(readFileSync(join(projectRoot, "LICENSE"), "utf8").slice(0, 200));
  });

  it.each([
    ["the help of an executable", `"${executable}" --help`],
    ["the help of `harn run`", `"${join(projectRoot, "bin/harn.cjs")}" run --help`],
    ["the help of another command", `"${executable}" --harn check --help`],
  ])("%s ends quietly when its reader is gone before it is written", (_what, command) => {
    // The reader has ended when the command begins.
    const script = `exec 3> >(:); wait $!; ${command} >&3; echo $?`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["141\n", ""]);
  });

  it("ends as everything does when nobody reads on", () => {
    const script = '"$0" --licenses | head -1 >/dev/null; echo "${PIPESTATUS[0]}"';
    const { stdout, stderr } = spawnSync("bash", ["-c", script, executable], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["141\n", ""]);
  });

  it("holds nothing of the machine that made it", () => {
    const file = readFileSync(executable);
    for (const text of [secret, project, projectRoot]) expect(file.includes(text), text).toBe(false);
  });

  it("goes on with its own program after `kill -9`", async () => {
    const cwd = freshFolder();
    const child = spawn(executable, ["wait"], { cwd, env: {}, stdio: ["ignore", "pipe", "inherit"] });
    const [before] = await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    writeFileSync(join(cwd, "go"), "");
    const after = run(["--resume", "last"], cwd);
    expect(after).toMatchObject({ stderr: "", status: 0 });
    expect(`${before}${after.stdout}`).toMatch(/^drew \d+\ndrew \d+\n$/);
    // All of it is what one run printed.
    expect(run(["--harn", "replay", "last"], cwd).stdout).toBe(`${before}${after.stdout}`);
    const ended = run(["--resume", "last"], cwd);
    expect(ended.stderr).toContain(`\`${executable} --harn replay run-`);
    expect(ended.status).toBe(1);
  });

  it("refuses to go on with the run of another program", () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "other.harn"), `write_file("x", "1")\nexit(1)\n`);
    harn(["run", "other.harn"], { cwd });
    const { stderr, status } = run(["--resume", "last"], cwd);
    expect(stderr).toMatch(/^harn: run-\S+ is a run of other\.harn, and in this executable lies main\.harn/);
    expect(status).toBe(1);
  });

  it("has every library in it, and loads nothing from where it runs", () => {
    const cwd = freshFolder();
    writeFileSync(
      join(cwd, "libraries.harn"),
      `println([yaml_parse("a: 1"), toml_parse("a = 1"), len(blake3("a")), display_width("日本"), len(glob("l*.harn"))])
println(cookie_round_trip(nil, ["a=1"]).cookie_header)
for provider in ["openai", "anthropic"] {
  let options = {provider: provider, model: "m", base_url: "http://127.0.0.1:9", api_key: "k", llm_retries: 0}
  println(unwrap_err(try { llm_call("x", nil, options) }).category)
}
println(to_string(unwrap_err(try { pg_connect("postgres://x@127.0.0.1:9/y") })).contains("ECONNREFUSED"))
println(to_string(unwrap_err(try { mcp_connect("no-such-program") })).contains("failed to spawn"))
`,
    );
    const { stdout } = run(["--harn", "run", "libraries.harn"], cwd);
    expect(stdout).toBe(
      "[{a: 1}, {a: 1}, 64, 4, 1]\na=1\ntransient_network\ntransient_network\ntrue\ntrue\n",
    );
    const planted = join(cwd, "node_modules/@opentelemetry/api");
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, "index.js"), 'require("fs").writeFileSync("planted", "")');
    const asked = run(["plain"], cwd, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
    expect(asked.stderr).toContain("executables do not hold the OpenTelemetry SDK");
    expect(existsSync(join(cwd, "planted"))).toBe(false);
  });

  it("is harn after --harn, with children that are the same file", () => {
    const cwd = freshFolder();
    writeFileSync(
      join(cwd, "a_test.harn"),
      'import "std/testing"\npipeline test_sum(task) { assert(1 + 1 == 2) }\n',
    );
    expect(run(["--harn", "test", "a_test.harn"], cwd).stdout).toContain("1 passed");
    writeFileSync(
      join(cwd, "wait.harn"),
      'pub fn daemon() {\n  return {task: "Wait.", provider: "mock"}\n}\n',
    );
    const started = run(["--harn", "daemon", "run", "wait.harn"], cwd);
    expect(started.stdout).toContain(`${executable} --harn daemon stop wait`);
    try {
      expect(run(["--harn", "daemon", "list", "--json"], cwd).stdout).toContain('"name":"wait"');
    } finally {
      expect(run(["--harn", "daemon", "stop", "wait"], cwd).stdout).toContain("has stopped");
    }
    // Its first turn was a process of the pool.
    expect(run(["--harn", "runs", "list"], cwd).stdout).toMatch(/^run-/);
    expect(run(["--harn", "doc", "std/collections"], cwd).stdout).toContain("pick_keys");
    expect(run(["--harn", "init", "new"], cwd).status).toBe(0);
    expect(existsSync(join(cwd, "new/main.harn"))).toBe(true);
  });

  it.runIf(process.platform === "linux")("keeps to the stack that it may have", () => {
    const limited = (limit: string, what: string): SpawnSyncReturns<string> =>
      spawnSync("/bin/sh", ["-c", `ulimit ${limit}; exec "$0" "$@"`, executable, what], {
        cwd: freshFolder(),
        env: {},
        encoding: "utf8",
      });
    // A limit that it may raise, and one that it may not: fewer calls, and no crash.
    expect(limited("-S -s 1024", "deep").stdout).toBe("9990\n");
    expect(limited("-s 4096", "plain").stdout).toBe("42 {a: 1}\n");
    expect(limited("-s 4096", "deep").stderr).toContain("Stack overflow: too many nested calls");
  });
});

describe("harn build", () => {
  const build = (args: readonly string[], cwd = project): CliResult => harn(["build", ...args], { cwd });

  it("writes over what it made, and over nothing else", () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), 'println("one")\n');
    writeFileSync(join(cwd, "notes"), "mine");
    expect(build(["a.harn", "-o", "notes"], cwd)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("notes is there, and `harn build` has not made it"),
    });
    expect(readFileSync(join(cwd, "notes"), "utf8")).toBe("mine");
    expect(build(["a.harn"], cwd).status).toBe(0);
    writeFileSync(join(cwd, "a.harn"), 'println("two")\n');
    expect(build(["a.harn"], cwd).status).toBe(0);
    expect(spawnSync(join(cwd, "a"), { encoding: "utf8" }).stdout).toBe("two\n");
    expect(readdirSync(cwd).sort()).toEqual(["a", "a.harn", "notes"]);
  });

  it.each([
    [["missing.harn"], 1, "Error reading missing.harn: no such file or folder"],
    [["main.harn", "-o", "lib"], 1, "lib is a folder: name the file that is to be made, `-o lib/NAME`"],
    [["main.harn", "-o", "no/folder"], 1, "cannot write"],
    [["-"], 2, "name a file"],
    [[], 2, "missing required argument"],
  ])("refuses %j", (args, code, text) => {
    const { stderr, status } = build(args);
    expect(stderr).toContain(text);
    expect(status).toBe(code);
  });

  it("shows what is wrong with a script as `harn check` does", () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), "let a = \nprintln(b)\n");
    const { stdout, stderr, status } = build(["a.harn"], cwd);
    expect(stderr).toContain("--> a.harn:");
    expect(stdout).toBe("");
    expect(status).toBe(harn(["check", "a.harn"], { cwd }).status);
    expect(readdirSync(cwd)).toEqual(["a.harn"]);
  });

  const modules = {
    "words.harn": "pub fn capital(text) { return text }\n",
    "bad.harn": "pub fn y( { return 1\n",
    "gone.harn": 'import { x } from "./nosuch"\npub fn gone() { return x() }\n',
    "typed.harn": "pub fn typed() { return nil * {} }\n",
  };

  it.each([
    [
      "a module that is missing",
      'import { x } from "./nosuch"\nprintln(x())\n',
      "(HARN-MOD-001)\n  --> a.harn:1:",
    ],
    [
      "a name that a module lacks",
      'import { caps } from "./words"\nprintln(caps("a"))\n',
      "(HARN-MOD-002)\n  --> a.harn:1:",
    ],
    [
      "a module that the language lacks",
      'import "std/nosuch"\nprintln(1)\n',
      "(HARN-MOD-001)\n  --> a.harn:1:",
    ],
    [
      "a module that does not parse",
      'import { y } from "./bad"\nprintln(y())\n',
      "(HARN-PAR-001)\n  --> bad.harn:1:",
    ],
    [
      "a module whose module is missing",
      'import { gone } from "./gone"\nprintln(gone())\n',
      "(HARN-MOD-001)\n  --> gone.harn:1:",
    ],
    [
      "a module that can't do what it does",
      'import { typed } from "./typed"\nprintln(typed())\n',
      "(HARN-TYP-002)\n  --> typed.harn:1:",
    ],
  ])("makes none of %s", (_what, text, words) => {
    const cwd = freshFolder();
    for (const [name, module] of Object.entries({ ...modules, "a.harn": text }))
      writeFileSync(join(cwd, name), module);
    const before = readdirSync(cwd);
    const { stdout, stderr, status } = build(["a.harn"], cwd);
    expect(stderr).toContain(words);
    expect([stdout, status]).toEqual(["", 1]);
    expect(readdirSync(cwd)).toEqual(before);
  });

  it("puts in packages, modules above the script and hooks of harn.toml; says which sections are read where it runs", () => {
    const cwd = freshFolder();
    const files = {
      "above.harn": 'pub fn above() { return "from above" }\n',
      "app/.harn/packages/kit/lib.harn": 'pub fn kit() { return "from a package" }\n',
      "app/hooks.harn": 'pub fn before(event) { println("before ${event.tool.name}") }\n',
      "app/harn.toml":
        '[[hooks]]\nevent = "PreToolUse"\npattern = "*"\nhandler = "hooks::before"\n\n[resume]\non_doubt = "ask"\n',
      "app/main.harn": `import { kit } from "kit"
import { above } from "../above"
println("\${kit()}, \${above()}")
let add = {parameters: {a: {type: "int"}}, handler: { args -> args.a }}
llm_mock({tool_calls: [{name: "add", arguments: {a: 1}}]})
llm_mock({text: "done ##DONE##"})
agent_loop("go", nil, {provider: "mock", tools: tool_define(tool_registry(), "add", "Adds.", add)})
`,
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    const { stdout } = build(["app/main.harn"], cwd);
    expect(stdout).toContain("note: [resume] of app/harn.toml is not in it");
    const ran = spawnSync(join(cwd, "main"), { cwd: freshFolder(), env: {}, encoding: "utf8" });
    expect(ran.stdout).toBe("from a package, from above\nbefore add\n");
  });

  it("says what to do when the Node that runs takes no program in", () => {
    const cwd = freshFolder();
    const node = readFileSync(process.execPath);
    node.write("X", node.indexOf("NODE_SEA_FUSE_"));
    writeFileSync(join(cwd, "node"), node, { mode: 0o755 });
    writeFileSync(join(cwd, "a.harn"), "println(1)\n");
    const { stderr, status } = harn(["build", "a.harn"], { cwd, env: { PATH: `${cwd}:/usr/bin:/bin` } });
    expect(stderr).toContain("takes no program in: some distributions build it so");
    expect(stderr).toContain("https://nodejs.org");
    expect(status).toBe(1);
    expect(readdirSync(cwd).sort()).toEqual(["a.harn", "node"]);
  });

  it("leaves nothing when it is interrupted", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), "println(1)\n");
    const child = spawn(join(projectRoot, "bin/harn.cjs"), ["build", "a.harn"], { cwd, stdio: "ignore" });
    const ended = once(child, "exit");
    while (child.exitCode === null && readdirSync(cwd).length === 1)
      await new Promise((done) => setTimeout(done, 5));
    child.kill("SIGINT");
    const [code] = await ended;
    expect(code).toBe(130);
    expect(readdirSync(cwd)).toEqual(["a.harn"]);
  });
});
