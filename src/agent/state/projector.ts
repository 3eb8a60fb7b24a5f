/** What `transcript_projection` is for a loop: who makes the messages that are sent (context/projection/). */
import type { LoggedMessage, ModelMessage } from "../../model/index.ts";
import type { ProjectionOptions } from "../options/context-fields.ts";

/** A projection over one conversation, made for one set of options. */
export interface Projector {
  readonly options: ProjectionOptions;
  project(): MessageView;
}

export interface MessageView {
  readonly messages: readonly LoggedMessage[];
  /** The same, as the port takes them. */
  readonly sent: ModelMessage[];
}
