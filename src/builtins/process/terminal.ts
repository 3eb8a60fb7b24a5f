/** Standard input and terminals (builtins.md §2.2), and handlers of interrupts (`std/signal`): Ctrl-C, TERM, the wish of whoever embeds the run. */

import { shape } from "../../effects/index.ts";
import type { StandardStream } from "../../host/index.ts";
import {
  interruptHandlers,
  isInputMocked,
  mockInput,
  type Task,
  takeMockedLine,
  takeMockedRest,
} from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type MaybePromise, thrown, type Value } from "../../values/index.ts";
import { type Argument, needCallback, textOf } from "../arguments.ts";
import { isTty, terminalState } from "./terminal-state.ts";

/** A recorded read of standard input. */
function terminalInput(
  task: Task,
  kind: string,
  run: (signal: AbortSignal) => MaybePromise<string | undefined>,
): MaybePromise<Value> {
  return task.perform<string | null>({
    effect: "observe",
    kind,
    args: () => null,
    run: (signal) => {
      const read = run(signal);
      return read instanceof Promise ? read.then((text) => text ?? null) : (read ?? null);
    },
    result: shape.orNull(shape.text),
  });
}

function ttyCheck(stream: StandardStream) {
  return {
    doc: `Whether ${stream} is a terminal. Honours \`mock_tty\`.`,
    sig: "() -> bool",
    effect: "observe" as const,
    performs: true,
    run: (task: Task): Value => isTty(task, stream),
  };
}

const streams: ReadonlySet<string> = new Set(["stdin", "stdout", "stderr"]);

export const terminal = defineBuiltins("terminal", {
  read_line: {
    doc: "A line of standard input without its line break; nil at the end.",
    sig: "() -> string?",
    effect: "observe",
    performs: true,
    suspends: "may",
    run: (task) => {
      if (isInputMocked(task.runtime)) return takeMockedLine(task.runtime);
      return terminalInput(task, "read_line", (signal) => task.runtime.host.readLine(signal));
    },
  },
  read_stdin: {
    doc: 'What is left of standard input; "" at the end.',
    sig: "() -> string",
    effect: "observe",
    performs: true,
    suspends: "may",
    run: (task) =>
      isInputMocked(task.runtime)
        ? takeMockedRest(task.runtime)
        : terminalInput(task, "read_stdin", (signal) => task.runtime.host.readRest(signal)),
  },
  prompt_user: {
    doc: 'Writes the message to standard output and reads a line, its end trimmed; "" at the end of input.',
    sig: "(message?: any) -> string",
    effect: "human",
    performs: true,
    suspends: "may",
    capability: "people",
    run: (task, message: Argument) => {
      task.write(textOf(message ?? undefined));
      const line = isInputMocked(task.runtime)
        ? takeMockedLine(task.runtime)
        : terminalInput(task, "prompt_user", (signal) => task.runtime.host.readLine(signal));
      const trim = (text: Value): Value => (text as string | null)?.trimEnd() ?? "";
      return line instanceof Promise ? line.then(trim) : trim(line);
    },
  },
  is_stdin_tty: ttyCheck("stdin"),
  is_stdout_tty: ttyCheck("stdout"),
  is_stderr_tty: ttyCheck("stderr"),
  term_width: {
    doc: "Columns of the terminal; nil when standard output is none.",
    sig: "() -> int?",
    effect: "observe",
    run: (task) => task.runtime.host.terminalWidth ?? null,
  },
  term_height: {
    doc: "Rows of the terminal; nil when standard output is none.",
    sig: "() -> int?",
    effect: "observe",
    run: (task) => task.runtime.host.terminalHeight ?? null,
  },
  mock_stdin: {
    doc:
      "Makes a text the standard input until `unmock_stdin()`: of `read_line`, `read_stdin`, `prompt_user` and whatever else reads it. A " +
      "final newline makes no extra line; another call replaces what is left. People are not asked meanwhile.",
    sig: "(text: any) -> nil",
    effect: "state",
    example: 'mock_stdin("a\\nb")  // nil',
    run: (task, text: Argument) => {
      mockInput(task.runtime, textOf(text));
      return null;
    },
  },
  unmock_stdin: {
    doc: "Ends `mock_stdin`: the real input is read on from where it was.",
    sig: "() -> nil",
    effect: "state",
    run: (task) => {
      mockInput(task.runtime, undefined);
      return null;
    },
  },
  mock_tty: {
    doc: "Makes a standard stream look like a terminal, or not.",
    sig: '(stream: "stdin" | "stdout" | "stderr", on: bool) -> nil',
    effect: "state",
    run: (task, stream: Argument, on: Argument) => {
      const name = textOf(stream);
      if (!streams.has(name)) {
        throw thrown(`mock_tty: invalid stream '${name}'. Expected 'stdin', 'stdout', or 'stderr'.`);
      }
      task.runtime.state(terminalState).mockedTty.set(name as StandardStream, on === true);
      return null;
    },
  },
  unmock_tty: {
    doc: "Ends all `mock_tty`.",
    sig: "() -> nil",
    effect: "state",
    run: (task) => {
      task.runtime.state(terminalState).mockedTty.clear();
      return null;
    },
  },
  capture_stderr_start: {
    doc: "Buffers what is written to standard error until `capture_stderr_take`.",
    sig: "() -> nil",
    effect: "state",
    run: (task) => {
      task.runtime.state(terminalState).capturedError = [];
      return null;
    },
  },
  capture_stderr_take: {
    doc: "The text captured since `capture_stderr_start`; ends the capture.",
    sig: "() -> string",
    effect: "state",
    run: (task) => {
      const state = task.runtime.state(terminalState);
      const text = state.capturedError?.join("") ?? "";
      state.capturedError = undefined;
      return text;
    },
  },
});

export const signals = defineBuiltins("signals", {
  interrupt_handler_add: {
    doc:
      "Calls `f` when the run is interrupted (Ctrl-C, TERM), before it unwinds; gives the handler's name. `f` gets " +
      '`{reason, signal}`: `interrupt` and `"SIGINT"`, `terminate` and `"SIGTERM"`, `hangup` and `"SIGHUP"`, or `cancel` and nil. See `std/signal`.',
    sig: "(f: fn(dict) -> any) -> string",
    effect: "state",
    example: "interrupt_handler_add({ event -> nil })  // interrupt_1",
    run: (task, f: Argument) =>
      task.runtime.state(interruptHandlers).add(task, needCallback("interrupt_handler_add", f)),
  },
  interrupt_handler_remove: {
    doc: "Forgets a handler, or without a name all of them; gives how many there were.",
    sig: "(name?: string) -> int",
    effect: "state",
    example: 'interrupt_handler_remove("interrupt_9")  // 0',
    run: (task, name: Argument) => {
      const handlers = task.runtime.state(interruptHandlers);
      if (name === undefined || name === null) return handlers.clear();
      return handlers.remove(textOf(name)) ? 1 : 0;
    },
  },
  run_interrupted: {
    doc: "Whether the run was interrupted: true in handlers, and in the `finally` and `defer` blocks that run because of it.",
    sig: "() -> bool",
    effect: "state",
    example: "run_interrupted()  // false",
    run: (task) => task.runtime.state(interruptHandlers).request !== undefined,
  },
});
