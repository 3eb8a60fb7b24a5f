/** `harn runs inspect`: the record of a workflow's run, for a person, and how it differs from another. */

import { diffRuns } from "../../eval/index.ts";
import { readJsonFile, recordFile } from "../../eval/local/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportAsJson, UsageError } from "../../host/command/index.ts";
import { costText } from "../../run/index.ts";
import { Dict, Float, textOf, toJson, type Value } from "../../values/index.ts";
import { dictItemsOf, field } from "../../work/index.ts";
import { comparisonText } from "../eval/report.ts";
import type { inspectFlags } from "../flags/runs.ts";

export type InspectFlags = FlagsOf<typeof inspectFlags>;

/** 1 when it was compared and is not the same. */
export function inspectCommand(path: string, flags: InspectFlags): number {
  const run = recordAt(path);
  const { compare } = flags;
  const comparison = compare === undefined ? null : diffRuns(recordAt(compare), run);
  if (flags.json === true) {
    reportAsJson({ run: toJson(run), comparison: comparison === null ? null : toJson(comparison) });
  } else if (comparison === null) print(runSummary(run));
  else print(comparisonText(comparison, path, compare ?? ""));
  return comparison === null || field(comparison, "identical") === true ? exitCode.ok : exitCode.failed;
}

function recordAt(named: string): Dict {
  const path = recordFile(named);
  const value = readJsonFile(path);
  if (value instanceof Dict && value.get("_type") === "run_record") return value;
  throw new UsageError(`${path} holds no run record`, "HARN-CLI-008");
}

// ── for people ────────────────────────────────────────────────────────────────────────────────────────────────────

function runSummary(run: Dict): string {
  const lines = [
    `${shownField(run, "id")}  ${shownField(run, "workflow_name")}  ${shownField(run, "status")}`,
    `task: ${firstWords(shownField(run, "task"))}`,
    ...dictItemsOf(run, "stages").map(stageLine),
    ...listed("waiting", field(run, "pending_nodes")),
    ...dictItemsOf(run, "child_runs").map(
      (child) =>
        `child run ${shownField(child, "run_id")}  ${shownField(child, "status")}  ${shownField(child, "run_path")}`,
    ),
    ...usageLine(field(run, "usage")),
  ];
  return `${lines.join("\n")}\n`;
}

function stageLine(stage: Dict): string {
  const tries = dictItemsOf(stage, "attempts").length;
  const metadata = field(stage, "metadata");
  const error = metadata instanceof Dict ? field(metadata, "error") : null;
  const said = error === null ? firstWords(shownField(stage, "visible_text")) : firstWords(textOf(error));
  const again = tries > 1 ? ` after ${tries} attempts` : "";
  return `  ${shownField(stage, "node_id")} (${shownField(stage, "kind")}): ${shownField(stage, "outcome")}${again}${said === "" ? "" : `  ${said}`}`;
}

function usageLine(usage: Value): string[] {
  if (!(usage instanceof Dict)) return [];
  return [
    `${shownField(usage, "llm_calls")} model calls, ${shownField(usage, "input_tokens")} tokens in, ${shownField(usage, "output_tokens")} out, ${costOfUsage(usage)}`,
  ];
}

/** Records keep a number also where nobody knows the price: nothing spent for tokens is no figure for a person. */
function costOfUsage(usage: Dict): string {
  const cost = field(usage, "cost_usd");
  const usd = cost instanceof Float ? cost.value : typeof cost === "number" ? cost : 0;
  const calls = field(usage, "llm_calls");
  return usd === 0 && calls !== 0 && calls !== null ? "no cost known" : costText({ cost_usd: usd });
}

function listed(what: string, value: Value): string[] {
  const text = value === null ? "" : textOf(value);
  return text === "" || text === "[]" ? [] : [`${what}: ${text.slice(1, -1)}`];
}

const shownField = (owner: Dict, key: string): string => {
  const value = field(owner, key);
  return value === null ? "" : textOf(value);
};

const maxLength = 100;

function firstWords(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.length <= maxLength && line === text ? line : `${line.slice(0, maxLength)}…`;
}
