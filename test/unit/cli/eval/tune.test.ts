/** A set is changed while another process works on it, and runs so many commands at once (docs/evals.md). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EvalServer, evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-tune");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const script = `import "std/eval"
eval_task({
  name: "t",
  dataset: range(0, 40).map({ n -> {id: "s\${n}", input: "q\${n}", target: "yes"} }).to_list(),
  solver: { sample, _trial -> llm_call(sample.input, "", {provider: "openrouter", model: "gpt-4o-mini"}).text },
  scorers: [includes()],
})
`;

describe("harn eval tune", () => {
  let server: EvalServer;
  let held: (() => void)[];
  /** Requests are answered when the test lets them. */
  let isOpen: boolean;
  let inFlight: number;
  let max: number;

  beforeEach(async () => {
    [held, isOpen, inFlight, max] = [[], false, 0, 0];
    server = await evalServer(
      () => ({ text: "yes" }),
      async () => {
        inFlight++;
        max = Math.max(max, inFlight);
        if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
        inFlight--;
      },
    );
    writeFileSync(join(cwd, "t.harn"), script);
  });
  afterEach(() => server.close());

  const until = async (is: () => boolean): Promise<void> => {
    const end = Date.now() + 300_000;
    while (!is()) {
      if (Date.now() > end) throw new Error(`it did not come to it: ${inFlight} in flight`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  /** How often the set has changed a limit because it was told to. */
  const retuned = (): number => {
    const db = new DatabaseSync(join(cwd, ".harn", "state.db"), { readOnly: true });
    try {
      return Number(db.prepare("SELECT count(*) AS n FROM eval_limit WHERE reason = 'tune'").get()?.n);
    } finally {
      db.close();
    }
  };
  const tune = (...args: string[]) => harnHere(["eval", "tune", "s", ...args], { cwd });

  it("lets more trials run at once, or fewer, and lifts what the set may cost", async () => {
    const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
    const run = startHarn(
      ["eval", "run", "t.harn", "--set", "s", "--trials", "2", "--cost", "100", "--plain"],
      {
        cwd,
        env,
      },
    );
    await until(() => inFlight === 2);
    expect((await tune("--trials", "6", "--connections", "openrouter=20")).stdout).toBe(
      "s  6 trials at once, openrouter=20, at most $100.00\n",
    );
    await until(() => inFlight === 6);
    expect((await tune("--connections", "openrouter=3", "--cost", "200")).stdout).toBe(
      "s  6 trials at once, openrouter=3, at most $200.00\n",
    );
    // The set has seen it. Those in flight stay; of the next ones there are three.
    await until(() => retuned() === 2);
    for (const resolve of held.splice(0)) resolve();
    await until(() => inFlight === 3);
    max = 0;
    isOpen = true;
    for (const resolve of held.splice(0)) resolve();
    const { stdout, status } = await run.ended;
    expect(status).toBe(0);
    expect(stdout).toContain("40 samples");
    expect(max).toBeLessThanOrEqual(3);
    expect((await harnHere(["eval", "status", "s", "--json"], { cwd })).stdout).toContain('"cost_limit":200');
    expect(await harnHere(["eval", "tune", "s", "--trials", "3"], { cwd })).toMatchObject({
      status: 1,
      stderr:
        "harn: nobody works on the set s: it is done; `harn eval resume s` takes the same flags (HARN-CLI-008)\n",
    });
    expect((await harnHere(["eval", "tune", "s"], { cwd })).stderr).toContain("name what is to be different");
    expect((await harnHere(["eval", "tune", "s", "--connections", "x=0"], { cwd })).stderr).toContain(
      "--connections: expected PROVIDER=N",
    );
  });
});

it("--processes: so many commands of trials at once", async () => {
  writeFileSync(
    join(cwd, "p.harn"),
    `import "std/eval"
eval_task({
  name: "p",
  dataset: range(0, 6).map({ n -> {id: "s\${n}"} }).to_list(),
  solver: { _sample, _trial -> exec("sh", "-c", "echo begin >> log; sleep 0.1; echo end >> log").stdout },
  scorers: [no_error()],
})
`,
  );
  const run = async (...more: string[]): Promise<string[]> => {
    writeFileSync(join(cwd, "log"), "");
    expect(await harnHere(["eval", "run", "p.harn", "--quiet", ...more], { cwd })).toMatchObject({
      stderr: "",
      status: 0,
    });
    return readFileSync(join(cwd, "log"), "utf8").trim().split("\n");
  };
  expect(await run("--processes", "1")).toEqual(Array.from({ length: 6 }, () => ["begin", "end"]).flat());
  const six = await run("--processes", "6");
  expect(six.filter((line) => line === "begin")).toHaveLength(6);
  expect((await harnHere(["eval", "run", "p.harn", "--processes", "0"], { cwd })).stderr).toContain(
    "--processes: expected a whole number from 1 on, got 0",
  );
});
