/**
 * What `cp NAME:FOLDER -` of an engine prints: an archive, looked at file by file while it comes. Nothing of it is unpacked, and
 * nothing that runs in the container has a say in it. Links, devices and folders are no files.
 */
import { createHash } from "node:crypto";
import { TarReader } from "../archives/index.ts";

export interface ArchivedFile {
  /** Below the folder. */
  readonly path: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  readonly bytes: number;
  /** Null: it is larger than what is kept of one file. */
  readonly content: Buffer | null;
}

/** `take` is told of each file once it has come. `maxKept`: bytes of a file that are handed over. */
export const archivedFiles = (take: (file: ArchivedFile) => void, maxKept: number): TarReader =>
  new TarReader(({ path, size }) => {
    const hash = createHash("sha256");
    const pieces: Buffer[] | null = size <= maxKept ? [] : null;
    return {
      add: (piece) => {
        hash.update(piece);
        pieces?.push(Buffer.from(piece));
      },
      end: () =>
        take({
          path: belowTop(path),
          digest: hash.digest("hex"),
          bytes: size,
          content: pieces === null ? null : Buffer.concat(pieces),
        }),
    };
  });

/** The archive has the folder itself as its top. */
const belowTop = (path: string): string => path.replace(/^(?:\.\/)?[^/]*\//u, "");
