/**
 * Contamination of artifacts: lines about the act of writing instead of what was written ("Here is the report:"). They stand
 * at the edges, so the first and last five lines that are not blank are looked at, and stripped up to the first that is none.
 * Headings, quotations, lists, tables, code and JSON are never narration.
 */

export type Contamination = "clean" | "light" | "heavy";

export interface CleanedArtifact {
  readonly content: string;
  readonly level: Contamination;
  /** The lines that were taken away. */
  readonly stripped: readonly string[];
}

/** Lines of an edge that are looked at. */
const edge = 5;
/** Up to so many lines, and less than a tenth of the characters, are a light case. */
const lightLines = 2;

const opening =
  "(?:(?:okay|ok|sure|certainly|great|done|now|first|next|finally|alright|all right|well|so|perfect|absolutely|of course|yes|right)[,.!]?\\s+)*";
const person = "(?:i|i'll|i've|i'm|i'd|i am|i have|i will|we|we'll|we've|we're|let me|let's|my)\\b";
const making =
  "(?:creat|wrote|writ|ma[dk]|generat|produc|prepar|draft|compil|assembl|build|built|implement|finish|complet|stor|sav|put|provid|deliver|present|giv|gave|shar|add|updat|record|submit|attach|revis|rewr|includ|summari[sz])\\w*";
const thing =
  "(?:files?|documents?|documentation|reports?|artifacts?|summar(?:y|ies)|versions?|drafts?|contents?|texts?|code|scripts?|lists?|tables?|analys[ie]s|plans?|deliverables?|implementations?|answers?|results?|sections?|items?|work item|outline|readme|page|article|essay|following|it|this|below|above)\\b";

const patterns: readonly RegExp[] = [
  new RegExp(`^${opening}${person}.*\\b${making}\\b.*\\b${thing}`, "i"),
  new RegExp(`^${opening}${person}.*\\b${making}\\b.*:$`, "i"),
  new RegExp(
    `^${opening}(?:here(?:'s| is| are)|below (?:is|are)|(?:the )?following is|attached (?:is|are))\\b.*:$`,
    "i",
  ),
  new RegExp(
    `^${opening}(?:here(?:'s| is| are)|below (?:is|are)|attached (?:is|are))\\b.*\\b${thing}.*[.!]?$`,
    "i",
  ),
  /^(?:please )?(?:let me know|feel free|don't hesitate|do not hesitate)\b/i,
  /^(?:i |we )?(?:hope|trust) (?:this|that|it)\b.*\b(?:help|useful|meet|clear|need)/i,
  /^(?:i'm|i am|we're|we are|i'd be|i would be|happy|glad)\b.*\b(?:happy|glad|available|here) to (?:help|assist|adjust|revise|change|answer|make)\b/i,
  /^(?:happy|glad) to (?:help|assist|adjust|revise|change|answer|make)\b/i,
  /^(?:if you(?:'d| would)? (?:like|need|want|have|wish)|would you like|do you want|should i|shall i|is there anything else|anything else)\b/i,
  /^(?:sure|certainly|of course|absolutely|okay|ok|great|got it|understood)[,.!]*$/i,
  /^(?:this|the) (?:artifact|deliverable|work item|file)\b.*\b(?:is|has been|was) (?:now )?(?:stored|saved|complete|completed|created|done|ready|updated)\b/i,
];

const content = /^(?:#{1,6}\s|>|[-*+•]\s|\d+[.)]\s|\||[{}[\]"<(]|\/\/|\/\*|--\s|@|\$\s)/;
const fence = /^(?:```|~~~)/;

/** Whether a line talks about the writing instead of being written. */
export function isNarration(line: string): boolean {
  const text = line
    .trim()
    .replaceAll("’", "'")
    .replace(/^\*\*(.*)\*\*$/, "$1");
  if (text === "" || text.length > 300 || /^(?: {4}|\t)/.test(line) || content.test(text) || fence.test(text))
    return false;
  return patterns.some((pattern) => pattern.test(text));
}

/** Strips narration from the edges. */
export function cleanArtifact(text: string): CleanedArtifact {
  const lines = text.split("\n");
  let from = 0;
  let to = lines.length;
  const stripped: string[] = [];
  const top = edgeLines(lines, from, to, 1);
  for (const at of top) stripped.push(lines[at] as string);
  if (top.length > 0) from = (top.at(-1) as number) + 1;
  const bottom = edgeLines(lines, from, to, -1);
  for (const at of [...bottom].reverse()) stripped.push(lines[at] as string);
  if (bottom.length > 0) to = bottom.at(-1) as number;
  if (stripped.length === 0) return { content: text, level: "clean", stripped };
  const inner = withoutFence(trimBlank(lines.slice(from, to)));
  const characters = stripped.reduce((sum, line) => sum + line.length, 0);
  const light = stripped.length <= lightLines && characters * 10 < text.length;
  return { content: inner.join("\n"), level: light ? "light" : "heavy", stripped };
}

/** The lines of narration at an edge, from outside to inside; blank ones between them do not end it. */
function edgeLines(lines: readonly string[], from: number, to: number, step: 1 | -1): number[] {
  const found: number[] = [];
  let looked = 0;
  for (let at = step === 1 ? from : to - 1; at >= from && at < to && looked < edge; at += step) {
    const line = lines[at] as string;
    if (line.trim() === "") continue;
    looked++;
    if (!isNarration(line)) break;
    found.push(at);
  }
  return found;
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/** A fence round the whole belonged to the narration around it. */
function withoutFence(lines: readonly string[]): readonly string[] {
  const [first = ""] = lines;
  const last = lines.at(-1) ?? "";
  const mark = /^(```+|~~~+)/.exec(first.trim())?.[1];
  if (mark === undefined || lines.length < 2 || last.trim() !== mark) return lines;
  const inside = lines.slice(1, -1);
  return inside.some((line) => line.trim().startsWith(mark)) ? lines : inside;
}
