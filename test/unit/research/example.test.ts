/** The research agent of examples/: offline it parks with its plan, and once that is approved it goes on to its paper. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { projectRoot } from "../../support/project.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("research-example");
const example = join(projectRoot, "examples/research-agent");
const run = async (...args: string[]) =>
  await harnHere(args, { cwd: folder, env: { HARN_STATE_DIR: join(folder, "state") } });

test("plan, approval, three sub-agents at once, a paper whose figures have sources", async () => {
  const asked = await run("run", "--llm-mock", join(example, "mock.jsonl"), join(example, "research.harn"));
  expect(asked.status, asked.stderr).toBe(75);
  const id = /run-[\w-]+/.exec(asked.stderr)?.[0] ?? "";
  expect((await run("hitl", "list")).stdout).toContain('"form":"plan"');
  expect(readFileSync(join(folder, "PLAN.md"), "utf8")).toContain("Three questions");
  expect((await run("hitl", "answer", id, "approve")).status).toBe(0);

  const done = await run("run", "--resume", id);
  expect(done.status, done.stderr).toBe(0);
  expect(done.stdout).toContain(
    "done (work_complete): A paper of four sections with six verified references is written.",
  );

  // The paper lies in the store: four sections, six references that come from pages that were fetched, nothing amiss.
  writeFileSync(
    join(folder, "look.harn"),
    `import { note_decisions } from "std/notes"
let paper = paper_read(paper_find({})[0].id)
println(json_stringify({
  sections: paper.sections.map({ s -> s.label }),
  verified: paper.references.filter({ r -> r.verified }).count(),
  findings: paper_findings(paper.id),
  reports: note_find("", {tag: "report"}).count(),
  decided: note_decisions().filter({ n -> n.text.contains("Figures are given with their source") }).count(),
}))`,
  );
  expect(JSON.parse((await run("run", "--no-record", "look.harn")).stdout)).toEqual({
    sections: ["storage", "exchange", "demand", "forecasts"],
    verified: 6,
    findings: [],
    // Kept once each, though the run was gone on with.
    reports: 3,
    decided: 1,
  });
  // Each sub-agent below the call that started it, and the same again without touching anything.
  const trace = (await run("trace", id)).stdout;
  expect(trace.match(/✓ research /g)).toHaveLength(3);
  expect(trace.match(/│ +└─ agent research "/g)).toHaveLength(3);
  expect((await run("replay", id)).stdout).toContain("done (work_complete)");
});
