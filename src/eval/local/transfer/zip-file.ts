/** Zip archives, in which logs and sets are carried. They are written member by member, so that none is ever whole in memory. */
import { closeSync, openSync, writeSync } from "node:fs";
import { zipMembers as membersOf, ZipPacker } from "../../../host/archives/index.ts";
import { HostError, nodeCompression } from "../../../host/index.ts";
import { ownPath } from "../../../process/index.ts";
import { ImportProblem } from "../../report/index.ts";

/** Bytes of a member when it is unpacked. */
const maxMember = 256 * 1024 * 1024;

export interface ZipMember {
  readonly name: string;
  /** Its bytes, unpacked and checked. */
  read(): Buffer;
}

/** Throws an `ImportProblem` for what is no zip archive. */
export const membersOfZip = (bytes: Buffer): readonly ZipMember[] =>
  imported(() => membersOf(bytes, nodeCompression)).map(({ name, read }) => ({
    name,
    read: () => imported(() => Buffer.from(read(maxMember))),
  }));

function imported<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof HostError ? new ImportProblem(error.message) : error;
  }
}

/** Writes an archive to a file, member by member. Errors of the file system are thrown as they are. */
export class ZipWriter {
  private readonly file: number;
  private readonly packer = new ZipPacker(nodeCompression);

  constructor(path: string) {
    this.file = openSync(ownPath(path), "w", 0o600);
  }

  add(name: string, text: string): void {
    this.write(this.packer.add(name, Buffer.from(text)));
  }

  /** Writes the list of members; without it the file is no archive. */
  close(): void {
    this.write(this.packer.end());
    closeSync(this.file);
  }

  private write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.file, bytes, done);
  }
}
