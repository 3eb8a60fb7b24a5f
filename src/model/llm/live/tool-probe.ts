/**
 * Whether a server of one's own takes tools natively, where the catalogue does not say. Each kind of server is asked in its own
 * way; nothing is generated where there is another one:
 *
 * | server | asked | says yes |
 * |---|---|---|
 * | Ollama | `POST /api/show` | `capabilities` with `tools` |
 * | llama.cpp | `GET /props` | `chat_template_caps` with `supports_tools` or `supports_tool_calls` |
 * | LM Studio | `GET /api/v0/models/MODEL` | `capabilities` with `tool_use` |
 * | vLLM | `GET /version`, then one token with a tool | it answers; without its flags for tools it refuses |
 */

import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Json, JsonObject, ModelRequest, StreamOptions } from "../port.ts";
import { isObject } from "../tool-wire.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { type Addresses, type Endpoint, findEndpoint } from "./endpoint.ts";

/** For all questions together: a server on this machine knows at once. */
const waitMs = 5000;

interface ProbeAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

type Ask = (method: "GET" | "POST", url: string, body?: JsonObject) => Promise<ProbeAnswer | null>;
type ToolProbe = (
  ask: Ask,
  server: { readonly root: string; readonly api: string },
  model: string,
) => Promise<boolean | null>;

const ollama: ToolProbe = async (ask, { root }, model) =>
  lists((await ask("POST", `${root}/api/show`, { model }))?.body, "tools");

const lmStudio: ToolProbe = async (ask, { root }, model) =>
  lists((await ask("GET", `${root}/api/v0/models/${encodeURIComponent(model)}`))?.body, "tool_use");

const llamaCpp: ToolProbe = async (ask, { root }) => {
  const caps = (await ask("GET", `${root}/props`))?.body.chat_template_caps;
  if (!isObject(caps)) return null;
  return caps.supports_tools === true || caps.supports_tool_calls === true;
};

const vllm: ToolProbe = async (ask, { root, api }, model) => {
  const version = await ask("GET", `${root}/version`);
  if (version?.status !== 200 || typeof version.body.version !== "string") return null;
  const parameters = { type: "object", properties: {} };
  const tried = await ask("POST", `${api}/chat/completions`, {
    model,
    messages: [{ role: "user", content: "ping" }],
    tools: [{ type: "function", function: { name: "noop", description: "Does nothing.", parameters } }],
    tool_choice: "auto",
    max_tokens: 1,
  });
  if (tried?.status === 200) return true;
  return tried?.status === 400 ? false : null;
};

const probes: Readonly<Record<string, readonly ToolProbe[]>> = {
  ollama: [ollama],
  llamacpp: [llamaCpp],
  vllm: [vllm],
  // A server of any kind.
  local: [lmStudio, llamaCpp, ollama, vllm],
};

/** True or false as the server says; `null` where it does not say, is not there, or must not be reached. */
export async function takesTools(
  request: ModelRequest,
  catalogue: Catalogue,
  addresses: Addresses & { readonly fetch?: typeof fetch | undefined },
  options: StreamOptions,
): Promise<boolean | null> {
  const endpoint = findEndpoint(request, catalogue, addresses);
  if ("category" in endpoint) return null;
  if (options.refuses?.(endpoint.baseUrl, endpoint.named) !== undefined) return null;
  const late = AbortSignal.timeout(waitMs);
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
  const ask = askProbe(boundedFetch(endpoint.provider.name, request, 1, addresses.fetch), endpoint, signal);
  const server = { api: endpoint.baseUrl, root: endpoint.baseUrl.replace(/\/v\d[^/]*$/, "") };
  for (const probe of probes[endpoint.provider.name] ?? []) {
    const said = await probe(ask, server, request.model);
    if (said !== null) return said;
    if (signal.aborted) return null;
  }
  return null;
}

/** Asks; `null` for everything that is no answer of JSON. */
function askProbe(bounded: typeof fetch, endpoint: Endpoint, signal: AbortSignal): Ask {
  const key = endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` };
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    ...key,
    ...endpoint.headers,
  };
  return async (method, url, body) => {
    try {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await bounded(url, { method, headers, signal, ...sent });
      const read = JSON.parse(await response.text()) as Json;
      return isObject(read) ? { status: response.status, body: read } : null;
    } catch {
      return null;
    }
  };
}

function lists(body: JsonObject | undefined, word: string): boolean | null {
  const { capabilities } = body ?? {};
  return Array.isArray(capabilities) ? capabilities.includes(word) : null;
}
