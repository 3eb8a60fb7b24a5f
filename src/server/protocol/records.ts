/**
 * What the routes of conversations, runs, files and principals answer with (docs/serve.md). The schemas of the routes are
 * held to these types (`told` in `routes/schemas.ts`); client and page have them from here.
 */
import type {
  ContextUsage,
  ConversationState,
  Delivery,
  EventText,
  Json,
  JsonObject,
  Mode,
  Tokens,
} from "../../events/wire/index.ts";

/** A page of a list; `next` is the cursor of the page after it, null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** What an agent came to that did not do its work, whatever its program made of it. */
export type BadOutcome = "failed" | "stalled";

/** A row of the list of conversations; also what the topic `conversations` of `/api/stream` brings. */
export interface ConversationSummary {
  readonly id: string;
  readonly agent: string;
  readonly title: string;
  readonly owner: string;
  readonly state: ConversationState;
  /** Why it is in this state; the error of one that failed. */
  readonly why: string;
  /** How the agent of its last run ended that did not do its work; why is in `why`. */
  readonly outcome: BadOutcome | null;
  readonly mode: string | null;
  readonly archived: boolean;
  readonly created: number;
  readonly changed: number;
  readonly turns: number;
  readonly totals: Tokens;
  readonly gauge: Pick<ContextUsage, "used" | "window" | "ratio"> | null;
  /** How many wait for an answer. */
  readonly open_questions: number;
}

export interface QuestionRecord {
  readonly id: string;
  readonly conversation: string | null;
  readonly run: string | null;
  readonly kind: string;
  readonly prompt: string;
  readonly schema: Json;
  /** The answers there are; empty: any. */
  readonly choices: readonly string[];
  readonly tool: string | null;
  readonly arguments: Json;
  readonly asked: number;
  readonly deadline: number | null;
  /** null while it is open. */
  readonly answer: Json;
  readonly by: string | null;
}

export interface ConversationRecord extends Omit<ConversationSummary, "open_questions"> {
  readonly config: JsonObject;
  readonly parent: string | null;
  /** The run at work, else the last one. */
  readonly run: string | null;
  /** Those that are open. */
  readonly questions: readonly QuestionRecord[];
  /** Messages that wait. */
  readonly queued: number;
  /** Number of the last event. */
  readonly head: number;
  readonly version: number;
}

export interface MessageRecord {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: EventText;
  readonly attachments: readonly Json[];
  readonly by: string | null;
  readonly state: "queued" | "taken" | "said" | "withdrawn";
  readonly delivery: Delivery | null;
  readonly run: string | null;
  /** Number of its event. */
  readonly seq: number;
  readonly at: number;
}

export interface RunSummary {
  readonly run: string;
  readonly script: string;
  readonly conversation: string | null;
  /** `running` while it does. */
  readonly status: string;
  /** How its agent ended that did not do its work. */
  readonly outcome: { readonly status: BadOutcome; readonly why: string } | null;
  readonly started: number;
  readonly ended: number | null;
  readonly exit_code: number | null;
  /** The run that it was forked from. */
  readonly parent: string | null;
}

export interface FileRecord {
  readonly path: string;
  readonly bytes: number;
  readonly changed: number;
}

/** How a file changed between two events. */
export interface FileDiff {
  readonly path: string;
  readonly from: FileState | null;
  readonly to: FileState | null;
  /** null: too large, no text, or not kept; only sizes are known. */
  readonly hunks: readonly DiffHunk[] | null;
}

export interface FileState {
  readonly hash: string | null;
  readonly bytes: number | null;
}

export interface DiffHunk {
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
  readonly lines: readonly string[];
}

export interface PrincipalRecord {
  readonly name: string;
  readonly role: Role;
  readonly created: number;
  readonly revoked: number | null;
}

/** What somebody says. */
export interface NewMessage {
  readonly text: string;
  /** Files of the workspace. */
  readonly attachments?: readonly { readonly path: string }[];
  /** When a run in progress gets it. */
  readonly delivery?: Delivery;
}

export interface AgentInfo {
  readonly name: string;
  readonly title: string;
  readonly mode: Mode | null;
  /** Tasks to begin with. */
  readonly examples: readonly string[];
}

export type Role = "read" | "write" | "admin";

export interface ServerInfo {
  readonly version: string;
  readonly protocol: number;
  readonly agents: readonly AgentInfo[];
  readonly features: readonly string[];
}

export interface Me {
  readonly name: string;
  readonly role: Role;
}

/** A question's answer, by its kind. */
export type AnswerBody =
  | {
      readonly decision: "approve" | "deny";
      readonly always?: boolean;
      readonly arguments?: JsonObject;
      readonly reason?: string;
      /** Of a plan, instead of `reason`: what the agent is told. */
      readonly feedback?: string;
    }
  | { readonly answer: Json };
