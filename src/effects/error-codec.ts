/** The stored form of what an effect threw. */

import type { Json } from "../values/index.ts";
import { decodeValue, type ErrorKind, encodeValue, ScriptError } from "../values/index.ts";

interface StoredScriptError {
  readonly script: ErrorKind;
  readonly value: Json;
  readonly category: string | null;
  readonly code: string;
}

/** A failure of the host or of a library, on replay: the same class of thing, with the same text. */
export class RecordedFailure extends Error {}

/** Errors that scripts can catch keep everything they can see; others keep their text. */
export function encodeError(error: unknown): Json {
  if (error instanceof ScriptError) {
    const stored: StoredScriptError = {
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

/** What the effect threw then. `hostError` makes the host's own kind of error. */
export function decodeError(stored: Json, hostError: (code: string, message: string) => unknown): unknown {
  const fields = stored as { readonly [key: string]: Json };
  if (typeof fields.script === "string") {
    return new ScriptError(fields.script as ErrorKind, decodeValue(fields.value as Json), {
      category: (fields.category as string | null) ?? undefined,
      code: fields.code as string,
    });
  }
  if (typeof fields.host === "string") return hostError(fields.host, fields.message as string);
  const error = new RecordedFailure(fields.failure as string);
  error.name = fields.name as string;
  return error;
}
