/** Handlers of interrupts (`std/signal`): Ctrl-C, TERM, the wish of whoever embeds the run. */
import { interruptHandlers } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type Argument, needCallback, textOf } from "../arguments.ts";

export const signals = defineBuiltins("signals", {
  interrupt_handler_add: {
    doc:
      "Calls `f` when the run is interrupted (Ctrl-C, TERM), before it unwinds; gives the handler's name. `f` gets " +
      '`{reason, signal}`: `interrupt` and `"SIGINT"`, `terminate` and `"SIGTERM"`, `hangup` and `"SIGHUP"`, or `cancel` and nil. See `std/signal`.',
    sig: "(f: fn(dict) -> any) -> string",
    effect: "state",
    example: "interrupt_handler_add({ event -> nil })  // interrupt_1",
    run: (task, f: Argument) =>
      task.runtime.state(interruptHandlers).add(task, needCallback("interrupt_handler_add", f)),
  },
  interrupt_handler_remove: {
    doc: "Forgets a handler, or without a name all of them; gives how many there were.",
    sig: "(name?: string) -> int",
    effect: "state",
    example: 'interrupt_handler_remove("interrupt_9")  // 0',
    run: (task, name: Argument) => {
      const handlers = task.runtime.state(interruptHandlers);
      if (name === undefined || name === null) return handlers.clear();
      return handlers.remove(textOf(name)) ? 1 : 0;
    },
  },
  run_interrupted: {
    doc: "Whether the run was interrupted: true in handlers, and in the `finally` and `defer` blocks that run because of it.",
    sig: "() -> bool",
    effect: "state",
    example: "run_interrupted()  // false",
    run: (task) => task.runtime.state(interruptHandlers).request !== undefined,
  },
});
