/** What a user of `harn eval run` gets wrong is said before anything is paid for, with exit code 2 (docs/evals.md). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-asked-wrongly");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const task = (more = "", name = "t"): string => `import "std/eval"
eval_task({
  name: "${name}",
  dataset: [{id: "a", target: "Paris"}, {id: "b", target: "Rome"}],
  solver: { _sample, _trial -> "Paris" },
  scorers: [includes()],
  ${more}
})
`;
const script = (text: string, path = "t.harn"): void => writeFileSync(join(cwd, path), text);
const evaluate = (...args: string[]) => harnHere(["eval", "run", ...args, "--quiet"], { cwd });
const sets = async (): Promise<string> => (await harnHere(["eval", "list"], { cwd })).stdout;

describe("a task that is wrong", () => {
  it.each([
    ["limit: {turns: 1},", "HARN-EVL-002"],
    ["epochs: 0,", "HARN-EVL-001"],
    [
      "where: { _sample -> false },",
      "error: the dataset of t has no samples (2 rows read, 2 left out by where) (HARN-EVL-006)",
    ],
    [
      "variants: {model: []},",
      "error: task `t`: the variant model can't be read: it has no values (HARN-EVL-007)",
    ],
    [
      'variants: [{model: "x"}],',
      "task `t`: the variant [0] can't be read: it needs `name`, a text that is not empty",
    ],
    [
      'metrics: ["pass@0"],',
      "error: task `t`: the metric pass@0 can't be read: it is about no trials (HARN-EVL-008)",
    ],
    [
      'metrics: ["pass@1(judge)"],',
      "the metric pass@1(judge) can't be read: there is no scorer judge; there are includes",
    ],
    ['gates: ["success >="],', "HARN-EVL-009"],
    ['gates: ["success/modl >= 1"],', "HARN-EVL-009"],
    ['gates: ["success[topic=z] >= 1"],', "no sample has a field topic"],
    ['metrics: ["pass@3"], epochs: 2,', "error: pass@3 needs 3 epochs, there are 2 (HARN-EVL-015)"],
    ['gates: ["pass^2 >= 1"],', "HARN-EVL-015"],
    ['group_by: ["tarjet"],', '(did you mean `target`?), got string "tarjet"'],
    ['sample: {n: 1, seed: 1, by: "kind"},', "sample.by: expected a field that some sample has"],
    [
      'fields: {input: "tagret"},',
      'fields.input: expected a column that some row has (did you mean `target`?), got string "tagret"',
    ],
    ['reduce: {includes: "at_least_3"}, epochs: 2,', "at_least_3 needs 3 epochs, there are 2"],
    [
      'sandbox: {copy: "templates/"},',
      'error: task `t`: sandbox.copy: expected the path of something that there is, got string "templates/"; ',
    ],
    [
      'sandbox: {files: {"a.txt": {from: "b.txt"}}},',
      "sandbox.files.a.txt.from: expected the path of something that there is",
    ],
  ])("%s", async (more, code) => {
    script(task(more));
    const { status, stderr, stdout } = await evaluate("t.harn");
    expect(stderr).toContain(code);
    expect(stderr).toContain("harn: nothing of the set was run (HARN-EVL-017)\n");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect((await harnHere(["eval", "check", "t.harn"], { cwd })).status).toBe(2);
  });
});

describe("names that were most likely meant otherwise", () => {
  const said = async (more: string, dataset: string, solver: string): Promise<string> => {
    const text = task(more)
      .replace(/dataset: .*/, `dataset: ${dataset},`)
      .replace(/solver: .*/, `solver: ${solver},`);
    script(text);
    const { status, stderr } = await evaluate("t.harn");
    expect(status).toBe(0);
    return stderr;
  };
  const constant = '{ _sample, _trial -> "Paris" }';

  it("are told once for all samples, before the set runs", async () => {
    const rows = '[{id: "a", inpt: 1, tagret: "x"}, {id: "b", inpt: 2, target: "x"}]';
    const stderr = await said("", rows, constant);
    expect(stderr).toContain(
      "warning: task `t`: 2 samples have `inpt`, which nothing reads; did you mean `input`?\n",
    );
    expect(stderr).toContain(
      "warning: task `t`: 1 sample has `tagret`, which nothing reads; did you mean `target`?\n",
    );
    script(task().replace(/dataset: .*/, `dataset: ${rows},`));
    const plain = (await harnHere(["eval", "run", "t.harn", "--plain"], { cwd })).stderr;
    expect(plain.indexOf("did you mean")).toBeLessThan(plain.indexOf(" t 1/2"));
  });

  it("not where the program reads them, or the known name is there as well", async () => {
    const rows = '[{id: "a", inputs: ["x"], target: "Paris", targets: 2}]';
    expect(await said("", rows, '{ sample, _trial -> "Paris ${len(sample.inputs)}" }')).toBe("");
  });

  it("keys of variants and options of roles", async () => {
    const rows = '[{id: "a", target: "Paris"}]';
    expect(await said('variants: {modle: ["x", "y"]},', rows, constant)).toBe(
      "warning: task `t`: the variants' `modle` is no option of model calls, and nothing reads it; did you mean `model`?\n",
    );
    expect(
      await said(
        'variants: {stile: ["x", "y"]},',
        rows,
        '{ _sample, trial -> "Paris ${trial.variant.stile}" }',
      ),
    ).toBe("");
    expect(await said('roles: {judge: {temperatur: 0.5, vendor_effort: "x"}},', rows, constant)).toBe(
      "warning: task `t`: `roles.judge.temperatur` is no option of model calls; did you mean `temperature`?\n",
    );
  });
});

describe("options that are no literals", () => {
  it("of judges and people are told where they are made, not in a trial", async () => {
    script(`import "std/eval"
let given = {temprature: 1, provider: "mock"}
llm_mock({match: "*", text: "Paris"})
eval_task({
  name: "t",
  dataset: [{id: "a", target: "Paris"}],
  user: { _sample -> person("A traveller.", given.merge({max_reply: 3})) },
  solver: { _sample, _trial -> "Paris" },
  scorers: [includes(), judge("Polite?", given), panel([given], "Polite?", {bi: "mean"}.merge({})), review_user(given)],
  success: ["includes"],
})
`);
    const { stderr } = await evaluate("t.harn");
    for (const said of [
      'judge: unknown option "temprature", did you mean "temperature"?',
      'panel: unknown option "bi", did you mean "by"?',
      'review_user: unknown option "temprature", did you mean "temperature"?',
    ])
      expect(stderr).toContain(`warning: ${said}\n`);
  });
});

describe("a target that is empty", () => {
  it.each([
    ['[{id: "a", target: ""}]', "includes()", 'string ""'],
    ['[{id: "b", target: "x"}, {id: "a", target: ["x", " "]}]', "all_of([includes()])", "list"],
    ['[{id: "a", target: []}]', "weighted([{scorer: not_(includes())}])", "list"],
  ])("%s under %s is an error of the row", async (rows, scorer, got) => {
    script(
      task()
        .replace(/dataset: .*/, `dataset: ${rows},`)
        .replace(/scorers: .*/, `scorers: [${scorer}],`),
    );
    const { stderr, status } = await evaluate("t.harn");
    expect(stderr).toContain(
      `error: task \`t\`: target of a: expected a text that is not empty, or a list of such texts, got ${got}`,
    );
    expect(status).toBe(2);
  });

  it("is nothing to scorers that do not look for it", async () => {
    script(
      task()
        .replace(/dataset: .*/, 'dataset: [{id: "a", target: ""}],')
        .replace(/scorers: .*/, 'scorers: [exact(), includes("a")],'),
    );
    expect((await evaluate("t.harn")).status).toBe(0);
  });
});

it("a dataset that is not there has a code", async () => {
  script(task().replace(/dataset: .*/, 'dataset: "none.jsonl",'));
  expect(await evaluate("t.harn")).toMatchObject({ status: 2 });
  expect((await evaluate("t.harn")).stderr).toContain(
    "error: none.jsonl: no such file or folder (HARN-EVL-004)\n",
  );
});

describe("a script that is wrong", () => {
  it("two tasks of one name are told, with the place of the second", async () => {
    script(`${task()}${task().replace('import "std/eval"\n', "")}`);
    const { status, stderr } = await evaluate("t.harn");
    expect(stderr).toContain("error: two tasks are called t (HARN-EVL-003)\n  --> t.harn:9:1\n");
    expect(stderr).toContain("harn: nothing of the set was run (HARN-EVL-017)\n");
    expect(status).toBe(2);
  });

  it("a dataset of lazy rows says how they become a list", async () => {
    script(task().replace(/dataset: .*/, 'dataset: { -> range(0, 2).map({ n -> {id: "s${n}"} }) },'));
    expect((await evaluate("t.harn")).stderr).toContain(
      "dataset: expected a path, a list of dicts or a closure that gives one, got iter; `.to_list()` makes a list of it (HARN-EVL-001)\n",
    );
  });

  it.each([
    ["rows.jsonl", '{"id": "a"}\n{"id": "b\xff"}\n', 2],
    ["rows.csv", "id,target\na,b\nc,d\n\xe9,f\n", 4],
    ["rows.yaml", "- id: \xc3", 1],
  ])("bytes in %s that are not UTF-8 are told with their line", async (path, text, line) => {
    writeFileSync(join(cwd, path), Buffer.from(text, "latin1"));
    script(task().replace(/dataset: .*/, `dataset: "${path}",`));
    const { status, stderr } = await evaluate("t.harn");
    expect(stderr).toContain(
      `${path}, line ${line}: it is not valid UTF-8; save the file as UTF-8 (HARN-EVL-004)\n`,
    );
    expect(status).toBe(2);
  });
});

describe("names of sets and trials", () => {
  it.each([
    [["show", "nosuch"]],
    [["resume", "nosuch"]],
    [["replay", "nosuch"]],
    [["score", "nosuch"]],
    [["report", "nosuch"]],
    [["noise", "nosuch"]],
    [["stop", "nosuch"]],
    [["export", "nosuch", "out.csv"]],
  ])("%j of a set that there is not says where those there are stand", async (command) => {
    script(task());
    await evaluate("t.harn");
    expect(await harnHere(["eval", ...command], { cwd })).toMatchObject({
      status: 2,
      stderr: "harn: no set is called nosuch (HARN-EVL-010)\n  `harn eval list` shows those there are\n",
    });
  });

  it("an address that fits several trials names them, one that fits none says so", async () => {
    script(task("epochs: 2,"));
    await evaluate("t.harn", "--set", "s");
    expect(await harnHere(["eval", "show", "s:a"], { cwd })).toMatchObject({
      status: 2,
      stderr: "harn: s:a names several trials: s:t/default/a.1, s:t/default/a.2 (HARN-EVL-011)\n",
    });
    expect((await harnHere(["eval", "show", "s:zzz"], { cwd })).stderr).toBe(
      "harn: the set s has no trial s:zzz (HARN-CLI-003)\n",
    );
  });

  it("trials of another program are not mixed with new ones unless --stale says how", async () => {
    script(task());
    await evaluate("t.harn", "--set", "s");
    script(task().replace('-> "Paris"', '-> "Rome"'));
    expect(await evaluate("t.harn", "--set", "s")).toMatchObject({
      status: 2,
      stderr: "harn: 2 trials are stale: t.harn changed since; --stale keep, redo or follow (HARN-EVL-013)\n",
    });
    expect((await evaluate("t.harn", "--set", "s", "--stale", "redo")).status).toBe(0);
  });
});

it.each(["x.csv", "x.jsonl", "x.eval", "x.harneval"])(
  "a set that can't be exported to %s says why",
  async (file) => {
    script(task());
    await evaluate("t.harn", "--set", "s");
    expect(await harnHere(["eval", "export", "s", `nowhere/${file}`], { cwd })).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `harn: cannot write nowhere/${file}: no such file or folder (HARN-CLI-007)\n`,
    });
  },
);

describe("flags that are wrong", () => {
  it.each([
    [["--task", "zzz"], "harn: no task fits zzz; there are t (HARN-CLI-004)\n"],
    [["--sample", "zzz"], "harn: no sample of t fits --sample zzz (HARN-CLI-004)\n"],
    [["--limit", "7-9"], "harn: no sample of t fits --limit 7-9 (HARN-CLI-004)\n"],
    [["--gate", "foo"], "harn: --gate: task `t`: the gate foo can't be read"],
    [["--margin", "x"], "harn: --margin: expected a number from 0 on, got x (HARN-CLI-003)\n"],
    [
      ["--transcripts", "x"],
      "harn: --transcripts: expected one of failed, all, none, got x (HARN-CLI-003)\n",
    ],
    [["--gate", "pass^3 >= 1"], "harn: --gate: pass^3 needs 3 epochs, there are 1 (HARN-EVL-015)\n"],
    [["--baseline", "main"], "harn: --baseline main decides nothing: no gate compares with it"],
    [
      ["--param", "style=short"],
      "harn: --param style: no eval_param of t.harn asks for it; it asks for none (HARN-CLI-004)\n",
    ],
    [["--set", ""], "harn: --set: expected a name"],
    [["--set", "a:b"], "harn: --set: expected a name"],
  ])("%j", async (flags, said) => {
    script(task());
    const { status, stderr } = await evaluate("t.harn", ...flags);
    expect(stderr).toContain(said);
    expect(status).toBe(2);
    expect(await sets()).not.toContain(" t\n");
  });

  it("of several scripts, those with nothing that fits are left out", async () => {
    mkdirSync(join(cwd, "evals"));
    script(task(), "evals/one.eval.harn");
    script(task("", "other"), "evals/two.eval.harn");
    const { status, stdout } = await evaluate("evals", "--task", "other");
    expect(stdout).toContain("other   2 samples");
    expect(stdout).not.toContain("nothing was measured");
    expect(status).toBe(0);
    expect((await evaluate("evals", "--task", "zzz")).status).toBe(2);
  });
});

it("a baseline of the task that no gate compares with is said", async () => {
  const said =
    'warning: task `t`: `baseline` decides nothing: no gate compares with it; add `gates: ["success not_below baseline by 0.05"]`, or see `harn eval compare main`\n';
  script(task('baseline: "main",'));
  expect(await evaluate("t.harn")).toMatchObject({ status: 0, stderr: said });
  expect((await harnHere(["eval", "check", "t.harn"], { cwd })).stderr).toBe(said);
  expect((await evaluate("t.harn", "--gate", "success not_below baseline by 0.1")).stderr).toBe("");
});

it("what nothing takes up of several scripts is said at the end", async () => {
  mkdirSync(join(cwd, "evals"));
  script(`${task()}\nlet style = eval_param("style", "short")\n`, "evals/one.eval.harn");
  script(task("", "other"), "evals/two.eval.harn");
  const { status, stderr } = await evaluate("evals", "--param", "style=long", "--param", "colour=red");
  expect(stderr).toBe(
    "harn: warning: --param colour: no eval_param of these scripts asks for it; there are style\n",
  );
  expect(status).toBe(0);
});

it("a parameter that only a solver asks for is one", async () => {
  script(task().replace('"Paris" }', 'eval_param("town", "Oslo") }'));
  const { status, stdout } = await evaluate("t.harn", "--param", "town=Rome");
  expect(stdout).toContain("failed: agent 1\n");
  expect(status).toBe(0);
});

it("a metric that no trial has is named, and comparisons by what is not there are refused", async () => {
  script(task('metrics: ["success", "speed"],'));
  expect((await evaluate("t.harn", "--set", "s")).stdout).toContain(
    "\n  no trial has speed: it is no scorer, and nothing measured it\n",
  );
  const compare = (...flags: string[]) => harnHere(["eval", "compare", "s", "s", ...flags], { cwd });
  expect(await compare("--metric", "speed")).toMatchObject({
    status: 2,
    stderr: "harn: --metric: no trial has speed; there are success (HARN-CLI-003)\n",
  });
  expect(await compare("--by", "tarjet")).toMatchObject({
    status: 2,
    stderr: "harn: --by: no sample has a field tarjet; did you mean target? (HARN-CLI-003)\n",
  });
  expect((await compare("--metric", "pass@2")).stderr).toContain("pass@2 needs 2 epochs, there are 1");
  expect((await compare("--by", "target")).status).toBe(0);
});

it("a metric or gate near to one that there is is told at the start", async () => {
  const said = (where: string, name: string, near: string): string =>
    `warning: ${where}: there is no metric \`${name}\` unless a trial measures it with eval_metric; did you mean \`${near}\`?\n`;
  script(task('metrics: ["success", "tokns", "speed"], gates: ["sucess >= 0.1", "sucess surely >= 0"],'));
  const both = (await said("task `t`", "tokns", "tokens")) + (await said("task `t`", "sucess", "success"));
  expect((await evaluate("t.harn")).stderr).toBe(both);
  expect((await harnHere(["eval", "check", "t.harn"], { cwd })).stderr).toBe(both);
  script(task());
  expect((await evaluate("t.harn", "--gate", "include.part >= 0")).stderr).toBe(
    await said("--gate", "include.part", "includes.part"),
  );
  // A name that the program measures is one, however near it is.
  script(task('metrics: ["turn"],').replace('-> "Paris"', '-> eval_metric("turn", 1)\n "Paris"'));
  expect((await evaluate("t.harn")).stderr).toBe("");
});

it("a trial that waits for a person goes on in its set", async () => {
  script(task().replace('"Paris" }', 'ask_user("which?") }'));
  const { status, stdout } = await evaluate("t.harn", "--set", "s", "--limit", "1");
  expect(stdout).toContain(
    "harn hitl list shows what is asked; once answered, harn eval resume last goes on",
  );
  expect(status).toBe(75);
  const asked = JSON.parse((await harnHere(["hitl", "list", "--json"], { cwd })).stdout) as { run: string };
  expect(await harnHere(["run", "--resume", asked.run], { cwd })).toMatchObject({
    status: 1,
    stderr: `harn: ${asked.run} is a trial of the set s: \`harn eval resume s\` goes on with it (HARN-CLI-008)\n`,
  });
  expect((await harnHere(["hitl", "answer", asked.run, "Paris"], { cwd })).stdout).toBe(
    "answered; `harn eval resume s` goes on\n",
  );
  expect((await harnHere(["eval", "resume", "s", "--quiet"], { cwd })).status).toBe(0);
});

it("Ctrl-C breaks a trial that computes", async () => {
  script(task().replace('-> "Paris"', '->\n    var n = 0\n    while true { n = n + 1 }\n    "Paris"\n  '));
  const { child, ended } = startHarn(["eval", "run", "t.harn", "--set", "s", "--quiet"], { cwd });
  while (!(await harnHere(["eval", "status", "s"], { cwd })).stdout.includes("running")) await sleep(50);
  child.kill("SIGINT");
  const { status } = await ended;
  expect(status).toBe(130);
  expect(await sets()).toContain("stopped");
});

it("a set that another process runs is named with its owner", async () => {
  script(task().replace('-> "Paris"', '->\n    sleep(10m)\n    "Paris"\n  '));
  const other = startHarn(["eval", "run", "t.harn", "--set", "s"], { cwd });
  while (!(await harnHere(["eval", "status", "s"], { cwd })).stdout.includes("running")) await sleep(50);
  const { status, stderr } = await evaluate("t.harn", "--set", "s");
  expect(stderr).toMatch(/^harn: the set s is being run by process \d+ \(HARN-EVL-012\)\n/m);
  expect(status).toBe(2);
  other.child.kill("SIGKILL");
  await other.ended;
});

it("the summary says which errors trials and scorers ended with", async () => {
  script(
    task().replace(
      "[includes()]",
      '[named("mine", { _outcome, _sample -> throw "a bad scorer" }), includes()]',
    ),
  );
  expect((await evaluate("t.harn")).stdout).toContain("\n  error of scorer mine on 2 trials: a bad scorer\n");
  script(task().replace('"Paris" }', 'throw "it broke" }'));
  const { status, stdout } = await evaluate("t.harn");
  expect(stdout).toContain("\n  error of 2 trials (harness): Thrown: it broke\n");
  expect(status).toBe(5);
});

it("a trial is found by what its variant is called, and an attempt that there was not is none", async () => {
  script(task('variants: {style: ["short", "long"]},'));
  await evaluate("t.harn", "--set", "s");
  const show = (address: string) => harnHere(["eval", "show", address], { cwd });
  expect((await show("s:short/a.1")).stdout).toMatch(/^s:t\/style=short\/a\.1\n/);
  expect((await show("s:t/style=short/a.1~1")).status).toBe(0);
  expect(await show("s:short/a.1~2")).toMatchObject({
    status: 2,
    stderr: "harn: the set s has no trial s:short/a.1~2 (HARN-CLI-003)\n",
  });
});

it("resume takes a part of what is open, and tells that the rest stays open", async () => {
  const gate = join(cwd, "gate");
  const stuck = (name: string): string =>
    task("retries: {max: 0},", name).replace('"Paris" }', `read_file("${gate}") }`);
  script(`${stuck("one")}\n${stuck("two").replace('import "std/eval"\n', "")}`);
  expect((await evaluate("t.harn", "--set", "s")).status).toBe(5);
  writeFileSync(gate, "Paris Rome");
  const resume = (...flags: string[]) => harnHere(["eval", "resume", "s", "--plain", ...flags], { cwd });
  const states = async (): Promise<Record<string, Record<string, number>>> => {
    const { tasks } = JSON.parse((await harnHere(["eval", "status", "s", "--json"], { cwd })).stdout);
    return tasks;
  };
  expect(await resume("--task", "tow")).toMatchObject({
    status: 2,
    stderr: "harn: no task fits tow; there are one, two (HARN-CLI-004)\n",
  });
  expect(await resume("--task", "two", "--sample", "x*")).toMatchObject({
    status: 2,
    stderr: "harn: no sample of two fits --sample x* (HARN-CLI-004)\n",
  });
  const part = await resume("--redo", "errored", "--task", "two", "--sample", "a,zzz");
  expect(part.stderr).toContain("1 trial of the 4 open ones; the others stay open\n");
  expect(part.status).toBe(5);
  expect(await states()).toMatchObject({ one: { errored: 2, done: 0 }, two: { errored: 1, done: 1 } });
  expect((await harnHere(["eval", "status", "s"], { cwd })).stdout).toContain("s  incomplete: 3 errored");
  // What is asked for is done already: nothing is run, and what is open is still said.
  expect((await resume("--task", "two", "--sample", "a")).stderr).toContain("0 trials of the 3 open ones");
  // Only what fits begins anew.
  expect((await resume("--redo", "all", "--sample", "b")).stderr).toContain("2 trials of the 3 open ones");
  expect(await states()).toMatchObject({ one: { errored: 1, done: 1 }, two: { errored: 0, done: 2 } });
  const rest = await resume("--redo", "errored");
  expect(rest.stderr).not.toContain("stay open");
  expect(rest.status).toBe(0);
  expect(await states()).toMatchObject({ one: { done: 2 }, two: { done: 2 } });
});
