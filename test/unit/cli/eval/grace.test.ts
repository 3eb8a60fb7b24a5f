/** A set that stops lets the model calls in flight end, so that nothing is paid for twice (issue 27). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { type EvalServer, evalServer } from "../../../support/eval-server.ts";
import { harn } from "../../../support/run-cli.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-grace");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
  // After each answer something is written: a set that stops begins no write that nobody sees the end of.
  writeFileSync(
    join(cwd, "t.harn"),
    `import "std/eval"
let route = {provider: "openrouter", model: "gpt-4o-mini", max_tokens: 100}
eval_task({
  name: "t",
  dataset: range(0, 20).map({ n -> {id: "s\${n}", input: "\${n}", target: "yes"} }).to_list(),
  solver: { s, _trial ->
    let said = llm_call("first \${s.input}", nil, route).text
    append_file("log.txt", "\${s.input}\\n")
    llm_call("second \${s.input}", nil, route)
    said
  },
  scorers: [includes()],
})
`,
  );
});

const start = (server: EvalServer, command: string, ...args: string[]) =>
  startHarn(["eval", command, "--trials", "8", ...args], {
    cwd,
    env: { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` },
  });

const sentAtLeast = async (server: EvalServer, count: number): Promise<void> => {
  await server.reached(count);
};

const status = () =>
  JSON.parse(harn(["eval", "status", "k", "--json"], { cwd }).stdout) as { cost_usd: number };

it("no request is sent twice: not after Ctrl-C, not after TERM, not after --time", {
  timeout: 300_000,
}, async () => {
  const server = await evalServer(() => ({ text: "yes", delay: 400 }));
  try {
    const first = start(server, "run", "t.harn", "--set", "k", "--plain");
    await sentAtLeast(server, 3);
    first.child.kill("SIGINT");
    const { status: code, stderr } = await first.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/stopping: \d+ model calls? in flight may end first, for 30 s/);
    const second = start(server, "resume", "k");
    await sentAtLeast(server, 18);
    second.child.kill("SIGTERM");
    const ended = await second.ended;
    expect(ended.status).toBe(143);
    expect(ended.stderr).toMatch(/may end first, for 10 s/);
    expect((await start(server, "resume", "k", "--time", "200ms").ended).stdout).toContain("paused: time");
    expect((await start(server, "resume", "k", "--time", "1h").ended).status).toBe(0);
    expect([...server.seen.values()].filter((times) => times > 1)).toEqual([]);
    expect(server.count()).toBe(40);
    expect(readFileSync(join(cwd, "log.txt"), "utf8").trim().split("\n")).toHaveLength(20);
  } finally {
    await server.close();
  }
});

it("what does not end in time is cut off, named and booked at its worst case; a second Ctrl-C waits for nothing", {
  timeout: 300_000,
}, async () => {
  let isSilent = true;
  const server = await evalServer(({ messages }) =>
    isSilent && JSON.stringify(messages).includes('"first 1"')
      ? { never: true }
      : { text: "yes", delay: 100 },
  );
  try {
    const first = start(
      server,
      "run",
      "t.harn",
      "--set",
      "k",
      "--quiet",
      "--grace",
      "500ms",
      "--trials",
      "20",
    );
    await sentAtLeast(server, 20);
    first.child.kill("SIGINT");
    const { status: code, stderr } = await first.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("model calls that had not ended were cut off");
    expect(stderr).toMatch(/: t\/default\/s1\.1\n/);
    const { cost_usd: spent } = status();
    // An answer costs 10 and 5 tokens, the worst case of the one that was cut off 100.
    expect(spent).toBeGreaterThan((100 * 0.6) / 1e6);
    const second = start(server, "resume", "k", "--plain", "--grace", "1h");
    await sentAtLeast(server, 40);
    await sleep(500);
    second.child.kill("SIGINT");
    await second.shows("stopping: ");
    second.child.kill("SIGINT");
    expect((await second.ended).status).toBe(130);
    isSilent = false;
    expect((await start(server, "resume", "k").ended).status).toBe(0);
    expect(status().cost_usd).toBeGreaterThan((2 * 100 * 0.6) / 1e6);
  } finally {
    await server.close();
  }
});
