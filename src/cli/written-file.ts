/** Files that a command was asked to write. */
import { HostError, hostError } from "../host/index.ts";
import { exitCode } from "./exit-codes.ts";
import { UsageError } from "./usage-error.ts";

/** Does what writes `path`; where the file system refuses, the path and the reason are all there is to say. */
export function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof HostError || (error instanceof Error && "syscall" in error))
      throw new UsageError(`cannot write ${path}: ${hostError(error).message}`, exitCode.failed);
    throw error;
  }
}
