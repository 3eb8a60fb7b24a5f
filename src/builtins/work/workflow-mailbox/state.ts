/**
 * The state of a workflow's mailbox (agents.md §19.4) as plain data, and what the operations do to it. Pure: reading,
 * writing and locking the file is `mailbox-file.ts`'s.
 */
import { Dict, isInt, List, type Value } from "../../../values/index.ts";

export type MessageKind = "signal" | "update" | "control";

/** Of a state that an operation leaves, and what the operation gives. */
export interface Changed {
  readonly state: Dict;
  readonly result: Value;
}

export type Change = (state: Dict) => Changed;

export const emptyState = (workflow: string): Dict =>
  Dict.of({
    workflow_id: workflow,
    generation: 1,
    paused: false,
    next_seq: 1,
    mailbox: new List([]),
    queries: new Dict(),
    open_updates: new Dict(),
    responses: new Dict(),
    continue_as_new_count: 0,
    last_continue_as_new_at: null,
    done: new List([]),
  });

/** What everybody is told about a workflow. */
export function statusOf(state: Dict, folder: string): Dict {
  const field = (name: string): Value => state.get(name) ?? null;
  return Dict.of({
    workflow_id: field("workflow_id"),
    base_dir: folder,
    generation: field("generation"),
    paused: field("paused"),
    pending_count: messages(state).length,
    query_count: dictIn(state, "queries").size,
    response_count: dictIn(state, "responses").size,
    continue_as_new_count: field("continue_as_new_count"),
    last_continue_as_new_at: field("last_continue_as_new_at"),
  });
}

export interface Letter {
  readonly kind: MessageKind;
  readonly name: string;
  readonly payload: Value;
  readonly at: string;
  readonly request?: string;
}

/** Queues a message; the result is the message. */
export function enqueue(state: Dict, letter: Letter): Changed {
  const seq = intIn(state, "next_seq");
  const message = Dict.of({
    seq,
    kind: letter.kind,
    name: letter.name,
    payload: letter.payload,
    enqueued_at: letter.at,
    request_id: letter.request ?? null,
  });
  const next = state.with("next_seq", seq + 1).with("mailbox", new List([...messages(state), message]));
  const open =
    letter.request === undefined ? next : withEntry(next, "open_updates", letter.request, letter.name);
  return { state: open, result: message };
}

/** The oldest message leaves the mailbox; nil when it is empty. */
export function takeOldest(state: Dict): Changed {
  const [oldest, ...others] = messages(state);
  if (oldest === undefined) return { state, result: null };
  const message = oldest.with("workflow_id", state.get("workflow_id") ?? null);
  return { state: state.with("mailbox", new List(others)), result: message };
}

export const publish = (state: Dict, name: string, value: Value): Dict =>
  withEntry(state, "queries", name, value);

export const queried = (state: Dict, name: string): Value => dictIn(state, "queries").get(name) ?? null;

export const isOpenUpdate = (state: Dict, request: string): boolean =>
  dictIn(state, "open_updates").has(request);

/** The answer to an update: whoever asked takes it from there. */
export function respond(state: Dict, request: string, answer: Dict): Dict {
  const closed = state.with("open_updates", dictIn(state, "open_updates").without(request));
  return withEntry(closed, "responses", request, answer);
}

export function responseTo(state: Dict, request: string): Dict | undefined {
  const found = dictIn(state, "responses").get(request);
  return found instanceof Dict ? found : undefined;
}

/** An update that nobody waits for any more. */
export function withdraw(state: Dict, request: string): Dict {
  const left = messages(state).filter((message) => message.get("request_id") !== request);
  return state
    .with("mailbox", new List(left))
    .with("open_updates", dictIn(state, "open_updates").without(request));
}

/** The next generation: what was answered is forgotten, what waits stays. */
export const nextGeneration = (state: Dict, at: string): Dict =>
  state.merge(
    Dict.of({
      generation: intIn(state, "generation") + 1,
      continue_as_new_count: intIn(state, "continue_as_new_count") + 1,
      last_continue_as_new_at: at,
      responses: new Dict(),
    }),
  );

// ── operations that may be done twice ─────────────────────────────────────────────────────────────────────────────

/** Operations whose results are remembered: one that a crash left in doubt is not done again when it is repeated. */
const remembered = 64;

export function once(state: Dict, operation: string, change: Change): Changed {
  const done = listIn(state, "done");
  const before = done.find((entry) => entry instanceof Dict && entry.get("id") === operation);
  if (before instanceof Dict) return { state, result: before.get("result") ?? null };
  const { state: next, result } = change(state);
  const entries = [...done, Dict.of({ id: operation, result })].slice(-remembered);
  return { state: next.with("done", new List(entries)), result };
}

// ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────

const listIn = (state: Dict, name: string): Value[] => {
  const value = state.get(name);
  return value instanceof List ? value.toArray() : [];
};

const messages = (state: Dict): Dict[] =>
  listIn(state, "mailbox").filter((message): message is Dict => message instanceof Dict);

function dictIn(state: Dict, name: string): Dict {
  const value = state.get(name);
  return value instanceof Dict ? value : new Dict();
}

function intIn(state: Dict, name: string): number {
  const value = state.get(name);
  return isInt(value) ? Number(value) : 0;
}

const withEntry = (state: Dict, name: string, key: string, value: Value): Dict =>
  state.with(name, dictIn(state, name).with(key, value));
