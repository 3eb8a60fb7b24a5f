/** Makes the vendor's client for an OpenAI-compatible endpoint. The SDK is loaded on the first live call. */
import type { LiveCall } from "./call.ts";

/**
 * A client that sends exactly one request and reads nothing from the environment: the SDK would otherwise send
 * OPENAI_ORG_ID and custom headers to whatever server is addressed.
 */
export async function openaiClient({ endpoint, guard }: LiveCall) {
  const { OpenAI } = await import("openai");
  return new OpenAI({
    baseURL: endpoint.baseUrl,
    // Servers without keys get none: the header is taken out again below.
    apiKey: endpoint.apiKey ?? "none",
    organization: endpoint.provider.name === "openai" ? undefined : null,
    project: endpoint.provider.name === "openai" ? undefined : null,
    adminAPIKey: null,
    maxRetries: 0,
    // The guard keeps time; the SDK's own clock is only a net below it.
    timeout: guard.totalMs + 5_000,
    logLevel: "off",
    defaultHeaders: { ...endpoint.headers, ...(endpoint.apiKey ? {} : { Authorization: null }) },
  });
}
