/** `harn daemon run`: starts a daemon in the background, or works as one (`--foreground`, and the process in the background). */

import { fork } from "node:child_process";
import { openSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  explained,
  ownFile,
  ownStateFolder,
  print,
  reportLog,
  UsageError,
} from "../../host/command/index.ts";
import { canonicalPath, checked, NodeModuleLoader, readProgram } from "../../program/index.ts";
import { moveFile } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";
import { type Store, StoreError } from "../../store/index.ts";
import {
  checkName,
  type DaemonRecord,
  DaemonTaken,
  DaemonWork,
  daemonBox,
  findDaemon,
  folderOf,
  logFile,
  onNewStore,
  serveWork,
  writeTurnProgram,
} from "../../work/service/index.ts";
import type { daemonRunFlags } from "../flags/serving.ts";

export type DaemonRunFlags = FlagsOf<typeof daemonRunFlags>;

const usualMemoryMb = 1024;
const usualTurnMs = 30 * 60_000;
/** A log bigger than this is put aside when the daemon is started. */
const bigLog = 10 << 20;

/** What the process in the background tells the one that started it. */
type StartReport = { readonly ok: true } | { readonly ok: false; readonly message: string };

export async function runDaemonCommand(
  file: string,
  args: readonly string[],
  flags: DaemonRunFlags,
): Promise<number> {
  const asked = await newDaemonRecord(file, args, flags);
  if (asked === undefined) return exitCode.failed;
  return await onNewStore(async (store) => {
    const folder = folderOf(store, asked.name);
    makeFolders(folder);
    refuseOther(store, asked);
    const record = rememberedRecord(findDaemon(store, asked.name), asked, flags);
    return flags.foreground === true
      ? await daemonWork(store, record, (line) => print(`${line}\n`), undefined)
      : await inBackground(store, record);
  });
}

/** The flags that its turns get. Files are meant from where the command was typed. */
function flagsOfTurns(flags: DaemonRunFlags): DaemonRecord["flags"] {
  const { name: _n, foreground: _f, memory: _m, timeout: _t, tape, llmMock, ...rest } = flags;
  return {
    ...rest,
    ...(tape === undefined ? {} : { tape: resolve(tape) }),
    ...(llmMock === undefined ? {} : { llmMock: resolve(llmMock) }),
  };
}

/** What is known before it has begun; `undefined` when the script has been found wanting, and that was said. */
async function newDaemonRecord(
  file: string,
  args: readonly string[],
  flags: DaemonRunFlags,
): Promise<DaemonRecord | undefined> {
  const text = readProgram(file, undefined);
  const script = canonicalPath(text);
  const name = explained(() => checkName(flags.name ?? basename(script).replace(/\.harn$/, "")));
  const program = await checked(text.source, script, new NodeModuleLoader());
  if (program === undefined) return undefined;
  const entry = program.resolved.modules.find(({ path }) => path === script);
  if (entry?.exports.has("daemon") !== true) {
    throw new UsageError(
      `${file} has no function \`daemon\`\n  write \`pub fn daemon() { return {task: "…", …} }\`: it gives the daemon's config (docs/daemons.md)`,
      exitCode.failed,
    );
  }
  return {
    name,
    script,
    args,
    cwd: process.cwd(),
    flags: flagsOfTurns(flags),
    limits: { memoryMb: flags.memory ?? usualMemoryMb, totalMs: flags.timeout ?? usualTurnMs },
    state: "idle",
    reason: null,
    started: Date.now(),
    turns: 0,
    mark: null,
    turn: null,
    idle: null,
    wakeAt: null,
    watched: null,
    last: null,
  };
}

/** A name means one script: its conversation is the other's no business. */
function refuseOther(store: Store, { name, script }: DaemonRecord): void {
  const known = findDaemon(store, name);
  if (known === undefined || known.script === script) return;
  throw new StoreError("exists", `the daemon ${name} is that of ${known.script}`, [
    `--name gives this one another name; \`harn daemon remove ${name}\` forgets the other`,
  ]);
}

/** Where a daemon's answers come from: one of them that is given now stands for all. */
const modelFlags = ["provider", "model", "baseUrl", "tape", "llmMock"] as const;

/** One that is started again keeps what it was started with, as far as nothing else is said now. */
function rememberedRecord(
  known: DaemonRecord | undefined,
  asked: DaemonRecord,
  { memory, timeout }: DaemonRunFlags,
): DaemonRecord {
  if (known === undefined) return asked;
  const kept: Record<string, unknown> = { ...known.flags };
  if (modelFlags.some((name) => asked.flags[name] !== undefined))
    for (const name of modelFlags) delete kept[name];
  return {
    ...asked,
    flags: { ...kept, ...asked.flags },
    limits: {
      memoryMb: memory ?? known.limits.memoryMb,
      totalMs: timeout ?? known.limits.totalMs,
    },
  };
}

async function inBackground(store: Store, record: DaemonRecord): Promise<number> {
  const folder = folderOf(store, record.name);
  const log = ownFile(logFile(folder));
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > bigLog) moveFile(log, `${log}.1`);
  const output = openSync(log, "a", 0o600);
  const child = fork(process.argv[1] as string, ["daemon", "serve"], {
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
    env: { ...process.env, HARN_STATE_DIR: store.folder },
  });
  child.send(record, () => {});
  const started = await new Promise<StartReport>((done) => {
    child.once("message", (message) => done(message as StartReport));
    child.once("exit", (code, signal) =>
      done({
        ok: false,
        message: `its process ended at once (${signal ?? `exit code ${code}`}); see ${log}`,
      }),
    );
    child.once("error", (error) => done({ ok: false, message: error.message }));
  });
  if (!started.ok) throw new UsageError(started.message, exitCode.failed);
  print(`${record.name} runs in the background (process ${child.pid})\n`);
  print(
    `  harn daemon trigger ${record.name} '{"kind": "…"}'   harn daemon log ${record.name}   harn daemon stop ${record.name}\n`,
  );
  child.disconnect();
  child.unref();
  return exitCode.ok;
}

/** The process in the background: gets what it is to run from the one that started it. */
export async function serveDaemonCommand(): Promise<number> {
  const { send } = process;
  if (send === undefined) throw new UsageError("this command is for harn itself: `harn daemon run SCRIPT`");
  const answer = (started: StartReport): void => void send.call(process, started, () => {});
  const record = await new Promise<DaemonRecord>((got) => process.once("message", got));
  const log = (line: string): void => reportLog(`${new Date().toISOString()} ${line}\n`);
  try {
    return await onNewStore((store) => daemonWork(store, record, log, () => answer({ ok: true })));
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    if (process.connected)
      answer({ ok: false, message: error instanceof Error ? error.message : String(error) });
    return exitCode.failed;
  }
}

async function daemonWork(
  store: Store,
  record: DaemonRecord,
  log: (line: string) => void,
  onReady: (() => void) | undefined,
): Promise<number> {
  const program = writeTurnProgram(folderOf(store, record.name), record.script);
  const { name, limits } = record;
  try {
    await serveWork({
      store,
      pool: { spares: 1, maxChildren: 1, limits },
      work: (dispatch, pool) => new DaemonWork({ store, dispatch, pool, name, program, log }, record),
      onReady: () => {
        onReady?.();
        log(`${name} runs (process ${process.pid}); mailbox ${daemonBox(name)} in ${ownStateFolder()}`);
      },
      onStop: (now) => log(now ? "stops now" : "stops after the turn under way"),
    });
    return exitCode.ok;
  } catch (error) {
    if (error instanceof DaemonTaken) throw new UsageError(error.message, exitCode.failed);
    throw error;
  } finally {
    log(`${name} has ended`);
  }
}
