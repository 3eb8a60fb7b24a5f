/** What a loop is called with, by scripts and by whoever runs loops for others. */
import type { Conversation, ModelMessage, ToolEntry, ToolOutcome } from "../../model/index.ts";
import type { Dict } from "../../values/index.ts";
import type { CompactionMode } from "../session/compaction-source.ts";
import type { Mailbox } from "./mailbox.ts";

/** What `agent_loop` was called with. */
export interface LoopCall {
  readonly prompt: string;
  /** The prompt as a message, where it is more than its text: pictures, files. */
  readonly said?: ModelMessage | undefined;
  readonly system: string | null;
  readonly options: Dict;
  /** Names the caller in messages. */
  readonly caller: string;
  /** What whoever runs it calls it, in events; its option `agent` outranks that. */
  readonly name?: string;
  /** What wakes it while it idles (`daemon: true`). */
  readonly mailbox?: Mailbox;
  /** Begins by idling, where the snapshot of `resume_path` left off; the prompt is not said again. */
  readonly isResumed?: boolean;
  /** Nobody but the caller knows the session's id: it ages out when the loop is over. */
  readonly disposable?: boolean;
  /** The model is asked to say what it is about to do (`agent_turn`). */
  readonly announces?: boolean;
  /** What the events of its compactions say; `auto` without it. */
  readonly compactionMode?: CompactionMode;
  /** Its ceiling is narrowed by those around it; asking for more than they allow is no error. */
  readonly narrowed?: boolean;
  /** What the conversation is given before the prompt enters it. */
  readonly prepare?: (conversation: Conversation) => Promise<void>;
  /** Called with how each tool call ended. */
  readonly onOutcome?: OutcomeSink;
  /** The request of a sub-agent: what is kept of it when it suspends. */
  readonly subAgent?: Dict;
}

/** `entry` is undefined for calls of tools that do not exist. */
export type OutcomeSink = (outcome: ToolOutcome, entry: ToolEntry | undefined) => void;
