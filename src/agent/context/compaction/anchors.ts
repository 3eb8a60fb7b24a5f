/**
 * Anchors: what the runtime looks for in a summary that it did not write. They are taken from what leaves the view before
 * anybody is asked, and no summarizer is shown them.
 *
 *     person   exact parts of what people said       nothing of it may be lost
 *     file     paths that were changed               all must be there
 *     tool     last failures, names in what calls wrote
 *     entry    entries of the summary so far         all must be there
 *     must     what the script named                 all must be there
 *
 * An anchor is present when it stands in the candidate, recoverable when its message is named there, else lost.
 */
import type { ExactValue, Retention } from "../../../model/index.ts";
import { messageText } from "../../../model/index.ts";
import type { CallBody, MessageGroup, ViewMessage } from "./exchanges.ts";
import { cut, failureOf } from "./notes.ts";

type AnchorRule = "person" | "file" | "tool" | "entry" | "must";

interface Anchor {
  readonly rule: AnchorRule;
  readonly text: string;
  readonly message: string;
}

/** As many exact parts of persons' messages are looked for, the newest. */
const maxOfPersons = 64;
const maxIdentifiers = 64;
const maxAnchor = 200;

interface AnchorInput {
  readonly view: readonly ViewMessage[];
  /** Those of the span. */
  readonly groups: readonly MessageGroup[];
  readonly written: (body: CallBody) => readonly string[];
  readonly isWriting: (body: CallBody) => boolean;
  /** Earlier entries that are still shown, by id. */
  readonly entries: ReadonlyMap<string, string>;
  readonly must: readonly { readonly message: string; readonly text: string }[];
  /** Messages of people that their newer words take back. */
  readonly revoked?: ReadonlySet<string>;
}

export function anchorsOf(input: AnchorInput): Anchor[] {
  const { view, groups, written, isWriting, entries, must, revoked } = input;
  const persons: Anchor[] = [];
  const files = new Map<string, Anchor>();
  const failures = new Map<string, Anchor>();
  const names = new Map<string, Anchor>();
  for (const group of groups) {
    if (group.kind === "person") {
      const { id, original } = view[group.from] as ViewMessage;
      if (revoked?.has(id) === true) continue;
      for (const text of exactParts(messageText(original)))
        persons.push({ rule: "person", text, message: id });
    }
    for (const body of group.bodies) {
      const message = (view[body.at] as ViewMessage).id;
      if (!body.ok) failures.set(body.tool, { rule: "tool", text: failureOf(body.said), message });
      if (!body.ok || !isWriting(body)) continue;
      for (const path of written(body)) files.set(path, { rule: "file", text: path, message });
      for (const text of identifiersIn(body.said).slice(0, maxIdentifiers))
        names.set(text, { rule: "tool", text, message });
    }
  }
  const seen = new Set<string>();
  const newest = persons
    .reverse()
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, maxOfPersons)
    .reverse();
  return [
    ...newest,
    ...files.values(),
    ...[...failures.values()].filter(({ text }) => text !== ""),
    ...[...names.values()].filter(({ text }) => text.length <= maxAnchor),
    ...[...entries].map(([id, text]): Anchor => ({ rule: "entry", text, message: id })),
    ...must.map(({ message, text }): Anchor => ({ rule: "must", text, message })),
  ];
}

interface CheckedSummary {
  readonly accepted: boolean;
  /** Why not; "" when it is accepted. */
  readonly reason: string;
  readonly retention: Retention;
  /** What would help when it stood in the candidate literally. */
  readonly missing: readonly Anchor[];
}

const maxLost = 20;

/** Whether a candidate without this anchor's text is refused; `reachable`: its message is named. */
const isAnchorNeeded = ({ rule }: Anchor, reachable: boolean): boolean =>
  rule === "entry" || rule === "must" || rule === "file" || (rule === "person" && !reachable);

/** Looks for the anchors in a candidate. */
export function checkSummary(
  candidate: string,
  anchors: readonly Anchor[],
  minRetention: number,
): CheckedSummary {
  const folded = foldBlanks(candidate);
  const named = new Set(candidate.match(/[\w-]+/g) ?? []);
  let present = 0;
  let recoverable = 0;
  let counted = 0;
  let countedKept = 0;
  let refused = "";
  const lost: string[] = [];
  const missing: Anchor[] = [];
  for (const anchor of anchors) {
    const { rule, text, message } = anchor;
    const stands = folded.includes(foldBlanks(text));
    const reachable = !stands && rule !== "entry" && named.has(message);
    if (stands) present++;
    else if (reachable) recoverable++;
    else lost.push(cut(text, maxAnchor));
    if (rule === "person" || rule === "tool") {
      counted++;
      if (stands || reachable) countedKept++;
    }
    if (stands) continue;
    if (rule !== "tool" || !reachable) missing.push(anchor);
    if (refused === "" && isAnchorNeeded(anchor, reachable))
      refused = `${rule === "entry" ? `entry ${message}` : cut(text, 80)} is missing`;
  }
  if (refused === "" && counted > 0 && countedKept / counted < minRetention)
    refused = `${countedKept} of ${counted} exact parts are kept`;
  const retention: Retention = {
    checked: anchors.length,
    present,
    recoverable,
    lost: lost.slice(0, maxLost),
  };
  return { accepted: refused === "", reason: refused, retention, missing };
}

const maxLines = 64;
const valueShare = 0.02;

/**
 * The values that are said word for word: those that must be, then the newest, 64 lines and 2 % of the budget. Older ones
 * that are no duty make room. `all`: nothing looks afterwards whether those that must be are there, so all of them are.
 */
export function exactValues(
  before: readonly ExactValue[],
  added: readonly ExactValue[],
  budget: number,
  { all: allMust = false }: { readonly all?: boolean } = {},
): readonly ExactValue[] {
  const byText = new Map<string, ExactValue>();
  for (const value of [...before, ...added]) {
    const earlier = byText.get(value.text);
    byText.delete(value.text);
    byText.set(value.text, earlier?.must === true ? { ...value, must: true } : value);
  }
  const all = [...byText.values()];
  let room = Math.floor(budget * valueShare * 4);
  const kept = new Set<ExactValue>();
  const lines = new Set<string>();
  const take = (value: ExactValue): void => {
    const size = value.text.length + (lines.has(value.message) ? 3 : value.message.length + 3);
    const fits = size <= room && (lines.has(value.message) || lines.size < maxLines);
    if (!fits && !(allMust && value.must)) return;
    room -= size;
    lines.add(value.message);
    kept.add(value);
  };
  for (const value of all) if (value.must) take(value);
  for (const value of [...all].reverse()) if (!value.must) take(value);
  return all.filter((value) => kept.has(value));
}

// ── what in a text is exact: a summary may not invent it, and a check looks for it. Blanks are folded wherever texts are compared ──

/** One blank for any run of them. */
export const foldBlanks = (text: string): string => text.replace(/\s+/g, " ").trim();

const patterns = {
  quotation: /"([^"\n]{3,120})"|“([^”\n]{3,120})”|«([^»\n]{3,120})»/g,
  code: /`([^`\n]{2,200})`/g,
  address: /\b(?:https?|ssh|git|ftp):\/\/[^\s<>"'`)\]]+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  path: /(?<![\w/:])(?:~|\.{1,2})?\/?(?:[\w@.+-]+\/)+[\w@.+-]*[\w-]|\b[\w-]+\.(?:ts|tsx|js|mjs|json|md|py|rs|go|java|c|h|cpp|toml|yaml|yml|txt|csv|sql|sh|html|css|lock|harn|log|xml|ini|cfg|conf|env|rb|php|kt|swift)\b/g,
  hash: /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g,
  identifier: /\b(?=\w*[A-Za-z])(?=\w*[\d_])[A-Za-z_][\w-]*\w\b|\b\d+[A-Za-z][\w-]*\b/g,
  /** Three digits or more, or fewer with a unit after. */
  number:
    /(?<![\w.])\d[\d.,:]*\d{2}(?!\w)|(?<![\w.])\d{3,}(?!\w)|(?<![\w.])\d[\d.,]*\s?(?:%|ms|s|min|h|kB|KB|MB|GB|TB|tokens|px|€|\$|USD|EUR)(?!\w)|[€$]\s?\d[\d.,]*/g,
} as const;

const trimmedClaim = (text: string): string => foldBlanks(text).replace(/[.,:;]+$/, "");

function found(text: string, kinds: readonly (keyof typeof patterns)[]): string[] {
  const values = new Set<string>();
  for (const kind of kinds)
    for (const match of text.matchAll(patterns[kind])) {
      const inner = match.slice(1).find((group) => group !== undefined);
      const value = trimmedClaim(inner ?? match[0]);
      if (value !== "") values.add(value);
    }
  return [...values];
}

/** As much of a text as is looked through: more is data. */
const looked = 100_000;

/** What a person's message has that must not get lost, in no part of another such thing. */
export function exactParts(text: string): string[] {
  const parts = found(text.slice(0, looked), [
    "quotation",
    "code",
    "address",
    "path",
    "identifier",
    "number",
  ]);
  return parts.filter((part) => !parts.some((other) => other !== part && other.includes(part)));
}

/** Names in the result of a call that wrote something. */
const identifiersIn = (text: string): string[] =>
  found(text.slice(0, looked), ["path", "identifier", "hash"]);

/** What a summary may say only where its source has it: a number of two digits or more, a path, a hash, a quotation. */
function claimsIn(text: string): string[] {
  const numbers = Array.from(text.matchAll(/\d[\d.,]*\d/g), ([number]) => trimmedClaim(number));
  return [...new Set([...found(text, ["quotation", "address", "path", "hash"]), ...numbers])];
}

/** The claims that stand in none of the sources. */
export function ungrounded(text: string, sources: readonly string[]): string[] {
  const claims = claimsIn(text);
  if (claims.length === 0) return [];
  const folded = sources.map(foldBlanks);
  return claims.filter((claim) => !folded.some((source) => source.includes(claim)));
}
