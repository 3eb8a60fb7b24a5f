/** `harn runs show RUN --call N`: one model call of a recorded run, whole; and the list of steps without the clock. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const cwd = tempFolder("show-call");
const long = "x".repeat(500);
const at = (...args: string[]) => harnHere(args, { cwd });
const show = (...args: string[]) => at("runs", "show", "last", ...args);

beforeAll(async () => {
  writeFileSync(
    join(cwd, "agent.harn"),
    `tool look(at: string) -> string {
  description "Looks."
  "seen: " + at
}
println(agent_loop("Go on.", "Be brief.", {tools: look, tool_format: "native", llm_retries: 1, llm_backoff_ms: 1}).answer)
`,
  );
  const tape = [
    { error: { category: "overloaded", message: "busy" } },
    { text: "I look.", tool_calls: [{ name: "look", args: { at: long } }], input_tokens: 1234 },
    { text: "Done." },
  ];
  writeFileSync(join(cwd, "tape.jsonl"), tape.map((one) => `${JSON.stringify(one)}\n`).join(""));
  expect(await at("run", "--tape", "tape.jsonl", "agent.harn")).toMatchObject({
    stdout: "Done.\n",
    status: 0,
  });
});

describe("one model call", () => {
  it("shows the request, and how it failed", async () => {
    const { stdout, stderr, status } = await show("--call", "1");
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toMatch(/^call 1 of 3, step \d+: tape \(tape\)\n\nrequest\n/);
    expect(stdout).toContain("\n  system:\n    Be brief.\n");
    expect(stdout).toContain("\n  user:\n    Go on.\n");
    expect(stdout).toContain('\n  offers look:\n    {\n      "description": "Looks.",\n');
    expect(stdout).toMatch(/\nfailed\n {2}\{\n(?: {4}.*\n)*? {4}"category": "overloaded",?\n/);
  });

  it("shows the answer, tokens, cost, the try, and its tool calls with their results, nothing shortened", async () => {
    const { stdout } = await show("--call", "2");
    expect(stdout).toMatch(/^call 2 of 3, step \d+, try 2: /);
    expect(stdout).toContain(
      "\nanswer\n  text:\n    I look.\n  tokens: 1,234 in (0 from the cache), 30 out (0 thought)\n  cost: $0.0000\n",
    );
    expect(stdout).toContain(`\ntool look\n  arguments:\n    {\n      "at": "${long}"\n    }\n  result:\n`);
    expect(stdout).toContain(`seen: ${long}`);
    expect((await show("--call", "3")).stdout).toMatch(
      /^call 3 of 3, step \d+: .*\nanswer\n {2}text:\n {4}Done\.\n/s,
    );
  });

  it("is data with --json; its step is that of the list", async () => {
    const call = JSON.parse((await show("--call", "2", "--json")).stdout);
    expect(call).toMatchObject({ call: 2, try: 2, error: null, answer: { text: "I look." } });
    expect(call.tool_calls).toMatchObject([{ name: "look", arguments: { at: long } }]);
    expect(call.tool_calls[0].result).toContain(`seen: ${long}`);
    expect((await show()).stdout).toMatch(new RegExp(`^ +${call.step} {2}llm\\.call `, "m"));
  });

  it("one that is not there says which are", async () => {
    const none = await show("--call", "4");
    expect(none).toMatchObject({ stdout: "", status: 1 });
    expect(none.stderr).toMatch(/has no model call 4; they are numbered from 1 to 3 \(HARN-CLI-008\)\n$/);
    expect((await show("--call", "two")).status).toBe(2);
  });
});

describe("the list of steps", () => {
  it("leaves the clock out unless asked for; numbers stay", async () => {
    expect((await show()).stdout).not.toContain("clock.");
    const all = (await show("--all")).stdout;
    expect(all).toContain("clock.monotonic");
    for (const line of (await show()).stdout.split("\n").slice(2)) expect(all.split("\n")).toContain(line);
  });
});
