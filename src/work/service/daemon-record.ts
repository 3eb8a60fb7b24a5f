/** The background daemons of a project: the operations on them, and the folders in which each has its loop's state and its log. */
import { join } from "node:path";
import { clientOf, daemonOperations, EmbeddedOperations } from "../../durable/index.ts";
import type { Store } from "../../store/index.ts";

export class DaemonStore extends clientOf(daemonOperations) {
  readonly store: Store;

  constructor(store: Store) {
    super(new EmbeddedOperations(store));
    this.store = store;
  }
}

/** Its folder, in the state folder of the project. */
export const folderOf = (store: Store, name: string): string => join(store.folder, "daemons", name);

export const logFile = (folder: string): string => join(folder, "daemon.log");
