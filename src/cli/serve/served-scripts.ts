/** Whether what is to be served can run at all: found out at the start, not with the first message. */

import type { ServedAgent } from "../../server/supervise/index.ts";
import { isDeclaration } from "../../syntax/nodes.ts";
import { exitCode } from "../exit-codes.ts";
import { checkedFile } from "../program/checked-program.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Shows what is wrong with the scripts as `harn run` does. Throws a `UsageError` when none of them can run. One of several that
 * cannot is said and served all the same: each message reads its script anew, so it works as soon as somebody mends it.
 */
export async function checkServed(
  agents: readonly ServedAgent[],
  tell: (text: string) => void,
): Promise<void> {
  const broken: string[] = [];
  for (const { name, script } of agents) {
    const why = await whyNot(script);
    if (why !== undefined) broken.push(`the agent ${name} can't work: ${why}`);
  }
  if (broken.length === 0) return;
  if (broken.length === agents.length) throw new UsageError(broken.join("\n"), exitCode.failed);
  for (const one of broken) tell(`${one}; its messages fail until that is mended`);
}

async function whyNot(script: string): Promise<string | undefined> {
  try {
    const program = await checkedFile(script);
    if (program === undefined) return `${script} has errors`;
    const { ast, entry, mainCall } = program.resolved.entry;
    const hasWork = ast.items.some((item) => item.kind !== "Import" && !isDeclaration(item));
    return entry === undefined && mainCall === undefined && !hasWork
      ? `${script} only declares things: it has no pipeline and no statement that a message could run`
      : undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}
