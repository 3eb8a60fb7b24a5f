/** Whether what is to be served can run at all: found out at the start, not with the first message. */

import { UsageError } from "../../host/command/index.ts";
import { checkedFile } from "../../program/index.ts";
import { isDeclaration } from "../../syntax/nodes.ts";
import type { ServedAgent } from "../supervise/index.ts";
import { codeModule } from "./code-sandbox.ts";

/**
 * Shows what is wrong with the scripts as `harn run` does. Throws a `UsageError` when none of them can run. One of several that
 * cannot is said and served all the same: each message reads its script anew, so it works as soon as somebody mends it.
 * Gives whether one of them may run code of agents.
 */
export async function checkServed(
  agents: readonly ServedAgent[],
  report: (text: string) => void,
): Promise<{ readonly runsCode: boolean }> {
  const broken: string[] = [];
  let runsCode = false;
  for (const { name, script } of agents) {
    const looked = await look(script);
    if ("why" in looked) broken.push(`the agent ${name} can't work: ${looked.why}`);
    else runsCode ||= looked.runsCode;
  }
  if (broken.length > 0 && broken.length === agents.length)
    throw new UsageError(broken.join("\n"), "HARN-CLI-008");
  for (const one of broken) report(`${one}; its messages fail until that is mended`);
  return { runsCode };
}

async function look(script: string): Promise<{ readonly why: string } | { readonly runsCode: boolean }> {
  try {
    const program = await checkedFile(script);
    if (program === undefined) return { why: `${script} has errors` };
    const { ast, entry, mainCall } = program.resolved.entry;
    const hasWork = ast.items.some((item) => item.kind !== "Import" && !isDeclaration(item));
    if (entry === undefined && mainCall === undefined && !hasWork)
      return {
        why: `${script} only declares things: it has no pipeline and no statement that a message could run`,
      };
    return { runsCode: program.resolved.modules.some(({ path }) => codeModule.test(path)) };
  } catch (error) {
    if (error instanceof UsageError) return { why: error.message };
    throw error;
  }
}
