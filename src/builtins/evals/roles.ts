/**
 * Roles of an evaluation: who is at work decides route, cost and randomness of model calls. And what `std/eval` needs of the
 * runtime for dialogues with simulated users.
 */
import {
  type DialogueTurn,
  evalRegistry,
  onRoleStream,
  scoringContext,
  type TrialRole,
  userFaults,
} from "../../eval/index.ts";
import { callRoles } from "../../model/index.ts";
import { at, checkNames, defineBuiltins, readRows, refusal, row, rows } from "../../table/index.ts";
import {
  always,
  type Callable,
  Dict,
  display,
  jsonStringify,
  List,
  runtimeError,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, isInt } from "../arguments.ts";
import { structuredFields } from "../rows/llm.ts";

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

const roles: readonly TrialRole[] = ["agent", "user", "judge"];

export const evalRoles = defineBuiltins("evals", {
  eval_draws: {
    doc: "How often a judge draws: what the set asks for (`harn eval score --draws`), else what it was declared with. For scorers that draw.",
    sig: "(declared: int = 1) -> int",
    effect: "state",
    example: "eval_draws(3)  // 3",
    run: (task, declared: Argument) => {
      if (declared !== undefined && (!isInt(declared) || Number(declared) < 1))
        throw runtimeError("eval_draws: needs an int from 1 on");
      return task.runtime.state(scoringContext).draws ?? declared ?? 1;
    },
  },
  eval_call_options: {
    doc: "What is left of the options of a judge or a simulated user for its model calls: those without `own`, the names that its function reads itself. Says which names mean nothing, as the call would, where the function is called and not when a trial comes to it.",
    sig: "(caller!: string, options: dict | nil, own!: list<string>) -> dict",
    effect: "state",
    fields: { options: "options of model calls, and what `own` names" },
    example: 'eval_call_options("judge", {draws: 3, model: "small"}, ["draws"])  // {model: small}',
    run: (task, caller: string, options: Argument, own: List) => {
      if (options === undefined || options === null) return Dict.of({});
      if (!(options instanceof Dict)) throw refusal(at(caller, "options"), "dict", options);
      const names = own.toArray().map((name) => display(name));
      const its = row.value("Its own.", "read by the function");
      const table = rows(() => Object.fromEntries(names.map((name) => [name, its])), {
        others: structuredFields.others!,
        othersType: structuredFields.othersType,
        beside: () => structuredFields.rows,
      });
      checkNames(task, caller, options, table, { inLibrary: true });
      return names.reduce((rest, name) => rest.without(name), options);
    },
  },
  as_role: {
    doc: "Runs a body as another role of an evaluation (`agent`, `user`, `judge`): its model calls take that role's options, count for it, and what is random in it comes from the role's own stream; of a judge that draws several times, from the stream of that number. Gives what the body gives.",
    sig: '(role!: "agent" | "user" | "judge", body!: fn() -> any, stream?: int >= 1) -> any',
    effect: "state",
    suspends: "callback",
    texts: { role: () => roles },
    example: 'as_role("user", { -> 1 + 1 })  // 2',
    run: (task, role: TrialRole, body: Callable, stream?: number) => {
      const leave = callRoles.enter(task, role);
      return always(() => onRoleStream(task, role, stream ?? null, () => body.call(task, [])), leave);
    },
  },
});
