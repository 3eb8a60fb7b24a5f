/** The stored form of what an effect threw. */

import type { Json } from "../values/index.ts";
import { decodeValue, encodeValue, ScriptError } from "../values/index.ts";
import { type ResultOf, shape } from "./result-shape.ts";

const storedError = shape.either(
  shape.record({
    script: shape.oneOf("thrown", "type", "runtime", "bare", "categorised"),
    value: shape.json,
    category: shape.orNull(shape.text),
    code: shape.text,
  }),
  shape.either(
    shape.record({ host: shape.text, message: shape.text }),
    shape.record({ failure: shape.text, name: shape.text }),
  ),
);

/** A failure of the host or of a library, on replay: the same class of thing, with the same text. */
export class RecordedFailure extends Error {}

/** Errors that scripts can catch keep everything they can see; others keep their text. */
export function encodeError(error: unknown): Json {
  if (error instanceof ScriptError) {
    const stored: ResultOf<typeof storedError> = {
      script: error.kind,
      value: encodeValue(error.value),
      category: error.category ?? null,
      code: error.code,
    };
    return stored as unknown as Json;
  }
  if (error instanceof Error) return { failure: error.message, name: error.name };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof message === "string") return { host: typeof code === "string" ? code : "", message };
  return { failure: String(error), name: "Error" };
}

/** What the effect threw then. `hostError` makes the host's own kind of error. Throws for what is no stored error. */
export function decodeError(stored: Json, hostError: (code: string, message: string) => unknown): unknown {
  const error = storedError.decode(stored);
  if ("script" in error) {
    const { script, value, category, code } = error;
    return new ScriptError(script, decodeValue(value), { category: category ?? undefined, code });
  }
  if ("host" in error) return hostError(error.host, error.message);
  const failure = new RecordedFailure(error.failure);
  failure.name = error.name;
  return failure;
}
