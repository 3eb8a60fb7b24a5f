/** The sessions of this project, for commands: where they are, and errors as people read them. */
import { existsSync } from "node:fs";
import { SessionStore } from "../../session/index.ts";
import { openStore, StoreError } from "../../store/index.ts";
import { asUsageError, ownStateFolder } from "../state.ts";

/** Works on the sessions of the project; what is refused is one clear error. */
export async function onSessions<T>(work: (sessions: SessionStore) => T | Promise<T>): Promise<T> {
  const folder = ownStateFolder();
  if (existsSync(folder)) return await onNewSessions(work);
  throw asUsageError(nothingYet(folder));
}

/** The same where the first session may be made. */
export async function onNewSessions<T>(work: (sessions: SessionStore) => T | Promise<T>): Promise<T> {
  try {
    const store = openStore(ownStateFolder());
    try {
      return await work(new SessionStore(store));
    } finally {
      store.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}

const nothingYet = (folder: string): StoreError =>
  new StoreError("missing", `there are no sessions in ${folder}`, [
    "`harn session new NAME SCRIPT` makes one",
  ]);

export const print = (text: string): void => void process.stdout.write(text);
