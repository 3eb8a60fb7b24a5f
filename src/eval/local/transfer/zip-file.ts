/**
 * Zip archives, in which logs and sets are carried. They are written member by member, so that none is ever whole in memory. Logs of
 * Inspect AI are such an archive with a member for each sample (`.eval`), or one JSON object (`.json`).
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { zipMembers as membersOf, ZipPacker } from "../../../host/archives/index.ts";
import { exportedText } from "../../../host/command/index.ts";
import { HostError, nodeCompression, nodeFiles } from "../../../host/index.ts";
import { ownPath } from "../../../process/index.ts";
import { type Json, jsonNestsTooDeep, maxJsonDepth } from "../../../values/index.ts";
import {
  type ImportedSet,
  ImportProblem,
  type InspectLog,
  importedInspectLog,
  inspectText,
  parseInspectJson,
  summaryOf,
} from "../../report/index.ts";

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

  add(name: string, content: string | Uint8Array): void {
    this.write(this.packer.add(name, typeof content === "string" ? Buffer.from(content) : content));
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

/** The same in memory, for what is small. */
export class ZipBytes {
  private readonly packer = new ZipPacker(nodeCompression);
  private readonly pieces: Uint8Array[] = [];

  add(name: string, content: string | Uint8Array): void {
    this.pieces.push(this.packer.add(name, typeof content === "string" ? Buffer.from(content) : content));
  }

  close(): void {
    this.pieces.push(this.packer.end());
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.pieces));
  }
}

const sampleName = /^samples\/.+\.json$/su;

/** An archive: a member for each sample, and the header, which a log that was cut off lacks. */
export function importedLog(bytes: Buffer): ImportedSet {
  const members = membersOfZip(bytes);
  const jsonOf = (member: ZipMember): Json => {
    const text = member.read().toString("utf8");
    if (jsonNestsTooDeep(text))
      throw new ImportProblem(`its member ${member.name} nests deeper than ${maxJsonDepth}`);
    return parseInspectJson(text);
  };
  const named = (name: string): ZipMember | undefined => members.find((member) => member.name === name);
  const header = named("header.json") ?? named("_journal/start.json");
  const samples = members.filter(({ name }) => sampleName.test(name));
  return importedInspectLog(
    header === undefined ? null : jsonOf(header),
    samples.sort((a, b) => (a.name < b.name ? -1 : 1)).map(jsonOf),
  );
}

const textOfExport = (json: Json): string => exportedText(inspectText(json));

export function writeInspectArchive(path: string, { header, samples, reductions }: InspectLog): void {
  const zip = new ZipWriter(path);
  const { version, eval: facts, plan } = header;
  zip.add("_journal/start.json", textOfExport({ version, eval: facts, plan } as Json));
  for (const { id, epoch, json } of samples)
    zip.add(`samples/${id}_epoch_${epoch}.json`, textOfExport(json as Json));
  zip.add("summaries.json", textOfExport(samples.map(summaryOf)));
  zip.add("reductions.json", textOfExport(reductions));
  zip.add("header.json", textOfExport(header as Json));
  zip.close();
}

export function writeInspectJson(path: string, { header, samples, reductions }: InspectLog): void {
  const log = { ...header, samples: samples.map(({ json }) => json as Json), reductions };
  nodeFiles.write(ownPath(path), textOfExport(log as Json));
}
