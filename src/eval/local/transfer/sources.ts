/**
 * Files that sandboxes are made of (`copy`, `files`, `build`), tests and solutions of task folders: they travel with the trials that need
 * them, and lie in a folder of their own where those are done. Secrets in their texts go by name.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { z } from "zod";
import { Secrets } from "../../../effects/index.ts";
import { UsageError } from "../../../host/command/index.ts";
import { hostError, nodeFiles } from "../../../host/index.ts";
import { ownVariables } from "../../../process/index.ts";
import { utf8Text } from "../../../values/index.ts";
import type { PlannedTrial, Solver } from "../../engine/index.ts";
import { isTaskFolder, sampleFiles, sandboxFor, taskAt } from "../../index.ts";
import { ImportProblem } from "../../report/index.ts";
import { fittingPart, type SetArchive } from "./archive.ts";
import { sourcesShape } from "./layout.ts";

type SourceList = z.infer<typeof sourcesShape>;
type SourceEntry = SourceList[number]["entries"][number];

/** More than this does not travel with a chunk of trials. */
const maxBytes = 128 * 1024 * 1024;

/** Absolute paths of what the machine reads on which trials are run and scored. A solution is there only where it is what is run. */
export function sourcesOfTrials(trials: readonly PlannedTrial[], as: Solver): string[] {
  const paths = new Set<string>();
  for (const trial of trials) {
    const { name, sandbox: any } = trial.spec;
    if (any === null) continue;
    const { body } = trial.sample();
    const sandbox = sandboxFor(trial.spec, body) ?? any;
    const own = { ...sandbox.files, ...sampleFiles(body.get("files"), taskAt(name, "files")) };
    const froms = Object.values(own).flatMap((content) =>
      typeof content === "string" ? [] : [content.from],
    );
    for (const path of [sandbox.copy, sandbox.container?.build ?? null, ...froms])
      if (path !== null) paths.add(resolve(sandbox.base, path));
    if (!isTaskFolder(body)) continue;
    for (const part of as === "oracle" && !trial.spec.hasOracle ? ["tests", "solution"] : ["tests"]) {
      const path = resolve(sandbox.base, String(body.get("folder")), part);
      if (existsSync(path)) paths.add(path);
    }
  }
  return [...paths];
}

/** Gives what `sources.json` says, and what lies in files by its hash. Throws a `UsageError` for what can't be read, or is too much. */
export function packedSources(paths: readonly string[]): {
  readonly sources: SourceList;
  readonly contents: ReadonlyMap<string, Uint8Array>;
} {
  const secrets = Secrets.ofEnvironment(ownVariables());
  const contents = new Map<string, Uint8Array>();
  let bytes = 0;
  const mustTravel = (size: number, full: string): void => {
    if (size > maxBytes)
      throw new UsageError(
        `the files that sandboxes and tests are made of are more than ${maxBytes / 1024 / 1024} MiB, with ${full}: that is too much to travel to workers; put them into an image, or into a folder that all machines share`,
      );
  };
  const entryOf = (full: string, path: string): SourceEntry => {
    const info = lstatSync(full);
    const mode = info.mode & 0o777;
    if (info.isSymbolicLink()) return { path, mode, link: readlinkSync(full) };
    if (info.isDirectory()) return { path, mode };
    if (!info.isFile())
      throw new UsageError(`${full} can't travel to a worker: it is no file, folder or link`);
    mustTravel(info.size, full);
    const content = hiddenIn(secrets, readFileSync(full));
    const hash = digestOfSource(content);
    if (!contents.has(hash)) bytes += content.length;
    mustTravel(bytes, full);
    contents.set(hash, content);
    return { path, mode, content: hash };
  };
  const walk = function* (full: string, path: string): Generator<SourceEntry> {
    const entry = entryOf(full, path);
    yield entry;
    if (entry.content !== undefined || entry.link !== undefined) return;
    for (const name of readdirSync(full).sort())
      yield* walk(join(full, name), path === "" ? name : `${path}/${name}`);
  };
  const sources = paths.map((path) => {
    try {
      // A link to all of it is followed.
      return { path, entries: [...walk(realpathSync(path), "")] };
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      throw new UsageError(
        `cannot read ${path}, of which sandboxes or tests are made: ${hostError(error).message}`,
      );
    }
  });
  return { sources, contents };
}

/** Unpacks them below a folder; gives by paths of the machine that they came from where they lie here. */
export function placeSources(
  archive: SetArchive,
  folder: string,
  mayReveal: boolean,
): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  if (!archive.has("sources.json")) return places;
  const sources = fittingPart(sourcesShape, archive.json("sources.json"), "sources.json");
  const secrets = Secrets.ofEnvironment(ownVariables());
  for (const [at, { path, entries }] of sources.entries()) {
    const root = join(folder, String(at));
    places.set(path, root);
    if (entries.some((entry) => entry.path === "" && entry.link !== undefined))
      throw new ImportProblem(`sources.json: ${path} is a link`);
    const placed = entries.map((entry) => ({ ...entry, to: placeBelow(root, entry.path) }));
    for (const { to, mode, content, link } of placed) {
      mkdirSync(dirname(to), { recursive: true });
      if (link !== undefined) continue;
      if (content === undefined) mkdirSync(to, { recursive: true });
      else nodeFiles.write(to, revealedIn(secrets, sourceContent(archive, content), mayReveal));
      if (content !== undefined) chmodSync(to, mode);
    }
    // Nothing is written through a link.
    for (const { to, link } of placed) if (link !== undefined) symlinkSync(link, to);
    // Folders last: one that nobody may write to is filled by then.
    for (const { to, mode, content, link } of placed.reverse())
      if (content === undefined && link === undefined) chmodSync(to, mode | 0o700);
  }
  return places;
}

function placeBelow(root: string, path: string): string {
  if (path === "") return root;
  if (path.split("/").some((part) => part === "" || part === "." || part === "..") || path.includes("\0"))
    throw new ImportProblem(`sources.json: ${path} is no path of a file in a folder`);
  return join(root, path);
}

function sourceContent(archive: SetArchive, hash: string): Buffer {
  const content = archive.bytes(`sources/${hash}`);
  if (digestOfSource(content) !== hash) throw new ImportProblem(`sources/${hash} is not what its hash says`);
  return content;
}

/** Bytes that are no text stay as they are. */
function hiddenIn(secrets: Secrets, content: Buffer): Buffer {
  const text = utf8Text(content);
  return text === undefined ? content : Buffer.from(secrets.hide(text));
}

function revealedIn(secrets: Secrets, content: Buffer, mayReveal: boolean): Buffer {
  const text = utf8Text(content);
  if (text === undefined) return content;
  return Buffer.from(mayReveal ? secrets.reveal(text) : Secrets.readable(text));
}

const digestOfSource = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");
