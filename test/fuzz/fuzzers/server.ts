/** Requests to the server: bodies as the routes describe them, damaged, and streams of events, damaged, to its client. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HarnClient, HarnProblem } from "../../../src/server/client.ts";
import type { Dice } from "../../support/fuzz-text.ts";
import { projectRoot } from "../../support/project.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { damageJson, damageText, jsonText } from "../damage.ts";
import type { Fuzzer } from "../fuzzer.ts";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

const described = JSON.parse(readFileSync(join(projectRoot, "docs/openapi.json"), "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const methods = new Set(["get", "post", "put", "patch", "delete"]);
const routes = Object.entries(described.paths).flatMap(([path, all]) =>
  Object.entries(all)
    .filter(([method]) => methods.has(method))
    .map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      schema: requestBody?.content["application/json"]?.schema,
    })),
);

const words = [
  "echo",
  "a",
  "A title",
  "main",
  "write",
  "approve",
  "# x [@y]",
  "@misc{a, title={b}}",
  "img/a.png",
];

function sampleOf(dice: Dice, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return dice.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return sampleOf(dice, dice.pick(choices));
  if (schema.type === "object")
    return Object.fromEntries(
      Object.entries(schema.properties ?? { a: { type: "string" } })
        .filter(() => dice.below(4) > 0)
        .map(([name, of]) => [name, sampleOf(dice, of)]),
    );
  if (schema.type === "array")
    return Array.from({ length: dice.below(3) }, () => sampleOf(dice, schema.items ?? {}));
  if (schema.type === "integer" || schema.type === "number") return dice.below(5);
  if (schema.type === "boolean") return dice.below(2) === 0;
  return dice.pick(words);
}

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** `{id}` and its kin stay: they are put in when there is a conversation and a paper. */
function ask(dice: Dice): Ask {
  const { method, path, schema } = dice.pick(routes);
  const query =
    dice.below(4) === 0
      ? `?${dice.pick(["after", "limit", "q", "types", "x"])}=${encodeURIComponent(damageText(dice, "10"))}`
      : "";
  const body = schema === undefined ? null : jsonText(sampleOf(dice, schema));
  return {
    method,
    path: path + query,
    body: body === null || dice.below(3) === 0 ? body : damageJson(dice, body),
  };
}

const events = Array.from({ length: 6 }, (_, at) => ({
  seq: at + 1,
  at: 1_700_000_000_000 + at,
  type: ["conversation.created", "message.queued", "reset", "text.delta"][at % 4],
  run: "r",
  data: { from: 2, text: "x" },
}));

export const server: Fuzzer = {
  name: "server",
  make: (dice) => ({
    asks: JSON.stringify(Array.from({ length: 4 + dice.below(8) }, () => ask(dice))),
    stream: damageText(
      dice,
      events
        .map(
          (event) =>
            `id: ${event.seq}\nevent: ${event.type}\ndata: ${damageJson(dice, JSON.stringify(event))}\n\n`,
        )
        .join(""),
    ),
  }),
  run: async ({ asks = "[]", stream = "" }, folder) => {
    const bench = new ServerBench(join(folder, "server"));
    try {
      const id = await bench.conversation();
      const paper =
        (await bench.ask("/api/papers", { body: { title: "P", conversation: id } })).json?.id ?? "p_1";
      const said: string[] = [];
      for (const one of JSON.parse(asks) as readonly Ask[]) {
        const path = one.path
          .replace("{id}", id)
          .replace("{paper}", String(paper))
          .replace(/\{[^}]*\}/g, "odd");
        said.push(await answered(bench, { ...one, path }));
      }
      await readStream(stream);
      return said.join("\n");
    } finally {
      await bench.close();
    }
  },
};

/** What a server that runs nothing never ends to say is left where it is. */
async function answered(bench: ServerBench, { method, path, body }: Ask): Promise<string> {
  const leave = new AbortController();
  const request = bench.request(path, { method, as: "root", ...(body === null ? {} : { raw: body }) });
  const input = bench.server.fetch(new Request(request, { signal: leave.signal }));
  const response = await Promise.race([input, new Promise<null>((done) => setTimeout(done, 2000, null))]);
  if (response === null) {
    leave.abort();
    return "";
  }
  const isText = /json|text\/(?!event-stream)/.test(response.headers.get("content-type") ?? "");
  const text = isText ? await response.text() : "";
  if (!isText) await response.body?.cancel();
  if (response.status >= 500 && response.status !== 503)
    throw new Error(`${method} ${path.replace(/[?].*/, "")} answered ${response.status}: ${text}`);
  return response.status >= 400 ? text : "";
}

/** The client takes what it can read and connects again for the rest; it never throws anything of its own. */
async function readStream(stream: string): Promise<void> {
  const over = new AbortController();
  let connections = 0;
  const client = new HarnClient({
    url: "http://x",
    fetch: async () => {
      connections++;
      if (connections > 1) over.abort();
      setTimeout(() => over.abort(), 50);
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
  });
  try {
    for await (const event of client.events("c", { signal: over.signal })) void event;
  } catch (error) {
    if (!(error instanceof HarnProblem)) throw error;
  }
}
