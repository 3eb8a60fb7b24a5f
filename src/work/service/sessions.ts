/** The sessions of this project, for commands: where they are, and errors as people read them. */

import { asUsageError, ownStateFolder } from "../../host/command/index.ts";
import { existingStore, openStore, type Store, StoreError } from "../../store/index.ts";
import { SessionStore } from "../session/index.ts";

/** Works on the sessions of the project; what is refused is one clear error. */
export async function onSessions<T>(work: (sessions: SessionStore) => T | Promise<T>): Promise<T> {
  return await onSessionStore(() => {
    const folder = ownStateFolder();
    const store = existingStore(folder);
    if (store !== undefined) return store;
    throw new StoreError("missing", `there are no sessions in ${folder}`, [
      "`harn session new NAME SCRIPT` makes one",
    ]);
  }, work);
}

/** The same where the first session may be made. */
export async function onNewSessions<T>(work: (sessions: SessionStore) => T | Promise<T>): Promise<T> {
  return await onSessionStore(() => openStore(ownStateFolder()), work);
}

async function onSessionStore<T>(
  open: () => Store,
  work: (sessions: SessionStore) => T | Promise<T>,
): Promise<T> {
  try {
    const store = open();
    try {
      return await work(new SessionStore(store));
    } finally {
      store.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}
