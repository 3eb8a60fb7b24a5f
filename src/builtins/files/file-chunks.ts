/**
 * A file chunk by chunk. Each chunk is a recorded effect that says where it stands, so nothing is held open, and a replay
 * that goes on live goes on at the same place.
 */
import type { Task } from "../../interp/index.ts";
import { Bytes, Iter } from "../../values/index.ts";
import { type Argument, attempt, hostPath } from "../arguments.ts";
import { chunkShape, type FileChunk } from "../formats/chunk-record.ts";

export const defaultChunk = 64 * 1024;
export const largestChunk = 16 * 1024 * 1024;

/** Reads into a buffer, and gives the part that was filled. */
function readChunk(task: Task, path: string, offset: number, buffer: Uint8Array): FileChunk {
  // The port hands synchronous results over at once, live and replayed alike.
  return task.perform<FileChunk>({
    effect: "read",
    kind: "file.chunk",
    args: () => ({ path, offset, size: buffer.length }),
    run: () =>
      attempt(`Failed to read file ${path}`, () => {
        const size = task.runtime.host.files.readInto(path, offset, buffer);
        return { data: buffer.subarray(0, size), size };
      }),
    result: chunkShape,
  }) as FileChunk;
}

/** A file chunk by chunk. The first is read at once: what can't be read is the fault of the call, not of a loop far away. */
export class FileChunks extends Iter {
  private readonly path: string;
  private readonly size: number;
  private first: FileChunk | undefined;
  private offset = 0;
  /**
   * Buffers lie outside of V8's young heap: a loop that only reads makes no young garbage, is not collected, and piles up
   * 64 MB of buffers before V8 takes notice (136 MB of memory instead of 95 for a file of 300 MB). Garbage of the same
   * size makes it look in time, for some microseconds a chunk.
   */
  ballast: unknown[] = [];
  /** The buffers lent last and before that. */
  private inUse: Uint8Array | undefined;
  private spare: Uint8Array | undefined;

  constructor(task: Task, value: Argument, size: number) {
    super((puller: Task) => {
      this.ballast = new Array(Math.min(Math.ceil(size / 8), 16 * 1024));
      const chunk = this.read(puller, new Uint8Array(size));
      return chunk === undefined ? undefined : new Bytes(chunk);
    });
    this.path = hostPath(task, value);
    this.size = size;
    this.first = readChunk(task, this.path, 0, new Uint8Array(size));
  }

  private read(task: Task, buffer: Uint8Array): Uint8Array | undefined {
    const { data, size } = this.first ?? readChunk(task, this.path, this.offset, buffer);
    this.first = undefined;
    this.offset += size;
    return size === 0 ? undefined : data;
  }

  /**
   * The next chunk for a reader that is done with the one before the last: two buffers are used in turn. A new one for
   * each chunk costs 60 MB of memory until the collector comes round to it.
   */
  nextShared(task: Task): Uint8Array | undefined {
    const buffer = this.spare ?? new Uint8Array(this.size);
    const chunk = this.read(task, buffer);
    this.spare = this.inUse;
    this.inUse = buffer;
    return chunk;
  }
}
