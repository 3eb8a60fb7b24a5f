/** The contract machine as the package exports it: with the machine's clock, for those who give no time as `at`. */
import { HarnessLoop as Machine } from "./agent/index.ts";

export class HarnessLoop extends Machine {
  constructor(...[options, restored]: ConstructorParameters<typeof Machine>) {
    super({ clock: () => performance.now(), ...options }, restored);
  }
}
