/**
 * What the store knows of background daemons, as operations. Whoever changes one has its lease, and says so (`OperateOptions`). Its
 * loop's state (`daemon.json`), its log and the program of its turns lie in its folder.
 */
import type { Json } from "../../effects/index.ts";
import { StoreError } from "../../store/index.ts";
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";
import { type DurableRow, DurableWork, inEntries } from "./durable-work.ts";
import { durableKinds, type StateOf } from "./status.ts";

/** What can be wanted of a daemon; the body of its messages. */
export type Wish =
  /** Its first turn. */
  | { readonly kind: "start" }
  | { readonly kind: "trigger"; readonly event: Json }
  | { readonly kind: "timer" }
  | { readonly kind: "watch"; readonly paths: readonly string[] };

/** What the script's `daemon()` says about the time between turns. */
export interface IdleConfig {
  readonly wakeIntervalMs: number | null;
  readonly watchPaths: readonly string[];
  readonly capacity: number;
}

/** The message that is being worked on, and the run that does it. */
interface TurnInFlight {
  readonly seq: number;
  /** Which of its attempts this is, from 1. */
  readonly attempt: number;
  readonly run: string;
}

interface LastTurn {
  readonly at: number;
  readonly kind: Wish["kind"];
  readonly run: string;
  readonly status: string;
  readonly text: string;
}

/** How a daemon is started. */
export interface DaemonStart {
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Of its runs. */
  readonly flags: object;
  readonly limits: { readonly memoryMb: number; readonly totalMs: number };
  readonly started: number;
}

export interface DaemonRecord extends DaemonStart {
  readonly name: string;
  readonly state: StateOf<"daemon">;
  /** Why it is `failed` or `waiting`. */
  readonly reason: string | null;
  readonly turns: number;
  readonly turn: TurnInFlight | null;
  readonly idle: IdleConfig | null;
  /** When its timer goes off. */
  readonly wakeAt: number | null;
  /** How watched files were when it began to idle. */
  readonly watched: { readonly [path: string]: number } | null;
  readonly last: LastTurn | null;
}

const entries = inEntries<DaemonRecord>("daemons");

const daemonRow: DurableRow<DaemonRecord> = {
  kind: "daemon",
  ...entries,
  status: ({ state }) => durableKinds.daemon.states[state],
  missing: (name, tx) => {
    const names = entries.names(tx);
    return new StoreError("missing", `there is no daemon ${name}`, [
      names.length === 0
        ? "`harn daemon run SCRIPT` starts one"
        : `there ${names.length === 1 ? "is" : "are"} ${names.slice(0, 8).join(", ")}: a daemon has the name of its script unless --name gives it another; \`harn daemon list\` shows them`,
    ]);
  },
};

class Daemons extends DurableWork<DaemonRecord> {
  constructor(tx: Tx) {
    super(tx, daemonRow);
  }

  /** A process begins to run it, as it is started now. */
  begin(name: string, start: DaemonStart): DaemonRecord {
    const before = this.find(name);
    const fresh = { turns: 0, turn: null, idle: null, wakeAt: null, watched: null, last: null } as const;
    const record: DaemonRecord = { ...(before ?? fresh), name, ...start, state: "idle", reason: null };
    this.keep(this.way(before, record));
    if (record.turns === 0) this.notify(name, { kind: "start" }, { key: "start" });
    return record;
  }

  change(name: string, changes: Partial<DaemonRecord>): DaemonRecord {
    const before = this.mustFind(name);
    return this.keep(this.way(before, { ...before, ...changes }));
  }
}

export interface OfDaemon {
  readonly name: string;
}
const daemonScope = ({ name }: OfDaemon): readonly string[] => [`daemon:${name}`];

export const daemonOperations = defineOperations("daemon", {
  begin: operation({
    doc: "A process begins to run a daemon as it says, one that was there before or a new one; gives the record.",
    scopes: daemonScope,
    run: (tx: Tx, one: OfDaemon & { readonly start: DaemonStart }): DaemonRecord =>
      new Daemons(tx).begin(one.name, one.start),
  }),
  change: operation({
    doc: "Changes the record of a daemon; gives it.",
    scopes: daemonScope,
    run: (tx: Tx, one: OfDaemon & { readonly changes: Partial<DaemonRecord> }): DaemonRecord =>
      new Daemons(tx).change(one.name, one.changes),
  }),
  forget: operation({
    doc: "Forgets a daemon, with what waits for it.",
    scopes: daemonScope,
    run: (tx: Tx, { name }: OfDaemon): null => {
      new Daemons(tx).clearMailbox(name);
      tx.put("daemons", name, undefined);
      return null;
    },
  }),
  find: operation({
    doc: "The record of a daemon; nil when there is none.",
    scopes: daemonScope,
    reads: true,
    run: (tx: Tx, { name }: OfDaemon): DaemonRecord | undefined => new Daemons(tx).find(name),
  }),
  mustFind: operation({
    doc: "The record of a daemon that must be there.",
    scopes: daemonScope,
    reads: true,
    run: (tx: Tx, { name }: OfDaemon): DaemonRecord => new Daemons(tx).mustFind(name),
  }),
  list: operation({
    doc: "The records of all daemons, sorted by name.",
    scopes: () => ["daemons"],
    reads: true,
    run: (tx: Tx): DaemonRecord[] => {
      const daemons = new Daemons(tx);
      return entries.names(tx).map((name) => daemons.mustFind(name));
    },
  }),
});
