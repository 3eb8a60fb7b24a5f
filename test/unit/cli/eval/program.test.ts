/** `eval_run` in a program: one effect, which a kill inside does not repeat and a replay takes from the journal (issue 15). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type EvalServer, evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-program");
let server: EvalServer;
beforeAll(async () => {
  server = await evalServer(({ messages }) => ({
    text: `It is ${String(messages.at(-1)?.content)}`,
    delay: 40,
  }));
});
afterAll(() => server.close());

const program = `import "std/eval"
let names = ["a", "b", "c", "d", "e", "f"]
eval_task({
  name: "t",
  dataset: { -> names.map({ name -> {id: name, input: "row \${name}", target: "row"} }) },
  solver: { sample, _trial -> llm_call(sample.input, "", {provider: "openrouter", model: "gpt-4o-mini"}).text },
  scorers: [includes()],
})
println("before")
let result = eval_run(nil, {trials: 2})
println("\${result.state} \${result.tasks.t.metrics.success.value} \${len(eval_trials(result.set))} \${eval_result("last").receipt == result.receipt}")
`;

it("is gone on with after a kill, and replayed from the journal", async () => {
  const cwd = fresh();
  writeFileSync(join(cwd, "p.harn"), program);
  const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
  const run = startHarn(["run", "p.harn"], { cwd, env });
  await run.shows("before");
  await server.reached(3);
  run.child.kill("SIGKILL");
  await run.ended;
  const seen = server.count();
  const again = await harnHere(["run", "--resume", "last"], { cwd, env });
  expect(again).toMatchObject({ status: 0 });
  expect(again.stdout).toContain("done 1 6 true");
  // Two trials at once: what was in flight is asked again.
  expect(server.count()).toBeLessThanOrEqual(6 + 2);
  expect(server.count()).toBeGreaterThan(seen);
  const replayed = await harnHere(["replay", "last"], { cwd });
  expect(replayed).toMatchObject({ status: 0 });
  expect(replayed.stdout).toContain("before\ndone 1 6 true");
});

it("tells what is most likely not meant, as `harn eval run` does", async () => {
  const cwd = fresh();
  writeFileSync(
    join(cwd, "w.harn"),
    `import "std/eval"
eval_task({name: "t", dataset: [{id: "a", inpt: "x", target: "y"}], solver: { _sample, _trial -> "y" }, scorers: [includes()], metrics: ["inclodes"]})
println(eval_run(nil, {baseline: "main"}).state)
`,
  );
  const { stdout, stderr } = await harnHere(["run", "w.harn"], { cwd });
  expect(stdout).toBe("done\n");
  for (const said of [
    "task `t`: 1 sample has `inpt`, which nothing reads; did you mean `input`?",
    "task `t`: there is no metric `inclodes` unless a trial measures it with eval_metric; did you mean `includes`?",
    "`baseline` decides nothing: no gate compares with main",
  ])
    expect(stderr).toContain(`warning: eval_run: ${said}`);
  // The journal has what it came to.
  expect(await harnHere(["replay", "last"], { cwd })).toMatchObject({
    stdout: "done\n",
    stderr: "",
    status: 0,
  });
});

it("a trial that asks a person waits, and goes on with the answer", async () => {
  const cwd = fresh();
  writeFileSync(
    join(cwd, "h.eval.harn"),
    `import "std/eval"
eval_task({name: "h", dataset: [{id: "a", input: "x", target: "blue"}], solver: { _sample, _trial -> ask_user("which?") }, scorers: [includes()]})
`,
  );
  expect(await harnHere(["eval", "run", "h.eval.harn", "--set", "h"], { cwd })).toMatchObject({ status: 75 });
  expect(await harnHere(["hitl", "answer", "h.1", "blue"], { cwd })).toMatchObject({ status: 0 });
  const done = await harnHere(["eval", "resume", "h"], { cwd });
  expect(done).toMatchObject({ status: 0 });
  expect(done.stdout).toContain("1.000");
});
