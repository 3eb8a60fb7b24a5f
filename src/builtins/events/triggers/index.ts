/** Builtins over triggers (builtins.md §2.22, agents.md §21). */

import type { Task } from "../../../interp/index.ts";
import { defineBuiltins } from "../../../table/index.ts";
import { compareTexts, Dict, List, runtimeError, typeOf, type Value } from "../../../values/index.ts";
import { type Argument, option, textOf } from "../../arguments.ts";

import { readEvents } from "../event-log/event-log.ts";
import { bindingDict, type TriggerBinding } from "./binding.ts";
import { bindingConfig, triggerFields } from "./config.ts";
import { contextDict } from "./context.ts";
import { deadLetterDict } from "./dead-letters.ts";
import { fireBinding, replay } from "./dispatch.ts";
import { eventId } from "./event.ts";
import { graphTopic } from "./graph.ts";
import { lifecycleTopic } from "./predicate.ts";
import { providerDict, providers } from "./providers.ts";
import { dispatchingScenes, type Play } from "./scenes/dispatching.ts";
import { Stage, sceneReport } from "./scenes/stage.ts";
import { webhookScenes } from "./scenes/webhook-scenes.ts";
import { type DeadLetter, triggerWorldOf } from "./world.ts";

export { contextFields } from "./context.ts";
export { inboxTopic } from "./dispatch.ts";

/** A trigger by handle or id. */
function needBinding(task: Task, caller: string, input: Argument): TriggerBinding {
  const id = input instanceof Dict ? option(input, "id") : input;
  if (typeof id !== "string") {
    throw runtimeError(`${caller}: expected a trigger's handle or id, got ${typeOf(input ?? null)}`);
  }
  const binding = triggerWorldOf(task).find(id);
  if (binding === undefined) throw runtimeError(`${caller}: unknown trigger '${id}'`);
  return binding;
}

async function replayEvent(task: Task, input: Argument): Promise<Dict> {
  const id = textOf(input instanceof Dict ? option(input, "event_id") : (input ?? undefined));
  const world = triggerWorldOf(task);
  const entry = world.deadLetterOf(id);
  const delivery = world.delivery(id, entry?.bindingId);
  if (delivery === undefined) throw runtimeError(`trigger_replay: unknown event '${id}'`);
  const binding = world.replayer(delivery);
  if (binding === undefined) throw runtimeError(`trigger_replay: unknown trigger '${delivery.bindingId}'`);
  return replay(task, world, binding, delivery);
}

type Choose = (record: Dict, wanted: string) => boolean;

/** The records of a topic as `{kind, headers, payload}`: those of a trigger's handle, or those that fit a text. */
function records(task: Task, caller: string, topic: string, input: Argument, chooses: Choose): List {
  const wanted = input instanceof Dict ? needHandleId(caller, input) : (input ?? undefined);
  if (wanted !== undefined && typeof wanted !== "string")
    throw runtimeError(`${caller}: expected a text or a trigger's handle, got ${typeOf(wanted)}`);
  const choose: Choose =
    input instanceof Dict ? (record, id) => option(record.get("headers"), "trigger_id") === id : chooses;
  return new List(
    readEvents(task, { topic, after: 0 })
      .filter((event) => wanted === undefined || choose(event, wanted))
      .map((event) =>
        Dict.of({
          kind: event.get("kind") ?? null,
          headers: event.get("headers") ?? null,
          payload: event.get("payload") ?? null,
        }),
      ),
  );
}

const ofKind: Choose = (record, kind) => record.get("kind") === kind;

const ofTrace: Choose = (record, trace) =>
  option(record.get("headers"), "trace_id") === trace || mentionsTrace(record.get("payload") ?? null, trace);

/** Whether something in a payload, a node of a graph for example, has the trace id. */
function mentionsTrace(value: Value, trace: string): boolean {
  if (value instanceof List) return value.toArray().some((one) => mentionsTrace(one, trace));
  if (!(value instanceof Dict)) return false;
  if (value.get("trace_id") === trace) return true;
  return [...value.entries()].some(([, one]) => mentionsTrace(one, trace));
}

function needHandleId(caller: string, handle: Dict): string {
  const id = option(handle, "id");
  if (typeof id === "string") return id;
  throw runtimeError(`${caller}: expected a trigger's handle with an id`);
}

/** Every pending dead letter, or those of one trigger, by event. */
function deadLetters(task: Task, input: Argument): List {
  const id = input instanceof Dict ? option(input, "id") : (input ?? undefined);
  const entries = [...triggerWorldOf(task).deadLetters.values()].filter(
    (one) => id === undefined || one.bindingId === id,
  );
  const key = ({ event, bindingId }: DeadLetter): string => `${eventId(event)}\n${bindingId}`;
  return new List(entries.sort((a, b) => compareTexts(key(a), key(b))).map(deadLetterDict));
}

const acting = { effect: "write", performs: true } as const;
const looking = { effect: "read", performs: true } as const;

export const triggers = defineBuiltins(
  "triggers",
  {
    trigger_register: {
      ...acting,
      doc:
        "Registers a trigger and gives its handle `{id, version, state, kind, provider, handler_kind, metrics, …}`. Config: " +
        "`id`, `provider`, `kind`, `handler` (a function of the event, `worker://QUEUE` or `a2a://HOST/PATH`, with " +
        "`allow_cleartext` over HTTP), `when` (a predicate) with `when_budget {max_cost_usd, tokens_max, timeout}`, `retry " +
        '{max, backoff: "svix" | "immediate" | "exponential", base_ms}` (without it one attempt), `events` or `match ' +
        "{events}` (kinds, with `*`), `dedupe_key` (a function or a path), `filter` (a function, a dict that events must " +
        "contain, or a text: `PATH`, `!PATH`, `PATH == VALUE`, `PATH != VALUE` with `&&`, `||` and parentheses), `budget " +
        "{hourly_cost_usd, daily_cost_usd, max_concurrent, max_autonomous_decisions_per_hour, " +
        "max_autonomous_decisions_per_day, max_cost_usd, max_tokens, on_budget_exhausted}`, `rate_limit {max, window}`, " +
        "`tenant_id`, `autonomy_tier` (or `tier`), " +
        "`schedule` (cron) and `timezone`, `manifest_path`, `package_name`. A second one of an id is its next version.",
      sig: "(config!: dict) -> dict",
      example:
        'trigger_register({id: "t", provider: "webhook", handler: { event -> event.id }}).state  // active',
      fields: { config: () => triggerFields },
      run: (task, config: Dict) => {
        const world = triggerWorldOf(task);
        return bindingDict(world.register(bindingConfig(task, config, () => world.freshId())));
      },
    },
    trigger_fire: {
      ...acting,
      suspends: "may",
      doc:
        "Hands an event to a trigger and sees it through: `{event_id, binding_id, binding_version, status, result, error, " +
        "dlq_entry_id, replay_of_event_id}`; status `dispatched`, `skipped` (not this trigger's, a repeat, or the budget is used up), `failed` or `dlq`. What a " +
        "predicate turns down is `dispatched` with the result `{skipped: true, reason}`. `id`, `received_at`, `trace_id`, " +
        "`headers` and `provider_payload` of the event are filled in.",
      sig: "(trigger: dict | string, event!: dict = {}) -> dict",
      example:
        'trigger_fire(trigger_register({provider: "cron", handler: { event -> event.kind }})).result  // cron',
      run: (task, trigger: Argument, event: Argument) =>
        fireBinding(task, triggerWorldOf(task), needBinding(task, "trigger_fire", trigger), event),
    },
    trigger_replay: {
      ...acting,
      suspends: "may",
      doc:
        "Handles an event once more, with what the predicate and people said the first time. Success takes it off the dead " +
        "letters, failure adds `replay_dlq` to its history.",
      sig: "(event_id: string) -> dict",
      run: (task, id: Argument) => replayEvent(task, id),
    },
    trigger_list: {
      ...looking,
      doc: "The registered triggers: `{id, version, source, kind, provider, autonomy_tier, handler_kind, state, metrics}`, by id.",
      sig: "() -> list<dict>",
      example: "trigger_list()  // []",
      run: (task) => new List(triggerWorldOf(task).list().map(bindingDict)),
    },
    trigger_inspect_dlq: {
      ...looking,
      doc:
        "The dead letters, by event: `{id, event_id, event, binding_id, binding_version, state, error, error_class, retry_history: " +
        "[{status, attempts, error, at}]}`.",
      sig: "(trigger?: dict | string) -> list<dict>",
      example: "trigger_inspect_dlq()  // []",
      run: (task, input: Argument) => deadLetters(task, input),
    },
    trigger_inspect_lifecycle: {
      ...looking,
      doc:
        "What happened to events, in the order of writing, as records `{kind, headers, payload}`: `DispatchStarted`, " +
        "`predicate.evaluated` and so on. With a text only those of that kind, with a trigger's handle only its own.",
      sig: "(kind?: string | dict) -> list<dict>",
      example: "trigger_inspect_lifecycle()  // []",
      run: (task, input: Argument) =>
        records(task, "trigger_inspect_lifecycle", lifecycleTopic, input, ofKind),
    },
    trigger_inspect_action_graph: {
      ...looking,
      doc:
        "The steps of events, in the order of writing, as records whose `payload.observability` holds `action_graph_nodes` and " +
        "`action_graph_edges`. With a text only those of that trace, with a trigger's handle only its own.",
      sig: "(trace_id?: string | dict) -> list<dict>",
      example: "trigger_inspect_action_graph()  // []",
      run: (task, input: Argument) =>
        records(task, "trigger_inspect_action_graph", graphTopic, input, ofTrace),
    },
    trigger_test_harness: {
      ...acting,
      suspends: "may",
      doc:
        "Plays a built-in scenario with a clock and records of its own, and reports what was seen: `{fixture, ok, stub?, emitted, " +
        "attempts, dlq, bindings, alerts, details}`. An unknown name lists the known ones.",
      sig: "(name: string) -> dict",
      example:
        'trigger_test_harness("cron_fires_on_schedule").emitted[0].occurred_at  // 2026-04-19T00:01:00Z',
      run: (task, name: Argument) => playScene(task, textOf(name)),
    },
    handler_context: {
      effect: "state",
      doc:
        "In a trigger's handler or predicate: `{agent, action, trace_id, replay_of_event_id, autonomy_tier, trigger_event}`; " +
        "nil elsewhere.",
      sig: "() -> dict?",
      example: "handler_context()  // nil",
      run: (task) => contextDict(task),
    },
    list_providers: {
      effect: "pure",
      doc:
        "The providers of events that are known: `{provider, kinds, schema_name, signature_verification, secret_requirements, " +
        "outbound_methods, runtime}`, by name.",
      sig: "() -> list<dict>",
      example: "list_providers().count  // 13",
      run: () => new List(providers.map(providerDict)),
    },
  },
  {
    trigger: "a trigger, as `trigger_register` gives it",
    kind: "a trigger, as `trigger_register` gives it",
    trace_id: "a trigger, as `trigger_register` gives it",
    event: "an event",
  },
);

const scenes: ReadonlyMap<string, Play> = new Map([...dispatchingScenes, ...webhookScenes]);

/** `trigger_test_harness`: plays a scenario with the real parts of the dispatcher and reports what was seen. */
async function playScene(task: Task, name: string): Promise<Dict> {
  const play = scenes.get(name);
  if (play === undefined) {
    const known = [...scenes.keys()].sort().join(", ");
    throw runtimeError(`trigger_test_harness: unknown trigger harness fixture '${name}' (known: ${known})`);
  }
  const stage = new Stage(task);
  return sceneReport(name, stage, await play(stage));
}
