/** What runs: loaded by the first run of a program. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderDiagnostics } from "../../diagnostics/index.ts";
import { ownStateFolder } from "../../host/command/index.ts";
import { Catalogue } from "../../model/index.ts";
import { inProcess, type OwnProcess } from "../../process/index.ts";
import { madeProcess } from "../../process/made-process.ts";
import { existingStore, StoreWatch } from "../../store/index.ts";
import { harnError } from "../errors.ts";
import type { Engine, Order, RunListener, Settings } from "../orders.ts";
import type { RunEnd } from "../types.ts";
import { beginOrder, hostedOptionsOf } from "./begin-order.ts";
import { thrownFailure } from "./failures.ts";
import { HostedRun } from "./hosted-run.ts";
import { LogLines } from "./log-lines.ts";
import { programWords } from "./program-words.ts";
import { StoredRuns } from "./stored-runs.ts";
import { TestMachine } from "./test-machine.ts";

export const makeEngine = (settings: Settings): Engine => new HostEngine(settings);

class HostEngine implements Engine {
  readonly runs: StoredRuns;
  private readonly settings: Settings;
  /** Of runs that are kept for as long as this engine. */
  private readonly ownFolder: string | undefined;
  private readonly machine: TestMachine | undefined;
  /** Works in a process whose state folder is that of the runs. */
  private readonly within = <T>(work: () => T): T => inProcess(this.process({}), work);
  /** That a run which lives here is to stop (`harn runs stop`), what was answered (`harn hitl`). */
  private readonly watch = new StoreWatch(
    () => existingStore(ownStateFolder()),
    (problem) => {
      const { message } = thrownFailure("", problem);
      const text = `what others have answered or stopped can't be seen: ${message}`;
      this.settings.log?.({ level: "error", text, run: "" });
    },
  );
  private readonly held = new HeldProcess();
  private readonly env: Readonly<Record<string, string>>;

  constructor(settings: Settings) {
    this.settings = settings;
    const { store, bench } = settings;
    this.machine = bench === undefined ? undefined : new TestMachine(settings);
    this.ownFolder = store === "memory" ? mkdtempSync(join(tmpdir(), "harn-memory-")) : undefined;
    const folder = this.ownFolder ?? (typeof store === "string" ? store : undefined);
    this.env = {
      ...(settings.env ?? (process.env as Record<string, string>)),
      ...(folder === undefined ? {} : { HARN_STATE_DIR: folder }),
    };
    this.runs = new StoredRuns(this.within);
  }

  /** Each run has one: it may change its folder. */
  private process({ print, log }: { print?: (text: string) => void; log?: LogLines }): OwnProcess {
    const key = providerKey(this.settings);
    return madeProcess({
      cwd: this.settings.cwd,
      env: { ...this.env, ...key },
      words: programWords(Object.keys(key)[0]),
      fetch: this.settings.fetch,
      stdout: print ?? (() => {}),
      stderr: (text) => log?.take(text),
      exit: (code) => harnError("HARN-LIB-009", `the script ends its process (${code ?? 0})`),
    });
  }

  async perform(asked: Order, listener: RunListener): Promise<RunEnd> {
    const release = this.held.hold();
    try {
      return await this.performed(asked, listener);
    } finally {
      release();
    }
  }

  private async performed(asked: Order, listener: RunListener): Promise<RunEnd> {
    const order = this.settings.bench?.order?.(asked) ?? asked;
    const { run } = order;
    const log = new LogLines(run, this.settings.log);
    const hosted = new HostedRun(
      this.settings,
      hostedOptionsOf(order, this.settings),
      listener,
      this.machine,
      this.runs,
    );
    const isStored = this.settings.store !== false && order.kind !== "replay";
    // In that process its timer begins.
    const unwatch = isStored ? this.within(() => this.watch.add((store) => hosted.look(store))) : undefined;
    let end: RunEnd;
    try {
      end = await this.ended(hosted, order, log);
    } finally {
      hosted.interrupts.end();
      unwatch?.();
    }
    if (hosted.warnings.length > 0) log.take(`${renderDiagnostics(hosted.warnings, { colour: false })}\n`);
    log.end();
    return end;
  }

  /** However it fails: its end is its last event. */
  private async ended(hosted: HostedRun, order: Order, log: LogLines): Promise<RunEnd> {
    const { settings } = this;
    const end = async (): Promise<RunEnd> => {
      await beginOrder(hosted, order, settings);
      return await hosted.end();
    };
    const noted = "onPrint" in order.options ? order.options.onPrint : undefined;
    const print = noted === undefined ? {} : { print: hosted.printer(noted) };
    try {
      return hosted.ending(await inProcess(this.process({ log, ...print }), end));
    } catch (error) {
      return hosted.ending(hosted.failed(thrownFailure(order.run, error)));
    }
  }

  async close(): Promise<void> {
    if (this.ownFolder !== undefined) rmSync(this.ownFolder, { recursive: true, force: true });
  }
}

/** The key that `harn` was given, as the variable in which the provider's is looked for. */
function providerKey({ apiKey, provider, model }: Settings): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  const catalogue = new Catalogue([]);
  const name = provider ?? (model === undefined ? undefined : catalogue.model(model)?.provider);
  const variable = name === undefined ? undefined : catalogue.requireProvider(name).auth_env[0];
  if (variable !== undefined) return { [variable]: apiKey };
  throw harnError(
    "HARN-LIB-001",
    name === undefined
      ? "harn: `apiKey` is of no provider: name it with `provider`"
      : `harn: the provider ${name} takes no key`,
  );
}

/** Between two calls that do nothing; what a timer takes. Milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * The process lives for as long as a run is at work. What a run waits for may hold nothing by itself: the answer of a person, an
 * `AbortSignal.timeout` in a tool, a promise of the program's own.
 */
class HeldProcess {
  private runs = 0;
  private handle: NodeJS.Timeout | undefined;

  /** For a run that begins. The result, called once, is its end. */
  hold(): () => void {
    this.runs++;
    this.handle ??= setInterval(() => {}, longestTimer);
    return () => {
      this.runs--;
      if (this.runs > 0) return;
      clearInterval(this.handle);
      this.handle = undefined;
    };
  }
}
