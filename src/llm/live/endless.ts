/**
 * Servers that never stop: an answer, or a body in place of one, is taken in up to a size that no honest one reaches and
 * given up beyond. Without it such a server would fill the memory until the call's time is over.
 */
import type { ModelRequest } from "../port.ts";
import type { Endpoint } from "./endpoint.ts";
import { AnswerFault } from "./faults.ts";

/** The default of `llm_call`. */
const usualTokens = 16_384;
/** Far more than the longest tokens have on average. */
const charsPerToken = 64;
const leastLimit = 4_000_000;

/** The characters that an answer may have: text, thinking and arguments together. */
export const mostCharacters = ({ max_tokens }: ModelRequest): number =>
  Math.max(leastLimit, (max_tokens ?? usualTokens) * charsPerToken);

/** Repeating the call would only bring the same again: the error is terminal. */
export function endlessAnswer({ provider }: Endpoint, most: number): AnswerFault {
  return new AnswerFault(
    "generic",
    `${provider.name} did not stop: its answer was given up after ${most} characters`,
  );
}

/** A body as text, as far as the limit; what comes behind it is not waited for. */
export async function readText(
  response: Response,
  mostBytes: number,
): Promise<{ readonly text: string; readonly whole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    bytes += (chunk as Uint8Array).length;
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > mostBytes) return { text, whole: false };
  }
  return { text: text + decoder.decode(), whole: true };
}
