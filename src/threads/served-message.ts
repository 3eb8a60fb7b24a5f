/**
 * A run that works for one message of a durable conversation, seen from inside: what its program is told, the history that it
 * begins with, and what comes while it works. Both reach it as effects, so a replay needs no store:
 *
 *     conversation.history   class `read`, once, before the program begins
 *     conversation.inbox     class `observe`, in the background, one at a time for as long as the run: messages with the
 *                            delivery `step` or `now`, and changes of the mode
 */
import {
  type Attachment,
  type HostSession,
  hostSession,
  keptControl,
  restoreKept,
  restoreMessages,
  restoreTaskState,
  sayToSession,
  setMode,
  wordsWith,
} from "../agent/index.ts";
import { type EffectCall, InFlightEffect, type Json, shape } from "../effects/index.ts";
import { type Runtime, stateKey, Task } from "../interp/index.ts";
import { conversations, isAgentMode, patternMatcher } from "../model/index.ts";
import { Dict, fromJson, type Value } from "../values/index.ts";

/** What a program is told of the message that it works for: part of the run's header. */
export interface ServedMessage {
  /** Id of the conversation, which is the session's, too. */
  readonly conversation: string;
  readonly title: string;
  readonly agent: string;
  readonly mode: string | null;
  readonly config: { readonly [key: string]: Json };
  /** Absolute path of the conversation's folder. */
  readonly workspace: string | null;
  /** The conversation that this one was forked from. */
  readonly parent: string | null;
  /** `m_…` */
  readonly message: string | null;
  readonly text: string;
  readonly attachments: readonly Json[];
  /** Who said it. */
  readonly by: string | null;
  readonly run: string;
  /** How often people had set the mode. */
  readonly modeChanges: number;
}

/** What was said before, and what is kept about it. */
export interface ServedHistory {
  readonly messages: readonly Json[];
  readonly kept: Json;
  /** Number of the last message: more than there are when some were forgotten. */
  readonly rows: number;
  /** Files that come with the message that the run answers; absent without. */
  readonly attached?: readonly Attachment[];
}

/** What came while the run worked: at least one message, or another mode. */
export interface Arrivals {
  readonly messages: readonly {
    readonly id: string;
    readonly text: string;
    readonly delivery: "step" | "now";
    /** Files that come with it; absent without. */
    readonly attached?: readonly Attachment[];
  }[];
  /** Null: as before. */
  readonly mode: string | null;
  /** How often people have set it by now. */
  readonly modeChanges: number;
}

const attachedShape = shape.optional(
  shape.listOf(
    shape.record<Attachment>({
      path: shape.text,
      text: shape.optional(shape.text),
      base64: shape.optional(shape.text),
      media_type: shape.optional(shape.text),
    }),
  ),
);
const historyShape = shape.record<ServedHistory>({
  messages: shape.listOf(shape.json),
  kept: shape.json,
  rows: shape.count,
  attached: attachedShape,
});
const arrivalsShape = shape.record<Arrivals>({
  messages: shape.listOf(
    shape.record<Arrivals["messages"][number]>({
      id: shape.text,
      text: shape.text,
      delivery: shape.oneOf("step", "now"),
      attached: attachedShape,
    }),
  ),
  mode: shape.orNull(shape.text),
  modeChanges: shape.count,
});

/** Where a live run gets these from; a replay asks for nothing. */
export interface ServedPorts {
  history(): ServedHistory;
  /** The run has begun with this history, read now or by an earlier process of it. */
  begun(history: ServedHistory): void;
  /** Resolves with what is not among `heard`, or another mode than after so many changes. */
  arrivals(
    delivered: ReadonlyMap<string, string>,
    modeChanges: number,
    signal: AbortSignal,
  ): Promise<Arrivals>;
}

interface ServedState {
  message: ServedMessage | null;
  ports: ServedPorts | null;
  /** Texts of messages that came while the run worked, with those of their files, by id. */
  readonly delivered: Map<string, string>;
}

/** `task.runtime.state(servedMessage)`; its message is null in a run that works for no conversation. */
export const servedMessage = stateKey<ServedState>("threads.served message", () => ({
  message: null,
  ports: null,
  delivered: new Map(),
}));

/** Tells the run whom it works for; before its program begins. `ports`: null in a replay. */
export function serveMessage(runtime: Runtime, message: ServedMessage, ports: ServedPorts | null): void {
  const state = runtime.state(servedMessage);
  state.message = message;
  state.ports = ports;
  const host: HostSession = {
    id: message.conversation,
    prompt: message.text,
    reasoning: null,
    servers: [],
    clients: undefined,
    stopReason: null,
  };
  runtime.state(hostSession).current = host;
}

/** Parameters of the entry pipeline, by name. */
export const servedParams = ({
  text,
  conversation,
  mode,
  config,
}: ServedMessage): ReadonlyMap<string, Value> =>
  new Map<string, Value>([
    ["task", text],
    ["prompt", text],
    ["session_id", conversation],
    ["mode", mode],
    ["config", fromJson(config)],
  ]);

/** `argv` of a script without an entry pipeline. */
export const servedArgs = ({ text, conversation }: ServedMessage): string[] => [text, conversation];

/** The program's own task, with the conversation as it was and the inbox open. */
export function openServed(runtime: Runtime): Task {
  const task = new Task(runtime, undefined, "task_root", runtime.effects.root);
  const state = runtime.state(servedMessage);
  const { message } = state;
  if (message === null) return task;
  const { conversation: id, run } = message;
  const history = task.perform<ServedHistory>({
    effect: "read",
    kind: "conversation.history",
    args: () => ({ conversation: id, run }),
    run: () => servedPortsOf(state).history(),
    result: historyShape,
  }) as ServedHistory;
  const conversation = runtime.state(conversations).open(id);
  conversation.isContinued = true;
  restoreMessages(conversation, history.messages);
  restoreKept(conversation, history.kept);
  restoreTaskState(conversation, keptControl(history.kept), "conversation", patternMatcher(runtime));
  if (isAgentMode(message.mode)) conversation.mode = message.mode;
  const { current: host } = runtime.state(hostSession);
  if (host !== null && history.attached !== undefined) host.attached = history.attached;
  state.ports?.begun(history);
  listenTo(task, message);
  return task;
}

/** Opens the inbox, and again each time that something came. */
function listenTo(task: Task, message: ServedMessage): void {
  const { runtime } = task;
  const { effects } = runtime;
  const scope = effects.child(effects.root);
  const state = runtime.state(servedMessage);
  const { conversation: id } = message;
  let { modeChanges } = message;
  const listen = (): void => {
    const call: EffectCall<Arrivals> = {
      effect: "observe",
      kind: "conversation.inbox",
      background: true,
      args: () => ({ conversation: id }),
      run: (signal) => servedPortsOf(state).arrivals(state.delivered, modeChanges, signal),
      result: arrivalsShape,
    };
    const came = effects.perform(scope, call, new InFlightEffect());
    if (came instanceof Promise) came.then(deliver, () => {});
  };
  const deliver = async ({ messages, mode, modeChanges: changes }: Arrivals): Promise<void> => {
    // Open again first: what comes while this is told is not missed.
    for (const { id: said, text, attached } of messages)
      state.delivered.set(said, wordsWith(text, attached ?? []));
    modeChanges = changes;
    listen();
    for (const { text, delivery, attached } of messages)
      sayToSession(runtime, id, text, delivery === "now" ? "interrupt_immediate" : "finish_step", attached);
    if (isAgentMode(mode)) await setMode(task, id, mode, "person");
  };
  listen();
}

function servedPortsOf({ ports }: ServedState): ServedPorts {
  if (ports === null) throw new Error("a replay asks the store for nothing");
  return ports;
}

/** `conversation_info()`: nil in a run that works for no conversation. */
export function conversationInfo(runtime: Runtime): Dict | null {
  const { message } = runtime.state(servedMessage);
  if (message === null) return null;
  const { conversation: id, title, agent, config, workspace, run, parent } = message;
  const mode = runtime.state(conversations).get(id)?.mode ?? message.mode;
  const said =
    message.message === null
      ? null
      : fromJson({
          id: message.message,
          text: message.text,
          attachments: message.attachments,
          by: message.by,
        } as Json);
  return Dict.of({ id, title, agent, mode, config: fromJson(config), workspace, message: said, run, parent });
}
