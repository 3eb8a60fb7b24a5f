/** `harn daemon list|trigger|stop|log|remove`. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type DaemonRecord,
  type Dispatcher,
  embeddedDispatcher,
  type LeaseOwner,
  workBox,
} from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  ownStateFolder,
  print,
  reportAsJson,
  reportError,
  UsageError,
} from "../../host/command/index.ts";
import { createNodeHost } from "../../host/index.ts";
import { clearChild } from "../../server/service/index.ts";
import { isDiskFull, type Store, StoreError, signalProcess, storeFile } from "../../store/index.ts";
import { jsonOrText } from "../../values/index.ts";
import { daemonLease } from "../../work/daemons/daemon-owners.ts";
import { type DaemonStore, folderOf, logFile, onDaemons } from "../../work/service/index.ts";
import type { triggerFlags } from "../flags/serving.ts";

const dispatcherOf = (store: Store): Dispatcher => embeddedDispatcher(store, createNodeHost().clock);

const daemonOwner = (dispatch: Dispatcher, store: Store, name: string): Promise<LeaseOwner | undefined> =>
  dispatch.ownerOf(daemonLease(folderOf(store, name)));

// ── list ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export async function listDaemons(flags: { readonly json?: boolean }): Promise<number> {
  if (!existsSync(join(ownStateFolder(), storeFile))) return noDaemons(flags);
  return await onDaemons(async (daemons) => {
    const { store } = daemons;
    const dispatch = dispatcherOf(store);
    const records = daemons.list();
    if (records.length === 0) return noDaemons(flags);
    for (const record of records) {
      const owner = await daemonOwner(dispatch, store, record.name);
      const messages = await dispatch.messages(workBox("daemon", record.name));
      const deadLetters = messages.filter(({ deadReason }) => deadReason !== undefined);
      const facts = {
        name: record.name,
        state: stateOf(record, owner),
        pid: owner?.pid ?? null,
        script: record.script,
        started: new Date(record.started).toISOString(),
        turns: record.turns,
        queued: messages.length - deadLetters.length,
        dead_letters: deadLetters.map(({ seq, body, deadReason }) => ({
          seq,
          body,
          reason: deadReason ?? "",
        })),
        wakes: record.wakeAt === null ? null : new Date(record.wakeAt).toISOString(),
        reason: record.reason,
        last: record.last,
      };
      if (flags.json === true) reportAsJson(facts);
      else print(daemonLine(facts));
    }
    return exitCode.ok;
  });
}

function noDaemons(flags: { readonly json?: boolean }): number {
  if (flags.json !== true) print("there are no daemons here\n");
  return exitCode.ok;
}

/** What the record says is true of a living process only. */
function stateOf(record: DaemonRecord, owner: LeaseOwner | undefined): string {
  if (owner !== undefined) return record.state;
  return record.state === "failed" || record.state === "stopped" ? record.state : "dead";
}

interface Facts {
  readonly name: string;
  readonly state: string;
  readonly pid: number | null;
  readonly script: string;
  readonly turns: number;
  readonly queued: number;
  readonly dead_letters: readonly { readonly seq: number; readonly reason: string }[];
  readonly reason: string | null;
  readonly last: DaemonRecord["last"];
}

function daemonLine({
  name,
  state,
  pid,
  script,
  turns,
  queued,
  dead_letters: deadLetters,
  reason,
  last,
}: Facts): string {
  const process = pid === null ? "" : `  process ${pid}`;
  const lastly =
    last === null ? "" : `  last: ${last.kind} ${last.status} at ${new Date(last.at).toISOString()}`;
  const lines = [`${name}  ${state}${process}  ${turns} turn(s), ${queued} queued${lastly}`, `  ${script}`];
  if (reason !== null) lines.push(`  ${reason.split("\n")[0]}`);
  for (const one of deadLetters) lines.push(`  dead message ${one.seq}: ${one.reason.split("\n")[0]}`);
  if (state === "dead")
    lines.push(`  its process has ended without a word: \`harn daemon run ${script}\` goes on`);
  return `${lines.join("\n")}\n`;
}

// ── trigger ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type TriggerFlags = FlagsOf<typeof triggerFlags>;

export async function triggerDaemonCommand(
  name: string,
  text: string | undefined,
  flags: TriggerFlags,
): Promise<number> {
  if ((text === undefined) !== (flags.retry === true))
    throw new UsageError("harn daemon trigger: give an event, or --retry for dead messages", "HARN-CLI-002");
  return await onDaemons(async (daemons) => {
    const { store } = daemons;
    const record = daemons.mustFind({ name });
    const dispatch = dispatcherOf(store);
    if (text === undefined) return await retryDeadLetters(dispatch, name);
    const seq = await enqueue(dispatch, record, jsonOrText(text));
    if (flags.wait === true) return await waitForDaemon(daemons, dispatch, name, seq);
    if ((await daemonOwner(dispatch, store, name)) === undefined)
      reportError(`harn: ${name} does not run; the event waits for \`harn daemon run ${record.script}\`\n`);
    print(`event ${seq}\n`);
    return exitCode.ok;
  });
}

async function enqueue(dispatch: Dispatcher, record: DaemonRecord, event: Json): Promise<number> {
  const capacity = record.idle?.capacity ?? 1024;
  try {
    return (await dispatch.enqueue(
      workBox("daemon", record.name),
      { kind: "trigger", event },
      { capacity },
    )) as number;
  } catch (error) {
    if (!(error instanceof StoreError && error.fault === "full") || isDiskFull(error)) throw error;
    throw new StoreError(
      "full",
      `DaemonQueueFull: ${record.name} holds ${capacity} events, more are not taken`,
      ["try again when some of them are handled; `event_queue_capacity` of its config allows more"],
    );
  }
}

async function retryDeadLetters(dispatch: Dispatcher, name: string): Promise<number> {
  const deadLetters = (await dispatch.messages(workBox("daemon", name))).filter(
    ({ deadReason }) => deadReason !== undefined,
  );
  for (const { seq } of deadLetters) await dispatch.redrive(seq);
  print(`${deadLetters.length} event(s) wait again\n`);
  return exitCode.ok;
}

/** Until the event was handled; says what came of it. */
async function waitForDaemon(
  daemons: DaemonStore,
  dispatch: Dispatcher,
  name: string,
  seq: number,
): Promise<number> {
  for (;;) {
    const message = (await dispatch.messages(workBox("daemon", name))).find((one) => one.seq === seq);
    if (message?.deadReason !== undefined) {
      throw new UsageError(`event ${seq} was given up: ${message.deadReason}`, "HARN-CLI-008");
    }
    if (message === undefined) {
      print(`${daemons.find({ name })?.last?.text ?? ""}\n`);
      return exitCode.ok;
    }
    if ((await daemonOwner(dispatch, daemons.store, name)) === undefined) {
      throw new UsageError(`${name} does not run; event ${seq} waits until it does`, "HARN-CLI-008");
    }
    await sleep(50);
  }
}

// ── stop ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How long a daemon may take to stop by itself; longer than the patience it has with its turn. */
const patienceMs = 20_000;

export async function stopDaemonCommand(name: string, flags: { readonly now?: boolean }): Promise<number> {
  return await onDaemons(async (daemons) => {
    const { store } = daemons;
    daemons.mustFind({ name });
    const dispatch = dispatcherOf(store);
    const owner = await daemonOwner(dispatch, store, name);
    if (owner === undefined) {
      print(`${name} does not run\n`);
      return exitCode.ok;
    }
    if (owner.pid === undefined)
      throw new StoreError("taken", `${name} is run by ${owner.who}`, ["stop it there"]);
    const ended = await endDaemon(dispatch, store, name, owner.pid, flags.now === true);
    print(ended ? `${name} has stopped\n` : `${name} did not stop by itself and was ended\n`);
    return exitCode.ok;
  });
}

/** Asked first, then ended with all that it started. What it had in progress goes on when it is started again. */
async function endDaemon(
  dispatch: Dispatcher,
  store: Store,
  name: string,
  pid: number,
  now: boolean,
): Promise<boolean> {
  signalProcess(pid, "SIGTERM");
  // Another one: two of a kind may arrive as one.
  if (now) signalProcess(pid, "SIGINT");
  for (let waited = 0; waited < patienceMs; waited += 50) {
    if ((await daemonOwner(dispatch, store, name)) === undefined) return true;
    await sleep(50);
  }
  signalProcess(pid, "SIGKILL");
  await clearChild(store, "daemon", name);
  return false;
}

// ── log, remove ─────────────────────────────────────────────────────────────────────────────────────────────────────

export async function logOfDaemon(
  name: string,
  { lines = 50 }: { readonly lines?: number },
): Promise<number> {
  return await onDaemons((daemons) => {
    daemons.mustFind({ name });
    const file = logFile(folderOf(daemons.store, name));
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const all = text.split("\n").slice(0, -1);
    for (const one of all.slice(-lines)) print(`${one}\n`);
    return exitCode.ok;
  });
}

export async function removeDaemonCommand(name: string): Promise<number> {
  return await onDaemons(async (daemons) => {
    const { store } = daemons;
    daemons.mustFind({ name });
    const dispatch = dispatcherOf(store);
    const lease = await dispatch.acquire(daemonLease(folderOf(store, name)));
    if (lease === undefined)
      throw new StoreError("taken", `the daemon ${name} runs`, [`\`harn daemon stop ${name}\` stops it`]);
    await dispatch.clear(workBox("daemon", name));
    daemons.forget({ name }, { lease });
    rmSync(folderOf(store, name), { recursive: true, force: true });
    await dispatch.release(lease);
    print(`${name} is forgotten\n`);
    return exitCode.ok;
  });
}
