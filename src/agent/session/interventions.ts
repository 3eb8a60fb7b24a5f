/**
 * Interventions (docs/control-plane.md): what the runtime did to a session by itself, with the rule and the facts. Everything
 * that mends, shortens, refuses, instructs or ends records one, so that `harn why` has an answer.
 *
 *     in a turn          yield* intervene(loop, {…})                      (state/interventions.ts)
 *     anywhere else      await interveneOutside(task, conversation, {…})
 *     nobody is told     noteIntervention(conversation, turn, {…})        where an event of its own tells it already
 */
import type { Task } from "../../interp/index.ts";
import {
  type Conversation,
  type Intervention,
  type InterventionInput,
  interventionKinds,
  publishNamed,
} from "../../model/index.ts";
import { Dict, fromJson, List, toJson, type Value } from "../../values/index.ts";

/** Appends to the session's list and nothing else. `turn`: 0 outside of every turn. */
export const noteIntervention = (
  conversation: Conversation,
  turn: number,
  input: InterventionInput,
): Intervention => {
  const { interventions, loopLogs, latestLoop, running } = conversation;
  const loop = running > 0 ? (latestLoop?.id ?? null) : null;
  return interventions.add({ loop, turn, event: loopLogs.length }, input);
};

/** Appends to the session's list, and to what its transcripts say as the internal event `control`. */
export function recordIntervention(
  conversation: Conversation,
  turn: number,
  input: InterventionInput,
): Intervention {
  const made = noteIntervention(conversation, turn, input);
  conversation.audit.push({
    kind: "control",
    role: "system",
    visibility: "internal",
    text: made.reason,
    metadata: Dict.of(interventionFields(made)),
  });
  return made;
}

/** Records an intervention of a builtin, and tells it: there is no turn that could. */
export async function interveneOutside(
  task: Task,
  conversation: Conversation,
  input: InterventionInput,
): Promise<Intervention> {
  const made = recordIntervention(conversation, conversation.turn, input);
  await publishNamed(task, conversation.id, "control_intervention", Dict.of(interventionFields(made)));
  return made;
}

/** What a transcript kept of them. Loops and their events are those of another run. */
export function restoredInterventions(value: Value): Intervention[] {
  if (!(value instanceof List)) return [];
  return [...value].flatMap((one): Intervention[] => {
    if (!(one instanceof Dict)) return [];
    const text = (name: string): string => {
      const input = one.get(name);
      return typeof input === "string" ? input : "";
    };
    const kind = interventionKinds.find((known) => known === text("kind"));
    const [n, turn, facts, messages, call] = ["n", "turn", "facts", "messages", "call"].map((name) =>
      one.get(name),
    );
    if (kind === undefined || typeof n !== "number" || typeof turn !== "number") return [];
    return [
      {
        n,
        loop: null,
        turn,
        event: 0,
        kind,
        rule: text("rule"),
        reason: text("reason"),
        facts: facts instanceof Dict ? (toJson(facts) as Intervention["facts"]) : {},
        messages: messages instanceof List ? [...messages].filter((id) => typeof id === "string") : [],
        call: typeof call === "string" ? call : null,
      },
    ];
  });
}

/** `{n, loop, turn, kind, rule, reason, facts, messages, call}`, as scripts and events have it. */
export const interventionFields = (made: Intervention): Record<string, Value> => ({
  n: made.n,
  loop: made.loop,
  turn: made.turn,
  kind: made.kind,
  rule: made.rule,
  reason: made.reason,
  facts: fromJson(made.facts),
  messages: new List([...made.messages]),
  call: made.call,
});
