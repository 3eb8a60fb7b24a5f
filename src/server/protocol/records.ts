/** What the routes of conversations and runs answer with (docs/serve.md), as far as the page reads it. */
import type {
  ContextUsage,
  ConversationState,
  Delivery,
  EventText,
  Json,
  JsonObject,
  Mode,
  RunStatus,
  Tokens,
} from "../../events/wire/index.ts";

/** A page of a list; `next` is the cursor of the page behind it, null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** A row of the list of conversations; also what the topic `conversations` of `/api/stream` brings. */
export interface ConversationSummary {
  readonly id: string;
  readonly agent: string;
  readonly title: string;
  readonly owner: string;
  readonly state: ConversationState;
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
}

export interface ConversationRecord extends Omit<ConversationSummary, "open_questions"> {
  readonly config: JsonObject;
  readonly parent: string | null;
  /** The run at work, else the last one. */
  readonly run: string | null;
  readonly questions: readonly QuestionRecord[];
  /** Number of the last event. */
  readonly head: number;
  readonly version: number;
}

export interface MessageRecord {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: EventText;
  readonly by: string | null;
  readonly state: "queued" | "taken" | "said" | "withdrawn";
  readonly delivery: Delivery | null;
  readonly at: number;
}

export interface RunSummary {
  readonly run: string;
  readonly script: string;
  readonly conversation: string | null;
  /** `running` while it does. */
  readonly status: RunStatus | "running" | string;
  readonly started: number;
  readonly ended: number | null;
}

export interface AgentInfo {
  readonly name: string;
  readonly title: string;
  readonly mode: Mode | null;
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
    }
  | { readonly answer: Json }
  | { readonly decision: "approve" | "deny"; readonly feedback?: string };

/** What `/api/stream` sends: the envelope with the topic it is of. */
export interface TopicMessage {
  readonly topic: string;
  readonly event: unknown;
}
