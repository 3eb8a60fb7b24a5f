/**
 * A run's tree for people. Text of models and tools passes `showText`, so that nothing of it can steer the terminal.
 *
 *     agent_loop "Audit the project"  gpt-4o (openai)
 *     ├─ turn 1  1,204 in, 88 out, $0.0031
 *     │  ├─ ✓ read_file 3 ms {"path":"a.py"}
 *     │  └─ ◆ judge_decision verdict=continue
 *     └─ done (natural), 2 turns, 1.2 s, 2,410 in, 190 out, $0.0060
 */
import { showText } from "../../diagnostics/index.ts";
import type { LoopNode, NoteNode, RunTotals, RunTree, ToolNode, TurnNode } from "../../events/index.ts";
import { costText, durationText, groupedCount } from "./shown-figures.ts";

/** A line and what hangs below it. */
interface TreeBranch {
  readonly text: string;
  readonly below: readonly TreeBranch[];
  /** Not cut at the width. */
  readonly whole?: boolean;
}

interface Line {
  readonly text: string;
  readonly whole: boolean;
}

/** The tree, `width` columns wide; `undefined`: with every text, argument and result whole. */
export function treeText(tree: RunTree, width: number | undefined): string {
  const line = width === undefined ? trimmedText : shortText;
  const lines = tree.roots
    .map((loop) => new Branches(line, width === undefined).loop(loop))
    .flatMap((branch) => drawnBranch(branch, "", ""));
  return lines
    .map(({ text, whole }) => `${width === undefined || whole ? text : cutLine(text, width)}\n`)
    .join("");
}

function drawnBranch(branch: TreeBranch, first: string, rest: string): Line[] {
  const last = branch.below.length - 1;
  const { whole = false } = branch;
  const [head = "", ...more] = branch.text.split("\n");
  return [
    { text: first + head, whole },
    ...more.map((text) => ({ text: `${rest}${last < 0 ? "  " : "│ "}${text}`, whole })),
    ...branch.below.flatMap((child, at) =>
      drawnBranch(child, `${rest}${at === last ? "└─ " : "├─ "}`, `${rest}${at === last ? "   " : "│  "}`),
    ),
  ];
}

const marks = { ok: "✓", error: "✗", rejected: "✗", running: "…" } as const;

/** The nodes as branches, their texts on a line or whole. */
class Branches {
  private readonly line: (text: string) => string;
  private readonly whole: boolean;

  constructor(line: (text: string) => string, whole: boolean) {
    this.line = line;
    this.whole = whole;
  }

  loop(loop: LoopNode): TreeBranch {
    const { turns, durationMs, total } = loop;
    const took = durationMs === null ? "" : `, ${durationText(durationMs)}`;
    const spent = total === null ? "" : `, ${totalsText(total)}`;
    const reason = loop.stopReason === "" ? "" : ` (${loop.stopReason})`;
    const count = `${turns.length} turn${turns.length === 1 ? "" : "s"}`;
    return {
      text: `agent ${loop.name === null ? "" : `${showText(loop.name)} `}"${this.line(this.whole ? loop.task : stageTitle(loop.task))}"  ${showText(loop.model)} (${showText(loop.provider)})`,
      below: [
        ...loop.steps.map((step) => this.note(step)),
        ...turns.map((turn) => this.turn(turn)),
        ...loop.loops.map((child) => this.loop(child)),
        {
          text: `${loop.status}${reason}, ${count}${took}${spent}`,
          below: loop.error === null ? [] : [{ text: trimmedText(loop.error), below: [], whole: true }],
        },
      ],
    };
  }

  private turn(turn: TurnNode): TreeBranch {
    const usage = turn.usage === null ? "" : `  ${totalsText(turn.usage)}`;
    const said = this.line(turn.text);
    return {
      text: `turn ${turn.iteration}${usage}`,
      below: [
        ...(said === "" ? [] : [{ text: `“${said}”`, below: [] }]),
        ...turn.steps.map((step) => (step.kind === "tool" ? this.tool(step) : this.note(step))),
      ],
    };
  }

  private tool(tool: ToolNode): TreeBranch {
    const took = tool.durationMs === null ? "" : ` ${durationText(tool.durationMs)}`;
    const status =
      tool.status === "rejected" ? " rejected" : tool.status === "running" ? " not finished" : "";
    const why = tool.error === null ? "" : `: ${this.line(tool.error)}`;
    const argumentsText =
      tool.arguments === null ? "" : ` ${this.line(JSON.stringify(tool.arguments) ?? "")}`;
    return {
      text: `${marks[tool.status]} ${showText(tool.name)}${status}${took}${why}${argumentsText}`,
      below: [
        ...tool.loops.map((loop) => this.loop(loop)),
        ...(this.whole && tool.result !== null ? [{ text: `→ ${this.line(tool.result)}`, below: [] }] : []),
      ],
    };
  }

  private note({ type, fields }: NoteNode): TreeBranch {
    if (type === "control_intervention") {
      const { kind, rule, reason } = fields;
      return { text: `⚑ ${kind}/${rule}: ${this.line(String(reason))}`, below: [] };
    }
    const shown = Object.entries(fields)
      .filter(([, value]) => value !== null && value !== "")
      .map(([key, value]) => `${key}=${this.line(String(value))}`);
    return { text: `◆ ${[type, ...shown].join(" ")}`, below: [] };
  }
}

/** A stage's prompt wraps what it is about; people know it by its first line. */
const stageTitle = (task: string): string =>
  /^<workflow_task>[\s\S]*?<instructions>\n+([^\n]+)/.exec(task)?.[1] ?? task;

/** Text of any length on one line. */
const shortText = (text: string): string => showText(text.replaceAll(/\s+/g, " ").trim().slice(0, 400));

/** As it is, its lines below each other. */
const trimmedText = (text: string): string => showText(text.trimEnd());

const cutLine = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;

function totalsText(total: RunTotals): string {
  return `${groupedCount(total.input)} in, ${groupedCount(total.output)} out, ${costText(total)}`;
}

/** `full`: with the results of tools. */
export function treeJson(tree: RunTree, full: boolean): object {
  return { loops: tree.roots.map((loop) => loopJson(loop, full)) };
}

const loopJson = (loop: LoopNode, full: boolean): object => ({
  session_id: loop.sessionId,
  task: loop.task,
  name: loop.name,
  provider: loop.provider,
  model: loop.model,
  status: loop.status,
  stop_reason: loop.stopReason,
  error: loop.error,
  duration_ms: loop.durationMs,
  total: totalsJson(loop.total),
  steps: loop.steps.map(noteJson),
  turns: loop.turns.map((turn) => turnJson(turn, full)),
  loops: loop.loops.map((child) => loopJson(child, full)),
});

const turnJson = (turn: TurnNode, full: boolean): object => ({
  iteration: turn.iteration,
  text: turn.text,
  usage: totalsJson(turn.usage),
  steps: turn.steps.map((step) => (step.kind === "tool" ? toolJson(step, full) : noteJson(step))),
});

const toolJson = (tool: ToolNode, full: boolean): object => ({
  tool_name: tool.name,
  arguments: tool.arguments,
  status: tool.status,
  duration_ms: tool.durationMs,
  error: tool.error,
  ...(full ? { result: tool.result } : {}),
  loops: tool.loops.map((loop) => loopJson(loop, full)),
});

const noteJson = (note: NoteNode): object => ({ type: note.type, ...note.fields });

const totalsJson = (total: RunTotals | null): object | null =>
  total === null
    ? null
    : { input_tokens: total.input, output_tokens: total.output, cost_usd: total.cost_usd };
