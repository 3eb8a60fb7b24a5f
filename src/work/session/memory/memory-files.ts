/**
 * A session's memory as files that people read and edit: `session-state.md` (the durable summary), `working-buffer.md`,
 * `checkpoint.json` (where the session is, and digests of the two). The store is what counts; the files follow each commit.
 *
 *     checkpoint of the same run as the store  ─▶ a file with another digest was edited by a person: taken over
 *     missing, damaged, of an earlier run      ─▶ the process died in between: the store's texts stand
 *
 * Called inside effects only.
 */

import type { InputEvent } from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import { type Host, HostError } from "../../../host/index.ts";
import { sha256Hex, textWithoutMark } from "../../../values/index.ts";
import { clip, clippedLine } from "./clip.ts";

export const summaryFile = "session-state.md";
export const bufferFile = "working-buffer.md";
export const checkpointFile = "checkpoint.json";

/** Longest file that is taken over from a person, in characters. */
const maxEdit = 64_000;

export interface Memory {
  /** The run that wrote it; 0 before the first. */
  readonly run: number;
  readonly summary: string;
  readonly buffer: string;
  /** Work items, task contract and coverage of its agent, as transcripts have them; absent without any. */
  readonly work?: { readonly [name: string]: Json };
}

export const noMemory: Memory = { run: 0, summary: "", buffer: "" };

export interface LoadedMemory {
  readonly memory: Memory;
  /** What a person should know about the files: edited, damaged. */
  readonly notes: readonly string[];
  /** The files do not say what the store says. */
  readonly stale: boolean;
}

export type MemoryHost = Pick<Host, "files" | "crypto">;

/** The memory of a session whose files lie in `folder`; `kept` is what the store has. */
export function loadMemory(host: MemoryHost, folder: string, kept: Memory): LoadedMemory {
  const notes: string[] = [];
  const checkpoint = readCheckpoint(host, folder, notes);
  const missing = checkpoint === undefined && notes.length === 0;
  // Before the first run there is no checkpoint: what lies there was written by a person, to begin with.
  const current = checkpoint === undefined ? missing && kept.run === 0 : checkpoint.run === kept.run;
  if (!current) return { memory: kept, notes, stale: true };
  const read = (file: string, text: string): string => {
    const found = readShort(host, folder, file, notes);
    if (found === undefined || found === memoryFileText(text)) return text;
    if (checkpoint !== undefined && sha256Hex(host.crypto, found) === checkpoint.digests.get(file))
      return text;
    notes.push(`${file} was edited; what it says now counts`);
    return found.trim();
  };
  const before = notes.length;
  const memory = {
    run: kept.run,
    summary: read(summaryFile, kept.summary),
    buffer: read(bufferFile, kept.buffer),
    ...(kept.work === undefined ? {} : { work: kept.work }),
  };
  const damaged = notes.slice(before).some((note) => !note.includes("was edited"));
  return { memory, notes, stale: damaged };
}

/** Writes the files; the checkpoint last, so that it never speaks of files that are not there yet. */
export function saveMemory(
  host: MemoryHost,
  folder: string,
  memory: Memory,
  facts: { readonly [name: string]: Json },
): void {
  const { files } = host;
  files.makeDir(folder);
  const digests: { [file: string]: string } = {};
  for (const [file, text] of [
    [summaryFile, memory.summary],
    [bufferFile, memory.buffer],
  ] as const) {
    const written = memoryFileText(text);
    digests[file] = sha256Hex(host.crypto, written);
    files.write(`${folder}/${file}`, written);
  }
  const checkpoint = {
    _type: "session_checkpoint",
    version: 1,
    run: memory.run,
    ...facts,
    ...memory.work,
    digests,
  };
  files.write(`${folder}/${checkpointFile}`, `${JSON.stringify(checkpoint, null, 2)}\n`);
}

const memoryFileText = (text: string): string => (text.trim() === "" ? "" : `${text.trim()}\n`);

interface Checkpoint {
  readonly run: number;
  readonly digests: ReadonlyMap<string, string>;
}

function readCheckpoint(host: MemoryHost, folder: string, notes: string[]): Checkpoint | undefined {
  const text = readShort(host, folder, checkpointFile, notes);
  if (text === undefined) return undefined;
  try {
    const { _type, run, digests } = JSON.parse(text) as { readonly [name: string]: unknown };
    if (_type === "session_checkpoint" && typeof run === "number" && typeof digests === "object")
      return { run, digests: new Map(Object.entries((digests ?? {}) as Record<string, string>)) };
  } catch {
    // Not JSON: damaged, like JSON that is no checkpoint.
  }
  notes.push(`${checkpointFile} is damaged; it is written anew from the store`);
  return undefined;
}

/** `undefined` when it is not there, or can't be used, which is noted. */
function readShort(host: MemoryHost, folder: string, file: string, notes: string[]): string | undefined {
  const path = `${folder}/${file}`;
  const instead = "it is written anew from the store";
  try {
    const info = host.files.stat(path);
    if (info === undefined) return undefined;
    if (info.kind !== "file") {
      notes.push(`${file} is no file`);
      return undefined;
    }
    // A character has at most four bytes.
    const text = info.size > maxEdit * 4 ? undefined : textWithoutMark(host.files.readBytes(path));
    if (text !== undefined && text.length <= maxEdit) return text;
    notes.push(
      text === undefined && info.size <= maxEdit * 4
        ? `${file} is no UTF-8; ${instead}`
        : `${file} has more than ${maxEdit.toLocaleString("en-US")} characters; ${instead}`,
    );
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    notes.push(`${file} can't be read (${error.message})`);
  }
  return undefined;
}

export const maxBufferLength = 16_000;
const maxTextLength = 2000;
const maxEventLineLength = 500;
/** Events of one run that are quoted. */
const maxQuoted = 20;

interface RunNote {
  readonly run: number;
  readonly now: number;
  readonly events: readonly InputEvent[];
  readonly text: string;
  /** What was decided, a line each. */
  readonly decisions: readonly string[];
}

/**
 * The working buffer with one more run: what the last runs were about, shortly, for the model of the next one. Oldest first; they
 * go when there is no room.
 */
export function withRun(buffer: string, note: RunNote): string {
  const section = sectionOf(note);
  const kept = sections(buffer);
  const room = maxBufferLength - section.length;
  let size = kept.reduce((sum, one) => sum + one.length + 2, 0);
  while (kept.length > 0 && size > room) size -= (kept.shift() as string).length + 2;
  return `${[...kept, section].join("\n\n")}\n`;
}

/** Parts that begin with a heading; what a person wrote above the first one is a part, too. */
const sections = (buffer: string): string[] =>
  buffer
    .split(/\n(?=## Run \d)/)
    .map((part) => part.trim())
    .filter((part) => part !== "");

function sectionOf({ run, now, events, text, decisions }: RunNote): string {
  const lines = [`## Run ${run} · ${new Date(now).toISOString()}`];
  for (const event of events.slice(0, maxQuoted)) lines.push(`- ${eventLine(event, maxEventLineLength)}`);
  if (events.length > maxQuoted) lines.push(`- … and ${events.length - maxQuoted} more events`);
  if (text !== "") lines.push(`- You said: ${clip(text, maxTextLength).replaceAll("\n", "\n  ")}`);
  for (const decision of decisions) lines.push(`- ${decision}`);
  return lines.join("\n");
}

/** An event from outside in one line. */
function eventLine(event: InputEvent, max: number): string {
  switch (event.type) {
    case "user.message":
      return `Message: ${clippedLine(event.text, max)}`;
    case "user.custom_tool_result": {
      const what = event.is_error ? "Failed" : "Result of";
      return `${what} ${event.tool_use_id}: ${clippedLine(JSON.stringify(event.content), max)}`;
    }
    case "session.wake":
      return `Wake ${event.key}: ${clippedLine(event.reason, max)}`;
  }
}
