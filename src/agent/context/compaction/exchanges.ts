/**
 * The groups of a view: what compaction takes or leaves as a whole. A model's message with calls and all their results is one
 * (an exchange), in the native shape and in the text formats; everything else is a group of its own.
 *
 *     task · person · exchange · text · runtime · summary
 *
 * Within an exchange only the bodies of results may be made shorter, and long arguments.
 */
import type { ModelMessage, Origin } from "../../../model/index.ts";
import { messageText } from "../../../model/index.ts";
import { isJsonObject, jsonOrText } from "../../../values/index.ts";
import { answeredCall } from "../projection/tool-results.ts";

/** A message of a view. `original`: as it was said; another object than `message` where its body was made shorter. */
export interface ViewMessage {
  readonly id: string;
  readonly message: ModelMessage;
  readonly original: ModelMessage;
  readonly origin: Origin;
}

type GroupKind = "task" | "person" | "exchange" | "text" | "runtime" | "summary";

/** What a tool said, and where it stands. */
export interface CallBody {
  /** Position of the message in the view. */
  readonly at: number;
  /** The call that it answers; `null` in text formats. */
  readonly call: string | null;
  readonly tool: string;
  /** `null` where nobody can read them. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly ok: boolean;
  /** As it is shown. */
  readonly text: string;
  /** As it was said. */
  readonly said: string;
  /** Where it stands in the content. */
  readonly from: number;
  readonly to: number;
  /** Which of the results of its message it is, from 0. */
  readonly index: number;
}

export interface MessageGroup {
  readonly kind: GroupKind;
  /** Positions `[from, to)` in the view. */
  readonly from: number;
  readonly to: number;
  /** The message that makes the calls; -1 in other groups. */
  readonly caller: number;
  readonly bodies: readonly CallBody[];
}

/** A call as a message in a text format writes it. */
interface WrittenCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | null;
}

/** Reads the calls in a message of a text format. */
export type ReadWritten = (text: string) => readonly WrittenCall[];

const framed = /^\[(result of|error from) ([^\]\n]+)\]\n/;

/**
 * The groups of a view, in its order. `task`: the id of the running loop's prompt. What a person said before any model or tool
 * is the task of the conversation, and a group of this kind, too, unless an earlier summary is all that is left of it.
 */
export function groupExchanges(
  view: readonly ViewMessage[],
  task: string | null = null,
  readWritten: ReadWritten = () => [],
): MessageGroup[] {
  const groups: MessageGroup[] = [];
  let begun = false;
  for (let at = 0; at < view.length; ) {
    const group = groupAt(view, at, task, readWritten);
    const isFirst: boolean = !begun && group.kind === "person";
    begun ||= isFirst || group.kind !== "runtime";
    groups.push(isFirst ? { ...group, kind: "task" } : group);
    at = group.to;
  }
  return groups;
}

/** Each message by itself; what a tool said is one body, frame and all. */
export const singleMessages = (view: readonly ViewMessage[]): MessageGroup[] =>
  view.map(({ message, original }, at) => {
    const [call, text, said] = [answeredCall(message) ?? null, messageText(message), messageText(original)];
    const body = {
      at,
      call,
      tool: message.name ?? "",
      args: null,
      ok: true,
      text,
      said,
      from: 0,
      to: text.length,
      index: 0,
    };
    return { kind: "text", from: at, to: at + 1, caller: -1, bodies: call === null ? [] : [body] };
  });

function groupAt(
  view: readonly ViewMessage[],
  at: number,
  task: string | null,
  readWritten: ReadWritten,
): MessageGroup {
  const { id, message, origin } = view[at] as ViewMessage;
  const alone = (kind: GroupKind): MessageGroup => ({ kind, from: at, to: at + 1, caller: -1, bodies: [] });
  if (id === task) return alone("task");
  if ((message.tool_calls?.length ?? 0) > 0) return nativeExchange(view, at);
  const next = view[at + 1];
  if (message.role === "assistant" && next !== undefined && holdsResults(next))
    return writtenExchange(view, at, readWritten);
  if (answeredCall(message) !== undefined || holdsResults(view[at] as ViewMessage)) {
    const bodies = holdsResults(view[at] as ViewMessage) ? framedBodies(view, at, []) : [];
    return { ...alone("exchange"), bodies };
  }
  if (origin.by === "compaction") return alone("summary");
  if (origin.by === "runtime") return alone("runtime");
  return alone(message.role === "assistant" ? "text" : message.role === "user" ? "person" : "runtime");
}

/** Results in a text format: one message of the user. */
const holdsResults = ({ message, origin }: ViewMessage): boolean =>
  message.role === "user" && origin.by === "tool" && typeof message.content === "string";

function nativeExchange(view: readonly ViewMessage[], at: number): MessageGroup {
  const calls = (view[at] as ViewMessage).message.tool_calls ?? [];
  const bodies: CallBody[] = [];
  let to = at + 1;
  for (; to < view.length; to++) {
    const { message, original } = view[to] as ViewMessage;
    const answers = answeredCall(message);
    if (answers === undefined) break;
    const call = calls.find(({ id }) => id === answers);
    const text = messageText(message);
    const inner = insideFrame(text);
    const said = messageText(original);
    const whole = insideFrame(said);
    bodies.push({
      at: to,
      call: answers,
      tool: call?.name ?? message.name ?? "",
      args: argumentsIn(call?.arguments),
      ok: message.is_error !== true && !said.startsWith("[error from "),
      text: text.slice(inner.from, inner.to),
      said: said.slice(whole.from, whole.to),
      from: inner.from,
      to: inner.to,
      index: 0,
    });
  }
  return { kind: "exchange", from: at, to, caller: at, bodies };
}

/** Arguments as a message holds them: an object, or the text that could not be read. */
function argumentsIn(value: unknown): Readonly<Record<string, unknown>> | null {
  const read = typeof value === "string" ? jsonOrText(value) : value;
  return isJsonObject(read) ? read : null;
}

/** What stands between the frame of one result. */
function insideFrame(text: string): { from: number; to: number } {
  const head = framed.exec(text);
  if (head === null) return { from: 0, to: text.length };
  const from = head[0].length;
  const end = text.lastIndexOf("\n[end of ");
  const whole = end >= from - 1 && /^\n\[end of [^\]\n]+\]\s*$/.test(text.slice(end));
  return { from, to: whole ? Math.max(from, end) : text.length };
}

function writtenExchange(view: readonly ViewMessage[], at: number, readWritten: ReadWritten): MessageGroup {
  const calls = readWritten(messageText((view[at] as ViewMessage).original));
  return { kind: "exchange", from: at, to: at + 2, caller: at, bodies: framedBodies(view, at + 1, calls) };
}

/** The results of one message in a text format, by their frames. */
function framedBodies(view: readonly ViewMessage[], at: number, calls: readonly WrittenCall[]): CallBody[] {
  const { message, original } = view[at] as ViewMessage;
  const shown = framesIn(messageText(message), calls.length);
  const said = message === original ? shown : framesIn(messageText(original), calls.length);
  return shown.map((frame, index) => {
    const whole = said[index] ?? frame;
    return {
      at,
      call: null,
      tool: frame.tool,
      args: calls[index]?.name === frame.tool ? (calls[index]?.arguments ?? null) : null,
      ok: frame.ok,
      text: frame.text,
      said: whole.text,
      from: frame.from,
      to: frame.to,
      index,
    };
  });
}

interface ToolFrame {
  readonly tool: string;
  readonly ok: boolean;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** A result may quote other frames: where one call was made, the last end is its own. */
function framesIn(text: string, calls: number): ToolFrame[] {
  const frames: ToolFrame[] = [];
  for (let at = 0; at < text.length; ) {
    const head = framed.exec(text.slice(at));
    if (head === null) break;
    const [line, kind, tool = ""] = head;
    const from = at + line.length;
    const mark = `\n[end of ${tool} ${kind === "result of" ? "result" : "error"}]`;
    const found = calls === 1 ? text.lastIndexOf(mark) : text.indexOf(mark, from - 1);
    const end = found < from - 1 ? text.length : found;
    const to = Math.max(from, end);
    frames.push({ tool, ok: kind === "result of", text: text.slice(from, to), from, to });
    at = end + mark.length;
    while (text[at] === "\n") at++;
  }
  return frames;
}

/** A message's content with other texts in the place of some of its bodies. */
export function withBodies(
  content: string,
  changed: readonly { from: number; to: number; text: string }[],
): string {
  let made = "";
  let at = 0;
  for (const { from, to, text } of [...changed].sort((a, b) => a.from - b.from)) {
    made += content.slice(at, from) + text;
    at = to;
  }
  return made + content.slice(at);
}
