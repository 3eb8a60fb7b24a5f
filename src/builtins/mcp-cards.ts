/** Server cards: what an MCP server says of itself before anybody connects. JSON in a file or at a URL, read once per run. */
import { watchEgress } from "../agent/index.ts";
import type { Json } from "../effects/index.ts";
import { HostError } from "../host/index.ts";
import type { StateKey, Task } from "../interp/index.ts";
import { Dict, jsonParse, ScriptError, thrown, type Value } from "../values/index.ts";
import { hostPath } from "./arguments.ts";

const cards: StateKey<Map<string, Value>> = { name: "mcp server cards", create: () => new Map() };

/** A card is a page of text; what is longer is something else. */
const largestCard = 4 * 1024 * 1024;
const timeoutMs = 30_000;

/** The parsed card. */
export async function serverCard(task: Task, place: string): Promise<Value> {
  const known = task.runtime.state(cards).get(place);
  if (known !== undefined) return known;
  watchEgress(task);
  const text = await task.perform<string>({
    effect: "read",
    kind: "mcp.server_card",
    args: () => place,
    run: (signal) => (/^https?:\/\//.test(place) ? fetched(task, place, signal) : fromFile(task, place)),
    encode: (result) => result as Json,
    decode: (stored) => stored as string,
  });
  const card = parsed(place, text);
  task.runtime.state(cards).set(place, card);
  return card;
}

function fromFile(task: Task, path: string): string {
  try {
    return task.runtime.host.files.readText(hostPath(task, path));
  } catch (error) {
    throw error instanceof HostError ? unreadable(path, error.message) : error;
  }
}

async function fetched(task: Task, url: string, signal: AbortSignal): Promise<string> {
  const request = {
    method: "GET",
    url,
    headers: [["accept", "application/json"]] as const,
    timeoutMs,
    maxRedirects: 5,
    maxBytes: largestCard,
    decompress: true,
  };
  try {
    const answer = await task.runtime.host.network.request(request, { signal });
    if (answer.status !== 200) throw unreadable(url, `the server answered with HTTP status ${answer.status}`);
    return new TextDecoder().decode(answer.body);
  } catch (error) {
    throw error instanceof HostError ? unreadable(url, error.message) : error;
  }
}

const unreadable = (place: string, why: string): ScriptError =>
  thrown(`mcp_server_card: cannot read ${place}: ${why}`);

function parsed(place: string, text: string): Dict {
  let card: Value;
  try {
    card = jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) throw thrown(`mcp_server_card: ${place} is not JSON`);
    throw error;
  }
  if (card instanceof Dict) return card;
  throw thrown(`mcp_server_card: ${place} holds no server card (a JSON object)`);
}
