/**
 * Servers killed at random moments, while two of them work on one store and people go on talking: no message is lost, none is
 * run twice, no event is told twice. `HARN_SERVER_KILLS` is how many kills there are (100; 10 in a smoke).
 */
// suite: processes
// long: kills

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { childrenOf, ServedProject, until } from "../../../support/served.ts";
import { tenthOf } from "../../../support/smoke.ts";
import { type RunningCli, startHarn } from "../../../support/start-cli.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const kills = Number(process.env.HARN_SERVER_KILLS ?? tenthOf(100));
const folder = tempFolder("server-kills");

/** Effects before, inside and behind a loop, each leaving a line that must be there once. */
const agent = `fn note(args) {
  append_file("log.txt", "\${argv[0]}.tool\\n")
  sleep(30)
  return "noted"
}
let tools = tool_define(tool_registry(), "note", "Notes.", {parameters: {}, handler: note})
append_file("log.txt", "\${argv[0]}.begin\\n")
llm_mock({tool_calls: [{name: "note", arguments: {}}]})
llm_mock({text: "done"})
agent_loop(argv[0], nil, {provider: "mock", tools: tools, max_iterations: 4})
sleep(40)
append_file("log.txt", "\${argv[0]}.end\\n")
`;

const project = new ServedProject(folder, { agent });
const started: RunningCli[] = [];
const args = ["serve", "agent.harn", "--port", "0", "--jobs", "3"];

/** `harn serve`, when it listens. */
async function serve(): Promise<RunningCli> {
  const server = startHarn(args, { cwd: folder, env: { HARN_STATE_DIR: project.state } });
  started.push(server);
  await server.shows("harn serve: http");
  return server;
}

async function kill({ child, ended }: RunningCli): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

afterAll(async () => {
  for (const server of started) if (server.child.exitCode === null) await kill(server);
  await project.close();
});

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

it("kills lose nothing and repeat nothing", async () => {
  const random = numbers(20_261_123);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const said: { readonly id: string; readonly text: string }[] = [];
  const ids: string[] = [];
  const say = (): void => {
    const text = `m${said.length}`;
    if (ids.length < 5) {
      const id = project.open("agent", text);
      ids.push(id);
      said.push({ id, text });
      return;
    }
    const free = ids.filter((id) => project.conversations.mustGet(id).queued < 15);
    if (free.length === 0) return;
    const id = pick(free);
    project.say(id, text);
    said.push({ id, text });
  };
  // Read by cursor all the while, as a page would.
  const seen = new Map<string, number[]>();
  const read = (): void => {
    for (const id of ids) {
      const known = seen.get(id) ?? [];
      const { items } = project.conversations.events(id, { after: known.at(-1) ?? 0 });
      seen.set(id, [...known, ...items.map(({ seq }) => seq)]);
    }
  };
  // Others come up while one is killed: there is always somebody who works, or is about to.
  let servers: RunningCli[] = await Promise.all([serve(), serve(), serve()]);
  const coming = new Set<Promise<void>>();
  const start = (): void => {
    const ready = serve().then((server) => {
      servers.push(server);
      coming.delete(ready);
    });
    coming.add(ready);
  };
  for (let killed = 0; killed < kills; killed++) {
    if (killed % 2 === 0) say();
    await new Promise((done) => setTimeout(done, random() * 300));
    read();
    while (servers.length === 0) await Promise.race(coming);
    // Now and then nobody is left.
    const victims = random() < 0.1 ? [...servers] : [pick(servers)];
    servers = servers.filter((server) => !victims.includes(server));
    await Promise.all(victims.map(kill));
    for (const _ of victims) start();
  }
  await Promise.all(coming);
  await until(
    () => {
      read();
      return ids.every((id) => project.stateOf(id) === "idle");
    },
    () => ids.map((id) => `${id}: ${JSON.stringify(project.conversations.mustGet(id))}`).join("\n"),
  );
  // The last of them came between the last look and the one that found all idle.
  read();
  expect(said.length).toBeGreaterThan(kills / 4);
  const lines = project.read("log.txt").trim().split("\n").sort();
  expect(lines).toEqual(
    said.flatMap(({ text }) => ["begin", "end", "tool"].map((part) => `${text}.${part}`)).sort(),
  );
  for (const id of ids) {
    const log = project.events(id);
    // Every event once, in order, whoever read it and when.
    expect(seen.get(id)).toEqual(log.map((_, n) => n + 1));
    const own = said.filter((one) => one.id === id);
    const runs = project.conversations.runs({ id });
    expect(runs.map(({ status }) => status)).toEqual(own.map(() => "done"));
    for (const { run, message } of runs) {
      const of = (type: string) => log.filter((event) => event.type === type && event.run === run);
      expect([of("run.start").length, of("run.end").length]).toEqual([1, 1]);
      expect(
        log.filter(({ type, data }) => type === "message.taken" && data.message === message),
      ).toHaveLength(1);
      expect(of("loop.start")).toHaveLength(1);
      expect(of("tool.start")).toHaveLength(1);
    }
    expect(
      project.conversations
        .messages({ id, after: 0, limit: 1000 })
        .every(({ state }) => state === "said" || state === "taken"),
    ).toBe(true);
  }
  const db = new DatabaseSync(join(project.state, "state.db"), { readOnly: true });
  const twice = db.prepare(
    "SELECT stream, origin FROM event WHERE origin IS NOT NULL GROUP BY stream, origin HAVING count(*) > 1",
  );
  expect(twice.all()).toEqual([]);
  db.close();
  for (const { child } of servers) child.kill("SIGTERM");
  for (const { ended } of servers) expect((await ended).status).toBe(0);
  await until(() => started.every((server) => childrenOf(server).length === 0));
}, 900_000);
