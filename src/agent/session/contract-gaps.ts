/** What is missing of a contract, for the model that has to put it right. Pure. */
import type { ContractState } from "../../model/index.ts";
import { openContractQuestions, requirementCoverage, verifyContract } from "./contract-coverage.ts";

/** Characters of the whole report. */
const maxReport = 4000;
/** And of one gap. */
const maxGap = 1200;

export interface GapReport {
  readonly met: number;
  readonly total: number;
  /** One line per gap, cut to the length of the report. */
  readonly gaps: string;
  readonly questions: string;
}

export function gapReport(state: ContractState): GapReport {
  const { met, total, unmet, partial } = verifyContract(state);
  const missing = new Set([...unmet, ...partial]);
  const lines = state.contract.outputs
    .filter(({ id }) => missing.has(id))
    .map(({ id, description }) => gapLine(state, id, description));
  const open = openContractQuestions(state).map(({ id, text }) => `- ${id}: ${text} (contract_ask)`);
  return {
    met,
    total,
    gaps: cut(lines),
    questions: open.length === 0 ? "" : ["Unanswered questions:", ...open].join("\n"),
  };
}

function gapLine(state: ContractState, id: string, description: string): string {
  const { status, notes, sinceTurn } = requirementCoverage(state, id);
  const word = status === "partially_met" ? "partly met" : "unmet";
  const since = sinceTurn > 0 ? ` since turn ${sinceTurn}` : "";
  const about = description === id ? id : `${id}: ${description}`;
  const line = `- ${about} (${word}${since}): ${notes}`;
  return line.length > maxGap ? `${line.slice(0, maxGap - 1)}…` : line;
}

/** As many lines as fit; the rest counted. */
function cut(lines: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length > maxReport) break;
    kept.push(line);
    length += line.length + 1;
  }
  const rest = lines.length - kept.length;
  return rest === 0 ? kept.join("\n") : [...kept, `- and ${rest} more`].join("\n");
}

/** What is missing, as a part of a compaction message; "" where nothing is, or nothing was asked for. */
export function gapsText(state: ContractState | null): string {
  if (state === null) return "";
  const { gaps, questions } = gapReport(state);
  const text = [gaps, questions].filter((part) => part !== "").join("\n");
  return text === "" ? "" : `Missing of the task contract:\n${text}`;
}
