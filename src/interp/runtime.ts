/**
 * The runtime: one object that owns every state which the specs call process-wide (mock queues, registries, sessions,
 * counters), so that servers and parallel tests hold several at once. Nothing of a run lives in module variables.
 */
import { type EffectCall, type Effects, Secrets, type StopRequest } from "../effects/index.ts";
import type { Host } from "../host/ports.ts";
import type { BuiltinTable } from "../table/builtin-spec.ts";
import type { Trait } from "../table/traits.ts";
import { type Caller, ScriptError, type StructLookup } from "../values/index.ts";
import { describeSite, type Site } from "./site.ts";
import { noLocals, TaskLocal, type TaskLocals } from "./task-local.ts";

/** A task, as far as it waits. */
interface WaitingTask {
  readonly id: string;
  readonly parent: object | undefined;
  readonly waitingFor:
    | { readonly what: string; readonly internal: boolean; readonly site: Site | undefined }
    | undefined;
  interrupt(error: ScriptError): void;
}

interface WatchedRun {
  readonly effects: Effects;
  readonly tasks: { readonly live: ReadonlySet<object>; readonly parked: ReadonlySet<WaitingTask> };
}

/**
 * Watches a run for deadlocks: at a rest without any effect in progress, when every task that has not ended waits for
 * another part of the program, nothing can ever happen. The program's own task is told, as an error it can catch.
 */
function watchForDeadlock(runtime: WatchedRun): void {
  runtime.effects.allWait = () => runtime.tasks.parked.size >= runtime.tasks.live.size;
  runtime.effects.onIdle = () => {
    const { live, parked } = runtime.tasks;
    if (parked.size === 0 || parked.size < live.size) return;
    const tasks = [...parked];
    if (tasks.some((task) => task.waitingFor?.internal !== true)) return;
    const root = tasks.find((task) => task.parent === undefined);
    root?.interrupt(new ScriptError("runtime", deadlockText(tasks), { code: "HARN-ORC-012" }));
  };
}

const shownWaits = 8;

function deadlockText(tasks: readonly WaitingTask[]): string {
  const lines = tasks.slice(0, shownWaits).map((task) => `\n  ${task.id} waits in ${describeWait(task)}`);
  if (tasks.length > shownWaits) lines.push(`\n  … and ${tasks.length - shownWaits} more tasks`);
  return `deadlock: every task waits for something that can never come${lines.join("")}`;
}

function describeWait(task: WaitingTask): string {
  const wait = task.waitingFor;
  if (wait === undefined) return "nothing";
  return wait.site === undefined ? wait.what : `${wait.what} (${describeSite(wait.site)})`;
}

interface Limits {
  /** Nested script calls; 10,000. */
  readonly depth: number;
  /** Steps between two looks at deadlines, cancellation and limits. */
  readonly checkEvery: number;
  /** Steps (calls, rounds of loops) of all tasks together; looked at every `checkEvery` steps of a task. No limit. */
  readonly steps: number;
}

const defaultLimits: Limits = { depth: 10_000, checkEvery: 4096, steps: Number.POSITIVE_INFINITY };

/** The tasks of a run that have not ended, in the order in which they were made, and those of them that wait. */
interface TaskCensus {
  readonly live: Set<Caller>;
  readonly parked: Set<Caller>;
}

/** Where a program's own output goes. */
export interface Console {
  /** Standard output. */
  write(text: string): void;
  /** How many texts `write` has taken, when it may be broken off: one that was not counted is given again. */
  readonly taken?: number;
  /** Shows whole lines before their place in the output; absent where nobody watches. */
  readonly show?: ((lines: string) => void) | undefined;
  /** Standard error. */
  writeError(text: string): void;
  /** Hands over what is buffered. */
  flush?(): void;
  /** How a text looks when it is given out: a replay shows the names of secrets. */
  shownAs?: ((text: string) => string) | undefined;
  /** Set once standard output takes nothing any more: how the run should end because of it. */
  readonly lost?: StopRequest | undefined;
  /** Called once, when that happens. */
  onLost?: (request: StopRequest) => void;
}

/** Where a task works, and what its processes find in their environment besides the program's. */
export interface Workspace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A typed slot for one subsystem's state in a Runtime. Compare by identity; make one per subsystem, at module level. */
export interface StateKey<T> {
  readonly name: string;
  create(runtime: Runtime): T;
}

export const stateKey = <T>(name: string, create: (runtime: Runtime) => T): StateKey<T> => ({ name, create });

/** What a host attaches to a subsystem's state as soon as it is made: it costs nothing where it never is. */
export interface StateWiring {
  /** Of the state's key. */
  readonly name: string;
  readonly attach: (state: unknown) => void;
}

/** `attach` is called once the state of `key` is made. A name stands for a key whose module is not loaded yet. */
export const onState = <T>(key: StateKey<T> | string, attach: (state: T) => void): StateWiring => ({
  name: typeof key === "string" ? key : key.name,
  attach: attach as (state: unknown) => void,
});

export interface RuntimeOptions {
  readonly effects: Effects;
  readonly host: Host;
  readonly console: Console;
  readonly builtins: BuiltinTable;
  readonly limits?: Partial<Limits>;
  /** What `argv` gives: the arguments after `--`. */
  readonly args?: readonly string[];
  /** The name under which the run is recorded and can be resumed; `undefined` while it has none. */
  readonly recordedAs?: () => string | undefined;
  /** What is attached to states of subsystems when they are made. */
  readonly wirings?: readonly StateWiring[];
}

/** Where a task works that does not work where the program does. Whoever works for it works there, too. */
export const workspaces = new TaskLocal<Workspace>("workspaces", { binds: true });

/** What relative paths of a task lie under, and where its processes begin. */
export const workingFolder = (task: Caller): string => workspaces.current(task)?.cwd ?? task.runtime.host.cwd;

export class Runtime {
  readonly effects: Effects;
  /** Replaced by itself under rules when the first policy of the run comes into force. */
  host: Host;
  readonly console: Console;
  readonly builtins: BuiltinTable;
  readonly limits: Limits;
  readonly args: readonly string[];
  readonly recordedAs: RuntimeOptions["recordedAs"];
  /** The run was asked to stop: nothing new is begun, and every task is told at its next wait. */
  stopping: StopRequest | undefined = undefined;
  /** Looks at the limits so far (`checkpoint`), of all tasks: the same number on replay. */
  checks = 0;
  /** What was printed last, for a run that is broken off between counting it and printing it. */
  printing = "";
  /** Called now and then by a computation that does not come to rest. */
  onBusy: (() => void) | undefined = undefined;
  /**
   * Asked before every effect; throws what must not happen, and gives the effect as it should be performed. Set by policies
   * that restrict a task's effects.
   */
  guard: (<T>(task: Caller, call: EffectCall<T>) => EffectCall<T>) | undefined = undefined;
  /** What tasks without a parent begin under: what the program that ran last has left in force. */
  locals: TaskLocals = noLocals;
  /** Steps of all tasks, as far as they were counted. */
  steps = 0;
  /** The program that runs: file name without suffix, or the pipeline's name. Set when it starts. */
  program = "program";
  /** Path of the entry file; "" until the program starts. */
  entry = "";
  /** The program's struct types, for values that come back from a journal: theirs have the methods. Set when it starts. */
  structs: StructLookup = () => undefined;
  /** Whether the program names a builtin of this trait anywhere. Set when it starts. */
  names: (trait: Trait) => boolean = () => false;
  readonly tasks: TaskCensus = { live: new Set(), parked: new Set() };
  /** What has to be closed when the run is over: connections, servers. Closing them never fails and ends soon. */
  readonly open = new Set<{ close(): Promise<void> }>();
  private ownSecrets: Secrets | undefined = undefined;
  private readonly states = new Map<StateKey<unknown>, unknown>();
  private readonly wirings: readonly StateWiring[];

  constructor(options: RuntimeOptions) {
    this.effects = options.effects;
    this.host = options.host;
    this.console = options.console;
    this.builtins = options.builtins;
    const limits = { ...defaultLimits, ...options.limits };
    this.limits = { ...limits, checkEvery: Math.min(limits.checkEvery, limits.steps) };
    this.args = options.args ?? [];
    this.recordedAs = options.recordedAs;
    this.wirings = options.wirings ?? [];
    watchForDeadlock(this);
  }

  /** What knows the secrets of this run: that of its journal, where it has one. */
  get secrets(): Secrets {
    const recorded = this.effects.keptSecrets?.();
    if (recorded !== undefined) return recorded;
    this.ownSecrets ??= Secrets.ofEnvironment((this.host.own ?? this.host).env);
    return this.ownSecrets;
  }

  /** From now on the value is stored as `{{secret:NAME}}` wherever it occurs in what this run leaves behind. */
  keepSecret(name: string, value: string): void {
    this.effects.keepSecret?.(name, value);
    this.secrets.register(name, value);
  }

  /** The state of a subsystem, made on first use. */
  state<T>(key: StateKey<T>): T {
    let state = this.states.get(key) as T | undefined;
    if (state === undefined) {
      state = key.create(this);
      this.states.set(key, state);
      for (const { name, attach } of this.wirings) if (name === key.name) attach(state);
    }
    return state;
  }

  /** Closes what the run has opened and left open. */
  async close(): Promise<void> {
    const left = [...this.open];
    this.open.clear();
    await Promise.all(left.map((one) => one.close()));
  }
}
