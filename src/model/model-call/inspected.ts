/**
 * A call whose answer is looked at while it arrives and ended as soon as it can't be used any more
 * (`schema_stream_abort`). What had arrived is the outcome's `partial`; the error says what was wrong.
 */
import {
  type ModelClient,
  type ModelError,
  type ModelEvent,
  type ModelOutcome,
  type ModelRequest,
  makeModelError,
  type StreamOptions,
} from "../llm/index.ts";

/** Called with each piece of an answer's text; gives what is wrong with it, or null. */
export type Inspector = (piece: string) => string | null;

const opening = "the answer was ended while it arrived: ";

/** What an inspector found, out of the error that ended the call; null for other errors. */
export const violationIn = ({ category, message }: ModelError): string | null =>
  category === "schema_stream_aborted" && message.startsWith(opening) ? message.slice(opening.length) : null;

export async function streamInspected(
  client: ModelClient,
  request: ModelRequest,
  options: StreamOptions,
  inspector: Inspector,
): Promise<ModelOutcome> {
  const ending = new AbortController();
  let violation: string | null = null;
  const onEvent = (event: ModelEvent): void => {
    // What comes after the violation is the vendor's side of the end: the error below stands for it.
    if (violation !== null) return;
    options.onEvent?.(event);
    if (event.kind !== "text") return;
    violation = inspector(event.delta);
    if (violation !== null) ending.abort();
  };
  const signals = options.signal === undefined ? [ending.signal] : [ending.signal, options.signal];
  const outcome = await client.stream(request, { signal: AbortSignal.any(signals), onEvent });
  if (violation === null) return outcome;
  const { provider, model } = request;
  const message = `${opening}${violation}`;
  const error = makeModelError({ category: "schema_stream_aborted", message, provider, model });
  options.onEvent?.({ kind: "error", error });
  return { ok: false, error, partial: outcome.ok ? outcome.response : outcome.partial, begun: true };
}
