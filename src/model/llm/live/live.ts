/**
 * One live call from request to outcome. Loaded on the first call that really goes out; the vendors' SDKs are loaded by
 * the adapter that needs them.
 */
import { Answer, type Pricer } from "../answer.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { makeModelError } from "../errors.ts";
import type { ModelOutcome, ModelRequest, Protocol, StreamOptions } from "../port.ts";
import { anthropic } from "./anthropic.ts";
import type { Adapter } from "./call.ts";
import { type Addresses, findEndpoint } from "./endpoint.ts";
import { faultToError } from "./faults.ts";
import { CallGuard } from "./guard.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

const adapters: { readonly [P in Exclude<Protocol, "mock">]: Adapter } = {
  anthropic,
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
};

const defaultTimeoutMs = 120_000;

/** What of the client's parts a live call uses. */
export interface LiveParts extends Addresses {
  readonly fetch?: typeof fetch | undefined;
}

/** Makes the call. Never rejects for what vendor or network did. */
export async function streamLive(
  request: ModelRequest,
  catalogue: Catalogue,
  addresses: LiveParts,
  price: Pricer,
  options: StreamOptions,
): Promise<ModelOutcome> {
  const answer = new Answer(request.provider, request.model, price, options.onEvent);
  answer.asked = request;
  if (request.fast) answer.priceFactor = catalogue.fastFactor(request.provider, request.model) ?? 1;
  const { fetch } = addresses;
  const endpoint = findEndpoint(request, catalogue, addresses);
  if ("category" in endpoint) return answer.fail(endpoint);
  const refused = options.refuses?.(endpoint.baseUrl, endpoint.named);
  if (refused !== undefined) {
    const { provider, model } = request;
    return answer.fail(makeModelError({ category: "egress_blocked", message: refused, provider, model }));
  }
  const guard = new CallGuard(
    request.timeout_ms ?? defaultTimeoutMs,
    request.idle_timeout_ms ?? null,
    options.signal,
  );
  const can = catalogue.capabilities(request.provider, request.model);
  try {
    const fitting = withinLimit(request, catalogue);
    return await adapters[endpoint.protocol]({ request: fitting, endpoint, can, answer, guard, fetch });
  } catch (thrown) {
    const error = faultToError(thrown, endpoint, guard, request.model);
    guard.hangUp();
    return answer.fail(error);
  } finally {
    guard.done();
  }
}

/** `llm_call`'s default of 16,384 tokens is more than some models may write: they would refuse the whole call. */
function withinLimit(request: ModelRequest, catalogue: Catalogue): ModelRequest {
  const limit = catalogue.model(request.model)?.max_output;
  if (!limit || !request.max_tokens || request.max_tokens <= limit) return request;
  return { ...request, max_tokens: limit };
}
