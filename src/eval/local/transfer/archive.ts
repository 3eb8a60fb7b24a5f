/** A set file as it is read: its seal and the shape of everything in it are looked at. It may come from anybody. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import { pathText, schemaWords } from "../../../diagnostics/index.ts";
import { nodeDigest } from "../../../host/index.ts";
import { isSealed } from "../../../store/index.ts";
import {
  isJsonObject,
  type Json,
  jsonNestsTooDeep,
  maxJsonDepth,
  wellFormedJson,
} from "../../../values/index.ts";
import { type NewRow, Pieces } from "../../engine/index.ts";
import { ImportProblem } from "../../report/index.ts";
import {
  archiveFormat,
  headShape,
  type LargeTable,
  pieceShape,
  rowShapes,
  sealedText,
  sealShape,
} from "./layout.ts";
import { membersOfZip, type ZipMember } from "./zip-file.ts";

export type SetHead = z.infer<typeof headShape>;
export type ArchivedRow<T extends LargeTable> = z.infer<(typeof rowShapes)[T]>;

export class SetArchive {
  readonly head: SetHead;
  private readonly members: readonly ZipMember[];
  private readonly texts = new Map<string, string>();

  /** Throws an `ImportProblem` for what is no set file. */
  constructor(bytes: Uint8Array) {
    this.members = membersOfZip(Buffer.from(bytes));
    mustBeSealed(this.members);
    this.head = fittingPart(headShape, this.json("set.json"), "set.json");
    for (const { json, place } of this.lines("pieces")) {
      const { hash, text } = fittingPart(pieceShape, json, place);
      if (nodeDigest(text) !== hash) throw new ImportProblem(`${place}: the text is not what its hash says`);
      parsedPart(text, place);
      this.texts.set(hash, text);
    }
  }

  has(name: string): boolean {
    return this.members.some((one) => one.name === name);
  }

  bytes(name: string): Buffer {
    const member = this.members.find((one) => one.name === name);
    if (member === undefined) throw new ImportProblem(`it has no member ${name}`);
    return member.read();
  }

  json(name: string): Json {
    return parsedPart(this.bytes(name).toString("utf8"), name);
  }

  /** Lines of all parts, with where each stands. */
  *lines(what: string): Generator<{ readonly json: Json; readonly place: string }> {
    for (const member of this.members) {
      if (!member.name.startsWith(`${what}-`)) continue;
      for (const [at, line] of member.read().toString("utf8").split("\n").entries()) {
        const place = `${member.name}, line ${at + 1}`;
        if (line !== "") yield { json: parsedPart(line, place), place };
      }
    }
  }

  *rows<T extends LargeTable>(table: T): Generator<ArchivedRow<T>> {
    for (const { json, place } of this.lines(table))
      yield fittingPart(rowShapes[table], json, place) as never;
  }

  /** The texts that rows refer to. */
  piecesOf(rows: readonly NewRow[]): Pieces {
    const pieces = new Pieces((text) => nodeDigest(text));
    for (const { body, outcome, result } of rows)
      for (const hash of [body, outcome, result]) {
        const text = typeof hash === "string" ? this.texts.get(hash) : undefined;
        if (text !== undefined) pieces.keep(text);
        else if (typeof hash === "string" && /^[0-9a-f]{64}$/u.test(hash))
          throw new ImportProblem(`the text ${hash.slice(0, 12)}… is missing`);
      }
    return pieces;
  }
}

function mustBeSealed(members: readonly ZipMember[]): void {
  const last = members.at(-1);
  if (last?.name !== "seal.json")
    throw new ImportProblem("it has no seal: it is not a set, or not all of it");
  const seal = fittingPart(sealShape, parsedPart(last.read().toString("utf8"), last.name), last.name);
  const digests = members
    .slice(0, -1)
    .map((member) => [member.name, createHash("sha256").update(member.read()).digest("hex")] as const);
  if (!isSealed(sealedText(digests), seal))
    throw new ImportProblem(
      "it was changed after it was written: its seal does not match; export the set once more",
    );
}

export function parsedPart(text: string, place: string): Json {
  if (jsonNestsTooDeep(text)) throw new ImportProblem(`${place} nests deeper than ${maxJsonDepth}`);
  try {
    return JSON.parse(wellFormedJson(text)) as Json;
  } catch {
    throw new ImportProblem(`${place} is not JSON`);
  }
}

export function fittingPart<T extends z.ZodType>(shape: T, value: Json, place: string): z.infer<T> {
  const found = shape.safeParse(value, { error: schemaWords });
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  if (isJsonObject(value) && typeof value.format === "number" && value.format > archiveFormat)
    throw new ImportProblem(
      `it has format ${value.format}, this version of harn reads up to ${archiveFormat}: use the newer one here, too`,
      true,
    );
  const path = pathText("", issue?.path ?? []);
  throw new ImportProblem(`${place}: ${path === "" ? "it" : path} ${issue?.message ?? "does not fit"}`);
}
