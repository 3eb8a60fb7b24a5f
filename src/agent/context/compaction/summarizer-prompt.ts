/** What the summarizing model is asked. Its single message holds everything: rules, directives, the archived messages. */
import { type CompactionPolicy, directives } from "../../options/compaction-policy.ts";

const usualRules = [
  "Summarize the conversation below so that an agent can go on with the work from your summary alone.",
  "Keep: the task in the user's own words, decisions and why they were taken, files, names, commands and numbers that",
  "matter, what was done and with which result, errors that are still open, and the next step.",
  "Leave out: greetings, repetition, ideas that were given up, tool output that nobody needs any more.",
  "Do not invent anything. Write plain text, as short as that allows, without an introduction.",
].join("\n");

/** `formatted` are the archived messages as text. */
export function summarizerPrompt(formatted: string, count: number, policy: CompactionPolicy | null): string {
  const asked = directives(policy);
  const rules =
    policy?.mode === "replace" ? asked : [usualRules, asked].filter((part) => part !== "").join("\n\n");
  return `${rules}\n\nThe ${count} messages to summarize:\n\n${formatted}`;
}
