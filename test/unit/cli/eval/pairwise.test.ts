/** `harn eval compare --judge`: which of two outcomes a judge prefers, in both orders (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-pairwise");

/** Of twelve samples the long answer is the better one, but on s1 (alike) and s2 (the judge takes whatever comes first). */
const script = `import "std/eval"
eval_pack letters {
  dataset: range(1, 13).map({ n -> {id: "s\${n}"} }).to_list()
  solver: { sample, trial -> trial.variant.style == "long" && sample.id != "s1" ? "long \${sample.id}" : "brief \${sample.id}" }
  scorers: [no_error(), named("style", pairwise("Which is friendlier?"))]
  roles: {judge: {provider: "openrouter", model: "gpt-4o"}}
  variants: {style: ["short", "long"]}
}
`;

it("wins, losses and ties by sample, paid for once", async () => {
  const server = await evalServer(({ messages }) => {
    const text = JSON.stringify(messages);
    const [first, second] = [text.indexOf("long s"), text.indexOf("brief s")];
    const better = first === -1 || text.includes(" s1\\n") ? "tie" : first < second ? "first" : "second";
    const verdict = text.includes(" s2\\n") ? "first" : better;
    if (text.includes(" s3\\n")) return { text: "I would rather not say." };
    return { text: JSON.stringify({ reasoning: "so", verdict }) };
  });
  const cwd = fresh();
  const run = async (...args: string[]) =>
    await harnHere(["eval", ...args], {
      cwd,
      env: { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` },
    });
  try {
    writeFileSync(join(cwd, "t.harn"), script);
    const made = await run("run", "t.harn", "--set", "s", "--quiet");
    expect(made.stdout).not.toContain("style  ");
    expect(server.count()).toBe(0);
    const before = (await run("show", "s")).stdout;
    const { stdout, stderr, status } = await run("compare", "s", "--judge", "style");
    expect(stderr).toBe(
      "style judges 12 pairs of style=short and style=long in both orders, where it has not yet\n",
    );
    expect(stdout).toContain(
      "\n\nletters  style\n  A style=short   B style=long\n  B preferred on 9 samples, A on 0, neither on 2; p 0.002 (McNemar)\n  1 pair without a verdict: pairwise: ",
    );
    expect(status).toBe(0);
    const asked = server.count();
    const [, judged] = JSON.parse(
      (await run("compare", "s", "--judge", "style", "--metric", "success", "--json")).stdout,
    );
    expect(judged).toMatchObject({ judge: "style", wins: 9, losses: 0, ties: 2, unscored: 1 });
    expect(server.count()).toBe(asked);
    expect((await run("show", "s")).stdout).toBe(before);
    expect((await run("replay", "s")).status).toBe(0);
    const other = await run("compare", "s", "--judge", "tone");
    expect(other).toMatchObject({
      status: 2,
      stderr: "harn: --judge: no task of s has a judge tone of pairs; there are style (HARN-CLI-003)\n",
    });
  } finally {
    await server.close();
  }
});

it("a task needs a scorer of single trials beside judges of pairs", async () => {
  const cwd = fresh();
  writeFileSync(join(cwd, "t.harn"), script.replace("no_error(), ", ""));
  const { stderr, status } = await harnHere(["eval", "run", "t.harn"], { cwd });
  expect(stderr).toContain("scorers: expected a scorer of single trials beside judges of pairs, got nil");
  expect(status).toBe(2);
});
