/**
 * What the store knows of a background daemon: an entry of the space `daemons` under its name, and the mailbox
 * `daemon:NAME`. Its loop's state (`daemon.json`), its log and the program of its turns lie in its folder.
 */
import { join } from "node:path";
import type { Json } from "../../effects/index.ts";
import { asUsageError, ownStateFolder } from "../../host/command/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { existingStore, openStore, type Store, StoreError } from "../../store/index.ts";
import { statusOfWord, type WorkStatus } from "../index.ts";

export const space = "daemons";

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
export interface TurnInFlight {
  readonly seq: number;
  /** Which of its attempts this is, from 1. */
  readonly attempt: number;
  readonly run: string;
}

export interface LastTurn {
  readonly at: number;
  readonly kind: Wish["kind"];
  readonly run: string;
  readonly status: string;
  readonly text: string;
}

export type DaemonState = "idle" | "working" | "waiting" | "stopped" | "failed";

export interface DaemonRecord {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly flags: RunFlags;
  readonly limits: { readonly memoryMb: number; readonly totalMs: number };
  readonly state: DaemonState;
  /** Why it is `failed` or `waiting`. */
  readonly reason: string | null;
  readonly started: number;
  readonly turns: number;
  /** Of the child that works now: who comes after us ends what is left of it. */
  readonly mark: string | null;
  readonly turn: TurnInFlight | null;
  readonly idle: IdleConfig | null;
  /** When its timer goes off. */
  readonly wakeAt: number | null;
  /** How watched files were when it began to idle. */
  readonly watched: { readonly [path: string]: number } | null;
  readonly last: LastTurn | null;
}

/** Its place in the status machine of work. */
export const daemonStatus = ({ state }: DaemonRecord): WorkStatus =>
  statusOfWord("daemon", state) ?? "interrupted";

export const daemonBox = (name: string): string => `daemon:${name}`;

/** Its folder, in the state folder of the project. */
export const folderOf = (store: Store, name: string): string => join(store.folder, "daemons", name);

export const logFile = (folder: string): string => join(folder, "daemon.log");

/** Names are parts of paths. */
export function checkName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new StoreError("invalid", `${JSON.stringify(name)} can't be the name of a daemon`, [
    "messages, digits, `.`, `_` and `-`, beginning with a message or digit, 64 at most; --name gives it another one",
  ]);
}

export const daemonJson = (record: DaemonRecord): Json => record as unknown as Json;

export function findDaemon(store: Store, name: string): DaemonRecord | undefined {
  const value = store.entries.get(space, name);
  return value === undefined ? undefined : (value as unknown as DaemonRecord);
}

export function mustFindDaemon(store: Store, name: string): DaemonRecord {
  const found = findDaemon(store, name);
  if (found !== undefined) return found;
  const names = allDaemons(store).map((one) => one.name);
  throw new StoreError("missing", `there is no daemon ${name}`, [
    names.length === 0
      ? "`harn daemon run SCRIPT` starts one"
      : `there ${names.length === 1 ? "is" : "are"} ${names.slice(0, 8).join(", ")}: a daemon has the name of its script unless --name gives it another; \`harn daemon list\` shows them`,
  ]);
}

export const allDaemons = (store: Store): DaemonRecord[] =>
  store.entries.list(space).map(({ value }) => value as unknown as DaemonRecord);

/** Works on the project's store; what is refused is one clear error. */
export async function onStore<T>(work: (store: Store) => T | Promise<T>): Promise<T> {
  try {
    const store = existingStore(ownStateFolder());
    if (store === undefined)
      throw new StoreError("missing", `there are no daemons in ${ownStateFolder()}`, [
        "`harn daemon run SCRIPT` starts one",
      ]);
    return await closing(store, work);
  } catch (error) {
    throw asUsageError(error);
  }
}

/** The same where there may be none yet. */
export async function onNewStore<T>(work: (store: Store) => T | Promise<T>): Promise<T> {
  try {
    return await closing(openStore(ownStateFolder()), work);
  } catch (error) {
    throw asUsageError(error);
  }
}

async function closing<T>(store: Store, work: (store: Store) => T | Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    store.close();
  }
}
