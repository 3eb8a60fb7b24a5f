/** Files that a command was asked to write, and texts that are handed on: exports, reports, pages. */
import { Secrets } from "../../effects/index.ts";
import { ownVariables, perProcess } from "../../process/index.ts";
import { HostError, hostError } from "../index.ts";
import { UsageError } from "./usage-error.ts";

/** Does what writes `path`; where the file system refuses, the path and the reason are all there is to say. */
export function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof HostError || (error instanceof Error && "syscall" in error))
      throw new UsageError(`cannot write ${path}: ${hostError(error).message}`, "HARN-CLI-007");
    throw error;
  }
}

const secretsHere = perProcess(() => Secrets.ofEnvironment(ownVariables()));

/**
 * A text that leaves the project, with this machine's secrets by name. What looks like a name already stays as it is: nothing that
 * is read again takes a name for the secret.
 */
export function exportedText(text: string): string {
  const secrets = secretsHere();
  return secrets.size === 0 ? text : Secrets.readable(secrets.hide(text));
}
