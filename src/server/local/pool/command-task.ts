/** What a child of the pool can be asked for. */

import type { RunFlags } from "../../../run/setup/index.ts";
import type { Json } from "../../../values/index.ts";
import type { ConversationJob } from "../../supervise/index.ts";

/** What a child of the pool can do. */
export type CommandTask =
  /** `harn run FILE -- ARGS`, as the run `flags.runName`. */
  | {
      readonly kind: "run";
      readonly file: string;
      readonly args: readonly string[];
      readonly flags: RunFlags;
    }
  /** `harn run --resume RUN`. */
  | { readonly kind: "resume"; readonly run: string; readonly flags: RunFlags }
  /** A run of a conversation, for a server. */
  | {
      readonly kind: "conversation";
      readonly job: ConversationJob;
      readonly flags: RunFlags;
      /** Whom it must not speak to, as rules of `HARN_EGRESS_DENY`. */
      readonly denied: readonly string[];
    }
  /** The log of a run is made from its journal. */
  | { readonly kind: "rebuild"; readonly run: string; readonly stateFolder: string }
  /** A job that came from another machine: what `cluster/job-child.ts` is told of it. */
  | { readonly kind: "cluster"; readonly job: Json }
  /** `harn ARGS -- SCRIPT`. */
  | { readonly kind: "command"; readonly args: readonly string[]; readonly script: readonly string[] };
