/** Recorded runs as a task (docs/evals.md): a sample for each case, a scorer for each severity, and the words of `eval_pack_run`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("pack-cases");

it("a blocking case must pass, the others are reported", async () => {
  const folder = fresh();
  writeFileSync(
    join(folder, "p.eval.harn"),
    `let run = run_record({id: "r1", status: "completed", stages: [{node_id: "a", visible_text: "draft"}]})
let other = run + {id: "r2", status: "failed"}
let pack = {
  fixtures: [{id: "first", kind: "run-record", inline: run}, {id: "second", inline: other}],
  rubrics: [{id: "ok", assertions: [{kind: "run-status", expected: "completed"}]}],
  defaults: {rubrics: ["ok"]},
}
eval_task(pack.merge({name: "good", cases: [{id: "same", run: "first"}, {id: "worse", run: "second", severity: "warning"}]}))
eval_task(pack.merge({name: "bad", cases: [{id: "same", run: "first"}, {id: "worse", run: "second"}]}))
`,
  );
  const run = async (task: string) =>
    await harnHere(["eval", "run", "p.eval.harn", "--task", task, "--quiet", "--json"], { cwd: folder });
  const good = await run("good");
  expect(good.status).toBe(0);
  expect(JSON.parse(good.stdout).tasks.good).toMatchObject({
    samples: 2,
    metrics: { blocking: { value: 1 }, warning: { value: 0 } },
  });
  const bad = await run("bad");
  expect(bad.status).toBe(1);
  expect(JSON.parse(bad.stdout).tasks.bad.metrics.blocking.value).toBe(0.5);
  expect((await harnHere(["eval", "show", "last:worse"], { cwd: folder })).stdout).toContain(
    "run: expected status completed, got failed",
  );
});
