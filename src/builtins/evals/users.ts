/** Dialogues with simulated users: what `std/eval` needs of the runtime for them. */
import { type DialogueTurn, evalRegistry, scoringContext, userFaults } from "../../eval/index.ts";
import { at, defineBuiltins, readRows, refusal, row, rows } from "../../table/index.ts";
import { Dict, display, jsonStringify, List, runtimeError, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

const dialogueFields = rows(
  () => ({
    scenario: row.either([row.text(), row.dict(null)], "What the user was told."),
    turns: row.list(row.dict(null), '`{role: "user" | "agent", text}` in order.', []),
    tool_results: row.handle<List>("list", "What the user's own tools gave."),
    stopped: row.bool("The user ended the dialogue.", false),
    out_of_replies: row.bool("It had said as much as it may.", false),
    silences: row.int("How often it was asked and said nothing.", 0, { min: 0 }),
  }),
  { strict: true },
);

const displayTexts = (value: Value): string[] =>
  value instanceof List ? value.toArray().map((item) => display(item)) : [];

const dialogueTurns = (turns: readonly Dict[]): DialogueTurn[] =>
  turns.map((turn, index) => {
    const [role, text] = [turn.get("role"), turn.get("text")];
    if ((role !== "user" && role !== "agent") || typeof text !== "string")
      throw refusal(at("eval_user_faults", `turns[${index}]`), '{role: "user" or "agent", text}', turn);
    return { role, text };
  });

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
      const { scenario, turns, toolResults, ...more } = readRows(
        input,
        dialogueFields,
        at("eval_user_faults"),
      );
      const faults = userFaults({
        // What it must never say is nothing that it may know.
        scenario:
          scenario instanceof Dict ? jsonStringify(scenario.without("never_says")) : display(scenario),
        neverSays: scenario instanceof Dict ? displayTexts(scenario.get("never_says") ?? null) : [],
        turns: dialogueTurns(turns),
        toolResults: displayTexts(toolResults),
        ...more,
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
