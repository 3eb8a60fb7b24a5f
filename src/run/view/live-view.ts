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
import type { RunEvent, RunEventSink, RunEvents, RunTotals } from "../../events/index.ts";
import { failedCallText } from "../../events/wire/index.ts";
import {
  colourOnStderr,
  isTerminal,
  type ProcessConsole,
  stderrWidth,
  writeConsoleError,
} from "../../host/command/index.ts";
import { onState, type StateWiring } from "../../interp/index.ts";
import { firstLine } from "../../values/index.ts";
import type { RunFlags } from "../setup/run-flags.ts";
import { costText, durationText, groupedCount } from "./shown-figures.ts";
import { StatusLine } from "./status-line.ts";

export interface LiveViewOptions {
  readonly write: (text: string) => void;
  readonly colour: boolean;
  /** Columns; longer argument texts are cut. */
  readonly width: number;
}

/** The state of `events/run-events.ts`, which runs without agents do not load. */
const eventsName = "run events";

type Style = Parameters<typeof styleText>[0];

/**
 * Shows the agents of a run that has any: attached to their events when those are made, because asking whether there
 * is a terminal costs 10 ms (Node's `tty` brings streams and sockets).
 */
export function viewOfAgents(flags: RunFlags, console: ProcessConsole): StateWiring {
  return onState<RunEvents>(eventsName, (events) => {
    if (flags.quiet === true) return;
    const terminal = isTerminal(2);
    if (terminal) showWaiting(events, console);
    if (flags.progress !== true && !terminal) return;
    const write = (text: string): void => console.writeError(text);
    events.subscribe(liveView({ write, colour: colourOnStderr(), width: stderrWidth() }));
  });
}

/** Model calls outside of loops, while they last. */
function showWaiting(events: RunEvents, console: ProcessConsole): void {
  const line = new StatusLine({
    write: writeConsoleError,
    now: () => performance.now(),
    width: stderrWidth(),
  });
  console.beforeWriting = () => line.erase();
  events.subscribe((event) => {
    if (event.type === "call.progress") line.progress(event.data);
  });
}

/** The sink that draws the view. One view serves all loops of a run; those of sub-agents are indented. */
export function liveView(options: LiveViewOptions): RunEventSink {
  const view = new LiveView(options);
  return (event) => view.show(event);
}

class LiveView {
  private readonly options: LiveViewOptions;
  private readonly depths = new Map<string, number>();
  /** Whether streamed text stands on the current line without a line break after it. */
  private midLine = false;

  constructor(options: LiveViewOptions) {
    this.options = options;
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case "loop.start":
        this.depths.set(event.loop ?? "", this.depth(event.parent?.loop) + 1);
        this.line(
          event,
          0,
          `${this.paint("bold", "agent")}  ${showText(event.data.model)} (${showText(event.data.provider)})`,
        );
        break;
      case "turn.start":
        this.line(event, 0, `${this.paint("cyan", "●")} turn ${event.turn}`);
        break;
      case "message.delta":
        this.stream(event, event.data.text, undefined);
        break;
      case "thought.delta":
        this.stream(event, event.data.text, "dim");
        break;
      case "tool.start":
        this.line(
          event,
          1,
          `${this.paint("blue", "→")} ${showText(event.data.name)} ${this.brief(event.data.arguments)}`,
        );
        break;
      case "tool.end":
        if (event.data.begun) this.line(event, 1, this.toolEnd(event.data));
        break;
      case "usage":
        if (event.data.of === "turn") this.line(event, 1, this.paint("dim", liveTotals(event.data.total)));
        break;
      case "turn.end":
        this.breakLine();
        break;
      case "retry": {
        const { what, delay_ms, reason } = event.data;
        const text = `↻ ${showText(what)} again in ${delay_ms} ms: ${showText(reason)}`;
        this.line(event, 1, this.paint("yellow", text));
        break;
      }
      case "loop.end":
        this.line(event, 0, this.loopEnd(event.data));
        break;
      // Notices stand on standard error already.
      default:
        break;
    }
  }

  private toolEnd(end: RunEvent<"tool.end">["data"]): string {
    const mark = end.status === "ok" ? this.paint("green", "✓") : this.paint("red", "✗");
    const why = end.error === null ? "" : `: ${this.cut(showText(firstLine(end.error)))}`;
    const status = end.status === "ok" ? "" : ` ${end.status}`;
    return `${mark} ${showText(end.name)}${status} ${durationText(end.duration_ms)}${why}`;
  }

  private loopEnd(end: RunEvent<"loop.end">["data"]): string {
    const good = end.status === "done";
    const turns = `${end.turns} turn${end.turns === 1 ? "" : "s"}`;
    const head = `${this.paint(good ? "green" : "yellow", `■ ${showText(end.status)}`)} (${showText(end.stop_reason)}), ${turns}`;
    const why = end.error == null ? "" : `: ${showText(failedCallText(end.error))}`;
    return `${head}, ${durationText(end.duration_ms)}, ${liveTotals(end.total)}${why}`;
  }

  private stream(event: RunEvent, delta: string, style: Style | undefined): void {
    const indent = this.indent(event, 1);
    const text = showLines(delta);
    const lines = text.split("\n").map((line) => (style === undefined ? line : this.paint(style, line)));
    const start = this.midLine ? "" : indent;
    this.options.write(start + lines.join(`\n${indent}`));
    this.midLine = true;
  }

  private line(event: RunEvent, level: number, text: string): void {
    this.breakLine();
    this.options.write(`${this.indent(event, level)}${text}\n`);
  }

  private breakLine(): void {
    if (this.midLine) this.options.write("\n");
    this.midLine = false;
  }

  private depth(loop: string | null | undefined): number {
    return loop === undefined || loop === null ? -1 : (this.depths.get(loop) ?? -1);
  }

  private indent(event: RunEvent, level: number): string {
    return "  ".repeat(Math.max(0, this.depth(event.loop)) * 2 + level);
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

function liveTotals(total: RunTotals): string {
  const tokens = `${groupedCount(total.input)} tokens in, ${groupedCount(total.output)} out`;
  return `${tokens}, ${costText(total)} so far`;
}
