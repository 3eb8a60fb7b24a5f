/** What `harn()` gives. What is here is light; the engine is loaded by the first run. */
import { newRunId } from "../../host/run-id.ts";
import { harnError } from "../errors.ts";
import { agentOptions, checkGiven, name as nameKind } from "../option-checks.ts";
import {
  agentKinds,
  checkArguments,
  flowKinds,
  forkKinds,
  listKinds,
  replayKinds,
  resumeKinds,
  runKinds,
} from "../option-tables.ts";
import type { AgentRunOptions, Engine, FlowFunction, Order, Settings } from "../orders.ts";
import type {
  AgentOptions,
  AgentResult,
  Flow,
  FlowContext,
  FlowOptions,
  ForkOptions,
  Harn,
  ReplayOptions,
  ResumeOptions,
  Run,
  RunOptions,
  Runs,
  ScriptSource,
} from "../types.ts";
import { awaitedBy, CallSite, calledBy, readBy } from "./call-site.ts";
import { RunHandle } from "./run-handle.ts";

export class HarnHandle implements Harn {
  private readonly settings: Settings;
  private readonly living = new Set<Run<unknown>>();
  private loading: Promise<Engine> | undefined;
  private closing: Promise<void> | undefined;
  private readonly flows = new Map<string, FlowFunction>();
  readonly runs: Runs;

  constructor(options: Omit<Settings, "flows">) {
    this.settings = { ...options, flows: this.flows };
    this.runs = this.lazyRuns();
  }

  run<O = unknown>(source: ScriptSource, options: RunOptions<O> = {}): Run<O> {
    return this.begin(this.run, options, () => {
      checkArguments("h.run", source);
      checkGiven("h.run", options, runKinds);
      return { kind: "script", run: options.name ?? newRunId(), source, options };
    });
  }

  agent<O = AgentResult>(options: AgentOptions<O>): Run<O> {
    return this.begin(this.agent, options, () => {
      const { own, loop } = agentOptions<AgentRunOptions>("h.agent", options, agentKinds);
      return { kind: "agent", run: own.name ?? newRunId(), options: own, loop };
    });
  }

  flow<I, O>(name: string, fn: (ctx: FlowContext, input: I) => O): Flow<I, Awaited<O>> {
    calledBy(this.flow, () => {
      this.mustBeOpen();
      checkFlow(name, fn, this.flows);
    });
    this.flows.set(name, fn as FlowFunction);
    const begin = (input?: unknown, options: FlowOptions<never> = {}): Run<never> =>
      this.begin(begin, options, () => {
        checkGiven(`flow \`${name}\``, options, flowKinds);
        return { kind: "flow", run: options.name ?? newRunId(), flow: name, input, options };
      });
    return Object.defineProperty(begin, "name", { value: name }) as unknown as Flow<I, Awaited<O>>;
  }

  resume<O = unknown>(run: string, options: ResumeOptions<O> = {}): Run<O> {
    return this.begin(this.resume, options, () => {
      checkArguments("h.resume", run);
      this.mustStore("h.resume");
      checkGiven("h.resume", options, resumeKinds);
      return { kind: "resume", run, options };
    });
  }

  replay<O = unknown>(run: string | URL, options: ReplayOptions = {}): Run<O> {
    return this.begin(this.replay, {}, () => {
      checkArguments("h.replay", run);
      checkGiven("h.replay", options, replayKinds);
      const named = typeof run === "string" ? run : process.getBuiltinModule("node:url").fileURLToPath(run);
      return { kind: "replay", run: named, options };
    });
  }

  fork<O = unknown>(run: string, options: ForkOptions & ResumeOptions<O>): Run<O> {
    return this.begin(this.fork, options, () => {
      checkArguments("h.fork", run);
      this.mustStore("h.fork");
      checkGiven("h.fork", options, forkKinds, ["at"]);
      return { kind: "fork", run: newRunId(), from: run, options };
    });
  }

  /** `called`: by the program. */
  private begin<O>(
    called: (...args: never[]) => unknown,
    options: { readonly signal?: AbortSignal } | undefined,
    asked: () => Order,
  ): Run<O> {
    const order = calledBy(called, () => {
      const checked = asked();
      this.mustBeOpen();
      return checked;
    });
    const run = new RunHandle<O>(
      order.run,
      async (listener) => (await this.engine()).perform(order, listener),
      [options?.signal, this.settings.signal],
      new CallSite(called),
    );
    this.living.add(run);
    const over = (): void => void this.living.delete(run);
    run.done.then(over, over);
    return run;
  }

  private engine(): Promise<Engine> {
    this.loading ??= import("../engine/index.ts").then(({ makeEngine }) => makeEngine(this.settings));
    return this.loading;
  }

  private mustBeOpen(): void {
    if (this.closing !== undefined) throw harnError("HARN-LIB-010", "this harn was closed");
  }

  /** What writes into a store. `called`: by the program. */
  private mustStore(called: string): void {
    if (this.settings.store === false)
      throw harnError(
        "HARN-LIB-001",
        `${called} writes into a store, and with \`store: false\` this harn has none: name a folder, or "memory"`,
      );
  }

  private lazyRuns(): Runs {
    const runs = async (): Promise<Runs> => {
      this.mustBeOpen();
      return (await this.engine()).runs;
    };
    const of = async (called: Exclude<keyof Runs, "list">, ...given: readonly unknown[]): Promise<Runs> => {
      checkArguments(`h.runs.${called}`, ...given);
      if (writers.has(called)) this.mustStore(`h.runs.${called}`);
      return await runs();
    };
    const lazy: Runs = {
      list: (options = {}) =>
        awaitedBy(lazy.list, async () => {
          checkGiven("h.runs.list", options, listKinds);
          return (await runs()).list(options);
        }),
      get: (run) => awaitedBy(lazy.get, async () => (await of("get", run)).get(run)),
      events: (run, after) =>
        readBy(lazy.events, async function* () {
          yield* (await of("events", run, after)).events(run, after);
        }),
      questions: (run) => awaitedBy(lazy.questions, async () => (await of("questions", run)).questions(run)),
      answer: (...answer) =>
        awaitedBy(lazy.answer, async () => (await of("answer", ...answer)).answer(...answer)),
      export: (...to) => awaitedBy(lazy.export, async () => (await of("export", ...to)).export(...to)),
      import: (file) => awaitedBy(lazy.import, async () => (await of("import", file)).import(file)),
      remove: (run) => awaitedBy(lazy.remove, async () => (await of("remove", run)).remove(run)),
    };
    return lazy;
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    await Promise.all([...this.living].map((run) => run.stop("closed")));
    const engine = await this.loading?.catch(() => undefined);
    await engine?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** What of `h.runs` changes what is stored. */
const writers: ReadonlySet<keyof Runs> = new Set(["answer", "import", "remove"]);

/** Its name is that of its runs' script. */
function checkFlow(name: unknown, fn: unknown, flows: ReadonlyMap<string, unknown>): void {
  const refuse = (why: string): never => {
    throw harnError("HARN-LIB-021", `h.flow: ${why}`);
  };
  if (!nameKind.fits(name)) refuse(`the name of a flow is ${nameKind.words}`);
  if (typeof fn !== "function") refuse(`the flow \`${name}\` needs a function: async (ctx, input) => { … }`);
  if (flows.has(name as string))
    refuse(`there is a flow \`${name}\` already; runs of it could not tell which is theirs`);
}
