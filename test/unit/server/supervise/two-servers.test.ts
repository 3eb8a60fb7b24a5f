/** Two servers on one store: whoever owns a run, both tell of it while it happens, and either stops it at any moment. */
// suite: processes
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { poolMark } from "../../../../src/host/index.ts";
import { type ProviderServer, startProviderServer } from "../../../support/provider-server/index.ts";
import { marked, type Received, type ServedProcess, ServedProject, until } from "../../../support/served.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const script = `let tools = tool_define(tool_registry(), "wait", "Waits.", {parameters: {}, handler: { _ -> shell("sleep 600") }})
let all = tool_define(tools, "look", "Asks a sub-agent.", {
  parameters: {}, handler: { _ -> sub_agent_run("look", {max_iterations: 2}).summary }})
agent_loop(argv[0], nil, {tools: all, max_iterations: 3, max_concurrent_tools: 2})
`;
const calls = [
  { id: "call_1", name: "wait", args: "{}" },
  { id: "call_2", name: "look", args: "{}" },
];

const folder = tempFolder("two-servers");
let provider: ProviderServer;
let project: ServedProject;
let first: ServedProcess;

beforeAll(async () => {
  provider = await startProviderServer();
  const flags = { provider: "local", model: "m", baseUrl: `${provider.url}/v1` };
  project = new ServedProject(folder, { work: script }, { flags });
  first = await project.serve();
});
afterEach(() => provider.clear());
afterAll(async () => {
  await project.close();
  await provider.close();
});

/** What somebody who listens knows of the text of a loop by now. */
function textOf(received: readonly Received[], stream: string, loop: string): string {
  let text = "";
  for (const one of received) {
    if (one.stream !== stream || one.loop !== loop) continue;
    const piece = (one.data as { readonly text?: string } | undefined)?.text ?? "";
    if (one.type === "partial") text = piece;
    else if (one.type === "message.delta") text += piece;
  }
  return text;
}

/** A conversation at work, its sub-agent saying a long text word by word. */
function begin(): string {
  const words = Array.from({ length: 4000 }, (_, n) => `word${n}`).join(" ");
  provider.next(
    { kind: "answer", calls, stop: "tool_use" },
    { kind: "answer", text: words, piece: 9, paceMs: 20 },
  );
  return project.open("work", "go");
}

async function isStopped(id: string, mark: string | undefined): Promise<void> {
  await until(
    () => project.stateOf(id) === "interrupted",
    () => JSON.stringify(project.types(id)),
  );
  if (mark !== undefined) expect(marked(`${poolMark}=${mark}`)).toEqual([]);
  const log = project.events(id);
  const asked = log.findIndex(({ type }) => type === "interrupt.requested");
  const ends = log.slice(asked).filter(({ type }) => type === "tool.end");
  expect(ends.map(({ data }) => data.status)).toEqual(ends.map(() => "interrupted"));
  expect(project.ofType(id, "tool.end")).toHaveLength(project.ofType(id, "tool.start").length);
  expect(project.ofType(id, "loop.end")).toHaveLength(project.ofType(id, "loop.start").length);
}

describe("two servers on one store", () => {
  it("what a run says is heard on the one that does not own it, while it is said, and nothing of it twice", async () => {
    const id = begin();
    await until(() => project.stateOf(id) === "processing");
    const other = await project.serve();
    await until(
      () => / word9 /.test(textOf(other.received, id, "l2")),
      () => `${other.received.length} things heard: ${JSON.stringify(other.received.slice(-3))}`,
    );
    await until(() => / word60 /.test(textOf(other.received, id, "l2")));
    for (const { received } of [first, other])
      expect(textOf(received, id, "l2")).toMatch(/^word0 word1 word2 .*/);
    const report = other.received.find(({ type, stream }) => type === "partial" && stream === id);
    expect(report).toMatchObject({ loop: "l2", parent: { loop: "l1", call: "l1.1.1" }, turn: 1 });
    // The owner's own children tell it themselves.
    expect(first.received.filter(({ type }) => type === "partial")).toEqual([]);
    await other.interrupt({ target: { conversation: id }, by: "ann" });
    await isStopped(id, undefined);
    // The end of a loop that was stopped says what it had come to.
    const [said] = project.ofType(id, "usage");
    const { input, output, cost_usd } = (said?.data.answer ?? {}) as { readonly [name: string]: number };
    expect(input).toBeGreaterThan(0);
    const ends = project.ofType(id, "loop.end").map(({ loop, data }) => [loop, data.turns, data.total]);
    expect(ends).toContainEqual(["l1", 1, { input, output, cost_usd }]);
    expect(ends).toContainEqual(["l2", 1, { input: 0, output: 0, cost_usd: 0 }]);
  });

  it("either stops it, at whatever moment", async () => {
    const servers = [first, project.servers[1] ?? (await project.serve())];
    // From the claim over the start of the child, its calls and its sub-agent into the text.
    for (let events = 3; events <= 23; events++) {
      provider.clear();
      const id = begin();
      await until(() => project.events(id).length >= events);
      const kept = project.store.entries.get("conversation.child", id) as { readonly mark: string } | null;
      const server = servers[events % 2] as ServedProcess;
      const { interrupt } = await server.interrupt({ target: { conversation: id }, by: "ann" });
      expect(interrupt).toMatch(/^i_/);
      await isStopped(id, kept?.mark);
    }
  });
});
