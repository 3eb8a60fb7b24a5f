/**
 * Where a call goes: server, key and protocol, from request, environment and catalogue, in this order.
 *
 * Keys exist only in the `Endpoint`, which never leaves `live/`; its `secrets` are what error texts are cleaned of.
 */

import type { Secret } from "../../../effects/index.ts";
import { callerWords } from "../../../process/index.ts";
import type { Catalogue, EnvReader } from "../catalogue/catalogue.ts";
import type { ProviderSpec } from "../catalogue/providers.ts";
import { makeModelError } from "../errors.ts";
import type { ModelError, ModelRequest, Protocol } from "../port.ts";

export interface Endpoint {
  provider: ProviderSpec;
  protocol: Exclude<Protocol, "mock">;
  /** Ready for the vendor's SDK. */
  baseUrl: string;
  apiKey: string | null;
  headers: { [name: string]: string };
  secrets: Secret[];
  /** Its vendor or the user named the address, not only the script. */
  named: boolean;
}

/** Where keys may go, besides to their vendors. */
export interface Addresses {
  env: EnvReader;
  /** By flag, for a provider. */
  userUrls?: ReadonlyMap<string, readonly string[]>;
  /** Whoever said where calls go sits at another machine. */
  isForOthers?: boolean;
  /** By variable and by file: as this catalogue has them, else that of the calls. */
  trusted?: () => Catalogue;
}

/**
 * Finds the endpoint of a request, or the error that says what is missing. A key goes to the hosts of its vendor and to
 * those that the user named for its provider, never to one that only the script, the project or a package names.
 */
export function findEndpoint(
  request: ModelRequest,
  catalogue: Catalogue,
  addresses: Addresses,
): Endpoint | ModelError {
  const { env, trusted = () => catalogue } = addresses;
  const spec = catalogue.requireProvider(request.provider);
  const fail = (category: "auth" | "not_found" | "egress_blocked", message: string) =>
    makeModelError({ category, message, provider: request.provider, model: request.model });
  if (spec.protocol === "none" || spec.protocol === "mock") {
    return fail(
      "not_found",
      `provider \`${spec.name}\` is in the catalogue only: this version has no adapter for it. Its models are reachable through an OpenAI-compatible gateway (provider "local" with LOCAL_LLM_BASE_URL)`,
    );
  }
  const base = request.base_url ?? firstSet(env, spec.base_url_env)?.value ?? spec.base_url;
  if (!base) {
    return fail(
      "not_found",
      `provider \`${spec.name}\` has no address: set ${spec.base_url_env.join(" or ") || `base_url in [providers.${spec.name}] of harn.toml`}`,
    );
  }
  const baseUrl = sdkBaseUrl(base, spec);
  if (!baseUrl) return fail("not_found", `provider \`${spec.name}\`: \`${base}\` is no web address`);
  const custom = base !== spec.base_url;
  const key = firstSet(env, spec.auth_env);
  // A server of one's own often wants no key; if it does, it will say so.
  if (!key && spec.auth_env.length > 0 && !custom) return fail("auth", missingKey(spec));
  const byFlag = addresses.userUrls?.get(spec.name) ?? [];
  const isAmong = (urls: readonly string[]): boolean => isOneOf(baseUrl, [...byFlag, ...urls], spec);
  if (key && !isAmong(trusted().addressesOfKey(key.name, env))) {
    const sayer = addresses.isForOthers === true ? "job" : "script";
    const mover = (request.base_url ? undefined : catalogue.moverOf(spec.name)) ?? sayer;
    return fail("egress_blocked", keyStays(spec, key.name, baseUrl, mover));
  }
  return {
    provider: spec,
    protocol: spec.protocol === "anthropic" ? "anthropic" : openaiProtocol(request, spec, custom),
    baseUrl,
    apiKey: key?.value ?? null,
    headers: extraHeaders(spec, key?.value),
    secrets: key ? [key] : [],
    named: isAmong(trusted().namedAddresses(spec.name, env)),
  };
}

/** Whether the address has the scheme, host and port of one of them. */
function isOneOf(baseUrl: string, urls: readonly string[], spec: ProviderSpec): boolean {
  const wanted = new URL(baseUrl).origin;
  return urls.some((url) => {
    const address = sdkBaseUrl(url, spec);
    return address !== undefined && new URL(address).origin === wanted;
  });
}

function keyStays(
  spec: ProviderSpec,
  key: string,
  baseUrl: string,
  mover: "package" | "project" | "script" | "job",
): string {
  const { name } = spec;
  const stays = `the key of ${name} (${callerWords().variable(key)}) is not sent to ${new URL(baseUrl).origin}`;
  if (mover === "project")
    return `${stays}: only the project's harn.toml names this address ([llm.providers.${name}]). If you trust it, say so once: \`harn trust\` in the project's folder`;
  const [variable] = spec.base_url_env;
  const words = callerWords();
  const ways = [
    `${words.giving("--provider", name)} ${words.giving("--base-url", baseUrl)}`,
    ...(variable === undefined ? [] : [`${variable}=${baseUrl}`]),
    `base_url in [providers.${name}] of your ~/.config/harn/providers.toml`,
  ];
  const only = mover === "package" ? "a package" : `the ${mover}`;
  const where = mover === "job" ? "where the worker is started" : "yourself";
  return `${stays}: only ${only} named this address. If you trust it, name it ${where}: ${ways.join(", or ")}. Provider "local" reaches a server without a key`;
}

/** One line that names the variables to set and the way without a key. */
export function missingKey(spec: ProviderSpec): string {
  const words = callerWords();
  return `no API key for ${spec.name}: set ${words.keys(spec.auth_env)}. Without a key, ${words.flag("--llm-mock", "FILE.jsonl")} answers, and provider "ollama" or "local" uses a server on this machine`;
}

function firstSet(env: EnvReader, names: readonly string[]): Secret | undefined {
  for (const name of names) {
    const value = env.get(name)?.trim();
    if (value) return { name, value };
  }
  return undefined;
}

/** Options that OpenAI's Responses API does not take. */
const chatOnly = ["stop", "seed", "frequency_penalty", "presence_penalty"] as const;

/**
 * Compatible servers rarely know the Responses API, so it is used for OpenAI's own address alone, and when asked for.
 */
function openaiProtocol(
  request: ModelRequest,
  spec: ProviderSpec,
  custom: boolean,
): "openai_chat" | "openai_responses" {
  if (request.api_mode === "responses") return "openai_responses";
  if (request.api_mode?.startsWith("chat")) return "openai_chat";
  const needsChat = chatOnly.some((name) => request[name] != null) || hasAudio(request);
  return spec.features.includes("responses") && !custom && !needsChat ? "openai_responses" : "openai_chat";
}

function hasAudio(request: ModelRequest): boolean {
  return request.messages.some(
    (message) => Array.isArray(message.content) && message.content.some((block) => block.type === "audio"),
  );
}

/**
 * The address as the SDK wants it, or undefined when it is none. SDKs add their own path: Anthropic's wants the bare host,
 * OpenAI's the folder that holds `/chat/completions`.
 */
function sdkBaseUrl(input: string, spec: ProviderSpec): string | undefined {
  const text = input.trim();
  // OLLAMA_HOST is often `0.0.0.0:11434`, where the server listens; a client calls this machine.
  const full = text.includes("://") ? text : `http://${text.replace(/^0\.0\.0\.0/, "127.0.0.1")}`;
  if (!URL.canParse(full) || !/^https?:$/.test(new URL(full).protocol)) return undefined;
  const url = full.replace(/\/+$/, "");
  if (spec.protocol === "anthropic") return url.replace(/\/v1$/, "");
  const path = spec.apiPath;
  return path === "" || url.endsWith(path) || /\/v\d[^/]*(?:\/openai)?$/.test(url) ? url : url + path;
}

function extraHeaders(spec: ProviderSpec, key: string | undefined): { [name: string]: string } {
  const headers: { [name: string]: string } = {};
  if (spec.protocol !== "openai") return headers;
  for (const [name, value] of Object.entries(spec.extra_headers))
    if (typeof value === "string") headers[name] = value;
  if (spec.auth_header && key) headers[spec.auth_header] = key;
  return headers;
}
