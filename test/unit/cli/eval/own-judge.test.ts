/** A judge that grades what its own model said prefers it: that is said once, and stops nothing (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-own-judge");

const script = (judge: string): string => `import "std/eval"
eval_pack towns {
  dataset: [{id: "a", input: "capital of France"}, {id: "b", input: "capital of Italy"}]
  solver: "Answer in one word."
  scorers: [named("tone", judge("Is it polite?", {draws: 2}))]
  roles: {agent: {provider: "openrouter", model: "gpt-4o-mini"}, judge: {provider: "openrouter", model: "${judge}"}}
}
`;

it("HARN-EVL-031 names the judge, once", async () => {
  const verdict = JSON.stringify({ reasoning: "It is.", verdict: "pass" });
  const server = await evalServer(({ messages }) =>
    JSON.stringify(messages).includes("reasoning") ? { text: verdict } : { text: "Paris" },
  );
  try {
    const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
    const cwd = fresh();
    const run = async (judge: string) => {
      writeFileSync(join(cwd, "t.harn"), script(judge));
      return await harnHere(["eval", "run", "t.harn", "--quiet"], { cwd, env });
    };
    const own = await run("gpt-4o-mini");
    expect(own.stderr.match(/judge tone grades answers of its own model/g)).toHaveLength(1);
    expect(own.stdout).toContain("1.000");
    expect(own.status).toBe(0);
    expect((await run("gpt-4o")).stderr).not.toContain("own model");
  } finally {
    await server.close();
  }
});
