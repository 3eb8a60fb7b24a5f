/** Server cards: what an MCP server says of itself before anybody connects. JSON in a file or at a URL, kept for five minutes. */

import { shape } from "../../effects/index.ts";
import { HostError, watchEgress } from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { Dict, jsonParse, ScriptError, thrown, type Value } from "../../values/index.ts";
import { hostPath } from "../arguments.ts";
import { wallClock } from "../time/clock-state.ts";

interface CachedCard {
  readonly card: Value;
  /** Milliseconds of the wall clock. */
  readonly at: number;
}

const cards = stateKey<Map<string, CachedCard>>("mcp server cards", () => new Map());
const keptMs = 5 * 60_000;

/** A card is a page of text; what is longer is something else. */
const largestCard = 4 * 1024 * 1024;
const timeoutMs = 30_000;

/** The parsed card. */
export async function serverCard(task: Task, place: string): Promise<Value> {
  const known = task.runtime.state(cards).get(place);
  if (known !== undefined && wallClock(task) - known.at < keptMs) return known.card;
  watchEgress(task);
  const text = await task.perform<string>({
    effect: "read",
    kind: "mcp.server_card",
    args: () => place,
    run: (signal) => (isUrl(place) ? fromNetwork(task, place, signal) : fromFile(task, place)),
    result: shape.text,
  });
  const card = parsed(place, text);
  task.runtime.state(cards).set(place, { card, at: wallClock(task) });
  return card;
}

function fromFile(task: Task, path: string): string {
  try {
    return task.runtime.host.files.readText(hostPath(task, path));
  } catch (error) {
    throw error instanceof HostError ? thrown(`mcp_server_card: io: read ${path}: ${error.message}`) : error;
  }
}

const isUrl = (place: string): boolean => /^https?:\/\//.test(place);

/** Where servers keep their cards when an address names none itself. */
const wellKnown = "/.well-known/mcp-card";

/** What is at the address; where that is no card, what is at the usual place of its host. */
async function fromNetwork(task: Task, url: string, signal: AbortSignal): Promise<string> {
  const elsewhere = URL.canParse(url) ? new URL(wellKnown, url).href : url;
  const namesCard = /(\.json|mcp-card)$/.test(URL.canParse(url) ? new URL(url).pathname : url);
  if (namesCard) return await fetched(task, url, signal);
  try {
    const text = await fetched(task, url, signal);
    parsed(url, text);
    return text;
  } catch (error) {
    if (!(error instanceof ScriptError) || error.kind !== "thrown") throw error;
    try {
      return await fetched(task, elsewhere, signal);
    } catch (second) {
      // What is wrong with the address that was asked for says more.
      throw second instanceof ScriptError && second.kind === "thrown" ? error : second;
    }
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
    if (answer.status !== 200)
      throw unreadableCard(url, `the server answered with HTTP status ${answer.status}`);
    return new TextDecoder().decode(answer.body);
  } catch (error) {
    throw error instanceof HostError ? unreadableCard(url, error.message) : error;
  }
}

const unreadableCard = (place: string, why: string): ScriptError =>
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
