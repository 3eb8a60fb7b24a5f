/** Files that come with messages: which there may be, and what of them the run is told. */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Attachment } from "../../agent/index.ts";
import { textWithoutMark } from "../../values/index.ts";

const KiB = 1024;

/** Bytes of one that a run is told. */
export const attachedText = 256 * KiB;
export const attachedPicture = 5 * KiB * KiB;
/** Of all of a message. */
export const attachedTogether = 10 * KiB * KiB;

/** Begins of pictures that models take. */
const pictures: readonly (readonly [type: string, begins: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex"))],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex"))],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(bytes.subarray(0, 6).toString("latin1"))],
  [
    "image/webp",
    (bytes) =>
      bytes.subarray(0, 4).toString("latin1") === "RIFF" &&
      bytes.subarray(8, 12).toString("latin1") === "WEBP",
  ],
];

/** A file below a folder that a message may have, or why not, in words. */
export function attachedFile(folder: string, path: string): Attachment | { readonly unfit: string } {
  const bytes = bytesIn(folder, path, attachedPicture);
  if (bytes === undefined) return { unfit: "there is no such file in the workspace" };
  if (typeof bytes === "number") return { unfit: `has ${bytes} bytes; at most ${attachedPicture}` };
  const [type] = pictures.find(([, begins]) => begins(bytes)) ?? [];
  if (type !== undefined) return { path, base64: bytes.toString("base64"), media_type: type };
  if (bytes.byteLength > attachedText)
    return { unfit: `has ${bytes.byteLength} bytes; a text has at most ${attachedText}` };
  const text = textUnlessBinary(bytes);
  return text === undefined
    ? { unfit: "must be a text in UTF-8 or a picture (png, jpeg, gif, webp)" }
    : { path, text };
}

/** For a run: what does not fit any more is told without its content. */
export function attachmentIn(folder: string | null, path: string): Attachment {
  const found = folder === null ? undefined : attachedFile(folder, path);
  return found === undefined || "unfit" in found ? { path } : found;
}

/** The number of its bytes when there are too many; `undefined` for what is no file below the folder. */
export function bytesIn(folder: string, path: string, maxBytes: number): Buffer | number | undefined {
  let file: number | undefined;
  try {
    const real = realpathSync(join(folder, path));
    const inside = relative(realpathSync(folder), real);
    if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`)) return undefined;
    file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    return stats.size > maxBytes ? stats.size : readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** `undefined`: it is no text in UTF-8. */
export const textUnlessBinary = (bytes: Uint8Array): string | undefined =>
  bytes.includes(0) ? undefined : textWithoutMark(bytes);
