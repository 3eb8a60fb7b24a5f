/** `harn eval stop`: ends a set that works in another process, as Ctrl-C in its own terminal would. */
import { setTimeout as pause } from "node:timers/promises";
import { inEvalStore, removeLeftContainers, setRow } from "../../eval/local/index.ts";
import { exitCode, inStore, print, reportError, UsageError } from "../../host/command/index.ts";
import { describeOwner, processOf } from "../../store/index.ts";
import { interrupt } from "../runs/stop-runs.ts";

/** How long its calls in flight may take to end (`--grace`), and its trials to come to their next effects, before this says so. */
const patienceMs = 40_000;
const lookEveryMs = 50;

export async function stopSetCommand(named: string, flags: { readonly now?: boolean }): Promise<number> {
  const { name, state } = inEvalStore((store) => setRow(store, named));
  const owner = ownerOfSet(name);
  if (owner === undefined) {
    const left = await removeLeftContainers(name);
    if (left > 0) {
      print(`${name} is ${state}; ${left} ${left === 1 ? "container" : "containers"} of it removed\n`);
      return exitCode.ok;
    }
    throw new UsageError(`nobody works on the set ${name}: it is ${state}`, "HARN-CLI-008");
  }
  const pid = processOf(owner);
  if (pid === undefined)
    throw new UsageError(
      `the set ${name} is worked on by ${describeOwner(owner)}: stop it there`,
      "HARN-CLI-008",
    );
  interrupt(pid);
  // A second request ends the waiting.
  if (flags.now === true) {
    await pause(lookEveryMs);
    interrupt(pid);
  }
  for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
    await pause(lookEveryMs);
    if (ownerOfSet(name) !== undefined) continue;
    print(`${name} is ${inEvalStore((store) => setRow(store, name).state)}\n`);
    return exitCode.ok;
  }
  reportError(
    `harn: ${name} still unwinds (process ${pid}); \`harn eval stop --now ${name}\` waits for nobody\n`,
  );
  return exitCode.failed;
}

const ownerOfSet = (name: string) => inStore((store) => store.leases.leaseOwner(`eval:${name}`))?.owner;
