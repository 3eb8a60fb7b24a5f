/** The summary for the page of a build on GitHub, and lines that GitHub shows beside the build. */
import type { RecordedTask, RecordedTrial } from "../recorded-set.ts";
import type { SetReport, TaskReport } from "../set-report.ts";
import { gateOutcome, summaryText } from "../text/summary.ts";
import { failingScorers, successOf } from "../trial-facts.ts";

const maxFailures = 20;
const maxWhy = 300;

export function setAsMarkdown(report: SetReport): string {
  const fence = fenceFor(summaryText(report, { setName: report.set.name }));
  const parts = [
    `## Evaluation ${inline(report.set.name)}\n`,
    `${fence}text\n${summaryText(report, { setName: report.set.name })}${fence}\n`,
    ...report.tasks.flatMap(gateTable),
    failureTable(report.tasks),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Longer than every run of backquotes inside. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
}

function gateTable({ task, gates }: TaskReport): string[] {
  if (gates.length === 0) return [];
  const marks = { pass: "✅", fail: "❌", unclear: "❔" } as const;
  const rows = gates.map(
    (gate) => `| ${marks[gate.verdict]} | ${inline(gate.text)} | ${cell(gateOutcome(gate))} |\n`,
  );
  return [`| | gate of ${cell(task.spec.name)} | |\n|---|---|---|\n${rows.join("")}`];
}

function failureTable(tasks: readonly TaskReport[]): string {
  const failed = tasks.flatMap(({ task }) =>
    task.trials.filter((trial) => successOf(trial, task.spec) === 0).map((trial) => ({ task, trial })),
  );
  if (failed.length === 0) return "";
  const rows = failed.slice(0, maxFailures).map(({ task, trial }) => failureRow(task, trial));
  const rest = failed.length > maxFailures ? `\n${failed.length - maxFailures} more failed.\n` : "";
  return `| failed | scorer | why |\n|---|---|---|\n${rows.join("")}${rest}`;
}

function failureRow(task: RecordedTask, trial: RecordedTrial): string {
  const scorers = failingScorers(trial, task.spec);
  const why = trial.scores.find(({ scorer, pass }) => scorers.includes(scorer) && pass === false)?.why ?? "";
  const name = `${task.spec.name}/${trial.variant}/${trial.sample}.${trial.epoch}`;
  return `| ${inline(name)} | ${cell(scorers.join(", "))} | ${cell(why.slice(0, maxWhy))} |\n`;
}

/** Text that Markdown, HTML and tables take as it is: their special characters become entities. */
const cell = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\s+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd")
    .replace(/[&<>|`*_[\]\\~#@!]/gu, (char) => `&#${char.charCodeAt(0)};`);

const inline = (text: string): string => `<code>${cell(text)}</code>`;

/** Lines for standard output: GitHub shows failed gates as errors, unclear ones as warnings. */
export function githubAnnotations({ tasks }: SetReport, strict: boolean): string[] {
  return tasks.flatMap(({ task, gates }) =>
    gates.flatMap((gate) => {
      if (gate.verdict === "pass") return [];
      const kind = gate.verdict === "fail" || strict ? "error" : "warning";
      return [
        `::${kind} title=${annotationProperty(`gate of ${task.spec.name}`)}::${annotationText(`${gate.text}: ${gateOutcome(gate)}`)}`,
      ];
    }),
  );
}

const annotationText = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const annotationProperty = (text: string): string =>
  annotationText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
