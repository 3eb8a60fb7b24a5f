/** What the runtime did to a session by itself, and why it looks as it does (docs/control-plane.md). */
import {
  contractFields as contractRows,
  eventValue,
  harnessEvents,
  interventionFields,
  loadCompaction,
  loadTaskApi,
  loadWhy,
  type WhyAnswer,
  type WhyQuestion,
  itemFields as workItemRows,
} from "../../agent/index.ts";
import type { Json } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { type Conversation, conversations } from "../../model/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, fromJson, List, thrown, type Value } from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { contextQuestionFields, interventionsFields, recallFields, whyFields } from "../rows/agents.ts";

/** Characters that `agent_recall` gives where nobody says how many. */
const usualRecall = 4000;

function sessionOf(task: Task, caller: string, id: Argument): Conversation {
  const name = textOf(id ?? null);
  const found = task.runtime.state(conversations).get(name);
  if (found === undefined) throw thrown(`${caller}: unknown session id '${name}'`);
  return found;
}

function positionOf(caller: string, name: string, value: Value, least: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least) return value;
  throw refusal(at(caller, name), `int >= ${least}`, value);
}

function interventionsOf(task: Task, id: Argument, options: Argument): List {
  const caller = "agent_interventions";
  const { interventions } = sessionOf(task, caller, id);
  const from = positionOf(caller, "from", option(options, "from") ?? 1, 1);
  return new List(interventions.list(from).map((made) => Dict.of(interventionFields(made))));
}

function loopEventsOf(task: Task, id: Argument, offset: Argument): List {
  const caller = "agent_loop_events";
  const { loopLogs } = sessionOf(task, caller, id);
  return new List(loopLogs.from(positionOf(caller, "offset", offset ?? 0, 0)).map(eventValue));
}

const tasks = async (task: Task) => await task.runtime.effects.turns.hold(loadTaskApi());

const textOption = (caller: string, options: Argument, name: string): Record<string, string> => {
  const value = option(options, name) ?? null;
  if (value === null) return {};
  if (typeof value === "string") return { [name]: value };
  throw refusal(at(caller, name), "string", value);
};

const turnOption = (caller: string, options: Argument): { turn?: number } => {
  const value = option(options, "turn") ?? null;
  return value === null ? {} : { turn: positionOf(caller, "turn", value, 1) };
};

/** Loads what answers; what cannot be answered is an error that says what there is. */
async function asked<T>(
  task: Task,
  caller: string,
  answers: (why: Awaited<ReturnType<typeof loadWhy>>) => T,
): Promise<T> {
  const why = await task.runtime.effects.turns.hold(loadWhy());
  try {
    return answers(why);
  } catch (error) {
    if (error instanceof why.NoAnswer) throw thrown(`${caller}: ${error.message}`);
    throw error;
  }
}

async function contextOf(task: Task, id: Argument, options: Argument): Promise<Value> {
  const caller = "agent_context";
  const conversation = sessionOf(task, caller, id);
  const question: WhyQuestion = { ...turnOption(caller, options), ...textOption(caller, options, "loop") };
  return asked(task, caller, (why) => {
    const call = why.callAsked(conversation, question);
    const parts = why.manifestOf(conversation, call).map((part) =>
      Dict.of({
        part: part.part,
        source: part.source,
        why: part.why,
        since_turn: part.sinceTurn,
        chars: part.chars,
        intervention: part.intervention,
      }),
    );
    return Dict.of({ loop: call.loop, turn: call.turn, parts: new List(parts) });
  });
}

async function whyOf(task: Task, id: Argument, input: Argument): Promise<Value> {
  const caller = "agent_why";
  const conversation = sessionOf(task, caller, id);
  const texts = [...whyFields.names()].filter((name) => name !== "turn");
  const question: WhyQuestion = Object.assign(
    turnOption(caller, input),
    ...texts.map((name) => textOption(caller, input, name)),
  );
  return asked(task, caller, (why) => answerValue(why.answerWhy(conversation, question)));
}

const answerValue = ({ claim, because, certainty }: WhyAnswer): Value =>
  Dict.of({ claim, because: new List(because.map(answerValue)), certainty });

export const control = defineBuiltins("control", {
  agent_work_items: {
    doc:
      "The ledger of a session: `{version, items, complete, total, completion_percentage}`, nil where nobody keeps one. " +
      "`completion_percentage` is what is done of all that is not skipped.",
    sig: "(session: string) -> dict?",
    effect: "state",
    suspends: "may",
    run: async (task, id: Argument) => (await tasks(task)).itemsOf(sessionOf(task, "agent_work_items", id)),
  },
  agent_work_item_put: {
    doc:
      "Puts a work item into the ledger of a session, or changes one: what the dict does not name stays. A script may do " +
      "what edges and locks forbid the model.",
    sig: "(session: string, item: dict) -> dict",
    effect: "state",
    suspends: "may",
    fields: { item: () => workItemRows },
    readsFields: true,
    run: async (task, id: Argument, item: Argument) => {
      const session = sessionOf(task, "agent_work_item_put", id);
      return (await tasks(task)).putSessionItem(task, session, item ?? null);
    },
  },
  agent_contract: {
    doc:
      "The task contract of a session with what is known of it: `{contract, coverage, gap, satisfied, score, version, checks, " +
      "answers}`, nil where there is none. Nothing is looked at.",
    sig: "(session: string) -> dict?",
    effect: "state",
    suspends: "may",
    run: async (task, id: Argument) => (await tasks(task)).contractOf(sessionOf(task, "agent_contract", id)),
  },
  agent_contract_set: {
    doc:
      "Gives a session a task contract, another one, or none (nil). What equal predicates were seen to be stays known; a " +
      "loop that runs is told what changed.",
    sig: "(session: string, contract: dict?, reason: string) -> dict?",
    effect: "state",
    suspends: "may",
    fields: { contract: () => contractRows },
    readsFields: true,
    run: async (task, id: Argument, contract: Argument, reason: Argument) => {
      const session = sessionOf(task, "agent_contract_set", id);
      return (await tasks(task)).setContract(task, session, contract ?? null, reason ?? null);
    },
  },
  agent_contract_check: {
    doc: "Looks at every requirement of a session's task contract now; gives what `agent_contract` gives.",
    sig: "(session: string) -> dict?",
    effect: "state",
    suspends: "may",
    run: async (task, id: Argument) =>
      (await tasks(task)).checkContractNow(task, sessionOf(task, "agent_contract_check", id)),
  },
  agent_control_state: {
    doc:
      "What the control plane knows of a session, by its founding names: `{transcript, turn_count, max_turns, status, " +
      "stop_reason, token_budget, compaction_plan, work_item_ledger, task_contract, coverage_ledger, progress_tracker}`.",
    sig: "(session: string) -> dict",
    effect: "state",
    suspends: "may",
    run: async (task, id: Argument) =>
      (await tasks(task)).controlState(task, sessionOf(task, "agent_control_state", id)),
  },
  agent_interventions: {
    doc:
      "What the runtime did to a session by itself, oldest first: `{n, loop, turn, kind, rule, reason, facts, messages, call}`. " +
      "`from`: the number to begin with (1). The last 10,000 are kept.",
    sig: "(session: string, options: dict? = nil) -> list",
    effect: "state",
    fields: { options: () => interventionsFields },
    run: interventionsOf,
  },
  agent_loop_events: {
    doc: "The contract events of a session's loops, one loop after the other, from number `offset` on (docs/harness-loop.md).",
    sig: "(session: string, offset: int = 0) -> list",
    effect: "state",
    run: loopEventsOf,
  },
  agent_harness_events: {
    doc:
      "What happened in a session, oldest first: `{event_type, data, event_id, timestamp}`, made of the contract events of its loops, " +
      "its models' answers and the runtime's interventions. `event_id` is `SESSION:N`, `timestamp` RFC 3339 by the run's clock, nil " +
      "before the first loop.",
    sig: "(session: string) -> list",
    effect: "state",
    run: (task, id: Argument) => harnessEvents(sessionOf(task, "agent_harness_events", id)),
  },
  agent_recall: {
    doc:
      "Reads what is out of a session's view: `ref` is the id of a message or a call, `summary:ID`, `item:ID` or `find:words`. Gives " +
      "`{ref, message, text, offset, total, next}`, at most 8,000 characters at a time; `next` is where to read on, nil at the end.",
    sig: "(session: string, ref: string, options: dict? = nil) -> dict",
    effect: "state",
    suspends: "may",
    fields: { options: () => recallFields },
    run: async (task, id: Argument, ref: Argument, options: Argument) => {
      const caller = "agent_recall";
      const conversation = sessionOf(task, caller, id);
      const offset = positionOf(caller, "offset", option(options, "offset") ?? 0, 0);
      const limit = positionOf(caller, "limit", option(options, "limit") ?? usualRecall, 1);
      const { recallValue } = await task.runtime.effects.turns.hold(loadCompaction());
      return recallValue(conversation, textOf(ref ?? null), offset, limit);
    },
  },
  agent_context: {
    doc:
      "What a model call of a session was made of, in order: `{loop, turn, parts: [{part, source, why, since_turn, chars, intervention}]}`. " +
      "Agents of a program that names it are watched from its start.",
    sig: "(session: string, options: dict? = nil) -> dict",
    effect: "state",
    suspends: "may",
    traits: ["watches"],
    fields: { options: () => contextQuestionFields },
    run: contextOf,
  },
  agent_why: {
    doc:
      "Why a session is as it is: `{claim, because, certainty}`, `because` a list of the same. Without a question: how its last loop " +
      "ended. Agents of a program that names it are watched from its start.",
    sig: "(session: string, question: dict? = nil) -> dict",
    effect: "state",
    suspends: "may",
    traits: ["watches"],
    fields: { question: () => whyFields },
    run: whyOf,
  },
  agent_compaction_plan: {
    doc:
      "What becomes of each message of a session in what the model sees: `{thread_id, version, actions, clear_records, " +
      "externalization_records, summarization_records, drop_records, placement_records, reasoning_records}`. A message without " +
      "an action is shown as it is.",
    sig: "(session: string) -> dict",
    effect: "state",
    run: (task, id: Argument) => {
      const { plan } = sessionOf(task, "agent_compaction_plan", id);
      return fromJson(JSON.parse(JSON.stringify(plan)) as Json);
    },
  },
});
