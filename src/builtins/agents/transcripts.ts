/** Transcripts as values (agents.md §3): making, reading, rendering, forking; message builders over lists and transcripts. */

import {
  auditEvent,
  dictsOf,
  isTranscript,
  newTranscript,
  transcriptAssets,
  transcriptEvents,
  transcriptId,
  transcriptMessages,
  transcriptSummary,
  withAsset,
  withEvents,
  withMessages,
} from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { at, defineBuiltins, keysOf, refusal } from "../../table/index.ts";
import { Dict, jsonParse, jsonPretty, List, ScriptError, thrown, type Value } from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { forkFields, resetFields } from "../rows/agents.ts";

function needTranscript(name: string, value: Argument): Dict {
  if (isTranscript(value)) return value;
  throw refusal(at(name, "transcript"), "a transcript", value);
}

// ── making ────────────────────────────────────────────────────────────────────────────────────────────────────────

function make(task: Task, metadata?: Dict | null): Dict {
  return newTranscript(newId(task), metadata ?? null);
}

function fromMessages(task: Task, value: Argument): Dict {
  if (isTranscript(value)) return value;
  if (!(value instanceof List))
    throw refusal(at("transcript_from_messages", "messages"), "a list of messages or a transcript", value);
  return withMessages(newTranscript(newId(task)), dictsOf(value));
}

function importText(text: Argument): Dict {
  let value: Value;
  try {
    value = jsonParse(textOf(text));
  } catch (error) {
    if (error instanceof ScriptError) throw thrown(`transcript_import: ${textOf(error.value)}`);
    throw error;
  }
  if (!(value instanceof Dict) || !(value.get("messages") instanceof List))
    throw thrown("transcript_import: the text is no transcript: it has no list of messages");
  const base = newTranscript("")
    .merge(value)
    .merge(Dict.of({ _type: "transcript", version: 2 }));
  return value.get("events") instanceof List ? base : withMessages(base, transcriptMessages(base));
}

// ── states ────────────────────────────────────────────────────────────────────────────────────────────────────────

function transcriptInState(task: Task, transcript: Dict, state: string, kind: string): Dict {
  const event = auditEvent({
    id: newId(task),
    kind: `transcript_${kind}`,
    text: `transcript ${stateWords[kind]}`,
  });
  return withEvents(transcript, [event]).with("state", state);
}

const toState = (name: string, state: string, doc: string) => ({
  doc,
  sig: "(transcript: dict) -> dict",
  effect: "state" as const,
  run: (task: Task, value: Argument): Value =>
    transcriptInState(task, needTranscript(`transcript_${name}`, value), state, name),
});

const stateWords: Readonly<Record<string, string>> = {
  fork: "forked",
  reset: "reset",
  archive: "archived",
  abandon: "abandoned",
  resume: "resumed",
};

function forkTranscript(task: Task, value: Argument, options: Argument): Dict {
  let transcript = needTranscript("transcript_fork", value);
  if (option(options, "retain_messages") === false) transcript = withMessages(transcript, []);
  if (option(options, "retain_summary") === false) transcript = transcript.without("summary");
  return transcriptInState(task, transcript, "forked", "fork");
}

function reset(task: Task, options: Argument): Dict {
  const metadata = option(options, "metadata");
  return transcriptInState(
    task,
    newTranscript(newId(task), metadata instanceof Dict ? metadata : null),
    "active",
    "reset",
  );
}

// ── looking ───────────────────────────────────────────────────────────────────────────────────────────────────────

function renderTranscript(
  transcript: Dict,
  line: (event: Dict, role: string, text: string) => string | null,
): string {
  const lines = transcriptEvents(transcript).map((event) =>
    line(event, textOf(event.get("role") ?? ""), textOf(event.get("text") ?? "")),
  );
  return lines.filter((text) => text !== null).join("\n");
}

const renderVisible = (transcript: Dict): string =>
  renderTranscript(transcript, (event, role, text) =>
    event.get("visibility") === "public" && text !== "" ? `${role}: ${text}` : null,
  );

const renderFull = (transcript: Dict): string =>
  renderTranscript(
    transcript,
    (event, role, text) => `[${textOf(event.get("visibility") ?? "")}] ${role}: ${text}`,
  );

function stats(value: Argument): Dict {
  const transcript = isTranscript(value) ? value : newTranscript("");
  const messages = transcriptMessages(transcript);
  const of = (...roles: string[]): number =>
    messages.filter((message) => roles.includes(textOf(message.get("role") ?? ""))).length;
  const calls = messages.map((message) => message.get("tool_calls"));
  return Dict.of({
    message_count: messages.length,
    user_message_count: of("user"),
    assistant_message_count: of("assistant"),
    user_facing_message_count: of("user", "assistant"),
    tool_result_message_count: of("tool", "tool_result"),
    tool_call_count: calls.reduce<number>((sum, list) => sum + (list instanceof List ? list.length : 0), 0),
    visible_event_count: transcriptEvents(transcript).filter((event) => event.get("visibility") === "visible")
      .length,
  });
}

// ── building ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Appends a message to a list or a transcript; gives the same kind. */
function appendMessage(target: Argument, message: Dict): Value {
  if (target instanceof List) return target.push(message);
  if (isTranscript(target)) return withMessages(target, [...transcriptMessages(target), message]);
  throw refusal(at("add_message", "target"), "a list of messages or a transcript", target);
}

/** Texts and lists of content blocks stay what they are. */
const transcriptContent = (value: Argument): Value => (value instanceof List ? value : textOf(value));

const adder = (role: string) => ({
  doc: `Appends a message of the ${role === "assistant" ? "assistant" : role} to a message list or a transcript; gives the same kind.`,
  sig: "(target: list | dict, content: any) -> list | dict",
  effect: "pure" as const,
  example: `add_${role}([], "hi")  // [{content: hi, role: ${role}}]`,
  run: (_task: Task, target: Argument, text: Argument): Value =>
    appendMessage(target, Dict.of({ role, content: transcriptContent(text) })),
});

function withAssetArgument(task: Task, value: Argument, asset: Argument): Dict {
  const transcript = needTranscript("transcript_add_asset", value);
  const entry = asset instanceof Dict ? asset : Dict.of({ storage: Dict.of({ path: textOf(asset) }) });
  const defaults = Dict.of({ _type: "transcript_asset", kind: "blob", visibility: "internal" });
  const id = entry.get("id") ?? null;
  return withAsset(transcript, defaults.merge(entry).with("id", id ?? newId(task)));
}

export const transcripts = defineBuiltins(
  "transcripts",
  {
    transcript: {
      doc: "A new transcript without messages. `transcript.name(…)` is `transcript_name(…)`.",
      sig: "(metadata!: dict? = nil) -> dict",
      effect: "state",
      example: "len(transcript().messages)  // 0",
      run: make,
    },
    transcript_from_messages: {
      doc: "A transcript of these messages; a transcript is given back as it is.",
      sig: "(messages: list | dict) -> dict",
      effect: "state",
      example: 'transcript_from_messages([{role: "user", content: "hi"}]).events[0].text  // hi',
      run: fromMessages,
    },
    transcript_messages: {
      doc: "The messages of a transcript: what a model sees next.",
      sig: "(transcript: dict) -> list",
      effect: "pure",
      example: 'transcript_messages(add_user(transcript(), "hi"))  // [{content: hi, role: user}]',
      run: (_task, value: Argument) =>
        new List(transcriptMessages(needTranscript("transcript_messages", value))),
    },
    transcript_events: {
      doc: "The events of a transcript: one per message, then what else happened.",
      sig: "(transcript: dict) -> list",
      effect: "pure",
      example: 'len(transcript_events(add_user(transcript(), "hi")))  // 1',
      run: (_task, value: Argument) => new List(transcriptEvents(needTranscript("transcript_events", value))),
    },
    transcript_events_by_kind: {
      doc: "The events of one kind: `message`, `tool_result`, `compaction`, `system_reminder` …",
      sig: "(transcript: dict, kind: string) -> list",
      effect: "pure",
      example: 'transcript_events_by_kind(add_user(transcript(), "hi"), "compaction")  // []',
      run: (_task, value: Argument, kind: Argument) =>
        new List(
          transcriptEvents(needTranscript("transcript_events_by_kind", value)).filter(
            (event) => event.get("kind") === textOf(kind ?? ""),
          ),
        ),
    },
    transcript_assets: {
      doc: "The assets of a transcript.",
      sig: "(transcript: dict) -> list",
      effect: "pure",
      example: "transcript_assets(transcript())  // []",
      run: (_task, value: Argument) => new List(transcriptAssets(needTranscript("transcript_assets", value))),
    },
    transcript_summary: {
      doc: "The summary of what was compacted; nil without one.",
      sig: "(transcript: dict) -> string?",
      effect: "pure",
      example: "transcript_summary(transcript())  // nil",
      run: (_task, value: Argument) => transcriptSummary(needTranscript("transcript_summary", value)) || null,
    },
    transcript_id: {
      doc: "The id of a transcript.",
      sig: "(transcript: dict) -> string",
      effect: "pure",
      example: "len(transcript_id(transcript()))  // 36",
      run: (_task, value: Argument) => transcriptId(needTranscript("transcript_id", value)),
    },
    transcript_add_asset: {
      doc: "A transcript with one more asset `{id, kind, visibility, storage, data, …}`; a path is stored as `storage.path`, one of the same id is replaced.",
      sig: "(transcript: dict, asset: any) -> dict",
      effect: "state",
      run: withAssetArgument,
    },
    transcript_export: {
      doc: "A transcript as JSON text.",
      sig: "(transcript: dict) -> string",
      effect: "pure",
      example: "len(transcript_import(transcript_export(transcript())).messages)  // 0",
      run: (_task, value: Argument) => jsonPretty(needTranscript("transcript_export", value)),
    },
    transcript_import: {
      doc: "The transcript in a JSON text.",
      sig: "(text: string) -> dict",
      effect: "pure",
      example: 'transcript_import("{\\"id\\": \\"t\\", \\"messages\\": []}").id  // t',
      run: (_task, text: Argument) => importText(text),
    },
    transcript_render_visible: {
      doc: "What a person sees: lines `role: text` of the public events that have a text.",
      sig: "(transcript: dict) -> string",
      effect: "pure",
      example: 'transcript_render_visible(add_user(transcript(), "hi"))  // user: hi',
      run: (_task, value: Argument) => renderVisible(needTranscript("transcript_render_visible", value)),
    },
    transcript_render_full: {
      doc: "Every event as a line `[visibility] role: text`.",
      sig: "(transcript: dict) -> string",
      effect: "pure",
      example: 'transcript_render_full(add_user(transcript(), "hi"))  // [public] user: hi',
      run: (_task, value: Argument) => renderFull(needTranscript("transcript_render_full", value)),
    },
    transcript_fork: {
      doc: "A copy in the state `forked`, of the same id. `retain_messages: false` and `retain_summary: false` leave those out.",
      sig: "(transcript: dict, options: dict? = nil) -> dict",
      effect: "state",
      fields: { options: () => forkFields },
      run: forkTranscript,
    },
    transcript_reset: {
      doc: "An empty transcript with a new id, in the state `active`; `metadata` may be given.",
      sig: "(options: dict? = nil) -> dict",
      effect: "state",
      fields: { options: () => resetFields },
      run: reset,
    },
    transcript_archive: toState("archive", "archived", "The transcript in the state `archived`."),
    transcript_abandon: toState("abandon", "abandoned", "The transcript in the state `abandoned`."),
    transcript_resume: toState("resume", "active", "The transcript in the state `active` again."),
    transcript_stats: {
      doc: "Counts of messages, calls, results and visible events; all 0 for anything that is no transcript.",
      sig: "(transcript: dict?) -> dict",
      effect: "pure",
      example: "transcript_stats(nil).message_count  // 0",
      resultKeys: () =>
        keysOf(
          "message_count",
          "user_message_count",
          "assistant_message_count",
          "user_facing_message_count",
          "tool_result_message_count",
          "tool_call_count",
          "visible_event_count",
        ),
      run: (_task, value: Argument) => stats(value),
    },
    conversation: {
      doc: "An empty message list.",
      sig: "() -> list",
      effect: "pure",
      example: "conversation()  // []",
      run: () => new List([]),
    },
    add_message: {
      doc: "Appends a message to a message list or a transcript; gives the same kind.",
      sig: "(target: list | dict, role: string, content: any) -> list | dict",
      effect: "pure",
      example: 'add_message([], "user", "hi")  // [{content: hi, role: user}]',
      run: (_task, target: Argument, role: Argument, text: Argument) =>
        appendMessage(target, Dict.of({ role: textOf(role), content: transcriptContent(text) })),
    },
    add_user: adder("user"),
    add_assistant: adder("assistant"),
    add_system: adder("system"),
    add_tool_result: {
      doc: "Appends a tool's result to a message list or a transcript; gives the same kind.",
      sig: "(target: list | dict, tool_use_id: string, content: any) -> list | dict",
      effect: "pure",
      example: 'add_tool_result([], "c1", "ok")  // [{content: ok, role: tool_result, tool_use_id: c1}]',
      run: (_task, target: Argument, id: Argument, text: Argument) =>
        appendMessage(
          target,
          Dict.of({ role: "tool_result", tool_use_id: textOf(id), content: transcriptContent(text) }),
        ),
    },
  },
  {
    metadata: "what is kept with the transcript",
    messages: "messages, or a transcript",
    transcript: "a transcript",
    target: "messages, or a transcript",
  },
);
