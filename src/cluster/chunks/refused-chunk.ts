/** The result of a chunk that no worker can do: why, in the place of a set file. */
import { parsedJson } from "../../store/index.ts";
import { isJsonObject } from "../../values/index.ts";

export const refusalBytes = (words: string): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ refused: words }));

/** `undefined`: it is a set file. */
export function refusalIn(result: Uint8Array): string | undefined {
  if (result[0] !== "{".charCodeAt(0)) return undefined;
  const json = parsedJson(new TextDecoder().decode(result));
  return isJsonObject(json ?? null) && typeof (json as { refused?: unknown }).refused === "string"
    ? (json as { refused: string }).refused
    : "it does not say why";
}
