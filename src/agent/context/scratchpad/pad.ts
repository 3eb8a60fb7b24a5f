/** The scratchpad as a value (agents.md §11.9): goals, open items, facts, and the refs that they cite. */

import type { Conversation } from "../../../model/index.ts";
import { utf8Length } from "../../../model/index.ts";
import { Dict, jsonStringify, List, textField, type Value } from "../../../values/index.ts";

export const padSchema = "harn.agent_scratchpad.v1";
const sections = ["goals", "open_items", "facts", "refs"] as const;
/** Bytes of JSON that a pad may have. */
export const padLimit = 16 * 1024;

export const sectionEntries = (pad: Dict, section: (typeof sections)[number]): Dict[] => {
  const value = pad.get(section);
  return value instanceof List ? value.toArray().filter((item) => item instanceof Dict) : [];
};

/** A pad with all its sections. What else it holds stays. */
export function completePad(pad: Dict): Dict {
  let complete = pad.with("schema", padSchema);
  for (const section of sections)
    if (!(complete.get(section) instanceof List)) complete = complete.with(section, new List([]));
  return complete;
}

const excerptChars = 400;

/** What a loop begins with: the task as its goal. */
export const initialPad = (task: string): Dict =>
  completePad(
    Dict.of({
      goals: new List([Dict.of({ text: task, source_ref: "user:initial" })]),
      refs: new List([
        Dict.of({
          id: "user:initial",
          kind: "user_input",
          label: "Initial task",
          excerpt: task.slice(0, excerptChars),
        }),
      ]),
    }),
  );

export type PadChange =
  | { readonly ok: true; readonly version: number; readonly pad: Dict }
  | { readonly ok: false; readonly error: string };

/** Why the pad was changed, for the audit trail. */
export interface PadReason {
  readonly source: string;
  readonly reason: string;
  readonly metadata: Dict | null;
}

/** Puts a pad in the place of the session's. One that is no dict or too large changes nothing. */
export function setPad(conversation: Conversation, value: Value, why: PadReason): PadChange {
  if (!(value instanceof Dict)) return { ok: false, error: "scratchpad must be a dict" };
  const pad = completePad(value);
  const bytes = utf8Length(jsonStringify(pad));
  if (bytes > padLimit)
    return { ok: false, error: `scratchpad is too large: ${bytes} bytes of JSON, at most ${padLimit}` };
  conversation.scratchpad = pad;
  conversation.scratchpadVersion++;
  recordPadChange(conversation, "set", bytes, why);
  return { ok: true, version: conversation.scratchpadVersion, pad };
}

/** Forgets the session's pad. */
export function clearPad(conversation: Conversation, why: PadReason): number {
  conversation.scratchpad = null;
  conversation.scratchpadVersion++;
  recordPadChange(conversation, "clear", 0, why);
  return conversation.scratchpadVersion;
}

function recordPadChange(
  conversation: Conversation,
  action: "set" | "clear",
  bytes: number,
  why: PadReason,
): void {
  const pad = conversation.scratchpad ?? new Dict();
  conversation.audit.push({
    kind: "agent_scratchpad",
    role: "system",
    visibility: "internal",
    text: `scratchpad ${action}`,
    metadata: Dict.of({
      action,
      version: conversation.scratchpadVersion,
      counts: Dict.of(Object.fromEntries(sections.map((name) => [name, sectionEntries(pad, name).length]))),
      approx_bytes: bytes,
      source: why.source,
      reason: why.reason,
      metadata: why.metadata ?? undefined,
    }),
  });
}

/** The pad as the model reads it, at the end of the system text. */
export function padText(pad: Dict): string {
  const cited = (entry: Dict): string => {
    const ref = textField(entry, "source_ref");
    return ref === ""
      ? `- ${textField(entry, "text")}`
      : `- ${textField(entry, "text")} [source_ref: ${ref}]`;
  };
  const listed = (head: string, lines: readonly string[]): string =>
    [`### ${head}`, ...(lines.length === 0 ? ["(none)"] : lines)].join("\n");
  return [
    "## Agent scratchpad",
    listed("Goals", sectionEntries(pad, "goals").map(cited)),
    listed("Open items", sectionEntries(pad, "open_items").map(cited)),
    listed("Facts", sectionEntries(pad, "facts").map(cited)),
    listed("Source refs", sectionEntries(pad, "refs").map(refLine)),
  ].join("\n\n");
}

function refLine(ref: Dict): string {
  const label = textField(ref, "label");
  const excerpt = textField(ref, "excerpt");
  const about = [textField(ref, "kind"), label].filter((part) => part !== "").join(": ");
  return `- ${textField(ref, "id")} (${about})${excerpt === "" || excerpt === label ? "" : ` ${JSON.stringify(excerpt)}`}`;
}
