/** What is attached to a session, read anew for every run. Called inside effects only. */
import { type ResultOf, shape } from "../../../effects/index.ts";
import { type Files, HostError } from "../../../host/index.ts";
import { textWithoutMark } from "../../../values/index.ts";
import { clip } from "../memory/clip.ts";

export const resourceShape = shape.record({
  path: shape.text,
  /** Its text, cut; null when there is none to tell. */
  text: shape.orNull(shape.text),
  /** Why there is none. */
  problem: shape.orNull(shape.text),
});
export type Resource = ResultOf<typeof resourceShape>;

const maxTextLength = 16_000;
const maxLengthInAll = 48_000;
/** Larger files are not even read. */
const largestFile = 4_000_000;

/** In the order in which they were attached; what has no room any more is named only. */
export function readResources(files: Files, paths: readonly string[]): Resource[] {
  let room = maxLengthInAll;
  return [...new Set(paths)].map((path) => {
    const resource = readRunResource(files, path, Math.min(maxTextLength, room));
    room -= resource.text?.length ?? 0;
    return resource;
  });
}

function readRunResource(files: Files, path: string, max: number): Resource {
  const without = (problem: string): Resource => ({ path, text: null, problem });
  try {
    const info = files.stat(path);
    if (info === undefined) return without("it is not there");
    if (info.kind === "dir")
      return { path, text: clip(listing(files, path), Math.max(max, 0)), problem: null };
    if (info.kind !== "file") return without("it is no file");
    if (info.size > largestFile)
      return without(`it is too large (${info.size} bytes); read parts of it with a tool`);
    if (max <= 0) return without("no room is left for it; read it with a tool");
    const text = textWithoutMark(files.readBytes(path));
    if (text === undefined || text.includes("\0")) return without(`it is no text (${info.size} bytes)`);
    return { path, text: clip(text, max), problem: null };
  } catch (error) {
    if (error instanceof HostError) return without(`it can't be read: ${error.message}`);
    throw error;
  }
}

/** The names in a folder, without hidden ones. */
function listing(files: Files, path: string): string {
  const shown = files.list(path).filter(({ name }) => !name.startsWith("."));
  const names = shown.map(({ name, kind }) => (kind === "dir" ? `${name}/` : name));
  return names.sort().join("\n");
}
