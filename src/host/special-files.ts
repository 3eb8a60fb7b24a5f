/**
 * Pipes, devices and sockets under the names of files. Files are read and written at once, while nothing else of the run
 * goes on, no signal either: so what is no plain file is opened without waiting, and waited for a moment only. A pipe whose
 * writer is at work is read to its end; one where nothing comes, and a device that never ends, are errors that say so.
 */
import * as fs from "node:fs";
import { hostError } from "./node/os-errors.ts";
import { HostError } from "./ports.ts";

const { O_RDONLY, O_NONBLOCK } = fs.constants;

/** How long a pipe may take, from its beginning to its end. */
const patienceMs = 3000;
const pauseMs = 5;
const pieceSize = 64 * 1024;
/** As much as a buffer of Node's may hold of a plain file. */
const maxBytes = 0x7fff_ffff;

/** For opening anything: neither a pipe without the other side nor a device keeps the run waiting. */
export const atOnce = O_NONBLOCK;
export const toRead = O_RDONLY | O_NONBLOCK;

/** All that an open file holds. */
export function readAll(file: number): Buffer {
  const info = fs.fstatSync(file);
  return isPlain(info) ? fs.readFileSync(file) : readSpecial(file, info);
}

/** What has a size and an end, or says itself what is wrong with it. */
export const isPlain = (info: fs.Stats): boolean => info.isFile() || info.isDirectory();

function readSpecial(file: number, info: fs.Stats): Buffer {
  if (!info.isFIFO()) return readDevice(file);
  const pieces: Buffer[] = [];
  let size = 0;
  const until = performance.now() + patienceMs;
  const named = hasName(file);
  for (;;) {
    const piece = readPiece(file);
    if (piece?.length === 0 && (!named || size > 0)) return Buffer.concat(pieces);
    if (piece !== undefined && piece.length > 0) {
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) throw hostError({ code: "ERR_FS_FILE_TOO_LARGE" });
    } else pauseBriefly();
    if (performance.now() > until) {
      const what = size === 0 ? "nobody has written into it" : "its writer has not ended";
      throw new HostError("ETIMEDOUT", `is a pipe, and ${what} in ${patienceMs / 1000} s`);
    }
  }
}

/** A pipe with a name that nobody has opened for writing looks as if it had ended; one without has had a writer. */
function hasName(pipe: number): boolean {
  try {
    return !fs.readlinkSync(`/proc/self/fd/${pipe}`).startsWith("pipe:");
  } catch {
    return true;
  }
}

/** A device that has nothing, such as `/dev/null`, is empty; any other would go on for ever or wait for a person. */
function readDevice(file: number): Buffer {
  const piece = readPiece(file);
  if (piece?.length === 0) return piece;
  throw new HostError("EINVAL", "is a device and not a file: it has no end");
}

/** What is there now; `undefined` while nothing is, empty at the end. */
function readPiece(file: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(pieceSize);
  try {
    return buffer.subarray(0, fs.readSync(file, buffer, 0, pieceSize, null));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}

/** Writes all of it to an open file; a pipe that nobody empties is an error after a moment. */
export function writeAll(file: number, data: string | Uint8Array): void {
  if (isPlain(fs.fstatSync(file))) {
    fs.writeFileSync(file, data);
    return;
  }
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const until = performance.now() + patienceMs;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(file, bytes, at, bytes.length - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      if (performance.now() > until)
        throw new HostError(
          "ETIMEDOUT",
          `is a pipe, and its reader has not taken all in ${patienceMs / 1000} s`,
        );
      pauseBriefly();
    }
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4));
const pauseBriefly = (): void => void Atomics.wait(cell, 0, 0, pauseMs);
