/** Sets whose trials are to be done on workers, as far as no worker is needed: what is refused, and what is said while trials are away. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { evalStoreOf } from "../../../../src/eval/local/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import { noteAsOwner } from "../../../support/chunks-here.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-on-workers");
let cwd: string;
const at = (...args: string[]) => harnHere(["eval", ...args], { cwd });

beforeEach(() => {
  cwd = fresh();
  writeFileSync(
    join(cwd, "t.harn"),
    `import "std/eval"
eval_pack t {
  dataset: [{id: "a"}, {id: "b"}]
  solver: { _s, _t -> "yes" }
  scorers: [includes("yes")]
}
`,
  );
});

it("what has a meaning here only does not go with --workers", async () => {
  for (const [flags, words] of [
    [["--grace", "10s"], "--grace does not go with --workers"],
    [["--tape", "tape.jsonl"], "--tape does not go with --workers"],
    [["--structural-experiment", "x"], "--workers is for scripts with tasks"],
  ] as const)
    expect((await at("run", "t.harn", "--workers", ...flags)).stderr).toContain(words);
  writeFileSync(join(cwd, "run.json"), "{}");
  expect((await at("run", "run.json", "--workers")).stderr).toContain("run.json is judged here");
  expect((await at("run", "t.harn", "--sign", "key")).stderr).toContain("--sign is for trials on workers");
  expect((await at("resume", "last", "--sign", "key")).stderr).toContain("--sign is for trials on workers");
});

it("without [cluster] nothing is planned, and it is said what is missing", async () => {
  const { stderr, status } = await at("run", "t.harn", "--workers");
  expect(stderr).toContain("HARN-CLU-002");
  expect(stderr).toContain("[cluster]");
  expect(status).toBe(2);
  expect(existsSync(join(cwd, ".harn"))).toBe(false);
});

it("while trials are away the set is shown, and neither run, scored, grown nor deleted", async () => {
  expect((await at("run", "t.harn", "--set", "s", "--quiet")).status).toBe(0);
  const files = openStore(join(cwd, ".harn"));
  const [set] = evalStoreOf(files).sets();
  noteAsOwner(files, "s", {
    name: "s.c",
    set: set?.id ?? 0,
    trials: [1, 2],
    as: "solver",
    costUsd: null,
    tokens: null,
    connections: {},
  });
  files.close();
  expect((await at("status", "s")).stdout).toContain("2 trials on workers, in 1 chunk");
  expect(JSON.parse((await at("status", "s", "--json")).stdout)).toMatchObject({ on_workers: 2 });
  for (const command of [
    ["resume", "s"],
    ["score", "s"],
    ["run", "t.harn", "--set", "s", "--quiet"],
    ["delete", "s"],
  ]) {
    const { stderr, status } = await at(...command);
    expect(stderr, command[0]).toContain("2 trials of the set s are on workers");
    expect(stderr).toContain("(HARN-EVL-019)");
    expect(status).toBe(2);
  }
  expect((await at("show", "s")).status).toBe(0);
  // Only workers could say what was done.
  expect((await at("stop", "s")).stderr).toMatch(/HARN-CLU-\d{3}/u);
});
