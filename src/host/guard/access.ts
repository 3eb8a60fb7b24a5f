/**
 * What is asked of the machine, in the terms in which rules are written: a path without links, a host and port, a
 * program with its arguments. Every rule (`--allow`, policies of loops, egress, command policies) judges these, where the
 * machine is really touched; none keeps a list of builtins.
 */

export type FileOperation = "read" | "look" | "list" | "write" | "append" | "make" | "remove" | "move";

export interface FileAccess {
  readonly kind: "file";
  readonly group: "fs.read" | "fs.write";
  readonly operation: FileOperation;
  /** Where it leads: absolute, all links followed that the system would follow, without `..`. */
  readonly path: string;
  /** Of a move: where to. */
  readonly to?: string;
  /** The path ended in a link to something that is not there. */
  readonly dangling?: boolean;
}

export interface ProcessAccess {
  readonly kind: "process";
  readonly program: string;
  readonly args: readonly string[];
  /** Links are not followed. */
  readonly cwd: string;
  readonly stdin?: string | undefined;
}

export interface NetworkAccess {
  readonly kind: "network";
  /** With its scheme: `https://a.test/x`, `wss://…`, `tcp://host:port` for a server of ours. */
  readonly url: string;
  readonly listens: boolean;
  /** What the name in the URL means: asked once more, where the connection is made, when the URL was let through. */
  readonly address?: string;
  /** The server of a model, and who chose its address: the vendor or the user, or only the script. */
  readonly model?: "named" | "script";
}

export type HostAccess = FileAccess | ProcessAccess | NetworkAccess;

/** Throws what must not happen. */
export type AccessJudge = (access: HostAccess) => void;

/** The rules that a machine asks; more may come while a run goes on. */
export class AccessGate {
  private readonly judges: AccessJudge[] = [];

  add(judge: AccessJudge): void {
    if (!this.judges.includes(judge)) this.judges.push(judge);
  }

  readonly check: AccessJudge = (access) => {
    for (const judge of this.judges) judge(access);
  };
}
