/** `harn eval score`: finished trials are judged again, and the agent is not asked (docs/evals.md). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-score");
let cwd: string;

const script = (scorers: string): string => `import "std/eval"
llm_mock({match: "*Judge by*", text: "{\\"reasoning\\": \\"ok\\", \\"verdict\\": \\"pass\\"}"})
llm_mock({match: "*capital*", text: "Paris"})
eval_pack t {
  dataset: [{id: "a", input: "capital of F", target: "Paris"}, {id: "b", input: "capital of I", target: "Rome"}]
  solver: { sample, _trial ->
    println("asked " + sample.id)
    append_file("asked.txt", sample.id)
    llm_call(sample.input)
  }
  scorers: [${scorers}]
  roles: {agent: {provider: "mock"}, judge: {provider: "mock"}}
}
`;

const run = (...args: string[]) => harnHere(["eval", ...args], { cwd });
const replays = async (): Promise<void> => expect((await run("replay", "s")).status).toBe(0);

beforeEach(async () => {
  cwd = fresh();
  writeFileSync(join(cwd, "t.harn"), script('includes(), judge("good")'));
  expect((await run("run", "t.harn", "--quiet", "--set", "s")).status).toBe(0);
});

describe("scores again", () => {
  it("more draws of a judge, with everything as it was", async () => {
    const scored = await run("score", "s", "--scorer", "judge", "--draws", "3", "--quiet");
    expect(scored).toMatchObject({ status: 0 });
    expect((await run("show", "s:b.1")).stdout).toContain("judge (draw 3)  pass");
    expect(scored.stdout).toContain("default     0.500 [");
    expect(readFileSync(join(cwd, "asked.txt"), "utf8").length).toBe(2);
    await replays();
    // Trials that are added later draw as often.
    writeFileSync(join(cwd, "t.harn"), script('includes(), judge("good")').replace('id: "b"', 'id: "c"'));
    await run("run", "t.harn", "--set", "s", "--stale", "keep", "--quiet");
    expect((await run("show", "s:c.1")).stdout).toContain("judge (draw 3)  pass");
    await replays();
  });

  it("the scorers of another script", async () => {
    writeFileSync(join(cwd, "u.harn"), script('includes("Par"), no_error(), judge("good")'));
    const scored = await run("score", "s", "--script", "u.harn", "--quiet");
    expect(scored.stdout).toContain("success                includes  no_error  judge");
    expect(scored.stdout).toContain("default     1.000 [");
    expect(readFileSync(join(cwd, "asked.txt"), "utf8").length).toBe(2);
    await replays();
  });

  it("what it can't do is said", async () => {
    expect(await run("score", "s", "--scorer", "tone")).toMatchObject({
      status: 2,
      stderr: "harn: --scorer: there is no scorer tone; there are includes, judge (HARN-CLI-003)\n",
    });
    expect((await run("score", "nope")).stderr).toContain("no set is called nope");
    writeFileSync(join(cwd, "u.harn"), script("includes()").replace("eval_pack t", "eval_pack u"));
    expect((await run("score", "s", "--script", "u.harn")).stderr).toContain(
      "--script: it has no task t; it has u (HARN-CLI-003)\n",
    );
    expect((await run("score", "s", "--draws", "0")).status).toBe(2);
    expect((await run("run", "t.harn", "--role", "boss=x")).stderr).toContain("--role: expected agent=MODEL");
  });
});
