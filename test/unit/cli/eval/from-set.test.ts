/** What failed in one set is the dataset of the next (docs/evals.md, `from_set`). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("from-set");

const script = (dataset: string, answers: string): string => `import "std/eval"
${answers}
eval_pack capitals {
  dataset: ${dataset}
  solver: "Answer in one word."
  scorers: [includes()]
  epochs: 2
  roles: {agent: {provider: "mock"}}
}
`;

it("takes each failed sample once", async () => {
  const folder = fresh();
  const france = `{id: "c1", input: "capital of France", target: "Paris"}`;
  const australia = `{id: "c2", input: "capital of Australia", target: "Canberra"}`;
  const wrong = `llm_mock({match: "*France*", text: "Paris"})\nllm_mock({match: "*Australia*", text: "Sydney"})`;
  writeFileSync(join(folder, "first.eval.harn"), script(`[${france}, ${australia}]`, wrong));
  const right = `llm_mock({match: "*Australia*", text: "Canberra"})`;
  writeFileSync(join(folder, "again.eval.harn"), script(`{ -> from_set("last", {success: false}) }`, right));
  const run = async (file: string): Promise<unknown> =>
    JSON.parse((await harnHere(["eval", "run", file, "--quiet", "--json"], { cwd: folder })).stdout).tasks
      .capitals;
  expect(await run("first.eval.harn")).toMatchObject({
    samples: 2,
    trials: 4,
    metrics: { success: { value: 0.5 } },
  });
  expect(await run("again.eval.harn")).toMatchObject({
    samples: 1,
    trials: 2,
    metrics: { success: { value: 1 } },
  });
});
