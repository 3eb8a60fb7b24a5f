/**
 * Commands that run beside the program (`std/command`): started, read piece by piece, waited for, ended. Start, reads and
 * the end are recorded effects. A running command belongs to its process: a run that goes on elsewhere finds it ended.
 */

import { shape } from "../../effects/index.ts";
import { HostError, type OutputPiece, type RunningProgram } from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { defineBuiltins, keysOf } from "../../table/index.ts";
import {
  Dict,
  encodeValue,
  type MaybePromise,
  proceed,
  runtimeError,
  thrown,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { startedFields } from "../rows/commands.ts";
import { LiveConnection } from "../sockets/live-connections.ts";
import { underPolicy } from "./command-policy.ts";
import { commandResultKeys } from "./command-result-keys.ts";
import { liveOutput } from "./live-output.ts";
import { commandEffect, inWorkingFolder, maxOutput, notStarted, wholeOutput } from "./processes.ts";
import { commandResult, shapedCommand } from "./shaped-commands.ts";

interface RunningCommand {
  readonly id: string;
  readonly program: string;
  readonly connection: LiveConnection<RunningProgram>;
  /** Epoch milliseconds. */
  started: number;
  ended: boolean;
  result: Value | undefined;
}

const commands = stateKey<{ started: number; readonly running: Map<string, RunningCommand> }>(
  "running commands",
  () => ({ started: 0, running: new Map() }),
);

function runningOf(task: Task, caller: string, handle: Argument): RunningCommand {
  const id = textOf(handle instanceof Dict ? handle.get("command_id") : handle);
  const running = task.runtime.state(commands).running.get(id);
  if (running !== undefined) return running;
  throw thrown(`${caller}: unknown command '${id}'`);
}

function startCommand(task: Task, request: Dict): MaybePromise<Value> {
  const { program, args, options } = shapedCommand(task, "process_start", request);
  const { host } = task.runtime;
  const state = task.runtime.state(commands);
  const id = `command_${++state.started}`;
  const running: RunningCommand = {
    id,
    program,
    connection: new LiveConnection(task),
    started: 0,
    ended: false,
    result: undefined,
  };
  const opened = task.perform<{ pid: number; at: number }>({
    effect: "write",
    kind: "process.start",
    ...commandEffect(request),
    args: () => encodeValue(request),
    run: async () => {
      const at = host.clock.now();
      try {
        const within = { maxOutput, ...liveOutput(task), ...inWorkingFolder(task, options) };
        const open = () => host.processes.open(program, args, within);
        return { pid: (await running.connection.get(open)).pid, at };
      } catch (error) {
        if (error instanceof HostError)
          throw runtimeError(`process_start: ${notStarted(error, { program, options })}`);
        throw error;
      }
    },
    result: shape.record<{ pid: number; at: number }>({ pid: shape.integer, at: shape.number }),
  });
  return proceed(opened, ({ pid, at }) => {
    running.started = at;
    state.running.set(id, running);
    return Dict.of({ command_id: id, status: "running", pid, started_at: new Date(at).toISOString() });
  });
}

/** The program of this process; one that an earlier process had started has ended with it. */
function runningProgram({ connection, id }: RunningCommand, caller: string): Promise<RunningProgram> {
  return connection.get(() => {
    throw thrown(`${caller}: command '${id}' ended with the process that had started it; start it again`);
  });
}

function read(task: Task, handle: Argument): MaybePromise<Value> {
  const running = runningOf(task, "process_read", handle);
  if (running.ended) return null;
  const piece = task.perform<OutputPiece | null>({
    effect: "read",
    kind: "process.read",
    args: () => running.id,
    run: async (signal) => (await (await runningProgram(running, "process_read")).read(signal)) ?? null,
    result: shape.orNull(
      shape.record<OutputPiece>({ stream: shape.oneOf("stdout", "stderr"), text: shape.text }),
    ),
  });
  return proceed(piece, (found) => {
    running.ended = found === null;
    return found === null ? null : Dict.of({ stream: found.stream, text: found.text });
  });
}

function awaitCommand(task: Task, handle: Argument): MaybePromise<Value> {
  const running = runningOf(task, "process_wait", handle);
  if (running.result !== undefined) return running.result;
  const result = task.perform<Value>({
    effect: "read",
    kind: "process.wait",
    args: () => running.id,
    run: async (signal) => {
      const program = await runningProgram(running, "process_wait");
      const ended = await untilAborted(program.result, signal);
      wholeOutput("process_wait", running.program, ended);
      return commandResult(ended, running.started, task.runtime.host.clock.now()).with(
        "command_id",
        running.id,
      );
    },
    result: shape.value(task.runtime.structs),
  });
  return proceed(result, (value) => {
    running.result = value;
    running.connection.close();
    return value;
  });
}

/** Who stops waiting leaves the command running. */
function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function cancel(task: Task, handle: Argument): MaybePromise<Value> {
  const running = runningOf(task, "process_cancel", handle);
  if (running.result !== undefined) return false;
  return task.perform<boolean>({
    effect: "write",
    kind: "process.cancel",
    inDoubt: "repeat",
    args: () => running.id,
    run: async () => {
      const program = await running.connection.current;
      program?.close();
      return program !== undefined;
    },
    result: shape.flag,
  });
}

/** A blocked one is told as one that has ended. */
const startedKeys = commandResultKeys;

const shared = { performs: true, suspends: "may", capability: "process" } as const;
const handleType = "string | dict";

export const runningCommands = defineBuiltins(
  "processes",
  {
    process_start: {
      ...shared,
      effect: "write",
      doc:
        "Starts a command beside the program: `{argv | command, cwd, env, stdin, timeout_ms, idempotent}` as for `process.exec`, under the " +
        'same command policies. Gives `{command_id, status: "running", pid, started_at}`; it ends with the run.',
      sig: "(request!: dict) -> dict",
      fields: { request: () => startedFields },
      resultKeys: () => startedKeys,
      run: (task, request: Dict) => underPolicy(task, request, (allowed) => startCommand(task, allowed)),
    },
    process_read: {
      ...shared,
      effect: "read",
      doc: 'What a running command has printed meanwhile, waited for: `{stream: "stdout" | "stderr", text}`; nil at the end.',
      sig: `(command: ${handleType}) -> dict?`,
      resultKeys: () => keysOf("stream", "text"),
      run: (task, handle: Argument) => read(task, handle),
    },
    process_wait: {
      ...shared,
      effect: "read",
      doc: "How a running command ends, with all of its output: the result of `process.exec`.",
      sig: `(command: ${handleType}) -> dict`,
      resultKeys: () => commandResultKeys,
      run: (task, handle: Argument) => awaitCommand(task, handle),
    },
    process_cancel: {
      ...shared,
      effect: "write",
      doc: "Ends a running command with its whole process tree; false when it had ended.",
      sig: `(command: ${handleType}) -> bool`,
      run: (task, handle: Argument) => cancel(task, handle),
    },
  },
  { command: "a running command, as `process_start` gives it" },
);
