/** `harn eval` as a person types it: a set from its first call to its page, its gates, its check. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("eval-commands");

/** Sums that a program gets right, but for those whose number `misses` divides by. */
const sums = (samples: number, misses: number, more = ""): string => `import "std/eval"

eval_pack sums {
  dataset: { -> range(1, ${samples + 1}).map({ n -> {id: "s\${n}", input: "\${n} + 1", target: to_string(n + 1), half: n % 2 == 0 ? "even" : "odd"} }).to_list() }
  solver: { sample, _trial ->
    let n = to_int(sample.id.substring(1))
    n % ${misses} == 0 ? "0" : to_string(n + 1)
  }
  scorers: [exact()]
  ${more}
}
`;

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const run = (...args: string[]): Promise<CliResult> => harnHere(["eval", ...args], { cwd: folder });

/** Names, times and receipts differ from run to run. */
const steady = (text: string): string =>
  text
    .replace(/eval-\d{8}-\d{6}-[0-9a-f]{8}/g, "eval-NAME")
    .replace(/ {3}\d+(?:\.\d+)? (?:ms|s)\n/g, "   TIME\n")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "DATE")
    .replace(/receipt [0-9a-f]{8}…/g, "receipt DIGEST…")
    .replace(/last:s\d+\.1/g, "last:SAMPLE");

beforeAll(() => {
  put("good.harn", sums(60, 20, 'group_by: ["half"]'));
  put("worse.harn", sums(60, 4));
});

describe("a set from its program to its forms", () => {
  it("runs, and sums up", async () => {
    const { stdout, stderr, status } = await run("run", "good.harn", "--set", "monday");
    expect(steady(stdout)).toMatchInlineSnapshot(`
      "monday   sums   60 samples   $0.00   TIME
      DATE · program good.harn
                  success                exact  $/trial
      default     0.950 [0.863, 0.983]   0.950  0.0000
        by half     success
        odd         1.000 [0.886, 1.000]
        even        0.900 [0.744, 0.965]
      failed: agent 3
      receipt DIGEST…   harn eval show last:SAMPLE
      "
    `);
    expect(stderr.split("\n")[0]).toBe("60 trials, no bound: set limits.cost_usd or --cost");
    expect(stderr).toMatch(/\d\d:\d\d:\d\d sums 60\/60, success 0.95 \[0.86, 0.98\], \$0.00\n$/);
    expect(status).toBe(0);
  });

  it("is the same without the word run, and quietly", async () => {
    const { stdout, stderr, status } = await run("good.harn", "--set", "tuesday", "--quiet", "--json");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const { set, state, pass, tasks } = JSON.parse(stdout);
    expect({ set, state, pass }).toEqual({ set: "tuesday", state: "done", pass: true });
    expect(tasks.sums.metrics.success).toMatchObject({ value: 0.95, n: 60, method: "wilson" });
    expect(tasks.sums.groups.half.odd.success.value).toBe(1);
  });

  it("is listed, shown, and looked at trial by trial", async () => {
    expect((await run("list")).stdout).toMatch(/^tuesday .* done .* 60 trials {2}sums\nmonday /);
    expect((await run("show", "monday")).stdout).toContain(
      "default     0.950 [0.863, 0.983]   0.950  0.0000",
    );
    const trial = await run("show", "monday:s20.1");
    expect(trial.stdout).toContain("monday:sums/default/s20.1\nfailure");
    expect(trial.stdout).toContain("exact  FAIL  0.000");
    expect((await run("status", "monday")).stdout).toBe("monday  done  $0.00\n  sums  60 trials: 60 done\n");
    expect((await run("failures", "monday")).stdout).toMatch(
      /^3 trials {2}.*failed exact\n {6}harn eval show monday:sums\/default\/s/,
    );
  });

  it("what there is not is said", async () => {
    expect(await run("show", "nowhere")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no set is called nowhere"),
    });
    expect(await run("show", "monday:s999")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("has no trial"),
    });
    expect(await run("compare", "monday", "tuesday", "--metric", "tokens.p90")).toMatchObject({ status: 2 });
    expect(await run("run", "good.harn", "--limit", "3-1")).toMatchObject({ status: 2 });
    expect(await run("run", "good.harn", "--connections", "openai=many")).toMatchObject({ status: 2 });
    expect(await run("report", "monday", "--gate", "success => 1")).toMatchObject({ status: 2 });
  });

  it("writes its forms", async () => {
    const { status } = await run(
      "report",
      "monday",
      "--junit",
      "j.xml",
      "--csv",
      "t.csv",
      "--html",
      "p.html",
    );
    expect(status).toBe(0);
    expect(readFileSync(join(folder, "j.xml"), "utf8")).toContain(
      'tests="60" failures="3" errors="0" skipped="0"',
    );
    expect(readFileSync(join(folder, "t.csv"), "utf8").split("\n")).toHaveLength(62);
    expect(readFileSync(join(folder, "p.html"), "utf8")).toContain("default-src &#39;none&#39;");
  });

  it("only a part of it", async () => {
    const { stdout } = await run(
      "good.harn",
      "--quiet",
      "--json",
      "--sample",
      "s1,s2*",
      "--limit",
      "5",
      "--epochs",
      "2",
    );
    expect(JSON.parse(stdout).tasks.sums).toMatchObject({ samples: 5, trials: 10 });
  });
});

describe("gates against a baseline", () => {
  const gate = ["--gate", "success not_below baseline by 0.05"];

  it("a set against itself never fails", async () => {
    const { status, stdout } = await run("report", "monday", "--baseline", "monday", ...gate);
    expect(stdout).toContain("gate success not_below baseline by 0.05  pass +0.000");
    expect(status).toBe(0);
  });

  it("0.2 less fails with 1, in the summary and in JUnit", async () => {
    const { status, stdout } = await run(
      "worse.harn",
      "--set",
      "worse",
      "--quiet",
      "--junit",
      "g.xml",
      "--baseline",
      "monday",
      ...gate,
    );
    expect(status).toBe(1);
    expect(stdout).toContain("gate success not_below baseline by 0.05  fail -0.200 [");
    expect(readFileSync(join(folder, "g.xml"), "utf8")).toMatch(
      /name="success not_below baseline by 0.05"[^>]*>\s*<failure message="fail -0.200/,
    );
  });

  it("without a baseline they are unclear, which fails only strictly", async () => {
    expect(await run("report", "monday", ...gate)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("unclear: there is no baseline"),
    });
    expect((await run("report", "monday", "--baseline", "nowhere", ...gate)).stdout).toContain(
      "unclear: the baseline nowhere does not exist",
    );
    expect((await run("report", "monday", "--strict", ...gate)).status).toBe(1);
  });

  it("sets are compared on the samples that both have", async () => {
    expect((await run("compare", "monday", "worse", "--metric", "success")).stdout).toMatchInlineSnapshot(`
      "sums  success
        A monday 0.950   B worse 0.750
        difference -0.200 [-0.316, -0.095], p < 0.001: worse
        60 shared samples: B better on 0, A on 12, alike on 48
      "
    `);
  });
});

describe("labels of people", () => {
  it("go out blind and come back", async () => {
    expect((await run("label", "worse", "--scorer", "exact", "--n", "20", "--out", "sheet.csv")).status).toBe(
      0,
    );
    const [head, ...rows] = readFileSync(join(folder, "sheet.csv"), "utf8").trimEnd().split("\n");
    expect(head).toBe("address,input,text,label,note");
    expect(rows).toHaveLength(20);
    const labelled = rows.map((row) => {
      const [address, input, text] = row.split(",");
      return [address, input, text, text === "0" ? "fail" : "pass", ""].join(",");
    });
    put("sheet.csv", [head, ...labelled].join("\n"));
    expect(
      (await run("label", "worse", "--scorer", "exact", "--in", "sheet.csv", "--rater", "ann")).stdout,
    ).toBe("20 labels of ann for exact\n");
    const { stdout } = await run("calibrate", "worse", "--scorer", "exact");
    expect(stdout).toMatch(/^worse {3}exact against people\n/);
    expect(stdout).toMatch(/ann {3}20 .* 1\.000 \[1\.000, 1\.000\]/);
    await run("report", "worse", "--html", "labelled.html");
    const page = readFileSync(join(folder, "labelled.html"), "utf8");
    expect(page).toContain("<h2>exact against people</h2>");
    for (const line of stdout.trimEnd().split("\n").slice(3)) expect(page).toContain(line);
    expect((await run("report", "worse", "--gate", "kappa(exact) >= 0.6")).stdout).toContain(
      "gate kappa(exact) >= 0.6  pass 1.000",
    );
    expect(await run("label", "worse", "--scorer", "nobody", "--out", "x.csv")).toMatchObject({ status: 2 });
  });
});

describe("--json", () => {
  /** What docs/evals.md says that each command gives; more may come. */
  const shapes: readonly (readonly [args: readonly string[], names: readonly string[]])[] = [
    [["list"], ["set", "state", "why", "tasks", "trials", "done", "began", "ended", "receipt"]],
    [
      ["show", "worse"],
      ["set", "state", "why", "pass", "cost_usd", "tasks", "receipt"],
    ],
    [
      ["report", "worse"],
      ["set", "state", "why", "pass", "cost_usd", "tasks", "receipt"],
    ],
    [
      ["show", "worse:s1"],
      ["set", "task", "variant", "sample", "epoch", "state", "blame", "error", "outcome", "scores"],
    ],
    [
      ["status", "worse"],
      ["set", "state", "why", "owner", "cost_usd", "cost_limit", "tasks"],
    ],
    [
      ["compare", "monday", "worse"],
      ["task", "metric", "a", "b", "difference", "low", "high", "p", "conclusion"],
    ],
    [
      ["failures", "worse"],
      ["task", "blame", "cause", "scorers", "failed_tool", "stop_reason", "trials", "why"],
    ],
    [
      ["replay", "worse"],
      ["set", "receipt", "stored", "trials", "not_replayable", "differs", "broken"],
    ],
    [
      ["calibrate", "worse", "--scorer", "exact"],
      ["scorer", "agreements", "between_raters", "rogan_gladen", "warnings"],
    ],
    [
      ["check", "good.harn"],
      ["task", "oracles", "broken", "empty"],
    ],
    [
      ["check", "worse.harn", "--set", "worse"],
      ["task", "trials", "unchanged", "diverged", "missing", "bound_usd"],
    ],
    [
      ["noise", "worse"],
      ["set", "state", "why", "noise", "noisy"],
    ],
  ];
  const namesIn = (value: unknown): string[] =>
    typeof value !== "object" || value === null
      ? []
      : Object.entries(value).flatMap(([name, inner]) => [
          ...(Array.isArray(value) ? [] : [name]),
          ...namesIn(inner),
        ]);

  it.each(shapes)("%j has the names that are documented, in one spelling", async (args, names) => {
    const { stdout } = await run(...args, "--json");
    const said = JSON.parse(stdout.trimEnd().split("\n")[0] as string);
    const one = Array.isArray(said) ? said[0] : said;
    expect(Object.keys(one)).toEqual(expect.arrayContaining([...names]));
    expect(namesIn(said).filter((name) => /[a-z][A-Z]/.test(name))).toEqual([]);
  });
});

describe("harn eval check", () => {
  it("names a reference action that fails, and a sample whose goal is its beginning", async () => {
    put(
      "orders.harn",
      `import "std/eval"

tool close_order(id: string) -> dict {
  description "Closes an order."
  if world_get("orders.\${id}") == nil { return {error: "no such order"} }
  world_set("orders.\${id}.status", "closed")
  return {ok: true}
}

eval_pack orders {
  dataset: [
    {id: "good", orders: {A1: {status: "open"}}, after: {A1: {status: "closed"}}, solution: [{tool: "close_order", arguments: {id: "A1"}}]},
    {id: "broken", orders: {A1: {status: "open"}}, after: {A1: {status: "closed"}}, solution: [{tool: "close_order", arguments: {id: "A2"}}]},
    {id: "empty", orders: {A1: {status: "closed"}}, after: {A1: {status: "closed"}}},
  ]
  world: { sample -> {orders: sample.orders} }
  tools: [close_order]
  solver: "You close orders."
  scorers: [world_is({ sample -> {orders: sample.after} })]
}
`,
    );
    const { stdout, status } = await run("check", "orders.harn");
    expect(stdout).toMatchInlineSnapshot(`
      "orders.harn: 3 trials, no bound: set limits.cost_usd or --cost
      orders: the oracle succeeds on 1 of 2 samples; doing nothing succeeds on 1 sample
        broken  the oracle does not succeed: the reference action 1 of broken fails: close_order: no such order
        empty  doing nothing succeeds: the sample tells nothing
      "
    `);
    expect(status).toBe(1);
    expect((await run("list")).stdout).not.toContain("orders");
    expect((await run("check", "orders.harn", "--sample", "good")).status).toBe(0);
  });
});

describe("sets again, and from elsewhere", () => {
  it("are replayed from their journals", async () => {
    const { stdout, status } = await run("replay", "worse");
    expect(stdout).toMatch(/^worse {2}60 trials replayed\nreceipt [0-9a-f]{64}\n$/);
    expect(status).toBe(0);
    expect((await run("replay", "nowhere")).status).toBe(2);
  });

  it("go out as rows and come in as a set that can be compared", async () => {
    expect((await run("export", "worse", "rows.jsonl")).status).toBe(0);
    expect((await run("import", "rows.jsonl", "--set", "copy")).stdout).toBe("copy  60 trials of rows\n");
    expect((await run("show", "copy")).stdout).toContain("default     0.750 [");
    // It has no program and no journals: nothing goes on with it.
    expect(await run("resume", "copy")).toMatchObject({
      status: 2,
      stderr: "harn: copy was imported without journals: there is nothing that could go on (HARN-CLI-004)\n",
    });
    expect((await run("run", "--set", "copy", "orders.harn")).stderr).toContain(
      "copy was imported without journals: nothing can be added to it; give --set another name",
    );
    expect(await run("import", "rows.jsonl", "--set", "copy")).toMatchObject({ status: 2 });
    put("bad.jsonl", '{"sample": "a", "is": "good"}\n');
    expect(await run("import", "bad.jsonl")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("bad.jsonl, line 1: `is`: expected a number"),
    });
    expect((await run("delete", "copy")).status).toBe(0);
  });
});

describe("sets that are gone", () => {
  it("take their runs with them", async () => {
    expect((await run("delete", "monday", "tuesday", "worse")).stdout).toBe(
      "deleted monday\ndeleted tuesday\ndeleted worse\n",
    );
    expect((await run("show", "monday")).status).toBe(2);
  });
});
