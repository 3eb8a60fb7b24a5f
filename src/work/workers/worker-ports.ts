/** What workers need of the layers above them; whoever wires a run's builtins sets it once. */
import { shape } from "../../effects/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { type Dict, thrown, type Value } from "../../values/index.ts";

/** The name of the marker in journals where a loop suspended (suspension/suspension-port.ts). */
export const suspensionMarker = "worker.parked";

export interface WorkerPorts {
  /** Where snapshots lie. */
  folder(task: Task): string;
  /** Throws what is wrong with the spec of a trigger. */
  checkTrigger(task: Task, spec: Dict): void;
  /** Registers a trigger. */
  registerTrigger(
    task: Task,
    spec: Dict,
    handler: (task: Task, event: Value) => Promise<Value>,
  ): { readonly id: string; retire(): void };
  /** Gives what waits for the payload of the first event of a topic that is emitted from now on. */
  eventAfterNow(task: Task, topic: string): (task: Task) => Promise<Value>;
}

export const workerPorts = stateKey<{ ports: WorkerPorts | null }>("workers.ports", () => ({ ports: null }));

export function portsOf(task: Task): WorkerPorts {
  const { ports: value } = task.runtime.state(workerPorts);
  if (value === null) throw thrown("workers are not wired to this program");
  return value;
}

/** Looked up once per worker, as an effect: a replay elsewhere shows the same path. */
export const folderOf = async (task: Task): Promise<string> =>
  await task.perform<string>({
    effect: "observe",
    kind: "worker.folder",
    args: () => null,
    run: () => portsOf(task).folder(task),
    result: shape.text,
  });
