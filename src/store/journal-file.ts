/**
 * A journal in a file: one JSON object per line, each with a checksum that goes on from the line before, so that a cut,
 * an edit or a mixed-up file is noticed where it happens. Appends are buffered; `flush` hands them to the operating
 * system, which keeps them when this process dies. Only the owner may read the file: it holds whatever the run saw.
 */
import fs from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import {
  type Journal,
  JournalProblem,
  type JournalRecord,
  type JournalWriter,
  journalFormat,
  oldestFormat,
  type RunHeader,
  recordProblem,
} from "../effects/index.ts";
import { ownPath } from "../process/index.ts";
import { jsonNestsTooDeep, maxJsonDepth } from "../values/index.ts";

/** Buffered text is handed over at this size even when nobody asks. */
const bufferSize = 64 * 1024;

/** Length of what ends each line: `,"x":"0123abcd"}`. */
const endingLength = 16;

function withChecksum(text: string, before: number): { line: string; checksum: number } {
  const body = text.slice(0, -1);
  const checksum = crc32(body, before);
  return { line: `${body},"x":"${checksum.toString(16).padStart(8, "0")}"}`, checksum };
}

/**
 * An interrupt may break a computation off wherever a function begins, also in here: what was appended is in `buffer` or
 * in `data`, and moves without a call; and pieces are written to their place in the file, so writing one again is harmless.
 */
class JournalFile implements JournalWriter {
  private readonly name: string;
  private file: number | undefined;
  private buffer: string[] = [];
  private size = 0;
  private checksum = 0;
  /** What is being written, and its place in the file. */
  private data: Buffer | undefined = undefined;
  private place = 0;

  constructor(name: string) {
    this.name = name;
    try {
      this.file = fs.openSync(ownPath(name), "wx", 0o600);
    } catch (error) {
      throw cannotWrite(name, error);
    }
  }

  append(record: JournalRecord): void {
    this.add(JSON.stringify(record));
  }

  blob(hash: string, text: string): void {
    this.add(`{"t":"blob","hash":"${hash}","v":${text}}`);
  }

  private add(record: string): void {
    const { line, checksum } = withChecksum(record, this.checksum);
    this.buffer.push(`${line}\n`);
    this.checksum = checksum;
    this.size += line.length + 1;
    if (this.size >= bufferSize) this.flush();
  }

  flush(): void {
    const { file } = this;
    if (file === undefined) return;
    try {
      while (this.data !== undefined || this.buffer.length > 0) {
        const data = this.data ?? this.take();
        for (let at = 0; at < data.length; )
          at += fs.writeSync(file, data, at, data.length - at, this.place + at);
        this.place += data.length;
        this.data = undefined;
      }
    } catch (error) {
      this.file = undefined;
      fs.closeSync(file);
      throw cannotWrite(this.name, error);
    }
  }

  /** A file that is only read later: who printed what is noted where it happened. */
  shown(pieces: number): void {
    this.append({ t: "shown", w: pieces });
    this.flush();
  }

  private take(): Buffer {
    const data = Buffer.from(this.buffer.join(""));
    this.data = data;
    this.size = 0;
    this.buffer = [];
    return data;
  }

  close(): void {
    if (this.file === undefined) return;
    this.flush();
    const { file } = this;
    this.file = undefined;
    if (file !== undefined) fs.closeSync(file);
  }
}

/**
 * Begins a journal file, readable by its owner only. An existing journal is replaced, any other existing file is not;
 * throws a `JournalProblem` when it can't be written.
 */
export function createJournalFile(name: string): JournalWriter {
  const folder = path.dirname(name);
  if (!fs.existsSync(folder)) {
    throw new JournalProblem(
      "unwritable",
      `cannot write the journal ${name}: the folder ${folder} does not exist`,
    );
  }
  if (fs.existsSync(ownPath(name))) makeRoom(name);
  return new JournalFile(name);
}

/** A mistyped `--record notes.md` must not cost anybody a file. */
function makeRoom(name: string): void {
  let begin: string;
  try {
    begin = beginningOf(name);
  } catch (error) {
    throw cannotWrite(name, error);
  }
  if (begin !== "" && !begin.startsWith(magic)) {
    throw new JournalProblem(
      "unwritable",
      `cannot write the journal ${name}: a file that is no journal stands there`,
      ["choose another name, or remove that file first"],
    );
  }
  try {
    fs.unlinkSync(ownPath(name));
  } catch (error) {
    throw cannotWrite(name, error);
  }
}

const magic = '{"t":"run","journal":"harn",';

function beginningOf(name: string): string {
  const file = fs.openSync(ownPath(name), "r");
  try {
    const bytes = Buffer.alloc(magic.length);
    return bytes.toString("utf8", 0, fs.readSync(file, bytes, 0, magic.length, 0));
  } finally {
    fs.closeSync(file);
  }
}

function cannotWrite(name: string, error: unknown): JournalProblem {
  return new JournalProblem("unwritable", `cannot write the journal ${name}: ${fileTrouble(error)}`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EFBIG: "the file would become too large",
  EIO: "input/output error",
};

/** Why a file of a journal could not be read or written, in words. */
export function fileTrouble(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ""] ?? message;
}

/** Reads a journal file. A torn last line is left out and reported; anything else that is wrong is a `JournalProblem`. */
export function journalOfFile(name: string): Journal {
  let text: string;
  try {
    text = fs.readFileSync(ownPath(name), "utf8");
  } catch (error) {
    throw new JournalProblem("unreadable", `cannot read the journal ${name}: ${fileTrouble(error)}`);
  }
  return parseJournal(text, name);
}

/** Reads the text of a journal file; `name` is for messages. */
export function parseJournal(text: string, name: string): Journal {
  if (!text.startsWith(magic)) throw foreign(name, text);
  const records: JournalRecord[] = [];
  let checksum = 0;
  let line = 0;
  for (let at = 0; at < text.length; ) {
    line++;
    const end = text.indexOf("\n", at);
    if (end < 0) return assembled(records, name, { line, bytes: Buffer.byteLength(text.slice(at)) });
    const read = journalLine(text.slice(at, end), checksum);
    if (read === undefined) {
      // Only what was being written when the process died can be torn: the very end.
      if (end === text.length - 1) {
        return assembled(records, name, { line, bytes: Buffer.byteLength(text.slice(at)) });
      }
      throw changed(name, line);
    }
    // It is written out again as a whole, wherever the journal goes.
    if (jsonNestsTooDeep(text.slice(at, end), maxRecordDepth)) throw changed(name, line);
    if (line === 1) checkFormat(name, read.record as RunHeader);
    const problem = recordProblem(read.record);
    if (problem !== undefined)
      throw new JournalProblem("unreadable", `${name}: line ${line} is no record of a journal: ${problem}`);
    records.push(read.record);
    checksum = read.checksum;
    at = end + 1;
  }
  return assembled(records, name, undefined);
}

/** Values nest `maxJsonDepth` deep; what keeps them adds levels of its own, two to each at most. */
const maxRecordDepth = 4 * maxJsonDepth;

function journalLine(line: string, before: number): { record: JournalRecord; checksum: number } | undefined {
  const body = line.slice(0, -endingLength);
  const checksum = crc32(body, before);
  if (line !== `${body},"x":"${checksum.toString(16).padStart(8, "0")}"}`) return undefined;
  try {
    return { record: JSON.parse(`${body}}`) as JournalRecord, checksum };
  } catch {
    return undefined;
  }
}

function assembled(records: JournalRecord[], name: string, torn: Journal["torn"]): Journal {
  const [header, ...rest] = records;
  if (header?.t !== "run") {
    throw new JournalProblem(
      "unreadable",
      `${name}: the journal breaks off in its first line; nothing was recorded`,
    );
  }
  return torn === undefined ? { header, records: rest } : { header, records: rest, torn };
}

function checkFormat(name: string, header: RunHeader): void {
  const format: unknown = header.format;
  if (Number.isInteger(format) && header.format >= oldestFormat && header.format <= journalFormat) return;
  if (typeof format !== "number") {
    throw new JournalProblem(
      "unreadable",
      `${name}: the first line does not say which format the journal has`,
    );
  }
  throw new JournalProblem(
    "unreadable",
    `${name}: the journal has format ${header.format}, this version of harn reads up to format ${journalFormat}`,
    [`it was written by harn ${header.runtime}; replay it with that version`],
  );
}

function foreign(name: string, text: string): JournalProblem {
  if (text === "") return new JournalProblem("unreadable", `${name}: the file is empty, it is no journal`);
  if (magic.startsWith(text)) {
    return new JournalProblem(
      "unreadable",
      `${name}: the journal breaks off in its first line; nothing was recorded`,
    );
  }
  return new JournalProblem("unreadable", `${name}: this is not a journal of harn`, [
    "a journal is what `harn run --record FILE` writes",
  ]);
}

function changed(name: string, line: number): JournalProblem {
  return new JournalProblem("unreadable", `${name}: line ${line} was changed after it was written`, [
    `its checksum does not match; the ${line - 1} line(s) before it are as they were recorded`,
    "a replay of an edited journal would show something that never happened",
  ]);
}
