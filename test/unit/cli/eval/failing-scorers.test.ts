/** A set whose scorers all fail says nothing of its agent, and does not end as if it did (issue 27). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-failing-scorers");

const script = (scorers: string): string => `import "std/eval"
eval_task({
  name: "t",
  dataset: [{id: "a", target: "x"}, {id: "b", target: "y"}],
  solver: { s, _trial -> s.target },
  scorers: [${scorers}],
  gates: ["success >= 0.5"],
})
`;
const broken = `{name: "broken", score: { _outcome, _sample -> throw "no such file" }, threshold: 1}`;

it("exit code 5 with HARN-EVL-034 from every command that judges it, until scores are made that hold", async () => {
  const cwd = fresh();
  const at = (...args: string[]) => harnHere(["eval", ...args], { cwd });
  writeFileSync(join(cwd, "t.harn"), script(broken));
  const first = await at("run", "t.harn", "--set", "k", "--quiet");
  expect(first.status).toBe(5);
  expect(first.stdout).toContain(
    "every scorer of t failed on each of its 2 trials: no such file; mend them, and `harn eval score SET --script FILE` scores what is done (HARN-EVL-034)\n",
  );
  for (const command of ["resume", "report"]) expect((await at(command, "k")).status).toBe(5);
  expect(JSON.parse((await at("show", "k", "--json")).stdout)).toMatchObject({
    pass: false,
    why: expect.stringContaining("HARN-EVL-034"),
  });
  expect((await at("show", "k")).stdout).toContain("gate success >= 0.5  unclear");
  writeFileSync(join(cwd, "t.harn"), script("exact()"));
  expect((await at("score", "k", "--script", "t.harn", "--quiet")).status).toBe(0);
  expect((await at("report", "k")).status).toBe(0);
});

it("one scorer that works, or says nil, is no failure of all", async () => {
  const cwd = fresh();
  writeFileSync(
    join(cwd, "t.harn"),
    script(`exact(), ${broken}`).replace("  gates:", `  success: ["exact"],\n  gates:`),
  );
  expect((await harnHere(["eval", "run", "t.harn", "--quiet"], { cwd })).status).toBe(0);
  writeFileSync(join(cwd, "t.harn"), script("{ _outcome, _sample -> nil }").replace(/ {2}gates:.*\n/, ""));
  expect((await harnHere(["eval", "run", "t.harn", "--quiet"], { cwd })).status).toBe(0);
});
