/**
 * A run's tree as a document: a heading for each loop and turn, a line for each call with its outcome, quotations for what the
 * runtime did by itself.
 */
import { showText } from "../../diagnostics/index.ts";
import type { LoopNode, NoteNode, RunTree, ToolNode, TurnNode } from "../../events/index.ts";
import { costText, groupedCount } from "./shown-figures.ts";

export function treeMarkdown(tree: RunTree): string {
  return `${tree.roots.flatMap((loop) => loopLines(loop, 1)).join("\n")}\n`;
}

const headingLines = (level: number, text: string): string[] => [
  `${"#".repeat(Math.min(6, level))} ${text}`,
  "",
];

function loopLines(loop: LoopNode, level: number): string[] {
  const reason = loop.stopReason === "" ? "" : ` (${escapedMarkdown(loop.stopReason)})`;
  const { total, turns } = loop;
  const spent =
    total === null
      ? ""
      : `, ${groupedCount(total.input)} in, ${groupedCount(total.output)} out, ${costText(total)}`;
  return [
    ...headingLines(level, escapedMarkdown(loop.task)),
    `${escapedMarkdown(loop.model)} (${escapedMarkdown(loop.provider)}), ${turns.length} turn${turns.length === 1 ? "" : "s"}${spent}`,
    "",
    ...noteLines(loop.steps),
    ...turns.flatMap((turn) => turnLines(turn, level + 1)),
    ...loop.loops.flatMap((child) => loopLines(child, level + 1)),
    `**${escapedMarkdown(loop.status)}**${reason}${loop.error === null ? "" : `: ${escapedMarkdown(loop.error)}`}`,
    "",
  ];
}

function turnLines(turn: TurnNode, level: number): string[] {
  const said = turn.text.trim();
  const calls = turn.steps.filter((step) => step.kind === "tool");
  return [
    ...headingLines(level, `Turn ${turn.iteration}`),
    ...(said === "" ? [] : [escapedMarkdown(said), ""]),
    ...calls.map(callLine),
    ...(calls.length === 0 ? [] : [""]),
    ...noteLines(turn.steps.filter((step) => step.kind === "note")),
    ...calls.flatMap((call) => call.loops.flatMap((loop) => loopLines(loop, level + 1))),
  ];
}

const outcomes = { ok: "ok", error: "failed", rejected: "rejected", running: "not finished" } as const;

function callLine({ name, arguments: args, status, error }: ToolNode): string {
  const text = args === null ? "" : ` ${codeMarkdown(JSON.stringify(args) ?? "")}`;
  return `- ${codeMarkdown(name)}${text}: ${outcomes[status]}${error === null ? "" : `, ${escapedMarkdown(error)}`}`;
}

/** Interventions as quotations; other events by name. */
function noteLines(notes: readonly NoteNode[]): string[] {
  const lines = notes.map(({ type, fields }) =>
    type === "control_intervention"
      ? `> **${escapedMarkdown(`${fields.kind}/${fields.rule}`)}** ${escapedMarkdown(String(fields.reason))}`
      : `> ${escapedMarkdown(type)}`,
  );
  return lines.flatMap((line) => [line, ""]);
}

/** On one line, without characters that Markdown interprets. */
const escapedMarkdown = (text: string): string =>
  showText(text.replaceAll(/\s+/g, " ").trim()).replaceAll(/[\\`*_{}[\]<>#|!]/g, (char) => `\\${char}`);

/** As code: the fence is longer than any inside. */
function codeMarkdown(text: string): string {
  const inside = showText(text.replaceAll(/\s+/g, " "));
  const ticks = Math.max(0, ...[...inside.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(ticks + 1);
  return ticks === 0 ? `${fence}${inside}${fence}` : `${fence} ${inside} ${fence}`;
}
