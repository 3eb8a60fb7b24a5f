/**
 * The meter against a count that is not its own. No key is needed here, so no vendor counts: in its place stands a counter that
 * cuts texts into words, numbers and signs as vendors' tokenizers do before they look into their vocabulary. What is measured
 * is what the meter promises: from the fourth turn on, by the usage of the turns before, it knows how large the next request is.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { estimateTokens, messageWeight, rawTokens, textWeight } from "../src/agent/context/meter.ts";
import type { UsageAnchor } from "../src/agent/state/ladder-slot.ts";
import type { ModelMessage } from "../src/model/index.ts";
import type { Row } from "./rows.ts";

const root = join(import.meta.dirname, "..");
const piece = /\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]{1,3}|\n+|[ \t]{2,}/gu;

/** Words of up to six letters are one token, longer ones one more for every five. */
function counted(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(piece))
    tokens += part.length > 6 && /\p{L}/u.test(part) ? 1 + Math.ceil((part.length - 6) / 5) : 1;
  return tokens;
}

const filesOf = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));

/** What a session reads: prose, code, JSON, output of programs; each file in parts, as tools give them. */
const sessions: Readonly<Record<string, () => string[]>> = {
  prose: () => filesOf("docs", ".md"),
  code: () => filesOf("src/agent/machine", ".ts"),
  output: () => filesOf("test/golden/control", ".expected"),
  mixed: () => [
    ...filesOf("docs", ".md"),
    ...filesOf("src/agent/context", ".ts"),
    ...filesOf("test/golden/control", ".expected"),
    ...filesOf("src/agent/session", ".ts"),
  ],
};

/** Turns that read part after part; the errors of the estimates from turn 4 on, in percent. */
function errorsOf(texts: readonly string[]): number[] {
  const parts = texts.flatMap((text) => text.match(/[\s\S]{1,3000}/g) ?? []);
  // In an order of its own, so that kinds of text change from turn to turn.
  const shuffled = parts
    .map((text, n) => ({ text, at: (n * 7919) % parts.length }))
    .sort((a, b) => a.at - b.at);
  const system = texts[0]?.slice(0, 4000) ?? "";
  const messages: ModelMessage[] = [{ role: "user", content: "Read all of it." }];
  let weight = textWeight(system) + messageWeight(messages[0] as ModelMessage);
  let tokens = counted(system) + 12;
  let anchor: UsageAnchor | null = null;
  const errors: number[] = [];
  for (const [turn, { text }] of shuffled.slice(0, 60).entries()) {
    const raw = rawTokens({ weight, messages: messages.length });
    const estimate = estimateTokens(anchor, raw, 0);
    if (turn >= 3) errors.push((100 * Math.abs(estimate - tokens)) / tokens);
    anchor = { actual: tokens, raw, revision: 0 };
    const id = `call_${turn}`;
    const called: ModelMessage = {
      role: "assistant",
      content: "I read the next part.",
      tool_calls: [{ id, name: "read_part", arguments: { n: turn } }],
    };
    const result: ModelMessage = { role: "tool", tool_call_id: id, name: "read_part", content: text };
    messages.push(called, result);
    weight += messageWeight(called) + messageWeight(result);
    tokens += counted("I read the next part.") + counted(`read_part {"n":${turn}}`) + counted(text) + 12;
  }
  return errors;
}

export function meterRows(): Row[] {
  return Object.entries(sessions).map(([name, texts]) => ({
    name: `estimate against a count by words, ${name}, worst`,
    value: Math.max(...errorsOf(texts())),
    unit: "%",
    target: "<= 10 %",
  }));
}
