/** What a user types and sees: arguments, standard input, errors with file, line, caret, code and hint; exit codes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { harnHere } from "../../support/harn-here.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("run");

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("harn run", () => {
  it("hands the arguments after -- to the script", async () => {
    const path = file("args.harn", "println(argv)\n");
    expect((await harnHere(["run", path, "--", "a", "b c", "--flag"])).stdout).toBe("[a, b c, --flag]\n");
  });

  it("binds the parameters of the entry pipeline to them, in order, and a replay does the same", async () => {
    const path = file("words.harn", 'pipeline main(task, more) {\n  println("${task}, ${more}")\n}\n');
    const state = { env: { HARN_STATE_DIR: join(folder, "words-state") } };
    expect(
      (await harnHere(["run", path, "--record", join(folder, "words.jsonl"), "--", "a b", "c", "d"], state))
        .stdout,
    ).toBe("a b, c\n");
    expect((await harnHere(["replay", join(folder, "words.jsonl")], state)).stdout).toBe("a b, c\n");
  });

  it("gives those that a pipeline inherits the values of its own", async () => {
    const path = file(
      "child.harn",
      "pipeline base(task) {\n  println(task)\n}\npipeline default(n, task) extends base {\n  println(n + task)\n}\n",
    );
    expect((await harnHere(["run", path, "--", "1", "x"])).stdout).toBe("x\n1x\n");
  });

  it("says how a parameter that is read and has no value gets one; one that nobody reads needs none", async () => {
    const path = file("unbound.harn", "pipeline main(task) {\n  println(1)\n  println(task)\n}\n");
    const { stdout, stderr, status } = await harnHere(["run", path]);
    expect([stdout, status]).toEqual(["1\n", 1]);
    expect(stderr).toContain("Undefined variable: task (line 3)");
    expect(stderr).toContain(
      "= help: `harn run FILE -- TASK` gives the pipeline's parameter `task` its value",
    );
    const unread = file("unread.harn", "pipeline main(task) {\n  println(1)\n}\n");
    expect(await harnHere(["run", unread])).toMatchObject({ stdout: "1\n", stderr: "", status: 0 });
  });

  it("runs a text", async () => {
    expect(await harnHere(["run", "-e", "log(1 + 1)"])).toMatchObject({
      stdout: "[harn] 2\n",
      stderr: "",
      status: 0,
    });
  });

  it("reads standard input", async () => {
    expect((await harnHere(["run", "-"], { input: 'println("from stdin")' })).stdout).toBe("from stdin\n");
  });

  it("says its version and helps", async () => {
    expect((await harnHere(["--version"])).stdout.trim()).toBe(packageJson.version);
    const help = await harnHere(["help"]);
    expect(help.status).toBe(0);
    for (const command of ["run", "replay", "check", "explain"]) expect(help.stdout).toContain(command);
    expect((await harnHere(["help", "run"])).stdout).toContain("--record");
  });

  it("shows a syntax error with place, caret, code and help", async () => {
    const path = file("syntax.harn", "fn f() {\n  let x = (1 + \n}\n");
    const { stderr, status } = await harnHere(["run", path]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: .+ \(HARN-PAR-\d+\)\n\s+--> .*syntax\.harn:\d+:\d+\n/);
    expect(stderr).toMatch(/\n\s*\|\s+\^/);
  });

  it("shows an unknown name before anything runs", async () => {
    const path = file("unknown.harn", 'println("begins")\nfn greet() { return 1 }\ngret()\n');
    const { stderr, stdout, status } = await harnHere(["run", path]);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("call target `gret` is not defined or imported — did you mean `greet`?");
    expect(stderr).toContain("unknown.harn:3:1");
    expect(stderr).toMatch(/HARN-NAM-\d+/);
  });

  it("shows a thrown error with the script's call stack", async () => {
    const path = file(
      "thrown.harn",
      'fn inner() {\n  throw "boom"\n}\nfn outer() {\n  inner()\n}\nprintln("before")\nouter()\n',
    );
    const { stderr, stdout, status } = await harnHere(["run", path]);
    expect(status).toBe(1);
    expect(stdout).toBe("before\n");
    expect(stderr).toContain("Thrown: boom");
    expect(stderr).toContain("thrown.harn:2:3");
    expect(stderr).toMatch(/called from outer at .*thrown\.harn:5/);
    expect(stderr).toMatch(/called from pipeline at .*thrown\.harn:8/);
  });

  it("shows an error of a builtin with line and caret", async () => {
    const path = file("divide.harn", "pipeline default() {\n  let n = 0\n  return 10 / n\n}\n");
    const { stderr, status } = await harnHere(["run", path]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Runtime error: Division by zero \(line 3\)/);
    expect(stderr).toMatch(/divide\.harn:3:\d+/);
    expect(stderr).toContain("  return 10 / n");
  });

  it("ends with the exit code that the script says", async () => {
    expect(await harnHere(["run", "-e", 'println("x")\nexit(7)'])).toMatchObject({
      stdout: "x\n",
      status: 7,
    });
    expect((await harnHere(["run", file("code.harn", "pipeline default() { return 300 }\n")])).status).toBe(
      255,
    );
    const failed = await harnHere(["run", file("err.harn", 'pipeline default() { return Err("bad") }\n')]);
    expect(failed).toMatchObject({ status: 1 });
    expect(failed.stderr).toContain("bad");
  });

  it("ends recursion in the language's own error, 10,000 calls deep", async () => {
    const deep = "fn down(n) {\n  if n == 0 { return 0 }\n  let below = down(n - 1)\n  return below + 1\n}\n";
    expect(harn(["run", file("deep.harn", `${deep}println(down(9990))\n`)])).toMatchObject({
      stdout: "9990\n",
      status: 0,
    });
    const { stderr, status } = harn(["run", file("deeper.harn", `${deep}println(down(20000))\n`)]);
    expect(status).toBe(1);
    expect(stderr).toContain("Stack overflow: too many nested calls");
    expect(stderr.length).toBeLessThan(8000);
  });
});

describe("harn check", () => {
  it("reports without running", async () => {
    const path = file("good.harn", 'println("never printed by check")\n');
    const result = await harnHere(["check", path]);
    expect(result).toMatchObject({ status: 0, stderr: "" });
    expect(result.stdout).toBe(`${path}: ok\n`);
  });

  it("reports several errors of a file and fails", async () => {
    const path = file("several.harn", "let a = ]\nfn f() {\n  let b = }\n  let c = 1\n}\nlet d = )\n");
    const { stderr, status } = await harnHere(["check", path]);
    expect(status).toBe(1);
    expect(stderr.match(/^error: .* \(HARN-PAR-\d+\)$/gm)?.length).toBeGreaterThan(1);
  });

  it("gives JSON", async () => {
    const path = file("json.harn", "nope()\n");
    const { stdout, status } = await harnHere(["check", "--json", path]);
    expect(status).toBe(1);
    const finding = JSON.parse(stdout.trim().split("\n")[0]!);
    expect(finding).toMatchObject({ severity: "error", file: path });
    expect(finding.code).toMatch(/^HARN-NAM-/);
  });
});
