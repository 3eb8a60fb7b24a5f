/** Sets whose trials are done in chunks elsewhere come to the same as on one machine (docs/cluster.md). */
// suite: slow
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ChunksHere, chunkIds, ProjectHere } from "../../../support/chunks-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("chunks");

const mocks = (samples: number, epochs: number): string => `import "std/eval"
llm_mock({match: "*", text: "It is Paris."})
eval_pack t {
  dataset: range(0, ${samples}).map({ n -> {id: "ä/\${n} 🎯", input: "q\${n}", target: n % 3 == 0 ? "Rome" : "Paris"} }).to_list()
  solver: { sample, trial ->
    world_set("seen", trial.id)
    llm_call(sample.input).text + to_string(random_int(0, 1000))
  }
  scorers: [includes(), named("long", { o, _s -> len(o.text) > 14 })]
  success: ["includes"]
  gates: ["success >= 0.9"]
  epochs: ${epochs}
  roles: {agent: {provider: "mock"}}
}
`;

it("500 trials: the report, its gates and its receipt are those of one machine", async () => {
  const base = fresh();
  const [one, many] = [new ProjectHere(join(base, "one")), new ProjectHere(join(base, "many"))];
  for (const { folder } of [one, many]) writeFileSync(join(folder, "t.harn"), mocks(100, 5));
  const request = { file: "t.harn", set: "s", flags: { seed: "seven" } };
  await one.evaluate(request);
  const runner = new ChunksHere({ folder: join(base, "worker"), workers: 3 });
  const ended = await many.evaluate({
    ...request,
    run: many.inChunks({ runner, newId: chunkIds("c") }),
  });
  expect(ended).toMatchObject({ kind: "set", end: { state: "done", exitCode: 0 } });
  expect(runner.names.length).toBeGreaterThan(7);
  expect(many.reportOf("s")).toEqual(one.reportOf("s"));
  expect(many.reportOf("s")).toMatchObject({ pass: false });
});
