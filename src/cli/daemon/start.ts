/** `harn daemon run`: starts a daemon in the background, or works as one (`--foreground`, and the process in the background). */

import { spawn } from "node:child_process";
import { openSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { checkDurableName, type DaemonStart, workBox } from "../../durable/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  explained,
  ownFile,
  ownStateFolder,
  print,
  reportLog,
  typedCommand,
  UsageError,
} from "../../host/command/index.ts";
import { ownCommand } from "../../host/index.ts";
import { canonicalPath, checked, NodeModuleLoader, readProgram } from "../../program/index.ts";
import type { RunFlags } from "../../run/setup/index.ts";
import { moveFile } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";
import { type Store, StoreError } from "../../store/index.ts";
import {
  type DaemonStore,
  DaemonTaken,
  DaemonWork,
  folderOf,
  logFile,
  onNewDaemons,
  serveWork,
  writeTurnProgram,
} from "../../work/service/index.ts";
import type { daemonRunFlags } from "../flags/serving.ts";

export type DaemonRunFlags = FlagsOf<typeof daemonRunFlags>;

const usualMemoryMb = 1024;
const usualTurnMs = 30 * 60_000;
/** A log bigger than this is put aside when the daemon is started. */
const bigLog = 10 << 20;

/** A daemon that is to run, for the process that does it. */
interface AskedDaemon {
  readonly name: string;
  readonly start: DaemonStart & { readonly flags: RunFlags };
}

/** What the process in the background tells the one that started it. */
type StartReport = { readonly ok: true } | { readonly ok: false; readonly message: string };

export async function runDaemonCommand(
  file: string,
  args: readonly string[],
  flags: DaemonRunFlags,
): Promise<number> {
  const asked = await askedDaemon(file, args, flags);
  if (asked === undefined) return exitCode.failed;
  return await onNewDaemons(async (daemons) => {
    const { store } = daemons;
    makeFolders(folderOf(store, asked.name));
    const daemon = remembered(daemons, asked, flags);
    return flags.foreground === true
      ? await daemonWork(store, daemon, (line) => print(`${line}\n`), undefined)
      : await inBackground(store, daemon);
  });
}

/** The flags that its turns get. Files are meant from where the command was typed. */
function flagsOfTurns(flags: DaemonRunFlags): RunFlags {
  const { name: _n, foreground: _f, memory: _m, timeout: _t, tape, llmMock, ...rest } = flags;
  return {
    ...rest,
    ...(tape === undefined ? {} : { tape: resolve(tape) }),
    ...(llmMock === undefined ? {} : { llmMock: resolve(llmMock) }),
  };
}

/** What is known before it has begun; `undefined` when the script has been found wanting, and that was said. */
async function askedDaemon(
  file: string,
  args: readonly string[],
  flags: DaemonRunFlags,
): Promise<AskedDaemon | undefined> {
  const text = readProgram(file, undefined);
  const script = canonicalPath(text);
  const name = explained(() =>
    checkDurableName("daemon", flags.name ?? basename(script).replace(/\.harn$/, "")),
  );
  const program = await checked(text.source, script, new NodeModuleLoader());
  if (program === undefined) return undefined;
  const entry = program.resolved.modules.find(({ path }) => path === script);
  if (entry?.exports.has("daemon") !== true) {
    throw new UsageError(
      `${file} has no function \`daemon\`\n  write \`pub fn daemon() { return {task: "…", …} }\`: it gives the daemon's config (docs/daemons.md)`,
      "HARN-CLI-005",
    );
  }
  const limits = { memoryMb: flags.memory ?? usualMemoryMb, totalMs: flags.timeout ?? usualTurnMs };
  const cwd = process.cwd();
  return { name, start: { script, args, cwd, flags: flagsOfTurns(flags), limits, started: Date.now() } };
}

/** Where a daemon's answers come from: one of them that is given now stands for all. */
const modelFlags = ["provider", "model", "baseUrl", "tape", "llmMock"] as const;

/**
 * One that is started again keeps what it was started with, as far as nothing else is said now. A name means one script: its
 * conversation is the other's no business.
 */
function remembered(
  daemons: DaemonStore,
  { name, start }: AskedDaemon,
  { memory, timeout }: DaemonRunFlags,
): AskedDaemon {
  const known = daemons.find({ name });
  if (known === undefined) return { name, start };
  if (known.script !== start.script)
    throw new StoreError("exists", `the daemon ${name} is that of ${known.script}`, [
      `--name gives this one another name; \`harn daemon remove ${name}\` forgets the other`,
    ]);
  const kept = { ...known.flags } as { [flag: string]: unknown };
  if (modelFlags.some((flag) => start.flags[flag] !== undefined))
    for (const flag of modelFlags) delete kept[flag];
  const { memoryMb, totalMs } = known.limits;
  const limits = { memoryMb: memory ?? memoryMb, totalMs: timeout ?? totalMs };
  return { name, start: { ...start, flags: { ...kept, ...start.flags }, limits } };
}

async function inBackground(store: Store, daemon: AskedDaemon): Promise<number> {
  const { name } = daemon;
  const folder = folderOf(store, name);
  const log = ownFile(logFile(folder));
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > bigLog) moveFile(log, `${log}.1`);
  const output = openSync(log, "a", 0o600);
  const serve = ownCommand(["daemon", "serve"]);
  const child = spawn(serve.program, serve.args, {
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
    env: { ...process.env, HARN_STATE_DIR: store.folder },
  });
  child.send(daemon, () => {});
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
  if (!started.ok) throw new UsageError(started.message, "HARN-CLI-008");
  print(`${name} runs in the background (process ${child.pid})\n`);
  print(
    `  ${typedCommand(`daemon trigger ${name} '{"kind": "…"}'`)}   ${typedCommand(`daemon log ${name}`)}   ${typedCommand(`daemon stop ${name}`)}\n`,
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
  const daemon = await new Promise<AskedDaemon>((got) => process.once("message", got));
  const log = (line: string): void => reportLog(`${new Date().toISOString()} ${line}\n`);
  try {
    return await onNewDaemons(({ store }) => daemonWork(store, daemon, log, () => answer({ ok: true })));
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    if (process.connected)
      answer({ ok: false, message: error instanceof Error ? error.message : String(error) });
    return exitCode.failed;
  }
}

async function daemonWork(
  store: Store,
  { name, start }: AskedDaemon,
  log: (line: string) => void,
  onReady: (() => void) | undefined,
): Promise<number> {
  const program = writeTurnProgram(folderOf(store, name), start.script);
  try {
    await serveWork({
      store,
      pool: { spares: 1, maxChildren: 1, limits: start.limits },
      work: (dispatch, pool) => new DaemonWork({ store, dispatch, pool, name, start, program, log }),
      onReady: () => {
        onReady?.();
        log(
          `${name} runs (process ${process.pid}); mailbox ${workBox("daemon", name)} in ${ownStateFolder()}`,
        );
      },
      onStop: (now) => log(now ? "stops now" : "stops after the turn under way"),
    });
    return exitCode.ok;
  } catch (error) {
    if (error instanceof DaemonTaken) throw new UsageError(error.message, "HARN-CLI-008");
    throw error;
  } finally {
    log(`${name} has ended`);
  }
}
