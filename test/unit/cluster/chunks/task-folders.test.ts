/** Folders of tasks in chunks: what their trials read of them travels, what solves them only where it is run. */
// suite: slow
import { mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SetArchive } from "../../../../src/eval/local/transfer/index.ts";
import { ChunksHere, chunkDone, chunkIds, ProjectHere } from "../../../support/chunks-here.ts";
import { projectRoot } from "../../../support/project.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("task-folders");
let base: string;

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
};

beforeEach(() => {
  base = fresh();
  const engine = join(base, "engine");
  mkdirSync(join(engine, "bin"), { recursive: true });
  mkdirSync(join(engine, "images", "plain"), { recursive: true });
  symlinkSync(join(projectRoot, "test/support/stand-in-docker.mjs"), join(engine, "bin", "docker"));
  // Programs of the engine have the environment of the process.
  vi.stubEnv("STAND_IN_DOCKER", engine);
  vi.stubEnv("PATH", `${join(engine, "bin")}:${process.env.PATH}`);
});
afterEach(() => vi.unstubAllEnvs());

const rewardIf = (condition: string): string =>
  `#!/bin/sh\ncat $BOX/tests/words.txt\nif ${condition}; then echo 1; else echo 0; fi > $BOX/logs/verifier/reward.txt\n`;

/** The agent solves neither; `solved` has a solution, `built` an image of its own, and its tests lie behind a link. */
function home(name: string): ProjectHere {
  const project = new ProjectHere(join(base, name));
  const task = (id: string, files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries({ "instruction.md": "Do it.\n", ...files }))
      put(`${name}/tasks/${id}/${path}`, text);
  };
  task("solved", {
    "task.toml": '[environment]\ndocker_image = "plain"\n',
    "solution/solve.sh": "#!/bin/sh\ncp $BOX/solution/answer.txt out.txt\n",
    "solution/answer.txt": "right\n",
    "tests/test.sh": rewardIf('[ "$(cat out.txt 2>/dev/null)" = right ]'),
    "tests/words.txt": "tested where it was run\n",
  });
  task("built", { "environment/Dockerfile": "FROM scratch\nWORKDIR /box\n" });
  put(`${name}/behind/test.sh`, rewardIf("true"));
  symlinkSync("../../behind", join(project.folder, "tasks/built/tests"));
  put(
    `${name}/t.harn`,
    `import "std/eval"
eval_pack t {
  dataset: "tasks"
  solver: { _sample, _trial -> shell("cat $BOX/solution/* $BOX/tests/* ").stdout }
  scorers: [task_tests()]
}
`,
  );
  return project;
}

const request = { file: "t.harn", set: "s", flags: { seed: "seven" } };

/** What of the machine of the set is in a chunk, below `tasks`. */
const cameAlong = (file: Uint8Array): string[] =>
  (new SetArchive(file).json("sources.json") as { path: string }[])
    .map(({ path }) => path.replace(/^.*\/tasks\//, ""))
    .sort();

/** In all chunks that were handed out. */
const trialsIn = ({ files }: ChunksHere): number =>
  [...files.values()].flatMap((file) => [...new SetArchive(file).rows("eval_trial")]).length;

it("are built, tested and solved on a machine where they do not lie; no chunk of the agent has a solution", async () => {
  const [one, many] = [home("one"), home("many")];
  await one.evaluate(request);
  const gone = ["tasks", "behind"].map((name) => join(many.folder, name));
  const runner = new ChunksHere({
    folder: join(base, "worker"),
    workers: 1,
    begin: async (name, file) => {
      const { as } = new SetArchive(file).json("chunk.json") as { readonly as: string };
      // What is still to be handed out is read where it lies.
      await expect.poll(() => trialsIn(runner)).toBe(as === "oracle" ? 3 : 2);
      for (const path of gone) renameSync(path, `${path}.gone`);
      const end = await many.here(() => chunkDone(join(base, "worker"), name, file));
      for (const path of gone) renameSync(`${path}.gone`, path);
      return end;
    },
  });
  await many.evaluate({ ...request, run: many.inChunks({ runner, newId: chunkIds("c") }) });
  const report = many.reportOf("s");
  expect(report).toEqual(one.reportOf("s"));
  expect(report).toMatchObject({ state: "done" });
  const chunks = [...runner.files.values()].map(cameAlong);
  expect(chunks.at(-1)).toEqual(["solved/solution", "solved/tests"]);
  expect(chunks.slice(0, -1).flat().sort()).toEqual(["built/environment", "built/tests", "solved/tests"]);
});

it("that are too large for a chunk are refused by name", async () => {
  const project = home("many");
  const large = join(project.folder, "tasks/solved/tests/large.bin");
  writeFileSync(large, "");
  truncateSync(large, 128 * 1024 * 1024 + 1);
  const runner = new ChunksHere({ folder: join(base, "worker") });
  const ended = await project.evaluate({
    ...request,
    run: project.inChunks({ runner, newId: chunkIds("c") }),
  });
  const why = expect.stringContaining(`more than 128 MiB, with ${large}: `);
  expect(ended).toMatchObject({ kind: "set", end: { state: "failed", why, exitCode: 2 } });
  expect(runner.names).toEqual([]);
});
