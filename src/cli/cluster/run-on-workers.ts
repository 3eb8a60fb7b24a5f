/** `harn run … --workers`: the run is begun here, done by a worker, shown while it works, and kept here when it is over. */
import { statSync } from "node:fs";
import { join } from "node:path";
import {
  type BroughtBack,
  bringBack,
  type Cluster,
  clusterSettings,
  endsOfRun,
  follow,
  handOver,
  handOverNote,
  isUnknownJob,
  type JobEnd,
  lostRun,
  noteHandedOver,
  openCluster,
  type RunOrder,
  takeBackUnlessOpen,
  travellingFlags,
} from "../../cluster/index.ts";
import { signedOrder } from "../../cluster/signed-runs.ts";
import {
  asUsageError,
  exitCode,
  isTerminal,
  ownStateFolder,
  ProcessConsole,
  reportError,
  runNamed,
  stopOnSignals,
  typedCommand,
  UsageError,
} from "../../host/command/index.ts";
import { loadSigningKeys, stopRequests } from "../../host/index.ts";
import { ownPath, ownProcess } from "../../process/index.ts";
import { programToRun } from "../../program/index.ts";
import { beginForOthers } from "../../run/begin-run.ts";
import { importFile, onDoubtOf, pointToGoOn, takeOver } from "../../run/index.ts";
import { isOfProgram, type RunFlags } from "../../run/setup/index.ts";
import { existingStore, openStore, type Store, StoreError } from "../../store/index.ts";

export async function runOnWorkers(
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
): Promise<number> {
  refuseLocalRunFlags(flags);
  try {
    const sender = await Sender.of(flags);
    try {
      return await (flags.resume === undefined
        ? sender.begin(file, args)
        : sender.resume(flags.resume, file, args));
    } finally {
      await sender.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}

/** What has a meaning on this machine only. */
function refuseLocalRunFlags(flags: RunFlags): void {
  const { record, llmMockRecord, acceptChanges, input } = flags;
  for (const [name, value, why] of [
    ["--record", record || undefined, "a run on workers is kept in the store of this project"],
    ["--no-record", record === false || undefined, "a run on workers goes by its journal"],
    ["--llm-mock-record", llmMockRecord, "the file would lie on the worker"],
    ["--accept-changes", acceptChanges, "a worker goes on with the script as it was recorded"],
    ["--input", input, "a suspended worker of a script goes on where its file lies"],
  ] as const)
    if (value !== undefined) throw new UsageError(`${name} does not go with --workers: ${why}`);
}

class Sender {
  private readonly flags: RunFlags;
  private readonly settings: Cluster["settings"];
  private cluster: Cluster | undefined;
  private store: Store | undefined;

  private constructor(flags: RunFlags, settings: Cluster["settings"]) {
    this.flags = flags;
    this.settings = settings;
  }

  /** What is wrong with the settings, or with the key, is told before anything else. */
  static async of(flags: RunFlags): Promise<Sender> {
    const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"), exitCode.usage);
    if (flags.sign !== undefined) (await loadSigningKeys()).privateKeyIn(flags.sign);
    return new Sender(flags, settings);
  }

  async begin(file: string | undefined, args: readonly string[]): Promise<number> {
    const run = await beginForOthers(programToRun(file, this.flags.eval), args, this.flags, {
      ready: async () => void (await this.connected()),
      beginning: noteHandedOver,
    });
    if (run === undefined) return exitCode.failed;
    const store = openStore(ownStateFolder());
    this.store = store;
    await this.handOver(store, run, handOverNote(store, run));
    return await this.followed(store, run);
  }

  async resume(which: string, file: string | undefined, args: readonly string[]): Promise<number> {
    const { seed, eval: text } = this.flags;
    for (const [name, value] of [
      [file, file],
      ["-e", text],
      ["--seed", seed],
    ])
      if (value !== undefined)
        throw new UsageError(
          `${name} does not go with --resume and --workers: the run goes on as it was begun`,
        );
    if (args.length > 0) throw new UsageError("a resumed run keeps its arguments; give none after `--`");
    const imported = namesFile(which) ? importFile(which) : undefined;
    const store = this.ownStore();
    const run = imported ?? runNamed(store, which);
    if (store.runs.elsewhere.noteOf(run) !== undefined) return await this.followedAgain(store, run);
    const { header } = store.runs.read(run);
    if (isOfProgram(header))
      throw new UsageError(`${run} is of a program in TypeScript, which goes on with it`, "HARN-CLI-008");
    const point = await pointToGoOn(store, run, store.runs.read(run), this.flags, false);
    if (point === undefined) return exitCode.parked;
    await this.connected();
    const owned = takeOver(store, run);
    try {
      noteHandedOver(store, run);
    } finally {
      owned.close();
    }
    await this.handOver(store, run, handOverNote(store, run));
    return await this.followed(store, run);
  }

  /** It was handed over before: at work, over, or never begun there. */
  private async followedAgain(store: Store, run: string): Promise<number> {
    const { journals } = await this.connected();
    if (handOverNote(store, run)?.isSent === true) {
      try {
        return await this.followed(store, run);
      } catch (error) {
        if (!isUnknownJob(error)) throw error;
      }
      if ((await journals.fetch(run)) === undefined) throw lostRun(run);
    }
    await this.handOver(store, run, undefined);
    return await this.followed(store, run);
  }

  /** `note`: what was noted for this. A run that was elsewhere before, and has none, stays there when it fails. */
  private async handOver(store: Store, run: string, note: ReturnType<typeof handOverNote>): Promise<void> {
    const cluster = await this.connected();
    try {
      await handOver(cluster, store, run, await this.orderOf(store, run));
    } catch (error) {
      const where = await takeBackUnlessOpen(cluster, store, run, note);
      const again = `\`${typedCommand(`run --resume ${run} --workers`)}\` hands it over again`;
      const { text, code } = asUsageErrorOf(error);
      throw new UsageError(`${text}\n  the run ${run} ${placeWords[where]}; ${again}`, code);
    }
    if (this.flags.quiet !== true) reportError(`harn: ${run} is handed over to workers\n`);
  }

  private async orderOf(store: Store, run: string): Promise<RunOrder> {
    const journal = store.runs.read(run);
    const { flags } = this;
    const isShown = isTerminal(2) && flags.quiet !== true;
    const order: RunOrder = {
      flags: travellingFlags({
        ...flags,
        onDoubt: await onDoubtOf(flags, journal.header.cwd),
        ...(isShown ? { progress: true } : {}),
      }),
      ends: endsOfRun(journal),
    };
    if (flags.sign === undefined) return order;
    return await signedOrder(flags.sign, journal, order);
  }

  private async followed(store: Store, run: string): Promise<number> {
    const cluster = await this.connected();
    const left = new AbortController();
    let code: number = exitCode.interrupted;
    const unlisten = stopOnSignals((_now, signal) => {
      if (signal !== undefined) code = stopRequests[signal as "SIGINT"]?.exitCode ?? code;
      left.abort();
    });
    const console = new ProcessConsole();
    console.onLost = (request) => {
      code = request.exitCode;
      left.abort();
    };
    let isAway = false;
    let end: JobEnd | undefined;
    const note = handOverNote(store, run);
    try {
      end = await follow(cluster, store, run, {
        print: ({ stream, text }) => (stream === "stdout" ? console.write(text) : console.writeError(text)),
        signal: left.signal,
        away: (error) => {
          if (!isAway) reportError(`harn: ${asUsageErrorOf(error).text}; it is asked again\n`);
          isAway = true;
        },
      });
    } finally {
      unlisten();
      console.flush();
    }
    if (end === undefined) {
      reportError(`harn: ${lookedAwayWords(run)}\n`);
      return code;
    }
    const back = await bringBack(cluster, store, run, { note, end });
    const words = endWords(run, back);
    if (words !== undefined) reportError(`harn: ${words}\n`);
    return back.exitCode;
  }

  private async connected(): Promise<Cluster> {
    this.cluster ??= await openCluster(this.settings, (line) => reportError(`harn: ${line}\n`));
    return this.cluster;
  }

  private ownStore(): Store {
    const folder = ownStateFolder();
    this.store = existingStore(folder);
    if (this.store !== undefined) return this.store;
    throw new StoreError("missing", `there is no store in ${folder}: no run was recorded here`);
  }

  async close(): Promise<void> {
    this.store?.close();
    await this.cluster?.close();
  }
}

function asUsageErrorOf(error: unknown): UsageError {
  const found = asUsageError(error);
  if (found instanceof UsageError) return found;
  throw found;
}

/** After a hand-over that failed. */
const placeWords = {
  untouched: "is kept here, and nothing of it was done",
  further: "is kept here, with what workers have done of it",
  elsewhere: "is left as it is, for somebody else may have it",
} as const;

const namesFile = (which: string): boolean =>
  statSync(ownPath(which), { throwIfNoEntry: false })?.isFile() === true;

const goOnWords = (run: string): string => `\`${typedCommand(`run --resume ${run} --workers`)}\` goes on`;

/** To whoever looks away from one that works. */
export const lookedAwayWords = (run: string): string =>
  `${run} goes on on workers; \`${typedCommand(`run --resume ${run} --workers`)}\` follows it again, \`${typedCommand(`runs stop ${run}`)}\` stops it`;

/** How one ended, where it was not by itself. */
function endWords(run: string, { reason, words }: BroughtBack): string | undefined {
  if (words !== undefined) return `${run} failed on workers: ${words}`;
  if (reason === "done" || reason === "error" || reason === "exit") return undefined;
  if (reason === "parked")
    return `waiting for a person; \`${typedCommand("hitl list")}\` shows the question, \`${typedCommand(`hitl answer ${run} ANSWER`)}\` answers it, ${goOnWords(run)}`;
  return `${run} was stopped; ${goOnWords(run)} from there`;
}
