/** A set is planned whole or not at all, and what it is judged by is kept with it (issue 27). */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { cleanEnvironment } from "../../../support/command-environment.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { launcher } from "../../../support/project.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-planned");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const at = (...args: string[]) => harnHere(["eval", ...args], { cwd });

const task = (dataset: string, solver = "s.target"): string => `import "std/eval"
eval_task({name: "t", dataset: ${dataset}, solver: { s, _trial -> ${solver} }, scorers: [exact()]})
`;

/** Rows of the store, as whoever looks at it from outside sees them. */
function rows(sql: string): readonly Record<string, unknown>[] {
  try {
    const db = new DatabaseSync(join(cwd, ".harn", "state.db"), { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}

describe("a set that is killed while it is planned", () => {
  it("is refused by name and as the newest, and planned again with its name", {
    timeout: 300_000,
  }, async () => {
    writeFileSync(join(cwd, "small.harn"), task(`[{id: "a", target: "x"}]`));
    expect((await at("run", "small.harn", "--set", "older", "--quiet")).status).toBe(0);
    const lines = Array.from({ length: 60_000 }, (_, n) => JSON.stringify({ id: `s${n}`, target: `${n}` }));
    writeFileSync(join(cwd, "rows.jsonl"), lines.join("\n"));
    writeFileSync(join(cwd, "big.harn"), task(`"rows.jsonl"`));
    const running = startHarn(["eval", "run", "big.harn", "--set", "k", "--quiet"], { cwd });
    while (rows("SELECT id FROM eval_set").length < 2) await sleep(5);
    running.child.kill("SIGKILL");
    await running.ended;
    expect(rows("SELECT id FROM eval_task WHERE eval_set = 2")).toEqual([]);
    for (const [name, ...command] of [
      ["k", "resume"],
      ["last", "resume"],
      ["last", "show"],
      ["last", "report"],
      ["last", "replay"],
    ] as const) {
      const { status, stdout, stderr } = await at(...command, name);
      expect(stdout).toBe("");
      expect(stderr).toContain(
        "the set k is not planned to its end, and nothing of it was run; unless another process is at it, `harn eval run --set k FILE` plans it again (HARN-EVL-016)\n",
      );
      expect(status).toBe(2);
    }
    expect((await at("list")).stdout).toMatch(/^k .* planning +0 trials\nolder /);
    expect((await at("run", "small.harn", "--set", "k", "--quiet")).status).toBe(0);
    expect((await at("resume")).stdout).toContain("1.000");
  });

  it("a row without tasks, as an older version left it, is refused, too", async () => {
    writeFileSync(join(cwd, "small.harn"), task(`[{id: "a", target: "x"}]`));
    await at("run", "small.harn", "--set", "k", "--quiet");
    const db = new DatabaseSync(join(cwd, ".harn", "state.db"));
    db.exec("PRAGMA foreign_keys = ON; DELETE FROM eval_task; UPDATE eval_set SET state = 'running'");
    db.close();
    expect(await at("resume", "k")).toMatchObject({ status: 2, stdout: "" });
  });

  it("one whose rows are wrong leaves nothing behind", async () => {
    writeFileSync(join(cwd, "wrong.harn"), task(`[{id: "a"}, {id: "a"}]`));
    expect((await at("run", "wrong.harn", "--set", "k")).status).toBe(2);
    expect((await at("list")).stdout).toContain("no sets in");
  });
});

it("a full disk while planning is told without a stack, and leaves no set that passes", {
  timeout: 300_000,
}, async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) =>
    JSON.stringify({ id: `s${n}`, input: "x".repeat(300), target: `${n}` }),
  );
  writeFileSync(join(cwd, "rows.jsonl"), lines.join("\n"));
  writeFileSync(join(cwd, "big.harn"), task(`"rows.jsonl"`));
  // No file may grow beyond so many kilobytes: what a quota does.
  for (const blocks of [9000, 12_000, 16_000]) {
    const full = spawnSync(
      "bash",
      [
        "-c",
        `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`,
        launcher,
        "eval",
        "run",
        "big.harn",
        "--quiet",
      ],
      { cwd, env: cleanEnvironment(), encoding: "utf8" },
    );
    expect(full.stderr).toMatch(/the store .* cannot be used: /);
    expect(full.stderr).not.toMatch(/internal error|\n {4}at /);
    expect(full.status).not.toBe(0);
    expect((await at("resume")).status).not.toBe(0);
  }
});

it("gates and baseline of the command line hold wherever the set is judged later", async () => {
  writeFileSync(join(cwd, "half.harn"), task(`[{id: "a", target: "x"}, {id: "b", target: "y"}]`, `"x"`));
  await at("run", "half.harn", "--set", "main", "--quiet");
  const gates = ["--gate", "success >= 0.9", "--gate", "success not_below baseline by 0.05"];
  const judged = (result: { readonly stdout: string }): string[] =>
    result.stdout.split("\n").filter((line) => line.startsWith("gate "));
  const first = await at("run", "half.harn", "--set", "g", ...gates, "--baseline", "main", "--quiet");
  expect(first.status).toBe(1);
  expect(judged(first)).toEqual([
    "gate success >= 0.9  fail 0.500 [0.095, 0.905]",
    expect.stringMatching(/^gate success not_below baseline by 0.05 {2}unclear [+]0.000/),
  ]);
  for (const command of ["resume", "report", "show"] as const) {
    const later = await at(command, "g");
    expect(judged(later)).toEqual(judged(first));
    expect(later.status).toBe(command === "show" ? 0 : 1);
  }
  writeFileSync(
    join(cwd, "look.harn"),
    `import "std/eval"\nprintln(eval_result("g").tasks.t.gates.map({ gate -> gate.result }))\n`,
  );
  expect((await harnHere(["run", "look.harn"], { cwd })).stdout).toBe("[fail, unclear]\n");
  // About the same figure: it takes the place of the one before. A look changes nothing.
  expect((await at("show", "g", "--gate", "success >= 0.1")).stdout).toContain("gate success >= 0.9  fail");
  expect((await at("resume", "g", "--gate", "success >= 0.4", "--quiet")).status).toBe(0);
  expect((await at("report", "g")).stdout).not.toContain("0.9  fail");
  expect((await at("run", "half.harn", "--set", "g", "--baseline", "main", "--quiet")).status).toBe(0);
});
