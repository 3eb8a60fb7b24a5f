/** Each example runs as a user would run it, without a key, and prints what it says. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { docBlocks } from "./support/doc-pages.ts";
import { harnHere } from "./support/harn-here.ts";
import { projectRoot } from "./support/project.ts";
import { harn } from "./support/run-cli.ts";
import { tempFolder, tempFolders } from "./support/temp-folder.ts";

const freshFolder = tempFolders("review");

const folder = tempFolder("examples");
const examples = join(projectRoot, "examples");
const names = ["", "evals"]
  .flatMap((below) => readdirSync(join(examples, below)).map((name) => join(below, name)))
  .filter((name) => name.endsWith(".harn"))
  .map((name) => name.slice(0, -".harn".length));

/** Run by `harn eval run`. */
const evaluations = ["capitals", "refunds"];

/** What an example is for may be to fail: an eval whose last case is wrong. */
const exitCodes: Readonly<Record<string, number>> = { "eval-harness": 1 };

/** What an example says beside its output. */
const says: Readonly<Record<string, RegExp>> = { "wait-for-review": /^harn: the worker \S+ waits.*\n$/ };

describe("examples", () => {
  it("are at least six", () => expect(names.length + 1).toBeGreaterThanOrEqual(6));

  for (const name of names.filter((one) => existsSync(join(examples, `${one}.expected`)))) {
    it(name, async () => {
      const { stdout, stderr, status } = await harnHere(["run", `examples/${name}.harn`]);
      expect(stderr).toMatch(says[name] ?? /^$/);
      expect(stdout).toBe(readFileSync(join(examples, `${name}.expected`), "utf8"));
      expect(status).toBe(exitCodes[name] ?? 0);
    });
  }

  it("all pass under harn test too, which runs each in its own folder", async () => {
    const { stdout, status } = harn(["test", "examples"]);
    expect(stdout).not.toContain("FAIL");
    expect(status).toBe(0);
  });

  it("the first program of docs/mcp.md parses", async () => {
    const program = docBlocks("docs/mcp.md").find(({ info }) => info === "harn")?.text ?? "";
    const file = join(folder, "mcp.harn");
    writeFileSync(file, program);
    expect(program).toContain("mcp_connect");
    expect((await harnHere(["check", file])).status).toBe(0);
  });

  it.each(evaluations)("the evaluation %s runs without a key", async (name) => {
    const script = `examples/evals/${name}.eval.harn`;
    expect(await harnHere(["check", script])).toMatchObject({ status: 0, stdout: `${script}: ok\n` });
    expect((await harnHere(["fmt", "--check", script])).status).toBe(0);
    const answers = `examples/evals/${name}.llm-mock.jsonl`;
    const flags = existsSync(join(projectRoot, answers)) ? ["--llm-mock", answers] : [];
    const { stdout, status } = await harnHere(["eval", "run", script, ...flags, "--quiet", "--json"]);
    const { state, pass, tasks } = JSON.parse(stdout);
    expect({ state, pass, status }).toEqual({ state: "done", pass: true, status: 0 });
    expect(tasks[name].trials).toBe(name === "capitals" ? 20 : 24);
  });

  it("the first evaluation of docs/evals.md prints what the page says", async () => {
    const [program, printed] = docBlocks("docs/evals.md");
    const at = freshFolder();
    writeFileSync(join(at, "capitals.eval.harn"), program?.text ?? "");
    const { stdout, status } = await harnHere(["eval", "run", "capitals.eval.harn", "--quiet"], { cwd: at });
    expect(status).toBe(0);
    // Names, times, the day and the receipt of a random seed differ.
    const steady = (text: string): string =>
      text
        .replace(/eval-[-0-9a-f]+/g, "SET")
        .replace(/[\d.]+ m?s\n/g, "TIME\n")
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "DAY")
        .replace(/receipt \w+/g, "RECEIPT");
    expect(steady(stdout).trimEnd()).toBe(steady(printed?.text ?? "").trimEnd());
  });

  it("the harness of docs/evals.md is the example", () => {
    const blocks = docBlocks("docs/evals.md").filter(({ info }) => info === "harn");
    const example = readFileSync(join(projectRoot, "examples/evals/refunds.eval.harn"), "utf8");
    const harness = blocks.find(({ text }) => text.includes("eval_pack refunds"));
    expect(harness?.text.trimEnd()).toBe(example.trimEnd());
  });

  it("every example has a test", () => {
    const tested = new Set([
      "dice",
      ...evaluations.map((name) => `evals/${name}.eval`),
      ...names.filter((name) => existsSync(join(examples, `${name}.expected`))),
    ]);
    expect(names.filter((name) => !tested.has(name))).toEqual([]);
  });

  it("hello takes a name", async () => {
    expect((await harnHere(["run", "examples/hello.harn", "--", "Ada"])).stdout).toBe("Hello, Ada!\n");
  });

  it("wait-for-review goes on with what the reviewer says", async () => {
    const cwd = freshFolder();
    await harnHere(["run", join(examples, "wait-for-review.harn")], { cwd });
    const [file = ""] = readdirSync(join(cwd, ".harn/workers"));
    const { stdout } = await harnHere(
      ["run", "--resume", file.replace(".json", ""), "--input", "Approved."],
      { cwd },
    );
    expect(stdout).toBe("The reviewer: Approved.\nThe agent: Draft 7 is scheduled as it was approved.\n");
  });

  it("dice replays to the same bytes", async () => {
    const journal = join(folder, "dice.journal");
    const recorded = await harnHere(["run", "--record", journal, "examples/dice.harn"]);
    expect(recorded).toMatchObject({ stderr: "", status: 0 });
    expect(recorded.stdout).toMatch(/^player \d: \[(\d, ){4}\d\] = \d+\n/);
    const again = await harnHere(["replay", journal]);
    expect(again).toEqual(recorded);
  });

  it("long-haul replays to the same bytes, and its summary of an early message can be asked for", async () => {
    const journal = join(folder, "long-haul.journal");
    const recorded = await harnHere(["run", "--record", journal, "examples/long-haul.harn"]);
    expect(recorded).toMatchObject({ stderr: "", status: 0 });
    expect(await harnHere(["replay", journal])).toEqual(recorded);
    const { stdout, status } = await harnHere(["why", journal, "--message", "msg_41"]);
    expect(status).toBe(0);
    expect(stdout).toContain("summarized in turns 55 to 316");
    expect(stdout).toContain("msg_112 at plan version 1 (callback)");
  });

  it.each([
    [[], "the loop l1 ended done (work_complete) after 316 turns", "3 claims were refused before"],
    [
      ["--turn", "41"],
      "turn 41 went on: row 12 of the stop table: the task contract was not met (contract)",
      "it saw 82 messages",
    ],
    [
      ["--message", "msg_40"],
      "msg_40 is result of ask_berth (call mock_call_1), 604 characters",
      "whole in turns 20 to 54 (l1)",
    ],
    [
      ["--missing", "msg_40"],
      "msg_40 is not in the request of turn 316: summarized",
      "one of 55 messages summarized into msg_112",
    ],
    [
      ["--tool", "ring_the_bell"],
      "ring_the_bell: the model was told of it in every request",
      "called in msg_86 as mock_call_1, ok (msg_87): the bell has rung",
    ],
    [["--instruction", "compacted"], "the instruction compacted was given 11 times", "before turn 55 [5]"],
    [["--instruction", "no_reads"], "the instruction no_reads was not given in 316 turns", "reads: 310"],
    [
      ["--requirement", "bell"],
      "the requirement bell is met, looked at 5 times",
      "turn 41: unmet: ring_the_bell was not called",
    ],
    [
      ["--text", "Halcyon"],
      '1 part of the request of turn 316 has the text "Halcyon"',
      "message:msg_283 from tool:ask_berth",
    ],
  ])("the long haul answers why %j", async (question, claim, reason) => {
    const journal = join(folder, "why.journal");
    if (!existsSync(journal)) await harnHere(["run", "--record", journal, "examples/long-haul.harn"]);
    const { stdout, status } = await harnHere(["why", journal, ...question]);
    expect(status).toBe(0);
    expect(stdout.split("\n")[0]).toBe(claim);
    expect(stdout).toContain(reason);
  });
});

describe("research, a long task with work items", () => {
  it("is done when its ledger is, and prints the report of its tape", async () => {
    const program = "examples/research/research.harn";
    const { stdout, status } = await harnHere(["run", "--tape", "examples/research/tape.jsonl", program]);
    expect(stdout.trimEnd()).toBe(readFileSync(join(examples, "research/report.txt"), "utf8").trimEnd());
    expect(status).toBe(0);
    expect((await harnHere(["check", program])).status).toBe(0);
    expect((await harnHere(["fmt", "--check", program])).status).toBe(0);
  });
});

describe("repo-audit, the quickstart", () => {
  const audit = async (
    report: string,
    project = "examples/repo-audit/project",
    more: readonly string[] = [],
  ) =>
    await harnHere([
      "run",
      ...more,
      "--progress",
      "--tape",
      "examples/repo-audit/tape.jsonl",
      "examples/repo-audit/audit.harn",
      "--",
      project,
      report,
    ]);

  it("shows turns, tool calls, tokens and cost, and writes the report", async () => {
    const report = join(folder, "report.md");
    const { stdout, stderr, status } = await audit(report);
    expect(status).toBe(0);
    expect(stdout).toContain("status   done");
    expect(stdout).toContain(`report   ${report}`);
    for (const shown of [
      "turn 1",
      "turn 5",
      "✓ list_files",
      "✓ write_report",
      " ms",
      "tokens in",
      "$0.0000 so far",
    ]) {
      expect(stderr).toContain(shown);
    }
    expect(readFileSync(report, "utf8")).toContain("# Audit of pantry");
  });

  it("the report is true of the project", async () => {
    const report = join(folder, "true.md");
    await audit(report);
    const text = readFileSync(report, "utf8");
    const files = projectFiles();
    const marks = files.flatMap(({ path, lines }) =>
      lines.flatMap((line, i) => (/\b(TODO|FIXME)\b/.test(line) ? [`${path}:${i + 1}`] : [])),
    );
    const long = files.filter(({ lines }) => lines.length > 150);
    expect([...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]).sort()).toEqual(marks.sort());
    for (const { path, lines } of long) expect(text).toContain(`\`${path}\` has ${lines.length} lines`);
    const total = files.reduce((sum, { lines }) => sum + lines.length, 0);
    expect(text).toContain(`${files.length} files, ${total} lines`);
    const tests = files.filter(({ path }) => /test/.test(path)).map(({ lines }) => lines.join("\n"));
    const untested = [...(text.split("## Source files without a test")[1] ?? "").matchAll(/^- `([^`]+)`/gm)];
    expect(untested.length).toBeGreaterThan(0);
    for (const [, path] of untested) {
      expect(files.map((file) => file.path)).toContain(path);
      const module = path!
        .replace(/\.\w+$/, "")
        .split("/")
        .at(-1)!;
      expect(tests.some((test) => new RegExp(`pantry\\.${module}\\b|\\./${module}\\.js`).test(test))).toBe(
        false,
      );
    }
  });

  it("replays byte for byte, with the project gone", async () => {
    const project = join(folder, "copy");
    const journal = join(folder, "audit.journal");
    copyProject(project);
    const report = join(folder, "replayed.md");
    const recorded = await audit(report, project, ["--record", journal]);
    expect(recorded.status).toBe(0);
    rmSync(project, { recursive: true });
    rmSync(report);
    const again = await harnHere(["replay", journal]);
    expect(again.stderr).toBe("");
    expect(again.stdout).toBe(recorded.stdout);
    expect(again.status).toBe(0);
    expect(existsSync(report)).toBe(false);
  });

  it("the model cannot leave the project", async () => {
    const tape = join(folder, "escape.jsonl");
    const calls = ["../../../etc/passwd", "/etc/passwd", "pantry/../../outside"].map((path) => ({
      name: "read_file_lines",
      args: { path },
    }));
    writeFileSync(tape, `${JSON.stringify({ tool_calls: calls })}\n${JSON.stringify({ text: "stopped" })}\n`);
    const { stderr, status } = await harnHere([
      "run",
      "--progress",
      "--tape",
      tape,
      "examples/repo-audit/audit.harn",
    ]);
    expect(status).toBe(1);
    expect(stderr.match(/✗ read_file_lines error .*no such file in the project/g)).toHaveLength(3);
    expect(stderr).not.toContain("root:");
  });
});

function projectFiles(): { path: string; lines: string[] }[] {
  const root = join(examples, "repo-audit/project");
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("__pycache__"))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: file.slice(root.length + 1),
      lines: readFileSync(file, "utf8").replace(/\n$/, "").split("\n"),
    }));
}

function copyProject(to: string): void {
  const root = join(examples, "repo-audit/project");
  for (const { path, lines } of projectFiles()) {
    mkdirFor(join(to, path));
    writeFileSync(join(to, path), `${lines.join("\n")}\n`);
  }
  expect(existsSync(root)).toBe(true);
}

function mkdirFor(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
}
