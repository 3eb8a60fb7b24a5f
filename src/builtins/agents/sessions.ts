/** The conversations that agents run on (agents.md §4.1): opening, forking, compacting, working memory, events. */

import {
  clearPad,
  endConversation,
  forkConversation,
  loadCompaction,
  loadProjection,
  type PadReason,
  setPad,
  transcriptOf,
} from "../../agent/index.ts";
import { shape } from "../../effects/index.ts";
import { liveEventTypes } from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import {
  type Conversation,
  conversations,
  messageFrom,
  originOfValue,
  publishNamed,
  type WorkspaceAnchor,
} from "../../model/index.ts";
import { defineBuiltins, row, rows } from "../../table/index.ts";
import { type Callable, Dict, List, optionsDict, thrown, type Value } from "../../values/index.ts";
import { type Argument, option, optionsOf, textOf } from "../arguments.ts";
import { ladderCompactFields, padChangeFields, seedFields } from "../rows/agents.ts";
import { seedFromJsonl } from "./session-seed.ts";

const storeOf = (task: Task) => task.runtime.state(conversations);

const sessionOpenFields = rows(
  () => ({
    workspace_anchor: row
      .dict(
        rows(() => ({
          primary: row.filled("The folder.").required(),
          additional_roots: row.list(
            row.either([row.text(), row.dict(null)]),
            "Further folders: paths, or `{path, mount_mode}`.",
            [],
          ),
        })),
        "The folder that its tools work in.",
      )
      .bounds(),
  }),
  { strict: true },
);

function open(task: Task, id?: string | null, options?: Argument): string {
  const caller = "agent_session_open";
  const { workspaceAnchor: anchor } = optionsOf(caller, options, sessionOpenFields);
  const conversation = storeOf(task).open(id ?? newId(task));
  conversation.disposable = false;
  if (anchor !== null) conversation.anchor = anchorOf(caller, anchor.primary, anchor.additionalRoots);
  return conversation.id;
}

function anchorOf(caller: string, primary: string, roots: readonly (string | Dict)[]): WorkspaceAnchor {
  const rootOf = (root: string | Dict) => {
    const found = workspaceRoot(root);
    if (found === null) throw thrown(`${caller}: a root needs a \`path\``);
    return found;
  };
  return { primary, roots: roots.map(rootOf) };
}

function workspaceRoot(value: Value): { path: string; mode: string } | null {
  const path = value instanceof Dict ? value.get("path") : value;
  const mode = value instanceof Dict ? (value.get("mount_mode") ?? value.get("mode")) : undefined;
  return typeof path === "string" && path !== ""
    ? { path, mode: typeof mode === "string" ? mode : "read" }
    : null;
}

function known(task: Task, op: string, id: Argument): Conversation {
  const name = textOf(id ?? null);
  const found = storeOf(task).get(name);
  if (found === undefined) throw thrown(`agent_session_${op}: unknown session id '${name}'`);
  return found;
}

function sessionSnapshot(task: Task, id: Argument): Value {
  const conversation = storeOf(task).get(textOf(id ?? null));
  if (conversation === undefined) return null;
  return transcriptOf(conversation).merge(
    Dict.of({
      parent_id: conversation.parentId,
      child_ids: new List([...conversation.childIds]),
      branched_at_event_index: conversation.branchedAt,
    }),
  );
}

function ancestry(task: Task, id: Argument): Value {
  const conversation = storeOf(task).get(textOf(id ?? null));
  if (conversation === undefined) return null;
  let root = conversation;
  for (let at = root.parentId; at !== null; ) {
    const parent = storeOf(task).get(at);
    if (parent === undefined || parent === root) break;
    root = parent;
    at = parent.parentId;
  }
  return Dict.of({
    parent_id: conversation.parentId,
    child_ids: new List([...conversation.childIds]),
    root_id: root.id,
  });
}

function inject(task: Task, id: Argument, message: Dict): null {
  const conversation = known(task, "inject", id);
  if (typeof message.get("role") !== "string") {
    throw thrown(
      "agent_session_inject: message must have a string `role` (user|assistant|tool_result|system)",
    );
  }
  const said = messageFrom(message, "agent_session_inject: message");
  conversation.say(said, originOfValue(message, said));
  conversation.arrived();
  return null;
}

function forkSession(
  task: Task,
  op: string,
  source: Argument,
  keep: number | null,
  target: Argument,
): string {
  const from = known(task, op, source);
  const id = typeof target === "string" ? target : newId(task);
  if (id === from.id) throw thrown(`agent_session_${op}: a session can't be forked onto itself`);
  return forkConversation(task, from, id, keep).id;
}

function trim(task: Task, id: Argument, last: number): number {
  const conversation = known(task, "trim", id);
  conversation.show(last === 0 ? [] : conversation.shown.slice(-last), "script");
  return conversation.shown.length;
}

function subscribe(task: Task, id: Argument, callback: Callable): null {
  storeOf(task)
    .open(textOf(id ?? null))
    .subscribers.push(callback);
  return null;
}

function injectFeedback(task: Task, id: Argument, kind: Argument, text: Argument): null {
  const conversation = storeOf(task).open(textOf(id ?? null));
  conversation.inject({ kind: textOf(kind ?? null), text: textOf(text ?? null) });
  return null;
}

// ── working memory ────────────────────────────────────────────────────────────────────────────────────────────────

function reasonOf(caller: string, options: Argument, reason: string): PadReason {
  const input = optionsDict(caller, options);
  const text = (key: string, usual: string): string => {
    const value = option(input, key);
    return typeof value === "string" ? value : usual;
  };
  const metadata = option(options, "metadata");
  return {
    source: text("source", "script"),
    reason: text("reason", reason),
    metadata: metadata instanceof Dict ? metadata : null,
  };
}

function setScratchpad(task: Task, id: Argument, pad: Argument, options: Argument): Dict {
  const conversation = known(task, "set_scratchpad", id);
  const why = reasonOf("agent_session_set_scratchpad", options, "set");
  const change = setPad(conversation, pad ?? null, why);
  return change.ok
    ? Dict.of({ ok: true, version: change.version, scratchpad: change.pad })
    : Dict.of({ ok: false, error: change.error });
}

function clearScratchpad(task: Task, id: Argument, options: Argument): Dict {
  const conversation = known(task, "clear_scratchpad", id);
  const version = clearPad(conversation, reasonOf("agent_session_clear_scratchpad", options, "clear"));
  return Dict.of({ ok: true, scratchpad: null, version });
}

/** For those who read the journal. */
function noteClose(task: Task, session: string, reason: string): void {
  void task.perform<null>({
    effect: "observe",
    kind: "session.close",
    args: () => ({ session, reason }),
    run: () => null,
    result: shape.nothing,
  });
}

export const sessions = defineBuiltins(
  "sessions",
  {
    agent_session_open: {
      doc: "Opens a conversation and gives its id; without an id a new one is made.",
      sig: "(id!: string? = nil, opts!: dict? = nil) -> string",
      effect: "state",
      fields: { opts: () => sessionOpenFields },
      run: open,
    },
    agent_session_exists: {
      doc: "Whether there is a conversation of this id.",
      sig: "(id: string) -> bool",
      effect: "state",
      example: 'agent_session_exists("nobody")  // false',
      run: (task, id: Argument) => storeOf(task).get(textOf(id ?? null)) !== undefined,
    },
    agent_session_current_id: {
      doc: "The session of the innermost agent loop that runs now (also in its tools, callbacks and hooks); nil outside.",
      sig: "() -> string?",
      effect: "state",
      example: "agent_session_current_id()  // nil",
      run: (task) => storeOf(task).current(task),
    },
    agent_session_length: {
      doc: "How many messages the model would see.",
      sig: "(id: string) -> int",
      effect: "state",
      run: (task, id: Argument) => known(task, "length", id).shown.length,
    },
    agent_session_snapshot: {
      doc: "The transcript of a conversation with its place among its relatives; nil for an unknown id.",
      sig: "(id: string) -> dict?",
      effect: "state",
      run: sessionSnapshot,
    },
    agent_session_ancestry: {
      doc: "`{parent_id, child_ids, root_id}`, or nil for an unknown id.",
      sig: "(id: string) -> dict?",
      effect: "state",
      run: ancestry,
    },
    agent_session_reset: {
      doc: "Forgets what was said; id and subscribers stay. Of a loop that runs on it stay its task and the calls that are open.",
      sig: "(id: string) -> nil",
      effect: "state",
      run: (task, id: Argument) => {
        known(task, "reset", id).reset();
        return null;
      },
    },
    agent_session_fork: {
      doc: "A new conversation that begins as a copy.",
      sig: "(src: string, dst: string? = nil) -> string",
      effect: "state",
      run: (task, source: Argument, target: Argument) => forkSession(task, "fork", source, null, target),
    },
    agent_session_fork_at: {
      doc: "A new conversation that begins with the first `keep_first` messages of another.",
      sig: "(src: string, keep_first: int >= 0, dst: string? = nil) -> string",
      effect: "state",
      run: (task, source: Argument, keep: number, target: Argument) =>
        forkSession(task, "fork_at", source, keep, target),
    },
    agent_session_trim: {
      doc: "Keeps the last messages in view; gives how many there are.",
      sig: "(id: string, keep_last: int >= 0) -> int",
      effect: "state",
      run: trim,
    },
    agent_session_inject: {
      doc: "Appends a message to a conversation; while calls of a loop are open, after their results.",
      sig: "(id: string, message!: dict) -> nil",
      effect: "state",
      run: inject,
    },
    agent_session_close: {
      doc: "Closes a conversation and forgets it; the session of a loop that runs is closed when the loop ends. The reason goes to the journal and to `SessionEnd` hooks.",
      sig: "(id: string, reason: string? = nil) -> nil",
      effect: "state",
      performs: true,
      suspends: "may",
      run: async (task, id: Argument, reason: Argument) => {
        const conversation = known(task, "close", id);
        const why = textOf(reason ?? null);
        noteClose(task, conversation.id, why);
        if (conversation.running > 0) conversation.closing = why;
        else await endConversation(task, conversation, why);
        return null;
      },
    },
    agent_session_compact: {
      doc:
        "Archives older messages, puts a summary in their place and gives how many are shown then. Nothing happens below `token_threshold` (48,000) " +
        "estimated tokens. Options: `keep_last` (12), `compact_strategy` (observation_mask, truncate, llm, custom), `hard_limit_tokens`, " +
        "`hard_limit_strategy`, `tool_output_max_chars`, `custom_compactor`, `mask_callback`, `compress_callback`, `policy`. With " +
        '`strategy: "ladder"` one pass of the ladder, with its own options (docs/control-plane.md).',
      sig: "(id: string, options: dict? = nil) -> int",
      effect: "state",
      mayNeed: "model",
      suspends: "may",
      fields: { options: () => ladderCompactFields },
      run: async (task, id: Argument, options: Argument) => {
        const conversation = known(task, "compact", id);
        const { sessionCompact } = await task.runtime.effects.turns.hold(loadCompaction());
        return sessionCompact(task, conversation, options ?? null);
      },
    },
    agent_session_project_turn: {
      doc:
        "The messages that a loop with this `transcript_projection` would send now: `raw`, `clean_tool_repair`, `squash_failed_calls`, " +
        '`summary_prefix`, `reachability_gc`, or `{policy, keep_last}`, `{policy: "custom", projector}`.',
      sig: "(id: string, projection: any = nil) -> list",
      effect: "state",
      suspends: "may",
      run: async (task, id: Argument, projection: Argument) => {
        const conversation = known(task, "project_turn", id);
        const { projectSession } = await task.runtime.effects.turns.hold(loadProjection());
        return projectSession(task, conversation, projection ?? null);
      },
    },
    agent_session_scratchpad: {
      doc: "The working memory of a session, nil without one.",
      sig: "(id: string) -> dict?",
      effect: "state",
      run: (task, id: Argument) => known(task, "scratchpad", id).scratchpad,
    },
    agent_session_set_scratchpad: {
      doc: "Gives a session another working memory `{goals, open_items, facts, refs}`, at most 16 KiB of JSON. `{ok, version, scratchpad}` or `{ok: false, error}`. Options: `source`, `reason`, `metadata` for the audit trail.",
      sig: "(id: string, scratchpad: dict, options: dict? = nil) -> dict",
      effect: "state",
      fields: { scratchpad: "a scratchpad; further fields are kept", options: () => padChangeFields },
      run: setScratchpad,
    },
    agent_session_clear_scratchpad: {
      doc: "Forgets the working memory of a session: `{ok, scratchpad: nil, version}`.",
      sig: "(id: string, options: dict? = nil) -> dict",
      effect: "state",
      fields: { options: () => padChangeFields },
      run: clearScratchpad,
    },
    agent_session_seed_from_jsonl: {
      doc:
        "A new session from an `llm_transcript.jsonl`. Options: `session_id`, `provider`, `model` (another one recorded is an error), " +
        "`truncate_to_last`, `drop_tool_calls`, `validate` (true). Gives `{ok, session_id, turns_loaded, messages_loaded, source_format, …, error}`.",
      sig: "(path: string, options: dict? = nil) -> dict",
      effect: "read",
      performs: true,
      capability: "fs.read",
      fields: { options: () => seedFields },
      run: seedFromJsonl,
    },
    agent_subscribe: {
      doc: "Calls `fn(event)` for every live event of a session. What it throws is logged and goes no further.",
      sig: "(id: string, fn!: fn(dict) -> any) -> nil",
      effect: "state",
      // Each type has fields of its own, and scripts emit events of theirs.
      calledWith: { fn: () => ({ keys: { type: liveEventTypes }, open: true, hasOwnStates: true }) },
      run: subscribe,
    },
    agent_emit_event: {
      doc: "Tells the subscribers of a session a live event of this type; nil names the innermost loop that runs. `agent_trace()` lists it.",
      sig: '(id: string?, type: string != "", fields: dict? = nil) -> nil',
      effect: "state",
      suspends: "may",
      run: async (task, id: Argument, type: string, fields: Argument) => {
        const payload = optionsDict("agent_emit_event", fields, "fields");
        const session = typeof id === "string" ? id : (storeOf(task).current(task) ?? "");
        await publishNamed(task, session, type, payload);
        return null;
      },
    },
    agent_inject_feedback: {
      doc: "Queues a message of the runtime, told to the model before its next turn.",
      sig: "(id: string, kind: string, text: string) -> nil",
      effect: "state",
      run: injectFeedback,
    },
  },
  { message: "a message; further fields are kept", fields: "what the event tells" },
);
