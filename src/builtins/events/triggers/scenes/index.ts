/** `trigger_test_harness`: scenarios played with the real parts of the dispatcher (builtins.md §2.22). */
import type { Task } from "../../../../interp/index.ts";
import { type Dict, runtimeError } from "../../../../values/index.ts";
import { dispatchingScenes, type Play } from "./dispatching.ts";
import { Stage, sceneReport } from "./stage.ts";
import { webhookScenes } from "./webhook-scenes.ts";

const scenes: ReadonlyMap<string, Play> = new Map([...dispatchingScenes, ...webhookScenes]);

/** Plays a scenario and reports what was seen. */
export async function playScene(task: Task, name: string): Promise<Dict> {
  const play = scenes.get(name);
  if (play === undefined) {
    const known = [...scenes.keys()].sort().join(", ");
    throw runtimeError(`trigger_test_harness: unknown trigger harness fixture '${name}' (known: ${known})`);
  }
  const stage = new Stage(task);
  return sceneReport(name, stage, await play(stage));
}
