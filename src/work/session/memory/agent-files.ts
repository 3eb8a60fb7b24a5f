/**
 * What the sessions of one agent share, as files: `learnings.json` for people to look at, and `MEMORY.md`, which belongs to
 * people: promoted learnings are added at its end, once each, and nothing else of it is ever changed. Called inside
 * effects only.
 */

import { type Learning, learningKey } from "../../../durable/index.ts";
import type { Host } from "../../../host/index.ts";
import { textWithoutMark } from "../../../values/index.ts";

const memoryFile = "MEMORY.md";
const learningsFile = "learnings.json";

/** `MEMORY.md` of an agent, "" when there is none. What is no text is told as such, and left alone. */
export function readMemoryFile(
  { files }: Pick<Host, "files">,
  folder: string,
): { text: string; note: string | null } {
  const path = `${folder}/${memoryFile}`;
  if (files.stat(path)?.kind !== "file") return { text: "", note: null };
  const text = textWithoutMark(files.readBytes(path));
  if (text !== undefined) return { text: text.trim(), note: null };
  return { text: "", note: `${memoryFile} of the agent is no UTF-8; it is neither read nor written` };
}

/** Adds what is not there yet; false when the file can't be added to. */
export function promoteAgentFile(
  { files }: Pick<Host, "files">,
  folder: string,
  texts: readonly string[],
): boolean {
  if (texts.length === 0) return true;
  const { text, note } = readMemoryFile({ files }, folder);
  if (note !== null) return false;
  const known = new Set(text.split("\n").map(learningKey));
  const added = texts.filter((one) => !known.has(learningKey(one))).map((one) => `- ${one}`);
  if (added.length === 0) return true;
  files.makeDir(folder);
  files.write(`${folder}/${memoryFile}`, `${[text === "" ? "# Memory\n" : text, ...added].join("\n")}\n`);
  return true;
}

export function writeLearnings(
  { files }: Pick<Host, "files">,
  folder: string,
  learnings: readonly Learning[],
): void {
  const rows = learnings.map(({ first, last, ...rest }) => ({
    ...rest,
    first: new Date(first).toISOString(),
    last: new Date(last).toISOString(),
  }));
  files.makeDir(folder);
  files.write(`${folder}/${learningsFile}`, `${JSON.stringify(rows, null, 2)}\n`);
}
