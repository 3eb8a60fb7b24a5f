/** Which process runs the daemon of a folder, by leases of the project's store. Loaded by the first daemon of a run. */
import type { Host } from "../../host/index.ts";
import { type Lease, openStore, type Store, StoreError, stateFolder } from "../../store/index.ts";
import type { DaemonOwners } from "./owners.ts";

/** The lease of a daemon's folder; `harn daemon` holds it, too. */
export const daemonLease = (folder: string): string => `daemon:${folder}`;

/**
 * Asked before each write, so a process that was frozen and taken over writes nothing more. A project whose state folder
 * can't be written has no leases: there the daemon's own folder is all there is.
 */
export function daemonOwnersOf(host: Host): DaemonOwners {
  const held = new Map<string, Lease>();
  let store: Store | undefined;
  const open = (): Store => {
    store ??= openStore(stateFolder(host.cwd, host.env));
    return store;
  };
  return {
    hold: (folder) => {
      try {
        const { leases } = open();
        const own = held.get(folder);
        if (own !== undefined && leases.renew(own)) return undefined;
        held.delete(folder);
        const taken = own === undefined ? leases.take(daemonLease(folder)) : undefined;
        if (taken !== undefined) {
          held.set(folder, taken);
          return undefined;
        }
        return leases.leaseOwner(daemonLease(folder))?.who ?? "another process";
      } catch (error) {
        if (error instanceof StoreError && (error.fault === "readonly" || error.fault === "unreadable"))
          return undefined;
        throw error;
      }
    },
    letGo: (folder) => {
      const own = held.get(folder);
      if (own !== undefined) open().leases.release(own);
      held.delete(folder);
    },
  };
}
