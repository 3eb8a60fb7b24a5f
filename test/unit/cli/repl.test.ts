/** `harn repl` through the launcher: piped input, and a real terminal where Python can open one. */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliResult, cleanEnvironment } from "../../support/command-environment.ts";
import { launcher } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("repl");

const repl = (...lines: string[]): CliResult => harn(["repl"], { cwd: folder, input: lines.join("\n") });

describe("a piped session", () => {
  it("shows values only: no prompts, no banner", () => {
    expect(repl("let x = 20", "x + 1", 'println("out")', '"text"', "nil", "[1, {a: 2.0}]", "")).toEqual({
      stdout: "21\nout\ntext\nnil\n[1, {a: 2.0}]\n",
      stderr: "",
      status: 0,
      signal: null,
    });
  });

  it("asks the models that its flags name", () => {
    const fixtures = join(folder, "answers.jsonl");
    writeFileSync(fixtures, '{"text": "from the fixture"}\n');
    const { stdout, stderr } = harn(["repl", "--llm-mock", fixtures], {
      cwd: folder,
      input: 'let r = llm_call("hi", nil, {provider: "openai"})\nr.text\n',
    });
    expect(stderr).toBe("");
    expect(stdout).toBe("from the fixture\n");
    expect(harn(["repl", "--provider", "nobody"], { cwd: folder, input: "1\n" }).stderr).toContain("nobody");
  });

  it("reads inputs of several lines", () => {
    const { stdout, stderr } = repl(
      "fn f(a) {",
      "  return a * 2",
      "}",
      "f(",
      "  4",
      ")",
      'let s = """',
      "two",
      "lines",
      '"""',
      "s",
    );
    expect(stderr).toBe("");
    expect(stdout).toBe("8\ntwo\nlines\n");
  });

  it("an input that never ends is an error at the end", () => {
    const { stderr, status } = repl("fn f() {", "  1");
    expect(stderr).toContain("Unexpected end of file, expected }");
    expect(stderr).toContain("<input 1>:2:4");
    expect(status).toBe(1);
  });

  it("goes on after errors, which show their own input, and ends with 1", () => {
    const { stdout, stderr, status } = repl(
      "fn f() {",
      '  throw "no"',
      "}",
      "f()",
      "nowhere(1)",
      "let = 3",
      "1 / 0",
      "5",
    );
    expect(stdout).toBe("5\n");
    expect(stderr).toContain("Thrown: no (HARN-RUN-002)\n  --> <input 1>:2:3");
    expect(stderr).toContain("called from pipeline at <input 2>:1");
    expect(stderr).toContain("<input 3>:1:1");
    expect(stderr).toMatch(/HARN-PAR-\d+.*\n +--> <input 4>:1:5/);
    expect(stderr).toContain("Division by zero (line 1)");
    expect(status).toBe(1);
  });

  it("exit ends the session with its code", () => {
    expect(repl("exit(7)", 'println("not reached")')).toMatchObject({ stdout: "", status: 7 });
    expect(repl(":quit", "1")).toMatchObject({ stdout: "", status: 0 });
  });

  it("has commands", () => {
    const { stdout, stderr } = repl(
      ":type 1.5",
      ":type [1]",
      "// Doubles.",
      ":help",
      "/** Doubles. */\nfn twice(n: int) -> int { return n * 2 }",
      ":doc twice",
      ":doc len",
      ":doc lenn",
      ":nope",
      ":type",
    );
    expect(stdout).toContain("float\nlist");
    expect(stdout).toContain(":load FILE");
    expect(stdout).toContain("fn twice(n: int) -> int\n\nDoubles.\n");
    expect(stdout).toContain("len(value: any) -> int");
    expect(stdout).toContain("did you mean `len`?");
    expect(stderr).toBe(
      "there is no command :nope; :help shows all\n:type needs an expression, such as `:type [1, 2]`\n",
    );
  });

  it("loads a file, whose imports are relative to it", () => {
    writeFileSync(join(folder, "lib.harn"), "pub fn base() { return 100 }\n");
    writeFileSync(
      join(folder, "script.harn"),
      'import "lib"\nlet loaded = base() + 1\nfn more(n) { return loaded + n }\n',
    );
    const { stdout, stderr } = repl(
      ":load script.harn",
      "more(2)",
      "base()",
      ":load nowhere.harn",
      ":load .",
    );
    expect(stdout).toBe("103\n100\n");
    expect(stderr).toBe(
      ":load cannot read nowhere.harn: no such file\n:load cannot read .: it is a folder\n",
    );
  });

  it("waits for what an input waits for, and keeps tasks between inputs", () => {
    const { stdout } = repl(
      "let t = spawn {",
      "  sleep(5ms)",
      "  7",
      "}",
      "await(t)",
      'let c = channel("c", 1)',
      "send(c, 3)",
      "receive(c)",
    );
    expect(stdout).toBe("7\ntrue\n3\n");
  });
});

/** Types into a pseudo-terminal and waits for texts: `[["text typed", "text to wait for"], …]`. */
const driver = `
import json, os, pty, select, sys, time
steps = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], [sys.argv[2], "repl"])
seen = b""
def wait(text, since, typed):
    global seen
    end = time.time() + 30
    again = time.time() + 4
    while text.encode() not in seen[since:]:
        # Between two stretches of computation Node may drop a signal; a person presses again.
        if typed == chr(3) and time.time() > again:
            again += 4
            os.write(fd, typed.encode())
        if time.time() > end:
            sys.stdout.write("MISSING " + repr(text) + " in " + repr(seen[since:]))
            os.kill(pid, 9)
            sys.exit(9)
        if select.select([fd], [], [], 0.1)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                data = b""
            if not data:
                break
            seen += data
for typed, text in steps:
    since = len(seen)
    os.write(fd, typed.encode())
    wait(text, since, typed)
end = time.time() + 15
while True:
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended:
        break
    if time.time() > end:
        sys.stdout.write("MISSING its end")
        os.kill(pid, 9)
        sys.exit(9)
    time.sleep(0.02)
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(status))
`;
/** What the line editor writes before the next input, after the line end of a value. */
const prompt = "\r\n\u001b[1G\u001b[0Jharn> ";
const python = spawnSync("python3", ["-c", "import pty"]).status === 0;

const terminal = (steps: readonly (readonly [string, string])[], state: string) =>
  spawnSync("python3", ["-c", driver, JSON.stringify(steps), launcher], {
    cwd: folder,
    env: cleanEnvironment({ XDG_STATE_HOME: state, TERM: "xterm" }),
    encoding: "utf8",
    timeout: 300_000,
  });

describe.skipIf(!python)("a session at a terminal", () => {
  const state = join(folder, "state");

  it("prompts, continues, completes, and survives Ctrl-C while computing, waiting and typing", () => {
    const { stdout, status } = terminal(
      [
        ["", "harn> "],
        ["let value_one = 41\r", "harn> "],
        ["value_one + 1\r", "42"],
        ["fn f(a) {\r", "... "],
        ["return a }\r", "harn> "],
        ['println("spin" + "ning"); while true {}\r', "spinning"],
        ["\u0003", "interrupted"],
        ["f(value_one)\r", "41"],
        ["[1,\r", "... "],
        ["\u0003", "harn> "],
        ["value_o", "value_o"],
        ["\t", "ne"],
        [" + 2\r", "43"],
        ['"abc".starts_', "starts_"],
        ["\t", "with"],
        ['("a")\r', "true"],
        ['println("wait" + "ing"); sleep(60s)\r', "waiting"],
        ["\u0003", "interrupted"],
        [":quit\r", ""],
      ],
      state,
    );
    expect(stdout).not.toContain("MISSING");
    expect(status).toBe(0);
  });

  it("keeps its history for the next session, for its owner only", () => {
    const file = join(state, "harn/repl-history");
    expect(readFileSync(file, "utf8")).toContain("let value_one = 41\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { stdout, status } = terminal(
      [
        ["", "harn> "],
        ["let later = 5\r", "harn> "],
        ["later + 100\r", `105${prompt}`],
        ["\u001b[A\r", `105${prompt}`],
        ["\u0004", ""],
      ],
      state,
    );
    expect(stdout).not.toContain("MISSING");
    expect(status).toBe(0);
    expect(readFileSync(file, "utf8").trimEnd().endsWith("let later = 5\nlater + 100")).toBe(true);
  });
});
