/**
 * Transcripts as scripts hold them (agents.md §3.1): a dict of messages (what a model sees next), events (the audit
 * trail) and assets. Values, so every function here gives a new one.
 *
 * Events are rebuilt whenever messages change: one per message first, then every other event that was there, then new
 * ones. Message events are named after their place (`<id>:msg_3`), so they are the same however often that happens.
 */
import { Dict, List, textField, type Value } from "../../values/index.ts";

export type Visibility = "public" | "internal" | "private";

export const isTranscript = (value: Value | undefined): value is Dict =>
  value instanceof Dict && value.get("_type") === "transcript";

const listAt = (transcript: Dict, key: string): List => {
  const value = transcript.get(key);
  return value instanceof List ? value : new List([]);
};

/** The dicts of a list; other items are left out. */
export const dictsOf = (list: List): Dict[] => list.toArray().filter((item) => item instanceof Dict);

export const transcriptMessages = (transcript: Dict): Dict[] => dictsOf(listAt(transcript, "messages"));
export const transcriptEvents = (transcript: Dict): Dict[] => dictsOf(listAt(transcript, "events"));
export const transcriptAssets = (transcript: Dict): Dict[] => dictsOf(listAt(transcript, "assets"));

export function transcriptId(transcript: Dict): string {
  const id = transcript.get("id");
  return typeof id === "string" ? id : "";
}

/** The summary text, "" without one. */
export function transcriptSummary(transcript: Dict): string {
  const summary = transcript.get("summary");
  return typeof summary === "string" ? summary : "";
}

/** A transcript without a message. */
export function newTranscript(id: string, metadata: Dict | null = null): Dict {
  const empty = new List([]);
  return Dict.of({
    _type: "transcript",
    version: 2,
    id,
    messages: empty,
    events: empty,
    assets: empty,
    metadata: metadata ?? undefined,
  });
}

/** Other messages: their events first, then the other events that were there, then the new ones. */
export function withMessages(transcript: Dict, messages: readonly Dict[], added: readonly Dict[] = []): Dict {
  const id = transcriptId(transcript);
  const kept = transcriptEvents(transcript).filter((event) => !isMessageEvent(event));
  const logged = messages.map((message, index) => messageEvent(`${id}:msg_${index + 1}`, message));
  return transcript.merge(
    Dict.of({ messages: new List([...messages]), events: new List([...logged, ...kept, ...added]) }),
  );
}

/** The same messages, with more events. */
export const withEvents = (transcript: Dict, added: readonly Dict[]): Dict =>
  transcript.with("events", new List([...transcriptEvents(transcript), ...added]));

/** An asset of the same id is replaced. */
export function withAsset(transcript: Dict, asset: Dict): Dict {
  const id = asset.get("id") ?? null;
  const others = transcriptAssets(transcript).filter((other) => (other.get("id") ?? null) !== id);
  return transcript.with("assets", new List([...others, asset]));
}

const isMessageEvent = (event: Dict): boolean => {
  const kind = event.get("kind");
  return kind === "message" || kind === "tool_result";
};

export interface EventParts {
  readonly id: string;
  readonly kind: string;
  readonly role?: string;
  readonly visibility?: Visibility;
  readonly text: string;
  readonly metadata?: Dict | null;
  /** A field of its own beside the usual ones: `reminder`. */
  readonly payload?: Readonly<Record<string, Value>>;
}

/** An event that is no message. */
export function auditEvent(parts: EventParts): Dict {
  return Dict.of({
    id: parts.id,
    kind: parts.kind,
    role: parts.role ?? "system",
    visibility: parts.visibility ?? "internal",
    text: parts.text,
    blocks: new List([]),
    metadata: parts.metadata ?? undefined,
    ...parts.payload,
  });
}

/** The event of a message. */
export function messageEvent(id: string, message: Dict): Dict {
  const role = textField(message, "role");
  const content = message.get("content") ?? null;
  const blocks = content instanceof List ? dictsOf(content) : [];
  return Dict.of({
    id,
    kind: role === "tool_result" ? "tool_result" : "message",
    role,
    visibility: messageVisibilityOf(role, blocks),
    text: messageLine(message),
    blocks: new List(blocks),
  });
}

/** What a message says, in one line of text: content, then its calls by name. */
export function messageLine(message: Dict): string {
  const content = message.get("content") ?? null;
  const said =
    content instanceof List ? blocksText(dictsOf(content)) : typeof content === "string" ? content : "";
  const calls = message.get("tool_calls");
  const names = calls instanceof List ? dictsOf(calls).map((call) => `<tool_call:${nameOfCall(call)}>`) : [];
  return [said, ...names].filter((part) => part !== "").join(" ");
}

/** OpenAI's wrapped shape and the flat one. */
export function nameOfCall(call: Dict): string {
  const inner = call.get("function");
  return textField(inner instanceof Dict ? inner : call, "name");
}

function messageVisibilityOf(role: string, blocks: readonly Dict[]): string {
  const said = blocks.map((block) => textField(block, "visibility")).filter((text) => text !== "");
  if (said.includes("public")) return "public";
  if (said.includes("internal")) return "internal";
  return role === "tool_result" ? "internal" : "public";
}

/** The text of content blocks, joined with a blank. */
export function blocksText(blocks: readonly Dict[]): string {
  return blocks
    .map(transcriptBlockText)
    .filter((text) => text !== "")
    .join(" ");
}

const fileLike: ReadonlySet<string> = new Set(["file", "document", "pdf", "audio", "video"]);

function transcriptBlockText(block: Dict): string {
  const type = textField(block, "type");
  switch (type) {
    case "text":
    case "output_text":
      return textField(block, "text");
    case "reasoning":
    case "":
      return "";
    case "tool_call":
    case "tool_result":
      return `<${type}:${textField(block, "name")}>`;
  }
  return type === "image" || fileLike.has(type) ? `<${type}:${blockLabel(block, type)}>` : `<${type}>`;
}

function blockLabel(block: Dict, kind: string): string {
  for (const key of ["name", "title", "path", "asset_id"]) {
    const text = textField(block, key);
    if (text !== "") return text;
  }
  return kind;
}
