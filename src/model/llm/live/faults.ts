/**
 * What SDKs and the network throw, as `ModelError`s.
 *
 * Errors are recognised by shape, not by class: two SDKs bring two sets of classes, and loading them for
 * `instanceof` would cost more than the call. What is recognised by nothing is our bug and thrown on.
 */
import { networkInterfaces } from "node:os";
import { redact, redactUrl } from "../../../effects/index.ts";
import { callerWords } from "../../../process/index.ts";
import { headOf } from "../../../values/index.ts";
import { categoryOfStatus, type ErrorFacts, makeModelError, maxRetryAfterMs } from "../errors.ts";
import type { ErrorCategory, ModelError } from "../port.ts";
import { isObject } from "../tool-wire.ts";
import type { Endpoint } from "./endpoint.ts";
import type { CallGuard } from "./guard.ts";

/** A failure that an adapter found itself in an answer that arrived. */
export class AnswerFault extends Error {
  readonly category: ErrorCategory;
  readonly reason: string | undefined;
  constructor(category: ErrorCategory, message: string, reason?: string) {
    super(message);
    this.category = category;
    this.reason = reason;
  }
}

/** The parts of the SDKs' errors that are read. */
interface SdkError {
  message: string;
  name?: string;
  status?: unknown;
  headers?: { get?(name: string): string | null };
  error?: unknown;
  type?: unknown;
  code?: unknown;
  cause?: unknown;
}

const vendorTypes: ReadonlyMap<string, ErrorCategory> = new Map([
  ["overloaded_error", "overloaded"],
  ["rate_limit_error", "rate_limit"],
  ["rate_limit_exceeded", "rate_limit"],
  ["insufficient_quota", "rate_limit"],
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["invalid_api_key", "auth"],
  ["not_found_error", "not_found"],
  ["model_not_found", "not_found"],
  ["timeout_error", "timeout"],
  ["api_error", "server_error"],
  ["server_error", "server_error"],
  ["internal_server_error", "server_error"],
  ["service_unavailable", "overloaded"],
]);

/** Turns whatever was thrown during a call into an error; rethrows what is no failure of the call. */
export function faultToError(
  thrown: unknown,
  endpoint: Endpoint,
  guard: CallGuard,
  model: string,
): ModelError {
  const provider = endpoint.provider.name;
  const address = addressOf(endpoint);
  const make: Make = (category, text, more = {}) =>
    makeModelError({ category, message: redact(text, endpoint.secrets), provider, model, address, ...more });
  if (guard.cause === "cancelled") return make("cancelled", `the call to ${provider} was cancelled`);
  if (guard.cause === "timeout")
    return make(
      "timeout",
      `${provider} did not finish within ${waitSeconds(guard.totalMs)} (option \`timeout_ms\`)`,
    );
  if (guard.cause === "idle")
    return make(
      "timeout",
      `${provider} sent nothing for ${waitSeconds(guard.idleMs!)} (option \`idle_timeout\`)`,
    );
  const fault = answerFault(thrown);
  if (fault !== undefined)
    return make(
      fault.category,
      plainFault(fault.message, endpoint),
      fault.reason === undefined ? {} : { reason: fault.reason },
    );
  const error = thrown as SdkError;
  if (typeof error.status === "number") return statusFault(error, error.status, endpoint, make);
  const vendorType =
    vendorTypes.get(String(bodyField(error, "code") ?? "")) ??
    vendorTypes.get(String(bodyField(error, "type") ?? error.type ?? ""));
  if (vendorType || isObject(error.error))
    return make(vendorType ?? "generic", `${provider}: ${apiText(error, endpoint)}`);
  // An error in the middle of a stream that is only a word or a number.
  if (error.error !== undefined && error.error !== null)
    return make("server_error", `${provider}: ${plainFault(String(error.error), endpoint)}`);
  if (isTimeout(error)) return make("timeout", `${provider} could not be reached in time`);
  if (isNetwork(error))
    return make("transient_network", networkText(error, endpoint), { lasts: isRefusedHere(error) });
  if (error instanceof SyntaxError)
    return make("server_error", `${provider} sent something that is no JSON: ${error.message}`);
  throw thrown;
}

/** The SDKs wrap what happens while they read. */
function answerFault(thrown: unknown): AnswerFault | undefined {
  if (thrown instanceof AnswerFault) return thrown;
  const { cause } = thrown as SdkError;
  return cause instanceof AnswerFault ? cause : undefined;
}

/** Where the call went, as people may see it. */
export const addressOf = ({ baseUrl, secrets }: Endpoint): string => redact(redactUrl(baseUrl), secrets);

type Make = (
  category: ErrorCategory,
  text: string,
  more?: Partial<Pick<ErrorFacts, "status" | "retryAfterMs" | "reason" | "kind" | "lasts">>,
) => ModelError;

function statusFault(error: SdkError, status: number, endpoint: Endpoint, make: Make): ModelError {
  const { name } = endpoint.provider;
  const vendorType = vendorTypes.get(String(bodyField(error, "type") ?? ""));
  // A 400 may hide a telling type; for other statuses the status is the more reliable of the two.
  const category = status === 400 && vendorType ? vendorType : categoryOfStatus(status);
  const hint = category === "auth" ? keyHint(endpoint) : "";
  const wait = retryAfterHeader(error);
  return make(category, `HTTP ${status} from ${name}: ${apiText(error, endpoint)}${hint}`, {
    status,
    // A conflict passes: the vendor is busy with something of ours.
    ...(status === 409 ? { kind: "transient" as const } : {}),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

function keyHint({ provider, secrets }: Endpoint): string {
  const [key] = secrets;
  if (key) return ` (key from ${callerWords().variable(key.name)})`;
  return provider.auth_env.length > 0
    ? ` (no key was sent: set ${callerWords().keys(provider.auth_env)})`
    : "";
}

/** The vendor's own words, without an HTML page around them. */
function apiText(error: SdkError, endpoint: Endpoint): string {
  const own = bodyField(error, "message");
  const code = bodyField(error, "code");
  if (typeof own === "string" && own.trim() !== "") {
    const words = plainFault(own, endpoint);
    return typeof code === "string" && !own.includes(code) ? `${words} [${code}]` : words;
  }
  return plainFault(error.message.replace(/^\d{3} /, ""), endpoint) || "no explanation given";
}

/** A field of the error body, which arrives as `{error: {…}}` or as the inner part alone. */
function bodyField(error: SdkError, field: string): unknown {
  const body = error.error;
  if (!isObject(body)) return undefined;
  return (isObject(body.error) ? body.error[field] : undefined) ?? body[field];
}

/** Characters of what a server says that are kept. */
const maxWords = 500;

/** One short line: tags, style and line breaks of error pages taken out, and secrets before it is cut. */
export function plainFault(text: string, { secrets }: Pick<Endpoint, "secrets">, length = maxWords): string {
  const page = /<(?:!doctype|html|head|body)\b/i.test(text);
  const bare = page ? text.replace(/<(style|script)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ") : text;
  const line = redact(bare.replace(/\s+/g, " ").trim(), secrets);
  return line.length > length ? `${headOf(line, length - 1)}…` : line;
}

function retryAfterHeader(error: SdkError): number | undefined {
  const read = (name: string) => error.headers?.get?.(name) ?? undefined;
  const ms = Number(read("retry-after-ms"));
  if (Number.isFinite(ms) && read("retry-after-ms")) return Math.min(ms, maxRetryAfterMs);
  const value = read("retry-after");
  if (!value) return undefined;
  const inSeconds = Number(value);
  const wait = Number.isFinite(inSeconds) ? inSeconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), maxRetryAfterMs) : undefined;
}

const timeoutCodes = /^(?:ETIMEDOUT|UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT)$/;

function isTimeout(error: SdkError): boolean {
  if (timeoutCodes.test(causeCode(error) ?? "")) return true;
  return /ConnectionTimeout/.test(String(error.name ?? "")) || /^Request timed out/.test(error.message ?? "");
}

/** Undici's and the SDKs' ways to say that the connection failed or broke. */
function isNetwork(error: SdkError): boolean {
  if (causeCode(error) !== undefined) return true;
  return /^(?:Connection error|fetch failed|terminated|other side closed|Premature close|network)/i.test(
    error.message ?? "",
  );
}

const networkCode =
  /^(?:E[A-Z]+|EAI_[A-Z]+|UND_ERR_\w+|ERR_(?:SSL|TLS|STREAM|HTTP2)\w*|UNABLE_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)$/;

function causeCode(error: SdkError): string | undefined {
  let at: unknown = error;
  for (let depth = 0; at && depth < 5; depth++) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === "string" && networkCode.test(code)) return code;
    at = cause;
  }
  return undefined;
}

function networkText(error: SdkError, endpoint: Endpoint): string {
  const code = causeCode(error);
  const where = `${endpoint.provider.name} at ${addressOf(endpoint)}`;
  if (code === "ECONNREFUSED") return `${where}: connection refused, ${refusedHint(endpoint)}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `${where}: the name cannot be resolved (${code}); is there a network?`;
  const why = code ?? rootCause(error);
  const broken = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$|terminated|other side closed|premature/i.test(why);
  return broken ? `${where}: the connection broke off` : `${where}: cannot connect (${why})`;
}

/** Nothing on this machine listens there: it is refused again at once, whoever asks. */
function isRefusedHere(error: SdkError): boolean {
  if (causeCode(error) !== "ECONNREFUSED") return false;
  const refused = addressesIn(error);
  return refused.length > 0 && refused.every(isOwnAddress);
}

/** The addresses that were tried: of a name with several, an error holds one for each. */
function addressesIn(error: unknown, depth = 0): string[] {
  if (typeof error !== "object" || error === null || depth === 5) return [];
  const { address, cause, errors } = error as { address?: unknown; cause?: unknown; errors?: unknown };
  const own = typeof address === "string" ? [address] : [];
  const inner = [cause, ...(Array.isArray(errors) ? errors : [])];
  return [...own, ...inner.flatMap((one) => addressesIn(one, depth + 1))];
}

const isOwnAddress = (address: string): boolean =>
  /^(?:::ffff:)?127\./i.test(address) ||
  Object.values(networkInterfaces()).some((found) => found?.some((one) => one.address === address));

/** The message at the bottom of a chain of causes, where the network says what happened. */
function rootCause(error: SdkError): string {
  let at = error;
  for (let depth = 0; depth < 5 && at.cause; depth++) at = at.cause as SdkError;
  return at.message ?? String(at);
}

function refusedHint({ provider }: Endpoint): string {
  if (!provider.local) return "nothing listens at this address";
  const words = callerWords();
  const keys = words.keys(["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]);
  return `no server is running there. Start it, or set ${keys} for a hosted model; ${words.flag("--llm-mock", "FILE.jsonl")} runs without a model`;
}

function waitSeconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
