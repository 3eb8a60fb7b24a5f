/** ORC: agents and their orchestration (agents.md). Raised while running, by the loop. */
import { entry } from "../diagnostic.ts";

export const orc = {
  "HARN-ORC-090": entry({
    severity: "error",
    message: (p: { readonly caller: string; readonly option: string }) =>
      `${p.caller}: option \`${p.option}\` is not available yet in this version`,
    help: () => "leave the option out or set it to nil; docs/agent-loop.md lists what there is",
    explain:
      "The option belongs to a part of the agent runtime that this version does not have, and a loop without it would " +
      "do something else than was asked: a policy that does not hold, a caller that is not called.\n" +
      "So the loop does not start. Leave the option out, or set it to nil or false.",
  }),
};
