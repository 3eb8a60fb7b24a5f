/** Output and logging (builtins.md §2.1). Only the first argument of the printing functions counts. */

import { stateKey, type Task } from "../../interp/index.ts";
import { defineBuiltins, dictOrLeftOut, row, rows } from "../../table/index.ts";
import { Dict, display, Float, jsonStringify, thrown, type Value } from "../../values/index.ts";
import { type Argument, intOr, option, textOf } from "../arguments.ts";
import { type OpenSpan, openSpan } from "../observe/span-state.ts";
import { wallClock } from "../time/clock-state.ts";
import { colourText, terminalState } from "./terminal-state.ts";

const progressFields = rows(() => ({
  mode: row.text("`spinner` or `bar`."),
  step: row.value("Which picture of the spinner.", "what is no number counts as 0").usually("0"),
  current: row.value("How far it is.", "what is no number counts as 0").usually("0"),
  total: row.value("How far it goes.", "what is no number counts as 0").usually("0"),
  width: row.value("Characters of the bar.", "what is no number counts as 0").usually("10"),
}));

const levels = ["debug", "info", "warn", "error"] as const;

/** The least level that is written. */
const logLevel = stateKey<{ least: number }>("log level", () => ({ least: 0 }));

/** Writes to standard error, or to the buffer of `capture_stderr_start`. */
export function writeError(task: Task, text: string): void {
  const state = task.runtime.state(terminalState);
  if (state.capturedError === undefined) task.runtime.console.writeError(text);
  else state.capturedError.push(text);
}

function structured(level: (typeof levels)[number]) {
  return {
    doc: `Writes one JSON line of level \`${level}\` to standard output; \`fields\` follow the message.`,
    sig: "(message: any, fields?: dict) -> nil",
    effect: "state" as const,
    performs: true,
    run: (task: Task, message: Argument, fields: Argument): Value => {
      if (levels.indexOf(level) < task.runtime.state(logLevel).least) return null;
      const head = [
        `"ts":${JSON.stringify(logTime(task))}`,
        `"level":"${level}"`,
        `"msg":${logJsonText(textOf(message))}`,
      ];
      const span = openSpan(task);
      if (span !== undefined) {
        head.push(`"trace_id":${logJsonText(span.traceId)}`, `"span_id":${logJsonText(span.spanId)}`);
      }
      const more = dictOrLeftOut(task, `log_${level}`, "fields", fields);
      const rest = [...(more?.entries() ?? [])].map(([key, value]) => field(key, value));
      task.write(`{${[...head, ...rest].join(",")}}\n`);
      return null;
    },
  };
}

/** The line that the end of a span writes, unless the level is above `info`. */
export function writeSpanEnd(task: Task, span: OpenSpan, durationMs: number, error: string | null): void {
  if (levels.indexOf("info") < task.runtime.state(logLevel).least) return;
  task.write(
    `{"ts":${JSON.stringify(logTime(task))},"level":"info","msg":"span_end","duration_ms":${durationMs},` +
      `"name":${logJsonText(span.name)},"span_id":${logJsonText(span.spanId)},"trace_id":${logJsonText(span.traceId)}` +
      `${error === null ? "" : `,"error":${logJsonText(error)}`}}\n`,
  );
}

function logTime(task: Task): string {
  return new Date(wallClock(task)).toISOString();
}

function logJsonText(text: string): string {
  return jsonStringify(text);
}

/** Scalars as JSON, anything else as its display form. */
function field(key: string, value: Value): string {
  const scalar = value === null || typeof value !== "object" || value instanceof Float;
  return `${logJsonText(key)}:${scalar ? jsonStringify(value) : logJsonText(display(value))}`;
}

function progressText(x: Argument, total: Argument): (message: string) => string {
  if (x instanceof Dict) return (message) => modeText(x, message);
  const done = typeof x === "number" ? x : undefined;
  if (done === undefined) return (message) => message;
  return (message) => (typeof total === "number" ? `${message} (${done}/${total})` : `${message} (${done}%)`);
}

function modeText(options: Dict, message: string): string {
  const mode = options.get("mode");
  if (mode === "spinner") {
    const step = intOr(options.get("step"), 0);
    return `${"|/-\\"[((step % 4) + 4) % 4]} ${message}`;
  }
  if (mode !== "bar") return message;
  const total = intOr(option(options, "total"), 0);
  const current = intOr(option(options, "current"), 0);
  const width = Math.min(Math.max(intOr(option(options, "width"), 10), 3), 40);
  const share = total > 0 ? Math.min(Math.max(current / total, 0), 1) : 0;
  const filled = Math.round(share * width);
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}] ${message} (${current}/${total})`;
}

export const output = defineBuiltins(
  "output",
  {
    log: {
      doc: "Writes `[harn] `, the display form of its first argument and a newline to standard output.",
      sig: "(value?: any) -> nil",
      effect: "state",
      traits: ["borrows", "needsWhole"],
      run: (task, value: Argument) => {
        task.write(`[harn] ${textOf(value)}\n`);
        return null;
      },
    },
    print: {
      doc: "Writes the display form of its first argument to standard output, without a newline.",
      sig: "(value?: any) -> nil",
      effect: "state",
      traits: ["borrows", "needsWhole"],
      run: (task, value: Argument) => {
        task.write(textOf(value));
        return null;
      },
    },
    println: {
      doc: "Writes the display form of its first argument and a newline to standard output.",
      sig: "(value?: any) -> nil",
      effect: "state",
      traits: ["borrows", "needsWhole"],
      run: (task, value: Argument) => {
        task.write(`${textOf(value)}\n`);
        return null;
      },
    },
    eprint: {
      doc: "Writes the display form of its first argument to standard error, without a newline.",
      sig: "(value?: any) -> nil",
      effect: "state",
      traits: ["needsWhole"],
      run: (task, value: Argument) => {
        writeError(task, textOf(value));
        return null;
      },
    },
    eprintln: {
      doc: "Writes the display form of its first argument and a newline to standard error.",
      sig: "(value?: any) -> nil",
      effect: "state",
      traits: ["needsWhole"],
      run: (task, value: Argument) => {
        writeError(task, `${textOf(value)}\n`);
        return null;
      },
    },
    log_debug: structured("debug"),
    log_info: structured("info"),
    log_warn: structured("warn"),
    log_error: structured("error"),
    log_set_level: {
      doc: "Sets the least level that `log_debug` … `log_error` write: debug, info, warn or error.",
      sig: "(level: string) -> nil",
      effect: "state",
      example: 'log_set_level("warn")  // nil',
      run: (task, level: Argument) => {
        const name = textOf(level);
        const least = levels.indexOf(name as (typeof levels)[number]);
        if (least < 0)
          throw thrown(`log_set_level: invalid level '${name}'. Expected debug, info, warn, or error`);
        task.runtime.state(logLevel).least = least;
        return null;
      },
    },
    log_json: {
      doc: "Writes the JSON line `{ts, key, value}` to standard output.",
      sig: "(key: any, value?: any) -> nil",
      effect: "state",
      performs: true,
      run: (task, key: Argument, value: Argument) => {
        const ts = JSON.stringify(logTime(task));
        task.write(
          `{"ts":${ts},"key":${logJsonText(textOf(key))},"value":${jsonStringify(value ?? null)}}\n`,
        );
        return null;
      },
    },
    progress: {
      doc: "Writes a line of progress: `[phase] message`, with a percentage, a count, a spinner or a bar.",
      sig: "(phase: any, message: any, progress?: int | dict, total?: int) -> nil",
      effect: "state",
      fields: { progress: () => progressFields },
      run: (task, phase: Argument, message: Argument, x: Argument, total: Argument) => {
        const body = progressText(x, total)(textOf(message));
        task.write(`[${textOf(phase)}] ${body}\n`);
        return null;
      },
    },
    color: {
      doc: "The text in a colour, when colours are on. An unknown colour leaves the text as it is.",
      sig: "(text: any, name: string) -> string",
      effect: "observe",
      performs: true,
      run: (task, text: Argument, name: Argument) => colourText(task, textOf(text), textOf(name)),
    },
    bold: {
      doc: "The text in bold, when colours are on.",
      sig: "(text: any) -> string",
      effect: "observe",
      performs: true,
      run: (task, text: Argument) => colourText(task, textOf(text), "bold"),
    },
    dim: {
      doc: "The text dimmed, when colours are on.",
      sig: "(text: any) -> string",
      effect: "observe",
      performs: true,
      run: (task, text: Argument) => colourText(task, textOf(text), "dim"),
    },
    set_color_mode: {
      doc: "When `color`, `bold` and `dim` emit escapes: `auto`, `always` or `never`.",
      sig: '(mode: "auto" | "always" | "never") -> nil',
      effect: "state",
      example: 'set_color_mode("never")  // nil',
      run: (task, mode: Argument) => {
        const name = textOf(mode);
        if (name !== "auto" && name !== "always" && name !== "never") {
          throw thrown(`set_color_mode: invalid mode '${name}'. Expected 'auto', 'always', or 'never'.`);
        }
        task.runtime.state(terminalState).colour = name;
        return null;
      },
    },
  },
  { fields: "what the script logs" },
);
