/** The flags of `harn serve` and what belongs to it, as commander names them. */
import type { ServeFlags as SessionFlags } from "../session/serve.ts";

export interface ServeFlags extends SessionFlags {
  readonly port?: number;
  readonly host?: string;
  readonly allowedHost?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly open?: boolean;
  readonly yolo?: boolean;
}

export interface TokenFlags {
  readonly role?: string;
  readonly json?: boolean;
}

export interface RevokeFlags {
  readonly keepRuns?: boolean;
}
