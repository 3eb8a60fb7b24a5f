/** `harn replay`: a recorded run again, from its journal alone. Nothing outside is touched. */
import { existsSync } from "node:fs";
import { type Journal, ReplayEffects, recordedSources, Secrets } from "../effects/index.ts";
import {
  createNodeHost,
  HostError,
  nodeDigest,
  nodeInterrupts,
  nodeOutputHash,
  nodePlatform,
} from "../host/index.ts";
import { Runtime } from "../interp/index.ts";
import { SourceFile } from "../source/index.ts";
import { existingStore, readSnapshot, StoreError } from "../store/index.ts";
import { compile, report } from "./compile.ts";
import { endOfRun, guarded } from "./end-of-run.ts";
import { exitCode } from "./exit-codes.ts";
import { grantedThen } from "./granted.ts";
import { ProcessConsole } from "./process-console.ts";
import { readProgram } from "./read-program.ts";
import { recordedModules } from "./recorded-modules.ts";
import { ownRoots } from "./snapshots.ts";
import { explained, ownStateFolder, runNamed } from "./state.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

export interface ReplayFlags {
  readonly script?: string;
}

export async function replayCommand(file: string, flags: ReplayFlags): Promise<number> {
  const journal = readJournal(file);
  const { header } = journal;
  const recorded = recordedSources(journal);
  const text =
    flags.script === undefined
      ? recorded.texts.get(header.entry)
      : readProgram(flags.script, undefined).source.text;
  if (text === undefined) {
    throw new UsageError(
      `${file} does not hold the script that was run; name it with --script FILE`,
      exitCode.failed,
    );
  }
  const compiled = await compile(new SourceFile(header.entry, text), header.entry, recordedModules(recorded));
  if (report(compiled.diagnostics) || compiled.program === undefined) return exitCode.failed;
  if (journal.torn !== undefined) {
    process.stderr.write(
      `harn: the last record of ${file} (line ${journal.torn.line}) is torn and was left out\n`,
    );
  }

  const host = createNodeHost();
  const interrupts = nodeInterrupts();
  const effects = new ReplayEffects({
    atRest: interrupts.atRest,
    journal,
    digest: nodeDigest,
    secrets: Secrets.ofEnvironment(host.env),
    outputHash: nodeOutputHash(),
    hostError: (code, message) => new HostError(code, message),
    versions: { runtime: version, ...nodePlatform() },
  });
  const console = new ProcessConsole();
  const { max_depth: depth, max_steps: steps } = header.options as {
    readonly max_depth?: number | null;
    readonly max_steps?: number | null;
  };
  const limits = {
    ...(typeof depth === "number" ? { depth } : {}),
    ...(typeof steps === "number" ? { steps } : {}),
  };
  const runtime = new Runtime({
    effects,
    host,
    console,
    builtins: grantedThen(header.options, header.cwd),
    args: header.argv,
    limits,
  });
  const ended = await guarded(runtime, compiled.program, interrupts);
  console.flush();
  return endOfRun(ended, runtime, { file });
}

/** A run of the store, or a file. */
function readJournal(which: string): Journal {
  return explained(() => {
    if (existsSync(which)) return readSnapshot(which, ownRoots([]));
    const folder = ownStateFolder();
    const store = existingStore(folder);
    if (store === undefined) {
      throw new StoreError("missing", `${which} is no file, and there is no store in ${folder}`);
    }
    return store.runs.read(runNamed(store, which));
  });
}
