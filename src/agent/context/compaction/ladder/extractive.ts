/**
 * A summary that needs no model: per exchange one outcome (tool, brief arguments, ok or the first failure line), persons'
 * messages by their first line. It stands in when no model may be asked, or none is to be believed.
 */
import { messageText } from "../../../../model/index.ts";
import type { Group, ViewMessage } from "../exchanges.ts";
import { cleanDelta, noDelta, type SummaryDelta } from "./delta.ts";
import { briefArguments, cut, failureOf } from "./words.ts";

const maxCall = 100;
const maxOutcome = 240;
const maxLine = 200;

/** `groups`: those of the span, in the view that they were made of. */
export function extractiveDelta(view: readonly ViewMessage[], groups: readonly Group[]): SummaryDelta {
  const facts: { text: string; sources: string[] }[] = [];
  const outcomes: { tool: string; text: string; ok: boolean; sources: string[] }[] = [];
  for (const group of groups) {
    if (group.kind === "exchange") {
      const outcome = outcomeOf(view, group);
      if (outcome !== null) outcomes.push(outcome);
    } else if (group.kind === "person") {
      const { id, original } = view[group.from] as ViewMessage;
      const first = messageText(original)
        .split("\n")
        .find((line) => line.trim() !== "");
      if (first !== undefined) facts.push({ text: cut(cleanDelta(first), maxLine), sources: [id] });
    }
  }
  return { ...noDelta, facts: facts.filter(({ text }) => text !== ""), tool_outcomes: outcomes };
}

function outcomeOf(
  view: readonly ViewMessage[],
  { bodies, caller, from, to }: Group,
): { tool: string; text: string; ok: boolean; sources: string[] } | null {
  const [first] = bodies;
  if (first === undefined) return null;
  const failed = bodies.find(({ ok }) => !ok);
  const calls = bodies.map(({ tool, args }, index) => {
    const brief = cut(cleanDelta(briefArguments(args)), maxCall);
    return index === 0 && tool === first.tool ? brief : `${tool} ${brief}`.trimEnd();
  });
  const said = failed === undefined ? "ok" : failureOf(failed.said);
  const text = [cut(calls.join("; "), maxOutcome), said].filter((part) => part !== "").join(" → ");
  // The message that made the calls, and the first and the last with results.
  const places = caller < 0 ? [from, to - 1] : [caller, to - 1];
  const sources = [...new Set(places.map((at) => (view[at] as ViewMessage).id))];
  if (failed !== undefined) sources.push((view[failed.at] as ViewMessage).id);
  return { tool: first.tool, text, ok: failed === undefined, sources: [...new Set(sources)] };
}
