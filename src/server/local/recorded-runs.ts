/** What makes logs and reports of recorded runs for a server: each log in a process of its own, one at a time. */

import { exitCode } from "../../host/command/index.ts";
import type { ChildPool } from "../../host/index.ts";
import { ownProcess } from "../../process/index.ts";
import { type RecordedRuns, reportHtml } from "../index.ts";
import { commandPool } from "./pool/command-pool.ts";
import type { CommandTask } from "./pool/command-task.ts";
import { viewerFiles } from "./viewer-files.ts";

/** Somebody waits for a page: playing takes less than a second as a rule. */
const limits = { totalMs: 120_000 };

/** `launcher`: of `harn`, where this process was started with something else. */
export function recordedRuns(stateFolder: string, launcher?: string): RecordedRuns & { close(): void } {
  let pool: Promise<ChildPool> | undefined;
  let isClosed = false;
  return {
    rebuild: async (run) => {
      if (isClosed) return false;
      // Tokens of the server are no business of what it plays.
      pool ??= commandPool({ spares: 0, maxChildren: 1, withheld: ["HARN_SERVE_TOKEN"], launcher, limits });
      const task: CommandTask = { kind: "rebuild", run, stateFolder };
      const end = await (await pool).run({ cwd: ownProcess().cwd(), task });
      return end.kind === "ended" && end.exitCode === exitCode.ok;
    },
    report: (of) => reportHtml(of, viewerFiles()),
    close: () => {
      isClosed = true;
      void pool?.then((children) => children.close());
    },
  };
}
