/** The daemons of a run, and which of them a value means. */
import type { StateKey, Task } from "../../interp/index.ts";
import { display, thrown, type Value } from "../../values/index.ts";
import { idOf, WorkTable } from "../work.ts";
import type { Daemon } from "./daemon.ts";
import { folderKey } from "./daemon-plan.ts";

export class DaemonTable extends WorkTable<Daemon> {
  private readonly byFolder = new Map<string, Daemon>();

  enter(task: Task, daemon: Daemon): void {
    this.add(daemon);
    this.byFolder.set(folderKey(task, daemon.plan.folder), daemon);
  }

  /** The newest daemon of a folder. */
  in(task: Task, folder: string): Daemon | undefined {
    return this.byFolder.get(folderKey(task, folder));
  }

  /** By handle or id. */
  need(value: Value): Daemon {
    const found = this.find(value);
    if (found !== undefined) return found;
    throw thrown(`unknown daemon '${display(idOf(value) ?? null)}'`);
  }
}

/** `task.runtime.state(daemons)` */
export const daemons: StateKey<DaemonTable> = { name: "daemons", create: () => new DaemonTable() };
