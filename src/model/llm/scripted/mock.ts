/**
 * The mock provider (agents.md §2): a queue of written answers, a log of calls, scopes.
 *
 * All state is one `MockState` that belongs to a Runtime. A non-empty queue answers for every provider, before keys and
 * transports are looked at; fixtures given on the command line come before the queue.
 */
import { starMatches } from "../../../values/index.ts";
import { Answer, type Pricer } from "../answer.ts";
import { LlmUsageError, makeModelError } from "../errors.ts";
import type { Json, JsonObject, ModelMessage, ModelOutcome, ModelRequest, StreamOptions } from "../port.ts";
import { isObject, wireTools } from "../tool-wire.ts";
import { defaultEntry } from "./defaults.ts";
import { type Entry, entryCalls, entryError, scriptedEntry } from "./entry.ts";
import { countSubject, matchSubject, nothingCounted } from "./subject.ts";

/** One recorded call, as `llm_mock_calls()` shows it. */
export interface MockCall {
  readonly messages: Json;
  system: string | null;
  tools: Json;
  tool_choice: Json;
  output_format: Json;
  thinking: Json;
  provider_tools: Json;
  api_mode: string | null;
}

interface Scope {
  queue: Entry[];
  calls: MockCall[];
  cache: Set<string>;
}

/** A fresh mock: nothing queued, nothing recorded. */
/** By what a run is given fixtures, where nothing else is said. */
export const usualFixturesFlag = "--llm-mock";

export function createMockState() {
  return {
    queue: [] as Entry[],
    calls: [] as MockCall[],
    /** Prompts seen with `cache: true`. */
    cache: new Set<string>(),
    scopes: [] as Scope[],
    /** Answers from `--llm-mock`; null when no file was given (an emptied list still refuses to improvise). */
    fixtures: null as Entry[] | null,
    /** By what they were given, for messages. */
    fixturesBy: usualFixturesFlag,
    /** The program has written answers itself: from then on a call that none fits is an error, never a live call. */
    registered: false,
    /** `llm_mock_passthrough(true)`: calls that no written answer fits go to their provider after all. */
    passthrough: false,
    /** The conversation counted last. */
    counted: nothingCounted(),
  };
}

/** Everything the mock remembers for one runtime. */
export type MockState = ReturnType<typeof createMockState>;

/** `llm_mock(entry)`. */
export function addScriptedMock(state: MockState, entry: unknown): void {
  pushMock(state, entry);
  state.registered = true;
}

/** An answer that the runtime itself writes for the provider `mock`. */
export function pushMock(state: MockState, entry: unknown): void {
  if (!isObject(entry)) throw new LlmUsageError("llm_mock: expected a dict argument");
  state.queue.push(scriptedEntry(entry, { file: false, prefix: "llm_mock: " }));
}

/** `llm_mock_clear()`. */
export function clearMocks(state: MockState): void {
  state.queue = [];
  state.calls = [];
  state.cache = new Set();
}

/** `llm_mock_push_scope()`: saves queue, calls and prompt cache and starts with empty ones. */
export function pushMockScope(state: MockState): void {
  const { queue, calls, cache } = state;
  state.scopes.push({ queue, calls, cache });
  clearMocks(state);
}

/** `llm_mock_pop_scope()`. */
export function popMockScope(state: MockState): void {
  const saved = state.scopes.pop();
  if (!saved) throw new LlmUsageError("llm_mock_pop_scope: no scope to pop");
  Object.assign(state, saved);
}

/** Written answers stand in for every provider: no key is asked for, and no call goes out. */
export function isMocking(state: MockState): boolean {
  return state.queue.length > 0 || state.fixtures !== null || (state.registered && !state.passthrough);
}

/** A written answer is there to be taken by the next call: gates of capabilities do not speak about it. */
export const hasWrittenAnswer = ({ queue, fixtures }: MockState): boolean =>
  queue.length > 0 || (fixtures ?? []).length > 0;

/** True when this call is the mock's to answer, be it with an error. */
export function mockAnswers(state: MockState, request: Pick<ModelRequest, "provider" | "messages">): boolean {
  if (request.provider === "mock" || state.fixtures !== null) return true;
  return state.passthrough ? hasMockFor(state, request) : isMocking(state);
}

/** Whether a written answer fits, or the mock was asked for by name and has its default one. */
export function hasMockFor(
  state: MockState,
  { provider, messages }: Pick<ModelRequest, "provider" | "messages">,
): boolean {
  const subject = lazyAnswer(() => matchSubject(messages));
  const written = [state.fixtures ?? [], state.queue].some((entries) => find(entries, subject) >= 0);
  return written || (provider === "mock" && state.fixtures === null);
}

/** Answers one call. */
export function answerFromMock(
  state: MockState,
  request: ModelRequest,
  price: Pricer,
  options: StreamOptions = {},
): ModelOutcome {
  state.calls.push(recordedCall(request));
  const entry = selectAnswer(state, request);
  if (entry === undefined) return nothingFits(state, request, price, options);
  return play(entry, request, price, options, state);
}

/** Plays one written answer. */
function play(
  entry: Entry,
  request: ModelRequest,
  price: Pricer,
  options: StreamOptions,
  state: MockState,
): ModelOutcome {
  const answer = new Answer(entry.provider ?? "mock", entry.model ?? "mock", price, options.onEvent);
  answer.start(null);
  // The dict of a written error names what was asked for, not the mock.
  if (entry.error) return answer.fail(entryError(entry.error, request.provider, request.model));
  if (entry.thinking) answer.thinking(entry.thinking);
  if (entry.thinking_summary) answer.response.thinking_summary = entry.thinking_summary;
  answer.text(entry.text);
  for (const call of entryCalls(entry)) answer.call(call);
  const input = entry.input_tokens ?? subjectBytes(state, request.messages);
  const cached = request.cache ? promptCache(state.cache, request, input) : { read: 0, write: 0 };
  answer.usage({
    input_tokens: input,
    output_tokens: entry.output_tokens ?? 30,
    cache_read_tokens: entry.cache_read_tokens ?? cached.read,
    cache_write_tokens: entry.cache_write_tokens ?? cached.write,
    reasoning_tokens: 0,
    ...(entry.input_tokens === undefined || entry.input_tokens === null ? { assumed: true } : {}),
  });
  return answer.succeed(entry.stop_reason, {
    ...(entry.blocks ? { blocks: entry.blocks } : {}),
    logprobs: entry.logprobs,
  });
}

function subjectBytes(state: MockState, messages: readonly ModelMessage[]): number {
  state.counted = countSubject(messages, state.counted);
  return state.counted.bytes;
}

function promptCache(
  cache: Set<string>,
  request: ModelRequest,
  input: number,
): { read: number; write: number } {
  const key = JSON.stringify([request.model, request.system ?? null, request.messages]);
  if (cache.has(key)) return { read: input, write: 0 };
  cache.add(key);
  return { read: 0, write: input };
}

/** Fixtures first, then the queue, then the default answer of the provider `mock`; undefined when nothing fits. */
function selectAnswer(state: MockState, request: ModelRequest): Entry | undefined {
  const subject = lazyAnswer(() => matchSubject(request.messages));
  const fixture = state.fixtures && take(state.fixtures, subject);
  if (fixture) return fixture;
  const queued = take(state.queue, subject);
  if (queued) return queued;
  return state.fixtures || request.provider !== "mock" ? undefined : defaultEntry(request);
}

/** The oldest entry without a pattern always wins and goes; else the first pattern that fits, which stays unless consumed. */
function take(entries: Entry[], subject: () => string): Entry | undefined {
  const found = find(entries, subject);
  if (found < 0) return undefined;
  const entry = entries[found]!;
  return entry.match === null || entry.consume_match ? entries.splice(found, 1)[0] : entry;
}

function find(entries: readonly Entry[], subject: () => string): number {
  const plain = entries.findIndex((entry) => entry.match === null);
  return plain >= 0 ? plain : entries.findIndex((entry) => starMatches(entry.match!, subject()));
}

function nothingFits(
  state: MockState,
  request: ModelRequest,
  price: Pricer,
  options: StreamOptions,
): ModelOutcome {
  const { provider, model } = request;
  const shown = [...matchSubject(request.messages).slice(0, 400)].slice(0, 200).join("");
  const call = `call ${state.calls.length} (${provider}, ${model})`;
  const message = state.fixtures
    ? `No ${state.fixturesBy} fixture matched prompt: "${shown}…" (${call})`
    : `no mock answer fits ${call}: "${shown}…". Write one more with llm_mock, or let calls without one go to the provider with llm_mock_passthrough(true)`;
  const answer = new Answer(provider, model, price, options.onEvent);
  return answer.fail(makeModelError({ category: "generic", message, provider, model }));
}

function recordedCall(request: ModelRequest): MockCall {
  const { messages: asked, tools, provider_tools: hosted } = request;
  const count = asked.length;
  const format = request.output_format ?? { kind: "text" };
  return {
    // The caller's own list, which may grow later: a copy for each call of a long loop would grow with its square.
    get messages() {
      return asked.slice(0, count) as unknown as Json;
    },
    system: request.system || null,
    tools: tools || hosted ? [...(hosted ?? []), ...shownTools(request.provider, tools ?? [])] : null,
    tool_choice: request.tool_choice ?? null,
    output_format: format as JsonObject,
    thinking: (request.thinking ?? { mode: "disabled" }) as JsonObject,
    provider_tools: hosted ?? null,
    api_mode: request.api_mode ?? null,
  };
}

/** Tool lists rarely change between turns: their wire form is kept per list and route. */
const shown = new WeakMap<readonly object[], { route: string; tools: JsonObject[] }>();

function shownTools(provider: string, tools: NonNullable<ModelRequest["tools"]>): JsonObject[] {
  const known = shown.get(tools);
  if (known?.route === provider) return known.tools;
  const made = wireTools(provider, tools);
  shown.set(tools, { route: provider, tools: made });
  return made;
}

function lazyAnswer(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
