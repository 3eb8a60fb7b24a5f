/** A set that ends as soon as it is known which variant is better (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-race");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const script = (strong: number, more = ""): string => `import "std/eval"
eval_pack t {
  dataset: { -> range(1, 81).map({ n -> {id: "s\${n}", cluster: ${more === "" ? "nil" : '"c${n % 40}"'}} }).to_list() }
  solver: { _sample, trial -> random() < trial.variant.p ? "yes" : "no" }
  scorers: [includes("yes")]
  variants: [{name: "weak", p: 0.5}, {name: "strong", p: ${strong}}]
  race: {}
  seed: 5
  ${more}
}
`;

const run = (...args: string[]) => harnHere(["eval", ...args, "--quiet"], { cwd });
const receipt = (text: string): string | undefined => /receipt (\S+)/.exec(text)?.[1];

it("ends early, the same however many trials run at once, and runs the rest when it is told to", async () => {
  writeFileSync(join(cwd, "t.harn"), script(0.8));
  const { stdout, status } = await run("run", "t.harn", "--set", "a", "--trials", "2");
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /p 0\.037: better after 21 observations\n118 skipped · failed.*\n {2}skipped: s\d+(?:, s\d+){9} and 49 more \(--json names all\)\n/,
  );
  const { skipped_trials: skipped } = JSON.parse(
    (await harnHere(["eval", "show", "a", "--json"], { cwd })).stdout,
  ).tasks.t;
  expect(skipped).toHaveLength(118);
  expect(skipped).toContain(`t/weak/${/skipped: (s\d+)/.exec(stdout)?.[1]}.1`);
  const other = (await run("run", "t.harn", "--set", "b", "--trials", "16")).stdout;
  expect(receipt(other)).toBe(receipt(stdout));
  expect((await harnHere(["eval", "replay", "b"], { cwd })).status).toBe(0);
  expect((await harnHere(["eval", "compare", "a"], { cwd })).stdout).toContain(
    "better after 21 observations",
  );
  const all = (await run("resume", "a", "--race", "off")).stdout;
  expect(all).not.toContain("skipped");
  expect(all).not.toContain("observations");
  expect(all).toContain("80 samples × 2 variants   $0.00");
});

it("of variants that are alike none is called better, and a race of clusters keeps them together", async () => {
  writeFileSync(join(cwd, "t.harn"), script(0.5));
  expect((await run("run", "t.harn")).stdout).toMatch(/difference .*: not shown after 80 observations\n/);
  writeFileSync(join(cwd, "t.harn"), script(0.95, "epochs: 2"));
  const { stdout } = await run("run", "t.harn");
  expect(stdout).toMatch(/difference .*: better after \d+ observations\n\d+ skipped/);
});

it.each([
  ['race: {metric: "cost_usd"}', "a race is about success or a scorer, from 0 to 1"],
  ['race: {between: ["weak", "stronk"]}', "race.between: expected two of weak, strong"],
  ["race: {alpha: 1}", "race.alpha: expected"],
  ['race: {metric: "pass^2"}', "pass^2 needs 2 epochs, there are 1"],
])("%s is refused", async (race, said) => {
  writeFileSync(join(cwd, "t.harn"), script(0.8).replace("race: {}", race));
  const { status, stderr } = await run("run", "t.harn");
  expect(stderr).toContain(said);
  expect(status).toBe(2);
});
