/** What a summarizing model is shown: the messages that leave, each headed by its id, and the entries so far. */
import type { ModelMessage, StructuredSummary } from "../../../../model/index.ts";
import type { ViewMessage } from "../exchanges.ts";
import { deltaSchema } from "./delta.ts";
import { summaryEntries } from "./merge.ts";
import { wholeMessageText } from "./plan-ladder.ts";
import { headAndTail } from "./words.ts";

/** Longer texts are shown as head and tail. */
const longText = 2000;

export function spanText(messages: readonly ViewMessage[]): string {
  return messages
    .map(({ id, original }) => `[${id} ${shownRole(original)}]\n${shortenedText(original, id)}`)
    .join("\n\n");
}

const shownRole = ({ role }: ModelMessage): string => (role === "tool_result" ? "tool" : role);

function shortenedText(message: ModelMessage, id: string): string {
  const text = wholeMessageText(message);
  return text.length > longText ? headAndTail(text, longText / 2, id) : text;
}

export function entriesText(prior: StructuredSummary): string {
  const gone = new Set(prior.superseded.map(({ id }) => id));
  const closed = new Set(prior.open_items.filter(({ status }) => status === "closed").map(({ id }) => id));
  const lines = [...summaryEntries(prior)]
    .filter(([id]) => !gone.has(id))
    .map(([id, text]) => `${id} ${closed.has(id) ? "(done) " : ""}${text}`);
  if (prior.current_task !== "") lines.push(`current_task: ${prior.current_task}`);
  if (prior.current_plan !== "") lines.push(`current_plan: ${prior.current_plan}`);
  return lines.length === 0 ? "none" : lines.join("\n");
}

const aboutPeople =
  "What people said that stays in view: do not repeat it. Where it contradicts an entry, or takes back what a person said in " +
  "MESSAGES, name that id in `supersedes` with the id of the newer message as its source, and write no entry that it contradicts.";

/** The whole question. `rules`: the prompt `agent.summarizer`; `problem`: why the answer before did not do. */
export function summarizerQuestion(
  rules: string,
  prior: StructuredSummary,
  messages: readonly ViewMessage[],
  people: readonly ViewMessage[],
  problem: string | null,
): string {
  const parts = [
    rules,
    `SCHEMA:\n${JSON.stringify(deltaSchema)}`,
    `ENTRIES:\n${entriesText(prior)}`,
    `MESSAGES:\n${spanText(messages)}`,
  ];
  if (people.length > 0) parts.push(`PEOPLE:\n${aboutPeople}\n\n${spanText(people)}\n`);
  if (problem !== null)
    parts.push(`Your last answer could not be used: ${problem}. Answer with the JSON object alone.`);
  return parts.join("\n\n");
}
