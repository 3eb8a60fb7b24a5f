/** How a file of a workspace changed between two events of the log. */
import { createHash } from "node:crypto";
import * as diff from "diff";
import type { Json } from "../effects/index.ts";
import { linePatch } from "../source/index.ts";
import type { LogCursor } from "../store/index.ts";
import type { Conversations } from "../threads/index.ts";
import type { ServerLimits } from "./server-limits.ts";
import { textUnlessBinary } from "./supervise/attached-file.ts";
import { bytesOfFile } from "./workspace.ts";

export interface DiffAsked {
  readonly conversations: Conversations;
  readonly stream: string;
  readonly path: string;
  /** Where it lies. */
  readonly place: string;
  readonly from: number;
  /** `undefined`: as it is now. */
  readonly to: number | undefined;
  readonly limits: ServerLimits;
}

interface Version {
  readonly hash: string | null;
  readonly bytes: number | null;
  /** What the log keeps of it: the text, or where it is. */
  readonly text?: Json | undefined;
}

export async function fileDiff(asked: DiffAsked): Promise<Record<string, unknown>> {
  const { limits, path } = asked;
  const now = await bytesOfFile(asked.place, limits.diffBytes);
  const present =
    now === null ? null : { hash: now === undefined ? null : digest(now), bytes: now?.length ?? null };
  const at = (number: number): Version | null => {
    const last = changeFrom(asked, { before: number + 1 });
    if (last?.change === "removed") return null;
    if (last?.after_text != null) return { hash: last.after, bytes: last.bytes, text: last.after_text };
    const next = changeFrom(asked, { after: number });
    // Of what people write the log has no text: who writes over it tells of it.
    if (last !== undefined)
      return {
        hash: last.after,
        bytes: last.bytes,
        text: next?.before === last.after ? next.before_text : undefined,
      };
    // Nothing was told before: it is what the first change after found.
    if (next === undefined) return present;
    return next.before === null ? null : { hash: next.before, bytes: null, text: next.before_text };
  };
  const from = at(asked.from);
  const to = asked.to === undefined ? present : at(asked.to);
  const textOf = (version: Version | null): string | undefined => {
    if (version === null) return "";
    const { hash, text } = version;
    if (hash !== null && hash === present?.hash && now != null) return textUnlessBinary(now);
    const ref = (text as { readonly ref?: string } | null | undefined)?.ref;
    if (ref !== undefined) return asked.conversations.text(asked.stream, ref);
    return typeof text === "string" ? text : undefined;
  };
  const [before, after] = [textOf(from), textOf(to)];
  const shown = (version: Version | null) => version && { hash: version.hash, bytes: version.bytes };
  return { path, from: shown(from), to: shown(to), hunks: hunksOf(before, after, limits) };
}

interface DiffChange {
  readonly bytes: number | null;
  readonly change: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly before_text?: Json;
  readonly after_text?: Json;
}

/** The first change of the file from a place of the log on. */
const changeFrom = ({ conversations, stream, path }: DiffAsked, place: LogCursor): DiffChange | undefined =>
  conversations.eventsFrom(stream, place, ["file.changed"]).find(({ data }) => data.path === path)
    ?.data as unknown as DiffChange | undefined;

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function hunksOf(
  before: string | undefined,
  after: string | undefined,
  { diffBytes, diffLines }: ServerLimits,
): unknown {
  const texts = [before, after];
  if (texts.some((text) => text === undefined || text.length > diffBytes || lines(text) > diffLines))
    return null;
  const labels = { fromLabel: "a", toLabel: "b", context: 3 };
  return linePatch(diff, before as string, after as string, labels).hunks.map((hunk) => ({
    old_start: hunk.oldStart,
    old_lines: hunk.oldLines,
    new_start: hunk.newStart,
    new_lines: hunk.newLines,
    lines: hunk.lines,
  }));
}

const lines = (text: string): number => text.split("\n").length;
