/** Dialogues with simulated users: what `std/eval` needs of the runtime for them. */
import { type DialogueTurn, evalRegistry, scoringContext, userFaults } from "../../eval/index.ts";
import { defineBuiltins, FieldReader, field, fieldTable } from "../../table/index.ts";
import { Dict, display, jsonStringify, List, runtimeError, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

const dialogueFields = fieldTable(
  () => [
    field("scenario", "string | dict", "What the user was told: a text or a dict."),
    field("turns", "list<dict>", '`{role: "user" | "agent", text}` in order.'),
    field("tool_results", "list", "What the user's own tools gave."),
    field("stopped", "bool", "The user ended the dialogue.", { default: "false" }),
    field("out_of_replies", "bool", "It had said as much as it may.", { default: "false" }),
    field("silences", "int", "How often it was asked and said nothing.", { default: "0", range: [0, null] }),
  ],
  { strict: true },
);

const textsIn = (value: Value): string[] =>
  value instanceof List ? value.toArray().map((item) => display(item)) : [];

function dialogueTurns(args: readonly Value[]): DialogueTurn[] {
  return args.map((turn, at) => {
    const role = turn instanceof Dict ? turn.get("role") : null;
    const text = turn instanceof Dict ? turn.get("text") : null;
    if ((role !== "user" && role !== "agent") || typeof text !== "string")
      throw runtimeError(`eval_user_faults: turns[${at}] must be {role: "user" or "agent", text}`);
    return { role, text };
  });
}

export const evalUsers = defineBuiltins("evals", {
  eval_user_faults: {
    doc: "What a simulated user did wrong in a dialogue, found without a model: a list of `{kind, severity, turn, evidence}`. Kinds: `invented`, `leaked`, `early_stop`, `repeats`, `silent`, `no_stop`.",
    sig: "(dialogue: dict) -> list<dict>",
    effect: "pure",
    example:
      'eval_user_faults({scenario: "Wants a refund for A17.", turns: [{role: "user", text: "It is order B99."}]})[0].evidence  // B99',
    fields: { dialogue: () => dialogueFields },
    run: (_task, input: Argument) => {
      if (!(input instanceof Dict))
        throw runtimeError(`eval_user_faults: requires a dict, got ${typeOf(input ?? null)}`);
      const at = new FieldReader("eval_user_faults", input, dialogueFields);
      const scenario = at.value("scenario");
      const faults = userFaults({
        // What it must never say is nothing that it may know.
        scenario:
          scenario instanceof Dict ? jsonStringify(scenario.without("never_says")) : display(scenario),
        neverSays: scenario instanceof Dict ? textsIn(scenario.get("never_says") ?? null) : [],
        turns: dialogueTurns(at.list("turns") ?? []),
        toolResults: textsIn(at.value("tool_results")),
        stopped: at.bool("stopped") === true,
        outOfReplies: at.bool("out_of_replies") === true,
        silences: at.number("silences") ?? 0,
      });
      return new List(
        faults.map(({ kind, severity, turn, evidence }) => Dict.of({ kind, severity, turn, evidence })),
      );
    },
  },
  eval_task_tools: {
    doc: "The `tools` of the task whose trial runs, as they were declared; nil outside of trials.",
    sig: "() -> any",
    effect: "state",
    example: "eval_task_tools()  // nil",
    run: (task) => {
      const name = task.runtime.state(scoringContext).task;
      return name === null ? null : (task.runtime.state(evalRegistry).tasks.get(name)?.code.tools ?? null);
    },
  },
});
