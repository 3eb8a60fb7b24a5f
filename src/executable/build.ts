/** `harn build`: one file of a program, the runtime and Node. It is made beside its place and renamed: what was there stays until then. */
import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdtempSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { commandLineMark, stopOnSignals, UsageError, version, writing } from "../host/command/index.ts";
import type { ExecutableProgram } from "../lower/index.ts";
import { builtProgram, type FoundModule } from "../program/index.ts";
import { contentsOf } from "./contents.ts";
import { makeExecutable, mustBuildExecutables } from "./node-executable.ts";

export interface ExecutableToBuild {
  readonly program: ExecutableProgram;
  readonly modules: readonly FoundModule[];
  /** Absolute. */
  readonly file: string;
}

/** Says why nothing can be written there, before anything is done. */
export function mustBeFree(file: string, shown: string): void {
  mustBuildExecutables();
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory() === true)
    throw new UsageError(
      `${shown} is a folder: name the file that is to be made, \`-o ${join(shown, "NAME")}\``,
      "HARN-CLI-007",
    );
  if (there !== undefined && !isOurs(file))
    throw new UsageError(
      `${shown} is there, and \`harn build\` has not made it: name another file, or remove it`,
      "HARN-CLI-008",
    );
}

/** What `bin/executable.cjs` begins with lies as a text in each of them. */
const mark = Buffer.from("What an executable of `harn build` begins with");

function isOurs(file: string): boolean {
  const from = openSync(file, "r");
  try {
    const piece = Buffer.alloc(8 << 20);
    for (let position = 0; ; position += piece.length - mark.length) {
      const length = readSync(from, piece, 0, piece.length, position);
      if (piece.subarray(0, length).includes(mark)) return true;
      if (length < piece.length) return false;
    }
  } finally {
    closeSync(from);
  }
}

/** Gives its size in bytes; undefined when it was asked to stop. */
export async function buildExecutable({
  program,
  modules,
  file,
}: ExecutableToBuild): Promise<number | undefined> {
  const { entry, modules: all } = program.resolved;
  const sources = all.map(({ source }) => source);
  let stopped = false;
  const over = stopOnSignals(() => {
    stopped = true;
  });
  const folder = writing(file, () => mkdtempSync(join(dirname(file), `.${basename(file)}-`)));
  try {
    const made = join(folder, basename(file));
    const steps = [
      () =>
        makeExecutable(
          made,
          contentsOf(builtProgram(entry.path, sources, modules), sources, process.execPath, folder),
          folder,
        ),
      () => {
        chmodSync(made, 0o755);
        tryOut(made);
      },
      () => renameSync(made, file),
    ];
    for (const step of steps) {
      // Signals are heard between them.
      await turn();
      if (stopped) return undefined;
      writing(file, step);
    }
    return statSync(file).size;
  } catch (error) {
    // Ctrl-C ends what Node does for it too.
    await turn();
    if (stopped) return undefined;
    throw error;
  } finally {
    over();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that does not start never takes its place. On macOS nothing starts without a signature. */
function tryOut(file: string): void {
  if (process.platform === "darwin") {
    const signed = spawnSync("codesign", ["--force", "--sign", "-", file], { encoding: "utf8" });
    if (signed.status !== 0)
      throw new UsageError(
        `codesign failed, and macOS starts nothing that is not signed: ${signed.error?.message ?? signed.stderr.trim()}\n  \`xcode-select --install\` brings it`,
        "HARN-CLI-008",
      );
  }
  const { status, stdout, stderr, error, signal } = spawnSync(file, [commandLineMark, "--version"], {
    encoding: "utf8",
  });
  if (stdout?.trim() !== version)
    throw new UsageError(
      `what was made does not start here (${error?.message ?? signal ?? `exit code ${status}`}): ${`${stdout ?? ""}${stderr ?? ""}`.trim()}\n  Node ${process.version} of ${process.execPath} was taken; try another one, and please report it`,
      "HARN-CLI-008",
    );
}
