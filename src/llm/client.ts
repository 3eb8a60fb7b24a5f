/**
 * The model client of one runtime: mock, tape or live, and the recording of what they answer.
 *
 * Order: a mock that has something to say (or was asked for by name) → the tape, if one is in → the vendor.
 */
import { Answer } from "./answer.ts";
import { Catalogue, type EnvReader } from "./catalogue/catalogue.ts";
import { LlmUsageError, makeModelError } from "./errors.ts";
import type { ModelClient, ModelOutcome, ModelRequest, StreamOptions } from "./port.ts";
import type { Recording } from "./scripted/files.ts";
import { answerFromMock, type MockState, mockAnswers } from "./scripted/mock.ts";
import { answerFromTape, type Tape, type TapeOptions } from "./scripted/tape.ts";

export interface ClientParts {
  mock: MockState;
  env: EnvReader;
  catalogue?: Catalogue;
  tape?: Tape | null;
  tapeOptions?: TapeOptions;
  recording?: Recording | null;
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
  if (mockAnswers(parts.mock, provider)) return answerFromMock(parts.mock, request, price, options);
  if (parts.tape) return await answerFromTape(parts.tape, request, price, options, parts.tapeOptions);
  try {
    catalogue.requireProvider(provider);
  } catch (thrown) {
    if (!(thrown instanceof LlmUsageError)) throw thrown;
    const error = makeModelError({ category: "not_found", message: thrown.message, provider, model });
    return new Answer(provider, model, price, options.onEvent).fail(error);
  }
  const { streamLive } = await import("./live/live.ts");
  return await streamLive(request, catalogue, parts.env, price, options);
}
