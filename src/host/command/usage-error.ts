/** Why a command can't do what it was asked, in words for people: shown as one line with its code, never with a stack. */
import { type Code, catalogue, coded } from "../../diagnostics/index.ts";
import { exitCode } from "./exit-codes.ts";

/** What makes no sense as a command line; with every other code something that it needs can't be used. */
const wrongLine: ReadonlySet<Code> = new Set([
  "HARN-CLI-001",
  "HARN-CLI-002",
  "HARN-CLI-003",
  "HARN-CLI-004",
]);

/** The code of a text that has one, before its advice: texts about evaluations do. */
const ownCode = / \((HARN-[A-Z]{3}-\d{3})\)(?=\n {2}|$)/u;

export class UsageError extends Error {
  /** As people read it: with its code. */
  readonly text: string;
  readonly code: Code;
  readonly exitCode: number;
  /**
   * Lines of `message` that begin with blanks are advice. `code` is what `harn explain` knows of it, unless the text has its own;
   * `exit` what the command ends with, where that is not the code's.
   */
  constructor(message: string, code: Code = "HARN-CLI-004", exit?: number) {
    super(message);
    const own = ownCode.exec(message)?.[1] ?? "";
    const hasOwnCode = Object.hasOwn(catalogue, own);
    this.code = hasOwnCode ? (own as Code) : code;
    this.text = hasOwnCode ? message : coded(message, code);
    this.exitCode = exit ?? (wrongLine.has(code) ? exitCode.usage : exitCode.failed);
  }
}

/** Standard output takes nothing any more. */
export const lostOutput = (fault: NodeJS.ErrnoException): UsageError =>
  new UsageError(`cannot write standard output: ${fault.message}`, "HARN-CLI-012");
