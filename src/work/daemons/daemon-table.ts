/** The daemons of a run, and which of them a value means. */
import type { StateKey, Task } from "../../interp/index.ts";
import { Dict, display, thrown, type Value } from "../../values/index.ts";
import type { Daemon } from "./daemon.ts";
import { folderKey } from "./daemon-plan.ts";

export class DaemonTable {
  private readonly byId = new Map<string, Daemon>();
  private readonly byFolder = new Map<string, Daemon>();

  add(task: Task, daemon: Daemon): void {
    this.byId.set(daemon.id, daemon);
    this.byFolder.set(folderKey(task, daemon.plan.folder), daemon);
  }

  /** The newest daemon of a folder. */
  in(task: Task, folder: string): Daemon | undefined {
    return this.byFolder.get(folderKey(task, folder));
  }

  /** By handle or id. */
  need(value: Value): Daemon {
    const id = value instanceof Dict ? (value.get("id") ?? null) : value;
    const found = typeof id === "string" ? this.byId.get(id) : undefined;
    if (found !== undefined) return found;
    throw thrown(`unknown daemon '${display(id)}'`);
  }
}

/** `task.runtime.state(daemons)` */
export const daemons: StateKey<DaemonTable> = { name: "daemons", create: () => new DaemonTable() };
