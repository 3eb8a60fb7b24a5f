/**
 * A `fetch` whose answers end: a server that sends without end must not fill the memory until the time is over. The
 * bound is on what travels, before the SDKs see any of it; their own buffers have none. Nor does it follow a server that
 * points elsewhere: vendors' keys travel in headers that a redirect would take along.
 */
import type { ModelRequest } from "../port.ts";
import { boundInputTokens } from "../tokens.ts";
import { AnswerFault } from "./faults.ts";

/** What one token may take on the wire, event around it included. */
const bytesPerToken = 4096;
/** Some vendors send the prompt back, more than once. */
const echoes = 8;
/** Sealed reasoning, results of hosted tools. */
const bytesBesides = 4 * 1024 * 1024;

/** Bytes that the answer to a request never needs; `tokens` where the request names no limit. */
function maxBytes(request: ModelRequest, tokens: number): number {
  return bytesBesides + echoes * boundInputTokens(request) + (request.max_tokens ?? tokens) * bytesPerToken;
}

/** `ask`: what makes the requests; the global one unless given. */
export function boundedFetch(
  provider: string,
  request: ModelRequest,
  tokens: number,
  ask: typeof fetch = fetch,
): typeof fetch {
  const limit = maxBytes(request, tokens);
  return async (input, init) => {
    const response = await ask(input, { ...init, redirect: "manual" });
    if (response.status >= 300 && response.status < 400) throw elsewhere(provider, response);
    if (response.body === null) return response;
    let bytes = 0;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes <= limit) controller.enqueue(chunk);
        else controller.error(tooLong(provider, limit));
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
  };
}

function elsewhere(provider: string, { status, headers }: Response): AnswerFault {
  const to = headers.get("location") ?? "nowhere";
  return new AnswerFault(
    "egress_blocked",
    `${provider} answered with HTTP ${status} and points to ${to.slice(0, 200)}. Keys do not follow: name the right address yourself`,
  );
}

/** Not worth repeating: the next answer would be no shorter. */
const tooLong = (provider: string, limit: number): AnswerFault =>
  new AnswerFault(
    "generic",
    `${provider} sent more than ${Math.floor(limit / 1024 / 1024)} MB for one answer`,
  );
