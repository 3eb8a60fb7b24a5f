/** Options of the agent around a task that those who work for it have, unless they say otherwise: by the rows of the options (`Field.below`). */
import type { Task } from "../../../interp/index.ts";
import type { Below } from "../../../table/index.ts";
import { Dict } from "../../../values/index.ts";
import { loopFields } from "../../options/loop-fields.ts";
import { runningLoops } from "../running.ts";

/** Empty outside of every agent. */
export function handedDown(task: Task, to: Extract<Below, "sub-agents" | "delegates">): Dict {
  const input = task.runtime.state(runningLoops).current(task)?.options.input ?? new Dict();
  const control = input.get("control");
  const options = control instanceof Dict ? control.merge(input) : input;
  return Dict.from(
    loopFields.rows
      .filter((row) => row.below === to)
      .flatMap(({ name }) => {
        const value = options.get(name) ?? null;
        return value === null ? [] : [[name, value] as const];
      }),
  );
}
