/**
 * A process that was started before there is work for it: it loads what a run needs, then does one thing that `harn` can
 * do, and ends. Started by `commandPool`, by nobody else.
 */

import { builtinTable } from "../../builtins/index.ts";
import { reportFailure, UsageError } from "../../host/command/index.ts";
import { type ParentLine, servePoolJob } from "../../host/index.ts";
import { ownProcess } from "../../process/index.ts";
import { runScriptCommand } from "../../run/start.ts";
import type { CommandTask } from "../../server/local/pool/index.ts";
import { loadAgentLoop } from "../../skills/index.ts";

/** `harn ARGS -- SCRIPT` */
export type RunCommands = (args: readonly string[], script: readonly string[]) => Promise<number>;

export async function poolWorkerCommand(runCommands: RunCommands): Promise<never> {
  if (process.send === undefined)
    throw new UsageError("this command is for harn itself: `harn daemon`, `harn serve`");
  await Promise.all([loadAgentLoop(), import("../../run/index.ts")]);
  // Whatever a program may name is loaded with the first name that is not an everyday one.
  builtinTable().get("agent_loop");
  process.exit(await servePoolJob((task, parent) => perform(task as CommandTask, parent, runCommands)));
}

/** Besides what the user says: no script can widen it. */
function denyAlso(rules: readonly string[]): void {
  const said = ownProcess().env.HARN_EGRESS_DENY ?? "";
  if (rules.length > 0)
    ownProcess().env.HARN_EGRESS_DENY = [...(said.trim() === "" ? [] : [said]), ...rules].join(",");
}

async function perform(task: CommandTask, parent: ParentLine, runCommands: RunCommands): Promise<number> {
  try {
    switch (task.kind) {
      case "run":
        return await runScriptCommand(task.file, task.args, task.flags);
      case "resume": {
        const { resumeCommand } = await import("../../run/index.ts");
        return await resumeCommand(task.run, undefined, [], task.flags);
      }
      case "conversation": {
        const { conversationChild } = await import("../../server/local/conversation-child.ts");
        denyAlso(task.denied);
        return await conversationChild(task.job, task.flags, parent);
      }
      case "rebuild": {
        const { rebuildLog } = await import("../../server/local/rebuild-log.ts");
        return await rebuildLog(task.run, task.stateFolder);
      }
      case "cluster": {
        const { jobChild } = await import("../../cluster/job-child.ts");
        return await jobChild(task.job, parent);
      }
      case "command":
        return await runCommands(task.args, task.script);
    }
  } catch (error) {
    return reportFailure(error);
  }
}
