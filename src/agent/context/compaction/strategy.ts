/**
 * Strategies: functions of the language that are shown the messages of a view and give steps. Those of the runtime are
 * `std/agent/compaction`.
 */
import {
  type ModelMessage,
  messageChars,
  type Origin,
  originOfMessage,
  originOfValue,
  type Speaker,
  tokensOf,
  valueChars,
} from "../../../model/index.ts";
import { at, type Read, row, rows } from "../../../table/index.ts";
import {
  Dict,
  type Float,
  List,
  Shape,
  textField,
  thrown,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { messageLine } from "../../session/transcript-value.ts";
import { answeredCall } from "../projection/tool-results.ts";

const stepKinds = ["clear", "externalize", "mask", "summarize", "drop"] as const;

const stepRows = rows(
  () => ({
    by: row.oneOf(stepKinds, "What becomes of some messages.").required(),
    ids: row.list(row.text(), "Which ones.", []).full(),
    keep: row.list(row.text(), "Texts of them that stay word for word.", []).full(),
    text: row.text("Words in their place; nil: the runtime finds some."),
    until: row.number("Tokens of the request at which the step ends; nil: it goes to its own end."),
    reason: row.text("For records, and for the note in the place of a result.", "strategy"),
    same_as: row.text("The message that has the same result."),
    changed_in: row.text("The message in which what was read was changed."),
  }),
  { strict: true },
);

/** What becomes of some messages. */
export type StrategyStep = Read<typeof stepRows>;

/** Whether what a step names leaves the view. */
export const leavesView = ({ by }: StrategyStep): boolean =>
  by === "summarize" || by === "mask" || by === "drop";

/** Steps as a strategy gives them. Throws where they have another form. */
export function stepsIn(value: Value): StrategyStep[] {
  if (!(value instanceof List)) throw thrown(`a strategy gives a list of steps, not ${typeOf(value)}`);
  return value.toArray().map((one, index) => row.dict(stepRows).read(one, at(`step ${index + 1}`)));
}

const summaryHead =
  /^\[auto-compacted (\d+) older messages(?: via (?:truncate strategy|observation masking))?\]\n?/;

const keys = [
  ...["id", "at", "role", "by", "text", "length", "chars", "tokens", "calls", "answers", "tool", "pinned"],
  ...["stands_for", "words"],
];
const shape = Shape.ofLiteral(keys) as Shape;
const moreShape = Shape.ofLiteral([...keys, "kind", "group", "whole", "results", "must_survive"]) as Shape;
const none = new List([]);

/** What is known of a message of a conversation besides. */
interface ShownMore {
  readonly tokens: Float;
  readonly kind: string;
  /** Messages of one group belong together: calls and their results. */
  readonly group: number;
  /** Nothing was taken out of it yet. */
  readonly whole: boolean;
  readonly results: List;
  readonly must_survive: List;
}

/** A message as strategies see it. */
export function strategyDict(entry: TranscriptEntry, at: number, pinned: boolean, more?: ShownMore): Dict {
  const { id, role, by, text, chars, calls, answers, tool } = entry;
  const head = by === "compaction" ? summaryHead.exec(text) : null;
  const ids = calls.length === 0 ? none : new List([...calls]);
  const words = head === null ? null : text.slice(head[0].length);
  const standsFor = head === null ? null : Number(head[1]);
  const tokens = more?.tokens ?? tokensOf(chars);
  const { length } = text;
  // Two literals: an array that grows takes twice the room, for every message.
  // biome-ignore format: a line for all
  if (more === undefined)
    return Dict.shaped(shape, [id, at, role, by, text, length, chars, tokens, ids, answers, tool, pinned, standsFor, words]);
  const { kind, group, whole, results, must_survive } = more;
  // biome-ignore format: a line for all
  return Dict.shaped(moreShape, [id, at, role, by, text, length, chars, tokens, ids, answers, tool, pinned, standsFor, words, kind, group, whole, results, must_survive]);
}

/** The messages of a view as strategies see them, oldest first. */
export function strategyMessages(entries: readonly TranscriptEntry[], task: number | null): List {
  return new List(entries.map((entry, at) => strategyDict(entry, at, entry.pinned || at === task)));
}

// ── messages as compaction looks at them, whatever holds them ──

export interface TranscriptEntry {
  /** In a list of messages by its place: `msg_1`. */
  readonly id: string;
  readonly role: string;
  /** Whose words they are. */
  readonly by: Speaker;
  /** The text in full: content, then calls by name. */
  readonly text: string;
  readonly chars: number;
  /** Ids of the calls that the message makes. */
  readonly calls: readonly string[];
  /** The call that the message answers; "" for an answer that names none, `null` when it is no tool's answer. */
  readonly answers: string | null;
  /** The name of the tool that answers, where the message has it. */
  readonly tool: string;
  /** It stays in view, wherever the cut is. */
  readonly pinned: boolean;
  /** The message as scripts see it. */
  value(): Dict;
}

const noCalls: readonly string[] = [];
const isAnswerEntry = (role: string): boolean => role === "tool" || role === "tool_result";

/** A message of a conversation. What is asked for is looked up then. */
class SaidEntry implements TranscriptEntry {
  readonly id: string;
  readonly by: Speaker;
  readonly pinned: boolean;
  readonly value: () => Dict;
  private readonly message: ModelMessage;

  constructor(id: string, message: ModelMessage, value: () => Dict, pinned: boolean, by: Speaker) {
    this.id = id;
    this.message = message;
    this.value = value;
    this.pinned = pinned;
    this.by = by;
  }

  get role(): string {
    return this.message.role;
  }
  get text(): string {
    return entryText(this.message) ?? messageLine(this.value());
  }
  get chars(): number {
    return messageChars(this.message);
  }
  get calls(): readonly string[] {
    return this.message.tool_calls?.map(({ id }) => id) ?? noCalls;
  }
  get answers(): string | null {
    return answeredCall(this.message) ?? null;
  }
  get tool(): string {
    return this.message.name ?? "";
  }
}

export const entryOfMessage = (
  id: string,
  message: ModelMessage,
  value: () => Dict,
  pinned = false,
  { by }: Origin = originOfMessage(message),
): TranscriptEntry => new SaidEntry(id, message, value, pinned, by);

/** The common case, without making a script value of the message: content that is text, and calls. */
function entryText({ content, tool_calls: calls }: ModelMessage): string | undefined {
  if (typeof content !== "string") return undefined;
  if (calls === undefined || calls.length === 0) return content;
  const names = calls.map(({ name }) => `<tool_call:${name}>`).join(" ");
  return content === "" ? names : `${content} ${names}`;
}

/** A message that a script gave. */
export function entryOfValue(message: Dict, at: number): TranscriptEntry {
  const role = textField(message, "role");
  const calls = message.get("tool_calls");
  const content = message.get("content");
  return {
    id: `msg_${at + 1}`,
    role,
    by: originOfValue(message, { role, content: typeof content === "string" ? content : null }).by,
    get text() {
      return messageLine(message);
    },
    chars: valueChars(message),
    calls: calls instanceof List ? calls.toArray().flatMap(callId) : [],
    answers: isAnswerEntry(role)
      ? textField(message, "tool_use_id") || textField(message, "tool_call_id")
      : null,
    tool: textField(message, "name"),
    pinned: false,
    value: () => message,
  };
}

function callId(call: Value): string[] {
  const id = call instanceof Dict ? call.get("id") : undefined;
  return typeof id === "string" ? [id] : [];
}
