/** Roles of an evaluation: who is at work decides route, cost and randomness of model calls. */
import { onRoleStream, type Role, scoringContext } from "../../eval/index.ts";
import { callRoles } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { always, Callable, runtimeError, typeOf } from "../../values/index.ts";
import { type Argument, isInt } from "../arguments.ts";

const roles: readonly Role[] = ["agent", "user", "judge"];

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
