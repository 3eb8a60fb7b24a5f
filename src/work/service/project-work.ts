/**
 * The daemons and sessions of this project, for commands: where they are, with errors as people read them; and a service of them in
 * this process, with its pool of children and the signals that stop it.
 */

import { type Dispatcher, embeddedDispatcher } from "../../durable/index.ts";
import { asUsageError, ownStateFolder, stopOnSignals } from "../../host/command/index.ts";
import { type ChildPool, createNodeHost } from "../../host/index.ts";
import { type CommandPoolOptions, commandPool } from "../../server/local/pool/index.ts";
import { type WorkKindService, WorkService } from "../../server/service/index.ts";
import { existingStore, openStore, type Store, StoreError } from "../../store/index.ts";
import { SessionStore } from "../session/index.ts";
import { DaemonStore } from "./daemon-record.ts";

type ProjectWork<S, T> = (work: S) => T | Promise<T>;

/** Works on the daemons of the project; what is refused is one clear error. */
export const onDaemons = <T>(work: ProjectWork<DaemonStore, T>): Promise<T> =>
  onStore(theirs("daemons", "`harn daemon run SCRIPT` starts one"), (store) => work(new DaemonStore(store)));

/** The same where the first one may be made. */
export const onNewDaemons = <T>(work: ProjectWork<DaemonStore, T>): Promise<T> =>
  onStore(openStore, (store) => work(new DaemonStore(store)));

export const onSessions = <T>(work: ProjectWork<SessionStore, T>): Promise<T> =>
  onStore(theirs("sessions", "`harn session new NAME SCRIPT` makes one"), (store) =>
    work(new SessionStore(store)),
  );

export const onNewSessions = <T>(work: ProjectWork<SessionStore, T>): Promise<T> =>
  onStore(openStore, (store) => work(new SessionStore(store)));

const theirs =
  (what: string, advice: string) =>
  (folder: string): Store => {
    const store = existingStore(folder);
    if (store === undefined) throw new StoreError("missing", `there are no ${what} in ${folder}`, [advice]);
    return store;
  };

async function onStore<T>(open: (folder: string) => Store, work: ProjectWork<Store, T>): Promise<T> {
  try {
    const store = open(ownStateFolder());
    try {
      return await work(store);
    } finally {
      store.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}

interface ServeOptions {
  readonly store: Store;
  readonly pool: CommandPoolOptions;
  readonly work: (dispatch: Dispatcher, pool: ChildPool) => WorkKindService;
  /** The service has what it needs. */
  readonly onReady: () => void;
  /** A signal stops it: `now`, or after what is in progress (`busy` messages). */
  readonly onStop: (now: boolean, busy: number) => void;
}

export async function serveWork({ store, pool: asked, work, onReady, onStop }: ServeOptions): Promise<void> {
  const pool = await commandPool(asked);
  const dispatch = embeddedDispatcher(store, createNodeHost().clock);
  const service = new WorkService(dispatch, work(dispatch, pool));
  const unlisten = stopOnSignals((now) => {
    onStop(now, service.busy);
    service.stop(now);
  });
  try {
    await service.begin();
    onReady();
    await service.run();
  } finally {
    unlisten();
    pool.close();
  }
}
