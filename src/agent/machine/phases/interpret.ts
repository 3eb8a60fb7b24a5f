/**
 * From an answer to a turn: which calls it makes, what a person sees of it, what is recorded (agents.md §7, §10.2).
 *
 * Calls that came through the vendor's own channel count in every format. Tagged calls count in text loops; in native
 * loops they are the fallback, which `native_tool_fallback` accepts or rejects.
 */
import type { ModelResponse, ToolCall } from "../../../model/index.ts";
import {
  byModel,
  callsFromResponse,
  callsFromText,
  cleanVisibleText,
  parseFencedJson,
  parseTaggedText,
  speaksText,
  type TaggedResponse,
} from "../../../model/index.ts";
import { Dict, List } from "../../../values/index.ts";
import { giveFeedback } from "../../context/feedback.ts";
import { promptText } from "../../context/prompts/overrides.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { assistantMessage, keptNatively, writtenCall } from "../../state/tool-messages.ts";

/** Reads the answer into the turn's workspace and appends the assistant message. */
export function* interpretAnswer(loop: Loop, response: ModelResponse): Turn<void> {
  const { work, state } = loop;
  const native = callsFromResponse(response);
  const tagged = loop.channel === "none" ? undefined : parseTagged(loop, response.text);
  work.answered = true;
  work.text = response.text;
  work.calls = native;
  work.doneMarker = tagged === undefined ? doneBlock(response.text) : tagged.doneMarker;
  if (speaksText(loop.channel) && tagged !== undefined) {
    work.parseErrors = tagged.errors;
    if (native.length === 0) work.calls = callsFromText(tagged.calls);
  } else if (loop.channel === "none" && native.length === 0) work.calls = runtimeCalls(loop, response.text);
  else if (
    loop.channel === "native" &&
    native.length === 0 &&
    tagged !== undefined &&
    tagged.calls.length > 0
  ) {
    fallBack(loop, callsFromText(tagged.calls));
  }
  work.visible = visibleOf(loop, response.text, tagged);
  recordModelAnswer(loop, response, tagged);
  if (work.calls.length > 0 && work.assistant !== null) loop.conversation.callsBegin(work.assistant);
  state.lastThinking = response.thinking;
  state.lastStopReason = response.stop_reason;
  if (work.fallback === "rejected")
    yield* giveFeedback(
      loop,
      "native_tool_contract",
      yield* promptText(loop, "agent.native_tool_contract_feedback", {}),
    );
  else if (work.parseErrors.length > 0) yield* explainErrors(loop);
}

function parseTagged(loop: Loop, text: string): TaggedResponse | undefined {
  // Native answers without a tag are the common case and need no parsing.
  if (loop.channel === "native" && !text.includes("<") && !text.includes("(")) return undefined;
  const read = loop.channel === "json" ? parseFencedJson : parseTaggedText;
  return read(text, { toolNames: loop.tools.byName.keys(), firstId: loop.state.tools.executions });
}

/** Whether an answer of a loop that speaks text makes calls, or means to: it is no final answer. */
export function speaksOfCalls(loop: Loop, text: string): boolean {
  if (!speaksText(loop.channel)) return false;
  const tagged = parseTagged(loop, text);
  return tagged !== undefined && (tagged.calls.length > 0 || tagged.errors.length > 0);
}

/** A loop without tools of the user tells its model of none; one that calls the runtime's all the same is answered. */
function runtimeCalls(loop: Loop, text: string): ToolCall[] {
  if (!text.includes("<tool_call>")) return [];
  const { calls } = parseTaggedText(text, {
    toolNames: loop.tools.byName.keys(),
    firstId: loop.state.tools.executions,
  });
  return callsFromText(calls).filter(({ name }) => loop.tools.byName.has(name));
}

function doneBlock(text: string): string | null {
  return /<done>([\s\S]*?)<\/done>/.exec(text)?.[1]?.trim() ?? null;
}

/** A native loop whose model wrote its calls as text. */
function fallBack(loop: Loop, calls: readonly ToolCall[]): void {
  const { work, state, options } = loop;
  const { fallback } = state.slots;
  fallback.count++;
  const accepted =
    options.nativeToolFallback === "allow" ||
    (options.nativeToolFallback === "allow_once" && fallback.count === 1);
  if (!accepted) fallback.rejected++;
  work.fallback = accepted ? "accepted" : "rejected";
  if (accepted) work.calls = calls;
  loop.conversation.audit.push({
    kind: "native_tool_fallback",
    role: "system",
    visibility: "internal",
    text: accepted ? "text tool calls accepted" : "text tool calls rejected",
    metadata: Dict.of({
      iteration: work.iteration + 1,
      accepted,
      policy: options.nativeToolFallback,
      fallback_index: fallback.count,
      tool_call_count: calls.length,
    }),
  });
}

/** What a person sees. An answer outside all tags is shown as it is: hiding it would hide the answer. */
function visibleOf(loop: Loop, text: string, tagged: TaggedResponse | undefined): string {
  if (loop.channel === "json" && tagged?.recognised === true) return cleanVisibleText(tagged.visibleText);
  const strict = loop.channel === "text" && tagged?.recognised === true && tagged.visibleText !== "";
  return strict
    ? cleanVisibleText(tagged.visibleText)
    : cleanVisibleText(loop.channel === "text" ? answerWithoutCalls(text, tagged) : text);
}

/** Bare calls of a text loop are protocol too, though they stand outside tags. */
function answerWithoutCalls(text: string, tagged: TaggedResponse | undefined): string {
  return tagged !== undefined && tagged.calls.length > 0 ? "" : text;
}

/** The assistant message, in the shape of the format. */
function recordModelAnswer(loop: Loop, response: ModelResponse, tagged: TaggedResponse | undefined): void {
  const { work, conversation } = loop;
  noteTextTurn(loop);
  if (!speaksText(loop.channel)) {
    const calls = keptNatively(loop) ? work.calls : [];
    work.assistant = conversation.append(
      assistantMessage(shortenedAnswer(loop, work.text), calls, response.reasoning),
      byModel,
    );
    return;
  }
  const canonical = tagged === undefined || !tagged.recognised ? work.text : tagged.canonical;
  const calls = work.calls.filter((call) => call.channel === "native").map((call) => writtenCall(loop, call));
  const content = [shortenedAnswer(loop, canonical), ...calls].filter((part) => part !== "").join("\n\n");
  work.assistant = conversation.append({ role: "assistant", content }, byModel);
}

/** What results say of the texts. The rest of an answer that was cut is one with its beginning. */
function noteTextTurn(loop: Loop): void {
  const { work, state } = loop;
  const rest = state.slots.cut.continued && work.calls.length === 0;
  state.texts.push(work.text);
  state.lastText = rest ? state.lastText + work.text : work.text;
  const visible = rest ? visibleOf(loop, state.lastText, parseTagged(loop, state.lastText)) : work.visible;
  // A turn that only claims to be done answers with what was said before it.
  const claims = work.calls.length === 0 && work.text.trim() !== "";
  state.answer = withoutSentinel(loop, visible) || (claims ? state.answer : "");
  if (visible === "") return;
  if (rest && state.visible.length > 0) state.visible[state.visible.length - 1] = visible;
  else state.visible.push(visible);
  state.lastVisible = visible;
}

function withoutSentinel({ sentinel }: Loop, visible: string): string {
  const own = sentinel === null ? visible : visible.replaceAll(sentinel, "");
  return own.replaceAll("##DONE##", "").trim();
}

/** `turn_policy.max_prose_chars` cuts the recorded prose of a turn without calls; the next nudge says so. */
function shortenedAnswer(loop: Loop, text: string): string {
  const { maxProseChars } = loop.options.turnPolicy;
  if (maxProseChars === null || text.length <= maxProseChars || loop.work.calls.length > 0) return text;
  loop.state.slots.prose.shortened = true;
  return `${text.slice(0, maxProseChars)}…`;
}

/** Tells the model which of its calls could not be read. */
function* explainErrors(loop: Loop): Turn<void> {
  const errors = new List([...loop.work.parseErrors]);
  const text = yield* promptText(loop, "agent.parse_guidance", { errors });
  // With results to come, the explanation follows them: a result must stand right after its call.
  if (loop.work.calls.length > 0) loop.conversation.feedback.push({ kind: "parse_guidance", text });
  else yield* giveFeedback(loop, "parse_guidance", text);
}
