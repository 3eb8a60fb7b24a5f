/** Where the program itself lies, also when what it does is done in a container. */
import type { Host } from "./ports.ts";

/** For files that the program brings along, under the rules of the run. */
export const machineOfProgram = (host: Host): Host => host.program ?? host;

/** For the runtime's own files, such as the manifest of the project: without rules. */
export const machineOfRuntime = (host: Host): Host => {
  const machine = machineOfProgram(host);
  return machine.own ?? machine;
};
