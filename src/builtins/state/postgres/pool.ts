/** A pool of connections to a PostgreSQL server. */
import type { DatabasePool } from "../../../host/index.ts";
import type { Closable, LiveConnection } from "../../sockets/live-connections.ts";
import type { PgPoolOptions, Source } from "./target.ts";

/** What a pool was made with; the connections are there only while the program really runs. */
export interface PgPool {
  readonly id: string;
  readonly source: Source;
  readonly options: PgPoolOptions;
  readonly connection: LiveConnection<LivePool>;
}

/** A pool as it is open now: the end of the run closes it. */
export interface LivePool extends Closable {
  readonly pool: DatabasePool;
}
