/** Figures that a program reports about itself (builtins.md §2.18): kept with the run, in order. */
import { evalNotes } from "../../eval/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, List, thrown } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

export const evalMetrics = defineBuiltins("reports", {
  eval_metric: {
    doc: "Notes a figure of this run, with metadata.",
    sig: "(name: string, value: any, metadata: any = nil) -> nil",
    effect: "state",
    example: 'eval_metric("accuracy", 0.9)  // nil',
    run: (task, name: Argument, value: Argument, metadata: Argument) => {
      if (name === undefined || name === null || textOf(name) === "") {
        throw thrown("eval_metric: name is required");
      }
      const metric = Dict.of({ name: textOf(name), value: value ?? null, metadata: metadata ?? null });
      task.runtime.state(evalNotes).metrics.push(metric);
      return null;
    },
  },
  eval_metrics: {
    doc: "The figures noted so far: `{name, value, metadata}`.",
    sig: "() -> list<dict>",
    effect: "state",
    example: "eval_metrics()  // []",
    run: (task) => new List([...task.runtime.state(evalNotes).metrics]),
  },
});
