/**
 * Operations that the program around the runtime offers: an editor's files and terminals, the functions of a program in
 * TypeScript. Scripts reach them by `host_call("capability.operation", params)` and by tools with
 * `executor: "host_bridge"`. Each call is one recorded effect, so a replay needs no host.
 */
import { type EffectCall, type InDoubtRule, JournalProblem, type Json, shape } from "../../effects/index.ts";
import { gateOf, type HostAccess, resolvedPath } from "../../host/index.ts";
import { type Runtime, stateKey, type Task, TaskLocal } from "../../interp/index.ts";
import { isAbsolutePath } from "../../model/index.ts";
import {
  Dict,
  encodeValue,
  fromJs,
  fromJson,
  type MaybePromise,
  proceed,
  ScriptError,
  thrown,
  toJs,
  toJson,
  UnfitValue,
  type Value,
} from "../../values/index.ts";
import { askForLeave, permissionKind } from "../policy/person.ts";

type JsonParams = { readonly [name: string]: Json };

/** A call as an operation sees it. */
export interface HostCall {
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** `PATH#N` of its effect: the same when a run that was killed makes the call again. */
  readonly place: string;
  /** How often this very call has been begun, with this time: 1, or more where a run that goes on makes it again. */
  readonly attempt: number;
  /** The model's id of the call; "" where a script makes it. */
  readonly id: string;
}

interface Offered {
  readonly doc: string;
  /** What it does to the outside world; a ceiling of a policy holds it accordingly. */
  readonly effect: "read" | "write";
  /** What a run that was killed does with a call of which it does not know whether it happened; of what writes. Default `ask`. */
  readonly inDoubt?: InDoubtRule;
  /** A person is asked before each call. */
  readonly approval?: boolean;
  /** The entry by which a model is offered it (`host_tools`). */
  readonly tool?: JsonParams;
}

/** Parameters and result are plain JSON. */
export interface HostOperation extends Offered {
  /**
   * What of the machine it touches, for the rules of the run: an editor's file is a file, its terminal a program. Paths may be
   * relative to the working directory, links need not be followed.
   */
  touches?(params: JsonParams): HostAccess | undefined;
  /** Rejecting tells the script the error's message. */
  run(params: JsonParams, call: HostCall): Promise<unknown>;
}

/**
 * Parameters and result are what JavaScript has for script values (`fromJs`), recorded exactly. Its effect has the operation's own
 * name. What it rejects with is what the script catches: name and message of an error.
 */
export interface HostFunction<I = { readonly [name: string]: unknown }> extends Offered {
  /** Those that are asked for at one time share one commit of their intents: `EffectCall.deferred`. */
  readonly deferred?: boolean;
  call(params: I, call: HostCall): Promise<unknown>;
}

type AnyOperation = HostOperation | HostFunction;

interface Bridge {
  readonly operations: Map<string, AnyOperation>;
  /** Mocks of the run answer first. */
  mock: ((task: Task, name: string, params: Dict) => Value | undefined) | undefined;
}

/** `task.runtime.state(hostBridge)`: operations by `capability.operation`. */
export const hostBridge = stateKey<Bridge>("agent.host bridge", () => ({
  operations: new Map(),
  mock: undefined,
}));

/** Operations for some tasks only; each stands in for the runtime's of its name. */
export const taskOperations = new TaskLocal<ReadonlyMap<string, AnyOperation>>("operations of the host");

/** Adds operations to a runtime before its program begins. */
export function offerHostOperations(runtime: Runtime, operations: ReadonlyMap<string, AnyOperation>): void {
  const bridge = runtime.state(hostBridge);
  for (const [name, operation] of operations) bridge.operations.set(name, operation);
}

/** Calls an operation; undefined when nobody offers it. `id`: the model's, of its call. */
export function callHost(task: Task, name: string, params: Dict, id = ""): MaybePromise<Value> | undefined {
  const { operations, mock } = task.runtime.state(hostBridge);
  const mocked = mock?.(task, name, params);
  if (mocked !== undefined) return mocked;
  const offered = taskOperations.current(task)?.get(name) ?? operations.get(name);
  const operation = offered ?? recordedOperation(task, name);
  if (operation === undefined) return undefined;
  if (operation.approval !== true) return performedCall(task, name, operation, params, id);
  return proceed(leaveFor(task, name, params, id), (allowed) => {
    // Only its approval was on record so far.
    const asked = operation === offered ? operation : (recordedOperation(task, name) ?? operation);
    return performedCall(task, name, asked, allowed, id);
  });
}

/** Calls a function that nobody offers under a name: one effect of that kind. `input`: what its fingerprint is of. */
export function performFunction(
  task: Task,
  kind: string,
  fn: HostFunction<unknown>,
  input: Value,
): MaybePromise<Value> {
  return callInRun(task, kind, fn as HostFunction, "").ofFunction(fn, input);
}

function performedCall(
  task: Task,
  name: string,
  operation: AnyOperation,
  params: Dict,
  id: string,
): MaybePromise<Value> {
  const call = callInRun(task, name, operation, id);
  return "call" in operation
    ? call.ofFunction(operation as HostFunction<unknown>, params)
    : call.ofJson(operation, params);
}

function callInRun(task: Task, name: string, operation: AnyOperation, id: string): CallInRun {
  const { path, effects: number } = task.scope;
  return new CallInRun(task, name, operation, `${path}#${number}`, id);
}

class CallInRun {
  private readonly task: Task;
  private readonly name: string;
  private readonly operation: AnyOperation;
  private readonly place: string;
  private readonly id: string;
  private attempt = 1;

  constructor(task: Task, name: string, operation: AnyOperation, place: string, id: string) {
    this.task = task;
    this.name = name;
    this.operation = operation;
    this.place = place;
    this.id = id;
  }

  ofJson(operation: HostOperation, params: Dict): MaybePromise<Value> {
    const json = toJson(params) as { [key: string]: Json };
    const answer = this.task.perform<Json>({
      ...this.effect(),
      kind: `host.${this.name}`,
      args: () => json,
      run: async (signal) => {
        judgeTouch(this.task, operation.touches?.(json));
        try {
          const given = await operation.run(json, this.seenBy(signal));
          return toJson(this.asValue(given));
        } catch (error) {
          if (signal.aborted || !(error instanceof Error)) throw error;
          throw thrown(`host_call ${this.name}: ${error.message}`);
        }
      },
      result: shape.json,
    });
    return proceed(answer, fromJson);
  }

  ofFunction(operation: HostFunction<unknown>, params: Value): MaybePromise<Value> {
    const given = toJs(params);
    const { deferred } = operation;
    return this.task.perform<Value>({
      ...this.effect(),
      ...(deferred === undefined ? {} : { deferred }),
      kind: this.name,
      args: () => encodeValue(params),
      run: async (signal) => {
        try {
          return this.asValue(await operation.call(given, this.seenBy(signal)));
        } catch (error) {
          if (signal.aborted || error instanceof ScriptError) throw error;
          // Live it is the very thing, with its stack; a record has what `caught` makes of it.
          throw new ScriptError("thrown", caught(error), { cause: error });
        }
      },
      result: shape.value(this.task.runtime.structs),
    });
  }

  private effect(): Pick<EffectCall<unknown>, "effect" | "inDoubt" | "repeated"> {
    const { effect, inDoubt } = this.operation;
    return {
      effect,
      ...(inDoubt === undefined ? {} : { inDoubt }),
      repeated: (begun) => {
        this.attempt = begun + 1;
      },
    };
  }

  /** What it gave, as scripts have it: what has no form there is an error that says where it stands. */
  private asValue(given: unknown): Value {
    try {
      return fromJs(given);
    } catch (error) {
      if (!(error instanceof UnfitValue)) throw error;
      throw new UnfitValue(error.path, `${error.why} (result of ${this.name})`);
    }
  }

  private seenBy(signal: AbortSignal): HostCall {
    const { place, attempt, id } = this;
    return { signal, place, attempt, id };
  }
}

/** What scripts catch: texts and data as they are, name and message of errors. */
function caught(error: unknown): Value {
  try {
    return fromJs(error);
  } catch (unfit) {
    const message = `what was thrown cannot be given to a script: ${unfit instanceof Error ? unfit.message : String(unfit)}`;
    return Dict.of({ name: "Error", message });
  }
}

/** Where a record is followed nobody needs to offer what it answers: it knows what kind of effect comes next. */
function recordedOperation(task: Task, name: string): AnyOperation | undefined {
  const { effects } = task.runtime;
  const next = effects.recordedNext?.(task.scope);
  if (next === undefined) return undefined;
  const { effect, kind } = next;
  const doc = "Known from the record.";
  const isFunction = name.startsWith("tool.");
  // Leave is asked for what is a function only; what kind of effect it is comes after it.
  if (kind === permissionKind && isFunction) return { doc, effect: "write", approval: true, call: absent };
  if (effect !== "read" && effect !== "write") return undefined;
  const known: AnyOperation | undefined =
    kind === `host.${name}`
      ? { doc, effect, run: absent }
      : kind === name && isFunction
        ? { doc, effect, call: absent }
        : undefined;
  if (known === undefined || effects.isAnswered?.(task.scope) !== false) return known;
  const problem = new JournalProblem(
    "mismatch",
    `${name} had begun when the run ended, and nobody offers it here`,
    ["go on with the run where it was begun, with what it was offered then; nothing was done"],
  );
  throw effects.cannotGoOn?.(problem) ?? problem;
}

/** A record that answers a call never gets here. */
const absent = (): Promise<never> => Promise.reject(new Error("nobody offers this any more"));

/** The parameters that a person allows. */
function leaveFor(task: Task, name: string, params: Dict, id: string): MaybePromise<Dict> {
  const tool = name.slice(name.indexOf(".") + 1);
  const request = Dict.of({
    tool_name: tool,
    tool_args: params,
    tool_call_id: id,
    reason: `${tool} asks before each call`,
  });
  return proceed(askForLeave(task, request, undefined), (leave) => {
    if (leave?.granted === true) return leave.arguments ?? params;
    const why =
      leave === null ? "there is nobody to ask" : (leave.reason ?? "the person who was asked said no");
    throw thrown(
      Dict.of({
        name: "PermissionDenied",
        message: `${tool} was not called: ${why}`,
        category: "permission_denied",
      }),
    );
  });
}

/** The rules of the run hold for what an operation does by other means than the ports of the machine. */
function judgeTouch(task: Task, access: HostAccess | undefined): void {
  const { host } = task.runtime;
  const gate = access === undefined ? undefined : gateOf(host);
  if (access === undefined || gate === undefined) return;
  if (access.kind !== "file") {
    gate.check(access);
    return;
  }
  const { files } = host.own ?? host;
  const { path, dangling } = resolvedPath(
    files,
    isAbsolutePath(access.path) ? access.path : `${host.cwd}/${access.path}`,
    true,
  );
  gate.check({ ...access, path, dangling });
}
