/**
 * What a vendor is sent by a run that was killed and goes on: byte for byte what it is sent by one that nobody killed, so that
 * its prompt cache holds. Arguments of calls are the critical part: their keys stand as the model wrote them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type ProviderServer,
  type Scenario,
  startProviderServer,
} from "../../support/provider-server/index.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("resume-requests");

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

const script = (provider: string): string => `
let tools = tool_define(tool_registry(), "place", "Places something.", {
  parameters: {what: {type: "string"}, at: {type: "dict"}},
  handler: { args -> "placed \${args.what}" },
})
let r = agent_loop("Place all of it.", "You place things.", {
  provider: "${provider}", model: "m", tools: tools, tool_format: "native", loop_until_done: true, max_iterations: 9,
})
println(r.answer)
`;

/** No order that anybody would sort into, nested and in lists, long enough to be stored apart. */
const call = (n: number): Scenario => ({
  kind: "answer",
  calls: [
    {
      id: `call_${n}`,
      name: "place",
      args: `{"what":"box ${n}","at":{"y":${n},"b":[{"z":1,"a":2}],"B":0,"note":"${"long ".repeat(n * 120)}"}}`,
    },
  ],
});
const end: Scenario = { kind: "answer", text: "All placed." };

async function sent(provider: string, name: string, killAt: number | null): Promise<string[]> {
  const cwd = join(folder, `${provider}-${name}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.harn"), script(provider));
  const env = {
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server.url,
    DEEPSEEK_API_KEY: "k",
    DEEPSEEK_BASE_URL: `${server.url}/v1`,
  };
  const answers = [call(1), call(2), call(3), end];
  server.clear();
  server.seen.length = 0;
  if (killAt !== null) {
    server.next(...answers.slice(0, killAt), { kind: "hang" });
    const run = startHarn(["run", "a.harn"], { cwd, env });
    await expect.poll(() => server.seen.length).toBe(killAt + 1);
    run.child.kill("SIGKILL");
    await run.ended;
    server.seen.length = 0;
    server.next(...answers.slice(killAt));
  } else server.next(...answers);
  const ended = await startHarn(killAt === null ? ["run", "a.harn"] : ["run", "--resume", "last"], {
    cwd,
    env,
  }).ended;
  expect(ended).toMatchObject({ stdout: "All placed.\n", status: 0 });
  return server.seen.map(({ body }) => JSON.stringify(body));
}

it.each(["anthropic", "deepseek", "openai"])("%s is sent the same bytes", async (provider) => {
  const undisturbed = await sent(provider, "whole", null);
  expect(undisturbed).toHaveLength(4);
  expect(undisturbed[3]).toMatch(/what.*box 3.*y.*b.*z.*a.*B.*note/s);
  const resumed = await sent(provider, "killed", 3);
  expect(resumed).toHaveLength(1);
  // Compared as a whole: a failure would print all of both.
  expect(resumed[0] === undisturbed[3]).toBe(true);
});
