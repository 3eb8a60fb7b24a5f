/** Makes the vendor's client for an OpenAI-compatible endpoint. The SDK is loaded on the first live call. */
import { boundedFetch } from "./bounded-fetch.ts";
import type { LiveCall } from "./call.ts";

/** Answers of calls that name no limit. */
const usualTokens = 128_000;

/**
 * A client that sends exactly one request. OpenAI's own settings in the environment (organisation, project, custom
 * headers) are for OpenAI: the SDK would send them to whatever server is addressed.
 */
export async function openaiClient({ endpoint, guard, request, fetch }: LiveCall) {
  const { OpenAI } = await import("openai");
  return new OpenAI({
    baseURL: endpoint.baseUrl,
    // Servers without keys get none: the header is taken out again below.
    apiKey: endpoint.apiKey ?? "none",
    organization: endpoint.provider.name === "openai" ? undefined : null,
    project: endpoint.provider.name === "openai" ? undefined : null,
    adminAPIKey: null,
    maxRetries: 0,
    fetch: boundedFetch(endpoint.provider.name, request, usualTokens, fetch),
    // The guard keeps time; the SDK's own clock is only a net below it.
    timeout: guard.totalMs + 5_000,
    logLevel: "off",
    defaultHeaders: {
      ...(endpoint.provider.name === "openai" ? {} : withoutCustomHeaders()),
      ...endpoint.headers,
      ...(endpoint.apiKey ? {} : { Authorization: null }),
    },
  });
}

/** Takes the headers of OPENAI_CUSTOM_HEADERS (a `Name: value` per line) out again. */
function withoutCustomHeaders(): { [name: string]: null } {
  const lines = (process.env.OPENAI_CUSTOM_HEADERS ?? "").split("\n").filter((line) => line.includes(":"));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")).trim(), null]));
}
