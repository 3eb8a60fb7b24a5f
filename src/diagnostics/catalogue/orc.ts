/** ORC: agents and their orchestration (agents.md). Raised while running, by the loop. */
import { entry } from "../diagnostic.ts";

export const orc = {
  "HARN-ORC-001": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    label: () => "other number of arguments",
    help: () => "a missing argument is nil, extra ones are ignored; pass what the declaration names",
    explain:
      "A function is called with more or fewer arguments than it declares.\n" +
      "Missing ones become nil and extra ones are ignored, so the call runs; mostly it is a mistake.\n" +
      "Give parameters that may be left out a default.",
  }),
  "HARN-ORC-008": entry({
    severity: "warning",
    message: () => "unreachable code",
    label: () => "never runs",
    help: () => "remove it, or move it before the statement that leaves the block",
    explain:
      "A `return`, `throw`, `break` or `continue` (or an `if` whose branches all end so) stands before it in the same block.",
  }),
  "HARN-ORC-011": entry({
    severity: "error",
    message: (p: { readonly lock: string }) => `Runtime error: deadlock: this task already holds ${p.lock}`,
    help: () => "locks are not re-entrant: do the inner work without the lock, or give it another key",
    explain:
      "A task asked for a lock that it holds itself, so it would wait for ever. `mutex` and the `sync_*` locks are not " +
      "re-entrant.\nMove the inner work out of the lock, or use another key for it.",
  }),
  "HARN-ORC-012": entry({
    severity: "error",
    message: (p: { readonly who: string }) => `Runtime error: deadlock: ${p.who}`,
    help: () =>
      "close channels that nobody sends to any more, and take several locks always in the same order",
    explain:
      "Tasks wait for each other in a circle, or every task waits for another part of the program while nothing outside " +
      "is under way: nothing can ever happen. The message says who waits for what.\n" +
      "Often a channel was never closed (`for x in ch` waits for the next value until `close_channel`), a task awaits " +
      "one that waits for it, or two tasks take two locks in different order.",
  }),
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
