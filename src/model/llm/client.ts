/**
 * The model client of one runtime: mock, tape or live, and the recording of what they answer.
 *
 * Order: a mock that has something to say (or was asked for by name) → the tape, if one is in → the vendor.
 */
import { variable } from "../../process/environment.ts";
import { Answer } from "./answer.ts";
import { Catalogue, type EnvReader } from "./catalogue/catalogue.ts";
import { LlmUsageError, makeModelError } from "./errors.ts";
import type { ModelClient, ModelError, ModelOutcome, ModelRequest, StreamOptions } from "./port.ts";
import type { Recording } from "./scripted/files.ts";
import { answerFromMock, hasMockFor, type MockState, mockAnswers } from "./scripted/mock.ts";
import { answerFromTape, type Tape, type TapeOptions } from "./scripted/tape.ts";

export interface ClientParts {
  mock: MockState;
  env: EnvReader;
  catalogue?: Catalogue;
  tape?: Tape | null;
  tapeOptions?: TapeOptions;
  recording?: Recording | null;
  /** Addresses that the user named for this run, by provider: its keys may go there. */
  userUrls?: ReadonlyMap<string, readonly string[]>;
  /** The run was handed to this machine by somebody else. */
  isForOthers?: boolean;
  /** What makes the requests; the global one unless given. */
  fetch?: typeof fetch | undefined;
  /** Says which addresses a vendor or the user named, where that is not the catalogue of the calls. Asked by live calls only. */
  trusted?: () => Catalogue;
}

/** Makes the client. The vendors' adapters are loaded by the first live call. */
export function createModelClient(parts: ClientParts): ModelClient {
  const catalogue = parts.catalogue ?? new Catalogue();
  return {
    async stream(request, options = {}) {
      const outcome = await answer(request, options, parts, catalogue);
      parts.recording?.add(outcome, catalogue.secrets(parts.env));
      return outcome;
    },
  };
}

/** Whether the server of a route takes tools natively; `null` where it does not say. Only for servers of one's own. */
export async function serverTakesTools(
  request: ModelRequest,
  parts: ClientParts,
  options: StreamOptions,
): Promise<boolean | null> {
  if (callsDisabled(parts.env)) return null;
  const { takesTools } = await import("./live/tool-probe.ts");
  return await takesTools(request, parts.catalogue ?? new Catalogue(), parts, options);
}

/** `HARN_LLM_CALLS_DISABLED`: no call leaves for a real provider. */
function callsDisabled(env: EnvReader): boolean {
  return /^(?:1|true|yes|on)$/i.test(variable(env, "HARN_LLM_CALLS_DISABLED")?.trim() ?? "");
}

function disabledError(provider: string, model: string): ModelError {
  const message = `LLM calls are disabled by HARN_LLM_CALLS_DISABLED; provider \`${provider}\` would make a real LLM request`;
  return makeModelError({ category: "generic", reason: "calls_disabled", message, provider, model });
}

async function answer(
  request: ModelRequest,
  options: StreamOptions,
  parts: ClientParts,
  catalogue: Catalogue,
): Promise<ModelOutcome> {
  const price = catalogue.cost.bind(catalogue);
  const { provider, model } = request;
  if (options.signal?.aborted) {
    const error = makeModelError({
      category: "cancelled",
      message: `the call to ${provider} was cancelled`,
      provider,
      model,
    });
    return new Answer(provider, model, price, options.onEvent).fail(error);
  }
  const disabled = callsDisabled(parts.env);
  const refuse = (): ModelOutcome =>
    new Answer(provider, model, price, options.onEvent).fail(disabledError(provider, model));
  if (mockAnswers(parts.mock, request)) {
    if (disabled && !hasMockFor(parts.mock, request) && parts.mock.fixtures === null) return refuse();
    return answerFromMock(parts.mock, request, price, options);
  }
  if (parts.tape) return await answerFromTape(parts.tape, request, price, options, parts.tapeOptions);
  if (disabled) return refuse();
  try {
    catalogue.requireProvider(provider);
  } catch (thrown) {
    if (!(thrown instanceof LlmUsageError)) throw thrown;
    const error = makeModelError({ category: "not_found", message: thrown.message, provider, model });
    return new Answer(provider, model, price, options.onEvent).fail(error);
  }
  const { streamLive } = await import("./live/live.ts");
  return await streamLive(request, catalogue, parts, price, options);
}
