/** What a model or a script asks for that wants its loop to be suspended. */
import type { Dict } from "../../values/index.ts";

/** Who asked, as `suspension.initiator` says it. */
export type Initiator = "self_initiated" | "parent" | "operator" | "triggered";

/** The arguments of `agent_await_resumption`, checked. */
export interface SuspensionRequest {
  readonly reason: string;
  readonly conditions: Dict | null;
  /** RFC 3339, when a timeout of the conditions is over. */
  readonly resumeBy: string | null;
}
