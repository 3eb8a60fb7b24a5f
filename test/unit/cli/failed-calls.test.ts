// suite: processes
/** Why a model call failed, wherever somebody looks: the result, standard error, events, the list of runs, trace, why, the page. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import {
  type ProviderServer,
  type Scenario,
  startProviderServer,
} from "../../support/provider-server/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const folders = tempFolders("failed-calls");
let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterEach(() => server.clear());
afterAll(() => server.close());

/** It reads how its agents ended, so that nothing is left to be told for having been overlooked. */
const script = `for n in 1 to 2 {
  let r = agent_loop("hello", nil, {provider: "local", model: "m1", llm_retries: 0})
  println("\${r.status} \${r.error.status} \${r.error.address}")
}
`;

interface Failure {
  readonly name: string;
  readonly scenario: Scenario;
  readonly words: string;
  readonly status: number | null;
}

const failures: Failure[] = [
  {
    name: "401",
    scenario: {
      kind: "status",
      status: 401,
      body: { error: { message: "Incorrect key sk-test-abcdefghijk1" } },
    },
    words: "HTTP 401 from local: Incorrect key [redacted]",
    status: 401,
  },
  {
    name: "400",
    scenario: {
      kind: "status",
      status: 400,
      body: { error: { message: `No such field ${"x".repeat(600)}` } },
    },
    words: `HTTP 400 from local: No such field ${"x".repeat(485)}…`,
    status: 400,
  },
  {
    name: "a page of HTML",
    scenario: { kind: "html", html: "<html><body><h1>Welcome</h1></body></html>" },
    words: `instead of JSON: "Welcome"`,
    status: null,
  },
];

test.each(failures)("$name", async ({ scenario, words, status }) => {
  const cwd = folders();
  const address = `${server.url}/v1`;
  writeFileSync(join(cwd, "a.harn"), script);
  const harn = async (...args: string[]) =>
    await harnHere(args, { cwd, env: { LOCAL_LLM_BASE_URL: address } });
  server.next(scenario, scenario);
  const run = await harn("run", "a.harn");
  expect(run.status).toBe(0);
  expect(run.stdout).toBe(`provider_error ${status ?? "nil"} ${address}\n`.repeat(2));
  // Told once, however many agents met it.
  expect(run.stderr).toContain(words);
  expect(run.stderr).toContain(address);
  expect(run.stderr.match(/a model call of this agent failed/g)).toHaveLength(1);
  expect(run.stderr).toMatch(/^harn: \S*a\.harn:2:11: /);
  server.next(scenario, scenario);
  const events = await harn("run", "--events", "a.harn");
  const ends = events.stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { type: string; error?: { message: string } })
    .filter(({ type }) => type === "loop_end");
  expect(ends).toHaveLength(2);
  for (const { error } of ends) {
    expect(error?.message).toContain(words);
    expect(error).toMatchObject({ status, address, provider: "local", model: "m1" });
  }
  const [listed] = (await harn("runs", "list", "--json")).stdout.split("\n");
  expect(JSON.parse(listed ?? "")).toMatchObject({
    state: "done",
    outcome: { status: "failed", why: expect.stringContaining(words) as string },
  });
  expect((await harn("runs", "list")).stdout).toContain(`! its agent failed: `);
  for (const command of ["trace", "why"]) {
    const looked = await harn(
      command,
      "last",
      ...(command === "why" ? ["--session", await sessionOf(harn)] : []),
    );
    expect(looked.stdout).toContain(words);
    expect(looked.stdout).toContain(address);
  }
  expect((await harn("view", "last", "--html", "view.html")).status).toBe(0);
  expect(readFileSync(join(cwd, "view.html"), "utf8")).toContain(words.replaceAll('"', '\\"'));
});

async function sessionOf(harn: (...args: string[]) => Promise<{ stdout: string }>): Promise<string> {
  const { loops } = JSON.parse((await harn("trace", "last", "--json")).stdout) as {
    loops: { session_id: string }[];
  };
  return loops[0]?.session_id ?? "";
}

describe("a connection that this machine refuses", () => {
  test("is not tried again", async () => {
    const gone = await startProviderServer();
    await gone.close();
    const { stdout, stderr } = await harnHere(
      [
        "run",
        "--progress",
        "--provider",
        "local",
        "--model",
        "m1",
        "-e",
        'println(agent_loop("hello").status)',
      ],
      { cwd: folders(), env: { LOCAL_LLM_BASE_URL: gone.url } },
    );
    expect(stdout).toBe("provider_error\n");
    expect(stderr).toContain(`${gone.url}/v1: connection refused`);
    expect(stderr).not.toContain("again in");
  });
});
