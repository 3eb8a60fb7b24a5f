/** `harn eval`, `harn runs inspect` and `harn replay RECORD`: what is said, and the exit codes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type EvalFlags, evalCommand } from "../../../src/cli/eval/eval-command.ts";
import { type InspectFlags, inspectCommand } from "../../../src/cli/runs/inspect-command.ts";
import { UsageError } from "../../../src/host/command/usage-error.ts";
import { runOfRecord } from "../../../src/run/recorded-replay.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("eval");
const at = (name: string): string => join(folder, name);
const put = (name: string, value: unknown): void =>
  writeFileSync(at(name), typeof value === "string" ? value : JSON.stringify(value));

const stage = {
  node_id: "a",
  status: "completed",
  outcome: "success",
  branch: "success",
  visible_text: "hello",
  attempts: [{}, {}],
};
const good = {
  _type: "run_record",
  id: "good",
  workflow_name: "w",
  task: "do it\nnow",
  status: "completed",
  stages: [stage],
};
const fixture = {
  expected_status: "completed",
  stage_assertions: [{ node_id: "a", expected_status: "completed" }],
};
const bad = {
  ...good,
  id: "bad",
  status: "failed",
  stages: [],
  replay_fixture: fixture,
  pending_nodes: ["a", "b"],
};

beforeAll(() => {
  mkdirSync(at("runs/deep"), { recursive: true });
  put("runs/good.json", good);
  put("runs/deep/bad.json", bad);
  put("runs/note.json", { hello: 1 });
  put("runs/broken.json", "{");
});
afterEach(() => vi.restoreAllMocks());

interface Said {
  readonly code: number;
  readonly stdout: string;
}

async function said(work: () => number | Promise<number>): Promise<Said> {
  let stdout = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const code = await work();
  return { code, stdout: stdout.replaceAll(folder, "DIR") };
}

const evaluate = (name: string, flags: EvalFlags = {}): Promise<Said> =>
  said(() => evalCommand(at(name), [], flags));
const inspect = (name: string, flags: InspectFlags = {}): Promise<Said> =>
  said(() => inspectCommand(at(name), flags));

describe("harn eval", () => {
  it("a record answers to its own fixture", async () => {
    expect(await evaluate("runs/good.json")).toEqual({
      code: 0,
      stdout: "  pass  DIR/runs/good.json\nPASS: 1 of 1 passed\n",
    });
    expect(await evaluate("runs/deep/bad.json")).toEqual({
      code: 1,
      stdout:
        "  FAIL  DIR/runs/deep/bad.json\n          run: expected status completed, got failed\n          stage a is missing\nFAIL: 0 of 1 passed\n",
    });
  });

  it("a folder is all records in it", async () => {
    const { code, stdout } = await evaluate("runs");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /FAIL {2}DIR\/runs\/deep\/bad.json[\s\S]*pass {2}DIR\/runs\/good.json\nFAIL: 1 of 2 passed/,
    );
    mkdirSync(at("empty"), { recursive: true });
    await expect(evaluate("empty")).rejects.toThrow(/there are no run records in/);
  });

  it("a suite and a pack lie relative to their own file", async () => {
    put("suite.json", {
      cases: [{ label: "same", run_path: "runs/good.json", compare_to: "runs/good.json" }],
    });
    expect(await evaluate("suite.json")).toEqual({ code: 0, stdout: "  pass  same\nPASS: 1 of 1 passed\n" });
    const cases = [
      { id: "one", run: "good.json" },
      { id: "two", run: "deep/bad.json", severity: "warning" },
      { id: "three", run: "deep/bad.json", severity: "informational" },
    ];
    put("pack.json", { version: 1, id: "nightly", base_dir: "runs", baseline: "good.json", cases });
    const differs = "          differs from good.json: status completed -> failed; stage a removed\n";
    expect(await evaluate("pack.json")).toEqual({
      code: 0,
      stdout: `pack nightly\n  pass  one\n  warn  two\n${differs}  info  three\n${differs}PASS: 1 of 3 passed (1 warning, 1 informational)\n`,
    });
    put("blocked.json", {
      id: "b",
      base_dir: "runs",
      cases: [{ run: "deep/bad.json", thresholds: { max_llm_calls: 0 }, fixture: "../fixture.json" }],
    });
    put("fixture.json", fixture);
    const { code, stdout } = await evaluate("blocked.json", { json: true });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      pack_id: "b",
      pass: false,
      blocking_failed: 1,
      cases: [{ id: "case_1", pass: false }],
    });
  });

  it("a script is what it judges and measures", async () => {
    put(
      "evals.harn",
      [
        'llm_mock({text: "yes"})',
        'llm_call("Is it?\\n\\nSay yes.", nil, {provider: "mock"})',
        'eval_metric("messages", len(llm_mock_calls()[0].messages))',
        'run_record_eval_suite([{run: run_record({}), label: "empty"}])',
      ].join("\n"),
    );
    const plain = { code: 0, stdout: "  pass  empty\nPASS: 1 of 1 passed\n  messages: 1\n" };
    expect(await evaluate("evals.harn")).toEqual(plain);
    expect(await evaluate("evals.harn", { structuralExperiment: "doubled_prompt" })).toEqual({
      code: 0,
      stdout: "experiment doubled_prompt\n  pass  empty\nPASS: 1 of 1 passed\n  messages: 1 -> 3\n",
    });
    const { stdout } = await evaluate("evals.harn", { json: true, structuralExperiment: "doubled_prompt" });
    expect(JSON.parse(stdout)).toMatchObject({
      pass: true,
      exit_code: 0,
      metrics: [{ name: "messages", value: 1 }],
      experiment: { structural_experiment: "doubled_prompt", metrics: [{ name: "messages", value: 3 }] },
    });
    put("fails.harn", 'eval_metric("n", 1)\nthrow "no"');
    expect(await evaluate("fails.harn")).toEqual({
      code: 1,
      stdout: "  n: 1\nFAIL: the script ended with 1\n",
    });
    put(
      "judges.harn",
      'run_record_eval_suite([{run: run_record({}), fixture: {expected_status: "failed"}}])',
    );
    expect((await evaluate("judges.harn")).code).toBe(1);
    put("nothing.harn", "let x = 1");
    expect((await evaluate("nothing.harn")).stdout).toMatch(/^nothing was measured: /);
    put("wrong.harn", "let = ");
    expect(await evaluate("wrong.harn")).toEqual({ code: 1, stdout: "" });
  });

  it("says what it can't judge", async () => {
    const failure = async (name: string, flags: EvalFlags = {}): Promise<[string, number]> => {
      const error: unknown = await evaluate(name, flags).catch((caught: unknown) => caught);
      if (!(error instanceof UsageError)) throw new Error(`no usage error for ${name}`);
      return [error.message.replaceAll(folder, "DIR"), error.exitCode];
    };
    expect(await failure("none.json")).toEqual(["cannot read DIR/none.json: no such file or folder", 1]);
    expect(await failure("runs/broken.json")).toEqual([
      expect.stringMatching(/^DIR\/runs\/broken.json is damaged: JSON/),
      1,
    ]);
    expect(await failure("runs/note.json")).toEqual([
      expect.stringMatching(/^DIR\/runs\/note.json is nothing to evaluate: /),
      2,
    ]);
    put("list.json", []);
    expect((await failure("list.json"))[1]).toBe(2);
    put("badpack.json", { id: "b", cases: [{ run: "runs/good.json", rubrics: ["none"] }] });
    expect(await failure("badpack.json")).toEqual(["eval_pack_run: case case_1: there is no rubric none", 1]);
    expect((await failure("runs/good.json", { structuralExperiment: "x" }))[0]).toMatch(
      /^--structural-experiment is for scripts/,
    );
  });
});

describe("harn runs inspect", () => {
  it("shows a record, and how it differs from another", async () => {
    expect(await inspect("runs/good.json")).toEqual({
      code: 0,
      stdout: "good  w  completed\ntask: do it…\n  a (): success after 2 attempts  hello\n",
    });
    expect((await inspect("runs/deep/bad.json")).stdout).toContain("waiting: a, b\n");
    expect(await inspect("runs/good.json", { compare: at("runs/good.json") })).toEqual({
      code: 0,
      stdout: "DIR/runs/good.json is the same as DIR/runs/good.json\n",
    });
    expect(await inspect("runs/deep/bad.json", { compare: at("runs/good.json") })).toEqual({
      code: 1,
      stdout:
        "DIR/runs/deep/bad.json differs from DIR/runs/good.json:\n  status: completed -> failed\n  stage a removed\n",
    });
    const { stdout } = await inspect("runs/good.json", { json: true, compare: at("runs/deep/bad.json") });
    expect(JSON.parse(stdout)).toMatchObject({ run: { id: "good" }, comparison: { identical: false } });
    await expect(inspect("runs/note.json")).rejects.toThrow(/holds no run record/);
  });
});

describe("a run of this folder", () => {
  const before = process.cwd();
  afterEach(() => process.chdir(before));

  it("is known by its id", async () => {
    mkdirSync(at(".harn-runs"), { recursive: true });
    put(".harn-runs/good.json", good);
    process.chdir(folder);
    expect((await said(() => inspectCommand("good", {}))).stdout).toMatch(/^good {2}w {2}completed\n/);
    expect((await said(() => evalCommand("good", [], {}))).code).toBe(0);
    await expect(said(() => evalCommand("other", [], {}))).rejects.toThrow(/cannot read other/);
  });
});

describe("a record in the place of a recorded run", () => {
  it("names it", () => {
    put(
      "named.json",
      `${JSON.stringify({ _type: "run_record", metadata: { recorded_as: "run-1" } }, null, 2)}\n`,
    );
    expect(runOfRecord(at("named.json"))).toBe("run-1");
    expect(runOfRecord(at("runs/note.json"))).toBeUndefined();
    expect(runOfRecord(at("none.json"))).toBeUndefined();
    expect(runOfRecord(folder)).toBeUndefined();
    expect(() => runOfRecord(at("runs/good.json"))).toThrow(/names no recorded run/);
  });
});

describe("a pack with keys that mean nothing", () => {
  const errors = (): string[] => {
    const lines: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
    return lines;
  };
  const pack = (one: object): unknown => ({
    version: 1,
    id: "p",
    cases: [{ id: "c", run: "runs/good.json", ...one }],
  });

  it("is told with path and suggestion", async () => {
    put("typo.json", pack({ severty: "blocking" }));
    vi.spyOn(process.stdout, "write").mockImplementation(() => true);
    const lines = errors();
    await evalCommand(at("typo.json"), [], {});
    expect(lines.join("")).toContain('unknown key `cases[0].severty`; did you mean "severity"?');
  });

  it("is refused where it would lift a bound", async () => {
    put("bound.json", pack({ treshold: {} }));
    await expect(evalCommand(at("bound.json"), [], {})).rejects.toThrow(
      'unknown key `cases[0].treshold`; did you mean "thresholds"?',
    );
  });
});
