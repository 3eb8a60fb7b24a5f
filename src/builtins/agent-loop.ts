/** `agent_loop`, `agent_turn`, and the conversations that they run on (agents.md §4.1, §10, §12). */
import {
  type Conversation,
  conversations,
  loadAgentLoop,
  messageFrom,
  newId,
  runSessionHooks,
  tellSession,
  transcriptOf,
} from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { Callable, Dict, display, List, thrown, typeOf, type Value } from "../values/index.ts";
import { type Given, textOf } from "./arguments.ts";

// ── loops ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function agentLoop(task: Task, prompt: Given, system: Given, options: Given): Promise<Value> {
  if (prompt === undefined) throw thrown("agent_loop: requires a prompt");
  // `agent_loop(prompt, options)`: a dict in second place is the options.
  const swapped = system instanceof Dict && options === undefined;
  const given = (swapped ? system : options) ?? null;
  if (given !== null && !(given instanceof Dict)) {
    throw thrown(`agent_loop: options must be a dict or nil; got ${typeOf(given)}`);
  }
  const own = given?.get("system") ?? null;
  const text = swapped || (system ?? null) === null ? own : (system ?? null);
  if (text !== null && typeof text !== "string") {
    throw thrown(`agent_loop: system must be a string or nil; got ${typeOf(text)}`);
  }
  const { runAgentLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  return runAgentLoop(task, {
    prompt: display(prompt),
    system: text,
    options: (given ?? new Dict()).without("system"),
    caller: "agent_loop",
  });
}

async function agentTurn(task: Task, prompt: Given, options: Given): Promise<Value> {
  if (prompt === undefined) throw thrown("agent_turn: requires a prompt");
  const { runAgentTurn } = await task.runtime.effects.turns.hold(loadAgentLoop());
  return runAgentTurn(task, display(prompt), options ?? null);
}

// ── conversations ─────────────────────────────────────────────────────────────────────────────────────────────────

const storeOf = (task: Task) => task.runtime.state(conversations);

function open(task: Task, id: Given, options: Given): string {
  if (id !== undefined && id !== null && typeof id !== "string") {
    throw thrown("agent_session_open: `id` must be a string or nil");
  }
  if (options instanceof Dict && options.size > 0) {
    throw thrown(`agent_session_open: option \`${options.keys()[0]}\` is not available yet`);
  }
  const conversation = storeOf(task).open(id ?? newId(task));
  conversation.closed = false;
  conversation.disposable = false;
  return conversation.id;
}

function known(task: Task, op: string, id: Given): Conversation {
  const name = textOf(id ?? null);
  const found = storeOf(task).get(name);
  if (found === undefined) throw thrown(`agent_session_${op}: unknown session id '${name}'`);
  return found;
}

function snapshot(task: Task, id: Given): Value {
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

function ancestry(task: Task, id: Given): Value {
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

function inject(task: Task, id: Given, message: Given): null {
  const conversation = known(task, "inject", id);
  if (!(message instanceof Dict)) throw thrown("agent_session_inject: message must be a dict");
  if (typeof message.get("role") !== "string") {
    throw thrown(
      "agent_session_inject: message must have a string `role` (user|assistant|tool_result|system)",
    );
  }
  conversation.append(messageFrom(message, "agent_session_inject: message"));
  return null;
}

function count(op: string, name: string, value: Given): number {
  if (typeof value !== "number" || value < 0) throw thrown(`agent_session_${op}: \`${name}\` must be >= 0`);
  return value;
}

function fork(task: Task, op: string, source: Given, keep: number | null, target: Given): string {
  const from = known(task, op, source);
  const id = typeof target === "string" ? target : newId(task);
  const copy = storeOf(task).open(id);
  copy.reset();
  for (const { message } of keep === null ? from.shown : from.shown.slice(0, keep)) copy.append(message);
  copy.parentId = from.id;
  copy.branchedAt = keep;
  copy.toolFormat = from.toolFormat;
  from.childIds.push(id);
  return id;
}

function trim(task: Task, id: Given, keep: Given): number {
  const conversation = known(task, "trim", id);
  const last = count("trim", "keep_last", keep);
  conversation.show(last === 0 ? [] : conversation.shown.slice(-last));
  return conversation.shown.length;
}

function subscribe(task: Task, id: Given, callback: Given): null {
  if (!(callback instanceof Callable)) {
    throw thrown(`agent_subscribe: second argument must be a closure; got ${typeOf(callback ?? null)}`);
  }
  storeOf(task)
    .open(textOf(id ?? null))
    .subscribers.push(callback);
  return null;
}

function injectFeedback(task: Task, id: Given, kind: Given, text: Given): null {
  const conversation = storeOf(task).open(textOf(id ?? null));
  conversation.feedback.push({ kind: textOf(kind ?? null), text: textOf(text ?? null) });
  return null;
}

export const agentLoopBuiltins = defineBuiltins("agent_loop", {
  agent_loop: {
    doc:
      "Runs an agent until it is done: calls the model, runs the tools it asks for, and goes on. Gives the result dict " +
      "(`status`, `text`, `llm`, `tools`, `transcript` …); a failing provider is a status, not an error.",
    sig: "(prompt: any, system: string? = nil, options: dict? = nil) -> dict",
    effect: "state",
    suspends: "may",
    capability: "model",
    run: agentLoop,
  },
  agent_turn: {
    doc: "One agent completes one request: `agent_loop` until done, with a completion judge. Adds `iterations` and `judge_decisions`.",
    sig: "(prompt: any, opts: dict? = nil) -> dict",
    effect: "state",
    suspends: "may",
    capability: "model",
    run: agentTurn,
  },
  agent_session_open: {
    doc: "Opens a conversation and gives its id; without an id a new one is made.",
    sig: "(id: string? = nil, opts: dict? = nil) -> string",
    effect: "state",
    run: open,
  },
  agent_session_exists: {
    doc: "Whether there is a conversation of this id.",
    sig: "(id: string) -> bool",
    effect: "state",
    example: 'agent_session_exists("nobody")  // false',
    run: (task, id: Given) => storeOf(task).get(textOf(id ?? null)) !== undefined,
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
    run: (task, id: Given) => known(task, "length", id).shown.length,
  },
  agent_session_snapshot: {
    doc: "The transcript of a conversation with its place among its relatives; nil for an unknown id.",
    sig: "(id: string) -> dict?",
    effect: "state",
    run: snapshot,
  },
  agent_session_ancestry: {
    doc: "`{parent_id, child_ids, root_id}`, or nil for an unknown id.",
    sig: "(id: string) -> dict?",
    effect: "state",
    run: ancestry,
  },
  agent_session_reset: {
    doc: "Forgets what was said; id and subscribers stay.",
    sig: "(id: string) -> nil",
    effect: "state",
    run: (task, id: Given) => {
      known(task, "reset", id).reset();
      return null;
    },
  },
  agent_session_fork: {
    doc: "A new conversation that begins as a copy.",
    sig: "(src: string, dst: string? = nil) -> string",
    effect: "state",
    run: (task, source: Given, target: Given) => fork(task, "fork", source, null, target),
  },
  agent_session_fork_at: {
    doc: "A new conversation that begins with the first `keep_first` messages of another.",
    sig: "(src: string, keep_first: int, dst: string? = nil) -> string",
    effect: "state",
    run: (task, source: Given, keep: Given, target: Given) => {
      known(task, "fork_at", source);
      return fork(task, "fork_at", source, count("fork_at", "keep_first", keep), target);
    },
  },
  agent_session_trim: {
    doc: "Keeps the last messages in view; gives how many there are.",
    sig: "(id: string, keep_last: int) -> int",
    effect: "state",
    run: trim,
  },
  agent_session_inject: {
    doc: "Appends a message to a conversation.",
    sig: "(id: string, message: dict) -> nil",
    effect: "state",
    run: inject,
  },
  agent_session_close: {
    doc: "Closes a conversation; closed ones age out.",
    sig: "(id: string, reason: string? = nil) -> nil",
    effect: "state",
    suspends: "may",
    run: async (task, id: Given, reason: Given) => {
      const conversation = known(task, "close", id);
      conversation.closed = true;
      const fields = Dict.of({ status: "closed", stop_reason: textOf(reason ?? null) });
      await runSessionHooks(task, "SessionEnd", conversation.id, fields, conversation.id);
      return null;
    },
  },
  agent_subscribe: {
    doc: "Calls `fn(event)` for every live event of a session. What it throws is logged and goes no further.",
    sig: "(id: string, fn: fn(dict) -> any) -> nil",
    effect: "state",
    run: subscribe,
  },
  agent_emit_event: {
    doc: "Tells the subscribers of a session a live event of this type; nil names the innermost loop that runs. `agent_trace()` lists it.",
    sig: "(id: string?, type: string, fields: dict? = nil) -> nil",
    effect: "state",
    suspends: "may",
    run: async (task, id: Given, type: Given, fields: Given) => {
      if (typeof type !== "string" || type === "")
        throw thrown("agent_emit_event: `type` must be a non-empty string");
      const session = typeof id === "string" ? id : (storeOf(task).current(task) ?? "");
      await tellSession(task, session, type, fields instanceof Dict ? fields : new Dict());
      return null;
    },
  },
  agent_inject_feedback: {
    doc: "Queues a message of the runtime, told to the model before its next turn.",
    sig: "(id: string, kind: string, text: string) -> nil",
    effect: "state",
    run: injectFeedback,
  },
});
