/**
 * Whose words a message holds. Roles do not say it: feedback of the runtime, results in text formats and summaries all have
 * the role `user`. What decides about trust and protection asks the origin, never the text: a tool's result that imitates
 * feedback is a tool's.
 */
import { Dict } from "../../values/index.ts";
import type { ModelMessage } from "../llm/index.ts";

export type Speaker = "person" | "model" | "tool" | "runtime" | "compaction";

export interface Origin {
  readonly by: Speaker;
  /**
   * What of that speaker: "prompt" and "user_message" of a person, the kind of a feedback, "interrupted", "not_run",
   * "resumption", "daemon_event" of the runtime; null where nothing more is known.
   */
  readonly kind: string | null;
}

const origin = (by: Speaker, kind: string | null = null): Origin => Object.freeze({ by, kind });

export const byModel = origin("model");
export const byTool = origin("tool");
export const byPerson = origin("person");
export const byCompaction = origin("compaction");
/** What a loop was asked to do. */
export const promptOrigin = origin("person", "prompt");
/** What a person says while a loop works. */
export const spokenOrigin = origin("person", "user_message");
export const byRuntime = (kind: string): Origin => origin("runtime", kind);

const feedback = /^<runtime_feedback kind="([^"\n]*)">/;

/**
 * The origin of a message that came without one (transcripts, what scripts inject): by its role, and what stands in the
 * runtime's own wrapper is the runtime's.
 */
export function originOfMessage({ role, content }: ModelMessage): Origin {
  if (role === "assistant") return byModel;
  if (role === "tool" || role === "tool_result") return byTool;
  if (role !== "user") return byRuntime(role);
  if (typeof content !== "string") return byPerson;
  const kind = feedback.exec(content)?.[1];
  if (kind !== undefined) return byRuntime(kind);
  if (isResultText(content)) return byTool;
  return isSummaryText(content) ? byCompaction : byPerson;
}

const speakers: readonly string[] = ["person", "model", "tool", "runtime", "compaction"] satisfies Speaker[];

/** What a message says of its origin as a script value: nothing where reading it gives the same speaker. */
export const originField = ({ by, kind }: Origin, message: ModelMessage): Dict | undefined =>
  originOfMessage(message).by === by ? undefined : Dict.of({ by, kind });

/** The origin of a message that scripts hold: its field `origin`, else as it reads. */
export function originOfValue(value: Dict, message: ModelMessage): Origin {
  const named = value.get("origin");
  if (!(named instanceof Dict)) return originOfMessage(message);
  const by = named.get("by");
  const kind = named.get("kind");
  if (typeof by !== "string" || !speakers.includes(by)) return originOfMessage(message);
  return { by: by as Speaker, kind: typeof kind === "string" ? kind : null };
}

/** Whether a text is what tools said, as text formats write it. */
export const isResultText = (text: string): boolean => /^\[(result of|error from) /.test(text);

/** Whether a text is the summary of an earlier compaction. */
export const isSummaryText = (text: string): boolean => /^\[auto-compacted \d+ older messages/.test(text);
