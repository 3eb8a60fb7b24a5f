/**
 * What a person sees while agents work: turns as they stream, each tool call with its duration, tokens and cost so
 * far. Written to standard error, so that a script's own output stays clean; text that comes from models and tools
 * passes `showText`, so that nothing of it can steer the terminal.
 *
 *     ● turn 2  gpt-4o
 *       Now the long files.
 *       → read_file_lines {"path":"pantry/store.py"}
 *       ✓ read_file_lines 3 ms
 *       1,204 tokens in, 88 out, $0.0031 so far
 */
import { styleText } from "node:util";
import { showText } from "../../diagnostics/index.ts";
import type { Console } from "../../interp/index.ts";
import type { LiveEvent, LiveObserver, LiveObservers, LiveTotals } from "../../model/index.ts";
import { colourOnStderr, isTerminal, stderrWidth } from "../terminal.ts";
import type { RunFlags } from "./run-flags.ts";
import { costText, countText, durationText } from "./shown-figures.ts";

export interface LiveViewOptions {
  readonly write: (text: string) => void;
  readonly colour: boolean;
  /** Columns; longer argument texts are cut. */
  readonly width: number;
}

type Style = Parameters<typeof styleText>[0];

/**
 * Shows the agents of a run that has any: attached to their observers when those are made, because asking whether there
 * is a terminal costs 10 ms (Node's `tty` brings streams and sockets).
 */
export function viewOfAgents(flags: RunFlags, console: Console): (name: string, state: unknown) => void {
  return (name, state) => {
    if (name !== "agent.observers" || flags.quiet === true) return;
    if (flags.progress !== true && !isTerminal(2)) return;
    const write = (text: string): void => console.writeError(text);
    (state as LiveObservers).add(liveView({ write, colour: colourOnStderr(), width: stderrWidth() }));
  };
}

/** The observer that draws the view. One view serves all loops of a run; those of sub-agents are indented. */
export function liveView(options: LiveViewOptions): LiveObserver {
  const view = new LiveView(options);
  return (event) => view.show(event);
}

class LiveView {
  private readonly options: LiveViewOptions;
  private readonly depths = new Map<string, number>();
  /** Whether streamed text stands on the current line without a line break behind it. */
  private midLine = false;

  constructor(options: LiveViewOptions) {
    this.options = options;
  }

  show(event: LiveEvent): void {
    switch (event.type) {
      case "loop_start":
        this.depths.set(event.session_id, this.depth(event.parent_session_id) + 1);
        this.line(
          event,
          0,
          `${this.paint("bold", "agent")}  ${showText(event.model)} (${showText(event.provider)})`,
        );
        break;
      case "turn_start":
        this.line(event, 0, `${this.paint("cyan", "●")} turn ${event.iteration}`);
        break;
      case "text":
        this.stream(event, event.delta, undefined);
        break;
      case "thinking":
        this.stream(event, event.delta, "dim");
        break;
      case "tool_start":
        this.line(
          event,
          1,
          `${this.paint("blue", "→")} ${showText(event.tool_name)} ${this.brief(event.arguments)}`,
        );
        break;
      case "tool_end":
        this.line(event, 1, this.toolEnd(event));
        break;
      case "usage":
        this.line(event, 1, this.paint("dim", totals(event.total)));
        break;
      case "turn_end":
        this.breakLine();
        break;
      case "retry":
        this.line(
          event,
          1,
          this.paint(
            "yellow",
            `↻ ${showText(event.what)} again in ${event.delay_ms} ms: ${showText(event.reason)}`,
          ),
        );
        break;
      case "notice":
        this.line(event, 1, this.paint("yellow", showText(event.message)));
        break;
      case "loop_end":
        this.line(event, 0, this.loopEnd(event));
        break;
    }
  }

  private toolEnd(event: Extract<LiveEvent, { type: "tool_end" }>): string {
    const mark = event.status === "ok" ? this.paint("green", "✓") : this.paint("red", "✗");
    const why = event.error === undefined ? "" : `: ${this.cut(showText(event.error))}`;
    const status = event.status === "ok" ? "" : ` ${event.status}`;
    return `${mark} ${showText(event.tool_name)}${status} ${durationText(event.duration_ms)}${why}`;
  }

  private loopEnd(event: Extract<LiveEvent, { type: "loop_end" }>): string {
    const good = event.status === "done";
    const turns = `${event.iterations} turn${event.iterations === 1 ? "" : "s"}`;
    const head = `${this.paint(good ? "green" : "yellow", `■ ${showText(event.status)}`)} (${showText(event.stop_reason)}), ${turns}`;
    return `${head}, ${durationText(event.duration_ms)}, ${totals(event.total)}`;
  }

  private stream(event: LiveEvent, delta: string, style: Style | undefined): void {
    const indent = this.indent(event, 1);
    const text = showLines(delta);
    const lines = text.split("\n").map((line) => (style === undefined ? line : this.paint(style, line)));
    const start = this.midLine ? "" : indent;
    this.options.write(start + lines.join(`\n${indent}`));
    this.midLine = true;
  }

  private line(event: LiveEvent, level: number, text: string): void {
    this.breakLine();
    this.options.write(`${this.indent(event, level)}${text}\n`);
  }

  private breakLine(): void {
    if (this.midLine) this.options.write("\n");
    this.midLine = false;
  }

  private depth(session: string | undefined): number {
    return session === undefined ? -1 : (this.depths.get(session) ?? -1);
  }

  private indent(event: LiveEvent, level: number): string {
    return "  ".repeat(Math.max(0, this.depth(event.session_id)) * 2 + level);
  }

  private brief(value: unknown): string {
    return this.paint("dim", this.cut(showText(JSON.stringify(value) ?? "")));
  }

  private cut(text: string): string {
    const room = Math.max(20, this.options.width - 30);
    return text.length > room ? `${text.slice(0, room - 1)}…` : text;
  }

  private paint(style: Style, text: string): string {
    return this.options.colour ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** Streamed text keeps its line breaks; every other control character is made visible. */
function showLines(text: string): string {
  return text.replaceAll("\r\n", "\n").split("\n").map(showText).join("\n");
}

function totals(total: LiveTotals): string {
  const tokens = `${countText(total.input_tokens)} tokens in, ${countText(total.output_tokens)} out`;
  return `${tokens}, ${costText(total)} so far`;
}
