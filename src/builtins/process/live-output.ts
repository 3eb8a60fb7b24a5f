/**
 * What programs print while they run, told as `tool.output` of the call that started them. Only where somebody listens, and
 * never recorded: a replay starts no programs, and the result of the call has all of it. A piece ends where no secret can be cut
 * in two, so that each can be hidden by itself.
 */
import { placeOf, runEvents, taskPlaces } from "../../events/index.ts";
import type { ProcessOptions } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";

export function liveOutput(task: Task): Pick<ProcessOptions, "onOutput"> {
  const call = taskPlaces.current(task)?.call ?? null;
  if (call === null) return {};
  const events = task.runtime.state(runEvents);
  if (!events.listens) return {};
  const place = placeOf(task);
  const { secrets } = task.runtime;
  const held = { stdout: "", stderr: "" };
  return {
    onOutput: ({ stream, text }) => {
      if (task.signal.aborted) return;
      const all = held[stream] + text;
      const length = all.length - secrets.openEnd(all);
      held[stream] = all.slice(length);
      if (length > 0) events.emit(place, "tool.output", { call: call.id, text: all.slice(0, length) });
    },
  };
}
