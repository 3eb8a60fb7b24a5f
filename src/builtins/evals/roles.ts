/** Roles of an evaluation: who is at work decides route, cost and randomness of model calls. */
import { onRoleStream, scoringContext, type TrialRole } from "../../eval/index.ts";
import { callRoles } from "../../model/index.ts";
import { at, checkNames, defineBuiltins, refusal, row, rows } from "../../table/index.ts";
import { always, type Callable, Dict, display, type List, runtimeError } from "../../values/index.ts";
import { type Argument, isInt } from "../arguments.ts";
import { structuredFields } from "../rows/llm.ts";

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
