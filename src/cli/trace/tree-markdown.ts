/**
 * A run's tree as a document: a heading for each loop and turn, a line for each call with its outcome, quotations for what the
 * runtime did by itself.
 */
import { showText } from "../../diagnostics/index.ts";
import type { LoopNode, NoteNode, RunTree, ToolNode, TurnNode } from "../../events/index.ts";
import { costText, countText } from "../run/shown-figures.ts";

export function treeMarkdown(tree: RunTree): string {
  return `${tree.roots.flatMap((loop) => loopLines(loop, 1)).join("\n")}\n`;
}

const heading = (level: number, text: string): string[] => [`${"#".repeat(Math.min(6, level))} ${text}`, ""];

function loopLines(loop: LoopNode, level: number): string[] {
  const reason = loop.stopReason === "" ? "" : ` (${escaped(loop.stopReason)})`;
  const { total, turns } = loop;
  const spent =
    total === null
      ? ""
      : `, ${countText(total.input)} in, ${countText(total.output)} out, ${costText(total)}`;
  return [
    ...heading(level, escaped(loop.task)),
    `${escaped(loop.model)} (${escaped(loop.provider)}), ${turns.length} turn${turns.length === 1 ? "" : "s"}${spent}`,
    "",
    ...noteLines(loop.steps),
    ...turns.flatMap((turn) => turnLines(turn, level + 1)),
    ...loop.loops.flatMap((child) => loopLines(child, level + 1)),
    `**${escaped(loop.status)}**${reason}`,
    "",
  ];
}

function turnLines(turn: TurnNode, level: number): string[] {
  const said = turn.text.trim();
  const calls = turn.steps.filter((step) => step.kind === "tool");
  return [
    ...heading(level, `Turn ${turn.iteration}`),
    ...(said === "" ? [] : [escaped(said), ""]),
    ...calls.map(callLine),
    ...(calls.length === 0 ? [] : [""]),
    ...noteLines(turn.steps.filter((step) => step.kind === "note")),
    ...calls.flatMap((call) => call.loops.flatMap((loop) => loopLines(loop, level + 1))),
  ];
}

const outcomes = { ok: "ok", error: "failed", rejected: "rejected", running: "not finished" } as const;

function callLine({ name, arguments: given, status, error }: ToolNode): string {
  const text = given === null ? "" : ` ${code(JSON.stringify(given) ?? "")}`;
  return `- ${code(name)}${text}: ${outcomes[status]}${error === null ? "" : `, ${escaped(error)}`}`;
}

/** Interventions as quotations; other events by name. */
function noteLines(notes: readonly NoteNode[]): string[] {
  const lines = notes.map(({ type, fields }) =>
    type === "control_intervention"
      ? `> **${escaped(`${fields.kind}/${fields.rule}`)}** ${escaped(String(fields.reason))}`
      : `> ${escaped(type)}`,
  );
  return lines.flatMap((line) => [line, ""]);
}

/** On one line, without signs that Markdown reads. */
const escaped = (text: string): string =>
  showText(text.replaceAll(/\s+/g, " ").trim()).replaceAll(/[\\`*_{}[\]<>#|!]/g, (sign) => `\\${sign}`);

/** As code: the fence is longer than any inside. */
function code(text: string): string {
  const inside = showText(text.replaceAll(/\s+/g, " "));
  const ticks = Math.max(0, ...[...inside.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(ticks + 1);
  return ticks === 0 ? `${fence}${inside}${fence}` : `${fence} ${inside} ${fence}`;
}
