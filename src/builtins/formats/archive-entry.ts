/** A file in an archive. */

export interface ArchiveEntry {
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode: number | undefined;
}
