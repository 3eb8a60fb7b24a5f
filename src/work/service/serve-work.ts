/** Runs a service in this process until it has ended: with its pool of children, and the signals that stop it. */
import { type Dispatcher, embeddedDispatcher } from "../../durable/index.ts";
import { stopOnSignals } from "../../host/command/index.ts";
import { type ChildPool, createNodeHost } from "../../host/index.ts";
import { type CommandPoolOptions, commandPool } from "../../server/local/pool/index.ts";
import { type WorkKindService, WorkService } from "../../server/service/index.ts";
import type { Store } from "../../store/index.ts";

export interface ServeOptions {
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
