/** Requirements about files: what a link in the workspace shows of a place outside of it is no evidence. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const folders = tempFolders("linked-files");

test("a file is looked at through links inside of the workspace, not out of it", async () => {
  const folder = folders();
  const [workspace, outside] = [join(folder, "workspace"), join(folder, "outside")];
  for (const one of [workspace, outside, join(workspace, "real")]) mkdirSync(one);
  for (const one of [outside, join(workspace, "real")]) writeFileSync(join(one, "report.md"), "All is well.");
  symlinkSync(join(outside, "report.md"), join(workspace, "file.md"));
  symlinkSync(outside, join(workspace, "away"));
  symlinkSync(join(workspace, "real"), join(workspace, "here"));
  writeFileSync(
    join(workspace, "main.harn"),
    `agent_session_open("s")
for path in ["file.md", "away/report.md", "here/report.md", "${join(outside, "report.md")}"] {
  for predicate in [{type: "file_exists", path: path}, {type: "contains_text", in: "files", path: path, pattern: "well"}] {
    agent_contract_set("s", {goal: "g", required_outputs: [{id: "it", description: "d", predicate: predicate}]}, "to look")
    println("\${path_basename(path)} \${predicate.type}: \${agent_contract_check("s").coverage[0].status}")
  }
}
`,
  );
  const { stdout, stderr } = await harnHere(["run", "main.harn"], { cwd: workspace });
  expect(stderr).toBe("");
  expect(stdout.trimEnd().split("\n")).toEqual([
    "file.md file_exists: unmet",
    "file.md contains_text: unmet",
    "report.md file_exists: unmet",
    "report.md contains_text: unmet",
    "report.md file_exists: met",
    "report.md contains_text: met",
    // Its author named a place elsewhere.
    "report.md file_exists: met",
    "report.md contains_text: met",
  ]);
});
