/** What a test run needs of the machine, as one port: the command line brings it, tests may bring another. */
import type { AtRest, Digest, OutputHash } from "../../effects/index.ts";
import type { Host } from "../../host/index.ts";
import type { ModuleLoader, Parse } from "../../resolve/index.ts";
import type { ScriptError } from "../../values/index.ts";

/** The machine as one test sees it: its own working directory, environment and temporary folder. */
export interface TestMachine {
  readonly host: Host;
  /** Removes what the test may have left behind: processes, its temporary folder. */
  release(): void;
}

export interface TestBench {
  /** A machine for one test in `folder`, with these variables on top of the environment (`undefined`: taken out). */
  machine(
    folder: string,
    env: ReadonlyMap<string, string | undefined>,
    options?: {
      readonly hermetic?: boolean;
      /** What the program keeps (`.harn`) goes into its folder, as with `harn run`, and is removed after it. */
      readonly stateInFolder?: boolean;
    },
  ): TestMachine;
  /** For reading tests and expectations and keeping fixtures. */
  readonly host: Host;
  atRest(): AtRest;
  loader(folder: string): ModuleLoader;
  readonly parse: Parse;
  readonly digest: Digest;
  outputHash(): OutputHash;
  /** What messages call a file. */
  shown(path: string): string;
  /** An uncaught error for people. */
  showError(error: ScriptError, colour: boolean): string;
}
