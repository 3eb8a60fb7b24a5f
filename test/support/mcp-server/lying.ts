/**
 * Servers that speak the protocol's words and break its promises, for tests: written by hand, because the official package
 * would not let them.
 */
import { createInterface } from "node:readline";

interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};

const greeting = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "liar", version: "1" },
};

const tools = [
  { name: "good", inputSchema: { type: "object" } },
  { name: "twice", inputSchema: { type: "object" } },
  { name: "shapeless", inputSchema: { type: "object" } },
  { name: "empty", inputSchema: { type: "object" } },
];

/** `liar` answers with what is no answer, `flood` says much more than it was asked. */
export function lie(how: "liar" | "flood"): void {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line) as Request;
    if (id === undefined) return;
    if (how === "flood") for (let n = 0; n < 5_000; n++) send(noise(n));
    if (method === "initialize") send({ id, result: greeting });
    else if (method === "tools/list")
      send({ id, result: how === "liar" ? { tools: "all of them" } : { tools } });
    else answer(id, params?.name ?? "");
  });
}

const noise = (n: number): object => ({
  method: "notifications/message",
  params: { level: "info", data: `line ${n}` },
});

function answer(id: number, name: string): void {
  const result = { content: [{ type: "text", text: name }] };
  switch (name) {
    case "twice":
      // For a request that nobody made, then the answer, then another one.
      send({ id: 999_999, result });
      send({ id, result });
      send({ id, result: { content: [{ type: "text", text: "no, this" }] } });
      return;
    case "shapeless":
      send({ id, result: { content: "just text" } });
      return;
    case "empty":
      send({ id, result: null });
      return;
    default:
      send({ id, result });
  }
}
