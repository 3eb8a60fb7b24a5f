/** A request to each route of the table that would do something, with the ids of what somebody has. */
import { writeFileSync } from "node:fs";
import type { Route } from "../../src/server/route.ts";
import { recordedRun } from "./recorded-run.ts";
import type { Asked, ServerBench } from "./server-bench.ts";

/** What stands in paths, by the name of the parameter. */
export type Ids = Readonly<Record<string, string>>;

/** The same for everybody. A new name of a parameter needs one here or in `thingsOf`. */
const common: Ids = {
  path: "notes.txt",
  ref: "0".repeat(64),
  name: "ann",
  agent: "echo",
  key: "doe",
  n: "1",
};

/** Where nothing is. */
export const missing: Ids = {
  ...common,
  id: "c_01960000-0000-7000-8000-000000000000",
  message: "m_01960000-0000-7000-8000-000000000000",
  question: "q_run-none.302331",
  run: "run-none",
  paper: "p_01960000-0000-7000-8000-000000000000",
  section: "s_01960000-0000-7000-8000-000000000000",
};

/** A conversation whose run `run-NAME` works and asks, with a file; a paper with a section and a reference. All have the title. */
export async function thingsOf(as: string, bench: ServerBench, title: string): Promise<Ids> {
  const id = await bench.conversation(as, { title, message: { text: title } });
  const made = (await bench.ask("/api/papers", { as, body: { title, outline: [{ title }] } })).json;
  const reference = { item: { title } };
  await bench.ask(`/api/papers/${made.id}/references/doe`, { as, method: "PUT", body: reference });
  const [message] = bench.conversations.messages({ id });
  const run = `run-${as}`;
  bench.conversations.takeNext(id, run, bench.now);
  const workspace = bench.conversations.mustGet(id).workspace ?? "";
  writeFileSync(`${workspace}/notes.txt`, title);
  return {
    ...common,
    id,
    message: message?.id ?? "",
    run,
    question: recordedRun(bench.store, run, { question: title }),
    paper: made.id,
    section: made.sections[0].id,
  };
}

/** Bodies with which the route would do something; `{}` where none is named. */
const bodies: Readonly<Record<string, unknown>> = {
  "POST /api/conversations": { agent: "echo", message: { text: "hello" } },
  "PATCH /api/conversations/{id}": { title: "mine" },
  "POST /api/conversations/{id}/messages": { text: "hello" },
  "POST /api/conversations/{id}/forks": { event: 1 },
  "POST /api/runs/{run}/forks": { event: 1 },
  "POST /api/questions/{question}/answer": { answer: "yes" },
  "POST /api/papers": { title: "mine" },
  "PATCH /api/papers/{paper}": { title: "mine" },
  "PUT /api/papers/{paper}/outline": { outline: [{ title: "mine" }] },
  "POST /api/papers/{paper}/sections": { title: "mine" },
  "PUT /api/papers/{paper}/sections/{section}": { body: "mine" },
  "POST /api/papers/{paper}/sections/{section}/move": { parent: null, position: 0 },
  "POST /api/papers/{paper}/restore": { version: 1 },
  "PUT /api/papers/{paper}/references/{key}": { item: { title: "mine" } },
  "POST /api/papers/{paper}/import": { bibtex: "@misc{a, title = {T}}" },
  "POST /api/library": { item: { title: "mine" } },
  "PUT /api/library/{key}": { item: { title: "mine" } },
  "POST /api/principals": { name: "carl", role: "read" },
  "POST /v1/chat/completions": { model: "echo", messages: [{ role: "user", content: "hello" }] },
  "POST /api/agui/{agent}": {
    threadId: "t",
    runId: "r",
    state: {},
    messages: [{ id: "1", role: "user", content: "hello" }],
    tools: [],
    context: [],
    forwardedProps: {},
  },
};

const queries: Readonly<Record<string, string>> = {
  "/api/conversations/{id}/diff": "?path=notes.txt",
  "/api/papers/{paper}/export": "?format=md",
};

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

export function addressOf({ path }: Route, of: Ids): string {
  const filled = path.replace(/\{(\w+)\*?\}/g, (_all, name: string) => {
    const value = of[name];
    if (value === undefined) throw new Error(`test/support/route-requests.ts: what is {${name}} of ${path}?`);
    return value;
  });
  return `${filled}${queries[path] ?? ""}`;
}

export const requestOf = (row: Route, as: string): Asked => ({
  method: row.method,
  as,
  ...(row.body === undefined ? {} : { body: bodies[nameOf(row)] ?? {} }),
});
