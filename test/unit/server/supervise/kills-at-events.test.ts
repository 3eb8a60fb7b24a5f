/** A conversation whose server or child is killed at each transaction that writes events, in front of it and behind it. */
// suite: processes
// long: kills at every transaction

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ServedProject, until } from "../../../support/served.ts";
import { walked } from "../../../support/smoke.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("kills-at-events");
const preload = resolve(import.meta.dirname, "../../../support/kill-at-commit.cjs");

const agent = `fn note(args) {
  sleep(5)
  append_file("log.txt", "\${argv[0]}.\${args.n}\\n")
  sleep(5)
  return "noted"
}
let tools = tool_define(tool_registry(), "note", "Notes.", {parameters: {n: "string"}, handler: note})
append_file("log.txt", "\${argv[0]}.begin\\n")
llm_mock({text: "First.", tool_calls: [{name: "note", arguments: {n: "one"}}]})
llm_mock({text: "Then.", tool_calls: [{name: "note", arguments: {n: "two"}}]})
llm_mock({text: "done"})
agent_loop(argv[0], nil, {provider: "mock", tools: tools, max_iterations: 4})
sleep(5)
append_file("log.txt", "\${argv[0]}.end\\n")
`;

const project = new ServedProject(
  folder,
  { agent },
  {},
  {
    NODE_OPTIONS: `--require ${preload}`,
    HARN_TEST_COMMITS: folder,
  },
);
afterAll(() => project.close());

const order = (at: number, when: "before" | "after"): void => {
  writeFileSync(join(folder, "commits"), "");
  writeFileSync(join(folder, "orders.json"), JSON.stringify({ at, when }));
};

/** One message from its beginning to its end; a server that is killed is followed by another one. */
async function talk(text: string): Promise<string> {
  const id = project.open("agent", text);
  let coming: Promise<unknown> | undefined = Promise.resolve();
  const isAlive = (): boolean => {
    const last = project.servers.at(-1);
    return last !== undefined && last.child.exitCode === null && last.child.signalCode === null;
  };
  await until(
    () => {
      if (!isAlive() && coming !== undefined) {
        coming = undefined;
        // It may be killed before it is ready, too.
        void project
          .serve()
          .catch(() => {})
          .then(() => {
            coming = Promise.resolve();
          });
      }
      return project.stateOf(id) === "idle";
    },
    () => `${text}: ${JSON.stringify(project.conversations.mustGet(id))} ${project.types(id).join(" ")}`,
  );
  return id;
}

/** What is the same however often it was gone on with: events of loops by their place, and what was said. */
function report(id: string) {
  const events = project.events(id);
  const once = new Set<string>();
  const loops = events.flatMap(({ type, loop, turn, call, data }) => {
    if (loop === null || type === "context.usage" || type === "trace") return [];
    // Ends that a kill left behind are followed by the real ones.
    if ((type === "tool.end" || type === "loop.end") && data.status === "interrupted") return [];
    const key = `${type} ${loop} ${turn} ${call}`;
    if (type !== "decision" && type !== "message.end" && once.has(key))
      throw new Error(`${key} is told twice`);
    once.add(key);
    return [key];
  });
  const history = project.conversations.history({ id }).entries.map(({ message }) => {
    const { role, content } = message as { readonly role: string; readonly content: string };
    return [role, typeof content === "string" ? content.replaceAll(/m\d+[ab]/g, "M") : content];
  });
  return {
    loops,
    history,
    ends: events.filter(({ type }) => type === "run.end").map(({ data }) => data.status),
  };
}

it("comes to the same result, with every event once", async () => {
  order(0, "after");
  const usual = report(await talk("m0a"));
  expect(usual.ends).toEqual(["done"]);
  const commits = readFileSync(join(folder, "commits"), "utf8").length;
  expect(commits).toBeGreaterThanOrEqual(5);
  const said = ["m0a"];
  let resumed = 0;
  const points = walked(
    Array.from({ length: commits }, (_, n) => n + 1).flatMap((at) =>
      (["before", "after"] as const).map((when) => ({ at, when })),
    ),
    "commits",
  );
  for (const { at, when } of points) {
    const text = `m${at}${when === "before" ? "a" : "b"}`;
    said.push(text);
    order(at, when);
    const id = await talk(text);
    const log = project.events(id);
    if (log.some(({ type }) => type === "run.resumed")) resumed++;
    const where = `killed ${when} commit ${at}: ${project.types(id).join(" ")}`;
    expect(
      log.map(({ seq }) => seq),
      where,
    ).toEqual(log.map((_, n) => n + 1));
    expect(report(id), where).toEqual(usual);
  }
  // Servers and children were killed.
  expect(project.servers.length).toBeGreaterThan(Math.min(2, points.length / 5));
  expect(resumed).toBeGreaterThanOrEqual(Math.min(5, Math.floor(points.length / 4)));
  const lines = project.read("log.txt").trim().split("\n").sort();
  expect(lines).toEqual(
    said.flatMap((text) => ["begin", "end", "one", "two"].map((part) => `${text}.${part}`)).sort(),
  );
});
