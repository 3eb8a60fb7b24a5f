/**
 * What commands do when nobody reads their output any more (`harn test | head`). Programs of `harn run` have a console
 * of their own.
 */

import { exitCode, lostOutput, reportFailure } from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";

/**
 * Ends the process when standard output cannot be written: quietly when its reader went away, else with the reason.
 * Several commands in one process (tests do that) are one listener.
 */
export function endWhenUnread(): void {
  if (!ownProcess().stdout.listeners("error").includes(endQuietly))
    ownProcess().stdout.on("error", endQuietly);
}

function endQuietly(fault: NodeJS.ErrnoException): void {
  if (fault.code === "EPIPE") process.exit(exitCode.readerGone);
  process.exit(reportFailure(lostOutput(fault)));
}
