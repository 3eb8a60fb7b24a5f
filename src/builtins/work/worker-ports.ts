/** Wires workers to a run: what they need of the builtins, and loops to those who keep them when they suspend. */

import { suspensionPorts } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { NativeCallable } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { Dict, type Value } from "../../values/index.ts";
import { loadWorkers, type WorkerPorts, workerPorts } from "../../work/index.ts";
import { hostPath } from "../arguments.ts";
import { latestEvent, nextEvent } from "../events/event-log/event-log.ts";
import { bindingConfig } from "../events/triggers/config.ts";
import { triggerWorldOf } from "../events/triggers/world.ts";
import { stateFile } from "../files/state-files.ts";

/** To be called by every builtin that starts loops or asks for workers; does something the first time. */
export function wireWorkers(task: Task): void {
  const wired = task.runtime.state(workerPorts);
  if (wired.ports !== null) return;
  wired.ports = ports;
  task.runtime.state(suspensionPorts).load = async () => (await loadWorkers()).suspensionPort;
}

/** The workers' functions, wired. */
export function workersOf(task: Task): ReturnType<typeof loadWorkers> {
  wireWorkers(task);
  return task.runtime.effects.turns.hold(loadWorkers());
}

const ports: WorkerPorts = {
  folder(task) {
    const named = variable(task.runtime.host.env, "HARN_WORKER_STATE_DIR");
    return named !== undefined && named !== "" ? hostPath(task, named) : stateFile(task, "workers");
  },

  checkTrigger(task, spec) {
    bindingConfig(task, spec.has("handler") ? spec : spec.with("handler", "worker://resume"), () => "resume");
  },

  registerTrigger(task, spec, handler) {
    const world = triggerWorldOf(task);
    const run = new NativeCallable("resume_worker", ["event"], (own, [event]) => handler(own, event ?? null));
    const binding = world.register(bindingConfig(task, spec.with("handler", run), () => world.freshId()));
    return { id: binding.id, retire: () => world.retire(binding) };
  },

  eventAfterNow(task, topic) {
    const latest = latestEvent(task, topic);
    const cursor = latest instanceof Dict ? Number(latest.get("id")) : 0;
    return async (own): Promise<Value> => (await nextEvent(own, topic, cursor))?.get("payload") ?? null;
  },
};
