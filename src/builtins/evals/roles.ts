/** Roles of an evaluation: who is at work decides route, cost and randomness of model calls. */
import { onRoleStream, scoringContext, type TrialRole } from "../../eval/index.ts";
import { callRoles } from "../../model/index.ts";
import { checkNames, defineBuiltins, field, fieldTable } from "../../table/index.ts";
import { always, Callable, Dict, display, List, runtimeError, thrown, typeOf } from "../../values/index.ts";
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
    sig: "(caller: string, options: dict | nil, own: list<string>) -> dict",
    effect: "state",
    fields: { options: "options of model calls, and what `own` names" },
    example: 'eval_call_options("judge", {draws: 3, model: "small"}, ["draws"])  // {model: small}',
    run: (task, caller: Argument, options: Argument, own: Argument) => {
      if (typeof caller !== "string" || !(own instanceof List))
        throw runtimeError("eval_call_options: needs the name of a function and a list of names");
      if (options === undefined || options === null) return Dict.of({});
      if (!(options instanceof Dict))
        throw thrown(`${caller}: options must be a dict; got ${typeOf(options)}`);
      const names = own.toArray().map((name) => display(name));
      const table = fieldTable(
        () => [...names.map((name) => field(name, "any", "Its own.")), ...structuredFields.rows],
        { others: structuredFields.others, othersType: structuredFields.othersType },
      );
      checkNames(task, caller, options, table, { inLibrary: true });
      return names.reduce((rest, name) => rest.without(name), options);
    },
  },
  as_role: {
    doc: "Runs a body as another role of an evaluation (`agent`, `user`, `judge`): its model calls take that role's options, count for it, and what is random in it comes from the role's own stream; of a judge that draws several times, from the stream of that number. Gives what the body gives.",
    sig: "(role: string, body: fn() -> any, stream?: int) -> any",
    effect: "state",
    suspends: "callback",
    texts: { role: () => roles },
    example: 'as_role("user", { -> 1 + 1 })  // 2',
    run: (task, role: Argument, body: Argument, stream: Argument) => {
      const known = roles.find((one) => one === role);
      if (known === undefined)
        throw runtimeError(
          `as_role: the role must be agent, user or judge, got ${typeof role === "string" ? JSON.stringify(role) : typeOf(role ?? null)}`,
        );
      if (!(body instanceof Callable)) throw runtimeError("as_role: needs a function without parameters");
      if (stream !== undefined && (!isInt(stream) || Number(stream) < 1))
        throw runtimeError("as_role: a stream is an int from 1 on");
      const leave = callRoles.enter(task, known);
      return always(
        () =>
          onRoleStream(task, known, stream === undefined ? null : Number(stream), () => body.call(task, [])),
        leave,
      );
    },
  },
});
