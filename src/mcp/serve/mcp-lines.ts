/**
 * What a client of `harn mcp-serve` sends, line by line: what is no message of JSON-RPC 2.0 gets an error that says why, as the
 * protocol asks for; everything else goes on to the server.
 *
 *     -32700  the line is no JSON, or longer than a message may be
 *     -32600  it is JSON and no request, notification or answer (version, method, id, a batch)
 *     -32602  `params` is no object
 */
import { PassThrough, type Readable } from "node:stream";
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from "@modelcontextprotocol/server";

/** Characters of one message: as much as the official package reads over HTTP. */
const maxLength = 4 * 1024 * 1024;

type Id = string | number | null;

/** The answer to what is no message: a line of JSON without its line break. */
export function refusal(code: number, message: string, id: Id = null): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

/** What is wrong with a line; `undefined` for a message, and for a notification that nobody may answer ("" then). */
export function wrongWith(line: string): string | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    return refusal(-32700, `Parse error: ${(error as Error).message}`);
  }
  if (Array.isArray(message))
    return refusal(-32600, "Invalid Request: batches are not supported; send each message by itself");
  if (typeof message !== "object" || message === null)
    return refusal(-32600, "Invalid Request: a message is an object");
  const { jsonrpc, id, method, params } = message as { readonly [name: string]: unknown };
  const known = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;
  const wrong = (text: string): string => refusal(-32600, `Invalid Request: ${text}`, known);
  if (jsonrpc !== "2.0") return wrong('`jsonrpc` must be "2.0"');
  if (Object.hasOwn(message, "id") && known === null) return wrong("`id` must be a string or a whole number");
  if (method === undefined && ("result" in message || "error" in message))
    return isJSONRPCResponse(message)
      ? undefined
      : wrong("this is no answer: it has an `id`, and `result` or `error`");
  if (typeof method !== "string") return wrong("`method` must be a string");
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    return known === null ? "" : refusal(-32602, "Invalid params: `params` must be an object", known);
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) return undefined;
  return known === null
    ? ""
    : refusal(-32602, "Invalid params: `params` is not as the protocol has it", known);
}

/** The lines that are messages; `answer` gets what is said to the others. Ends with the input. */
export function passMessages(input: Readable, answer: (line: string) => void): Readable {
  const passed = new PassThrough();
  const decoder = new TextDecoder("utf-8");
  let held = "";
  let skipping = false;
  const take = (line: string): void => {
    if (line.trim() === "") return;
    const wrong = wrongWith(line);
    if (wrong === undefined) passed.write(`${line}\n`);
    else if (wrong !== "") answer(wrong);
  };
  input.on("data", (chunk: Uint8Array | string) => {
    const pieces = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
    for (const [at, piece] of pieces.entries()) {
      if (!skipping) held += piece;
      const whole = at < pieces.length - 1;
      if (held.length > maxLength) {
        answer(refusal(-32700, `Parse error: a message has at most ${maxLength} characters`));
        held = "";
        skipping = true;
      }
      if (!whole) continue;
      if (!skipping) take(held);
      held = "";
      skipping = false;
    }
  });
  input.once("end", () => {
    if (!skipping) take(held);
    passed.end();
  });
  input.once("close", () => passed.end());
  return passed;
}
