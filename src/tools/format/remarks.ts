/**
 * Comments in canonical form (language.md §26): runs of documentation become one block, bars at top level get the
 * separator's width, a title between bars becomes a header of three lines.
 */
import type { Remark } from "../../syntax/index.ts";
import { docLines, fitsBlock } from "./doc-text.ts";

/** Runs of documentation comments, each on lines of its own, become one. */
export function joinDocs(remarks: readonly Remark[]): Remark[] {
  const joined: Remark[] = [];
  for (const remark of remarks) {
    const lines = isDoc(remark) ? docLines(remark.text) : undefined;
    if (lines === undefined || remark.inline || !fitsBlock(lines)) {
      joined.push(remark);
      continue;
    }
    const last = joined.at(-1);
    if (last?.doc === undefined || last.blankAfter) joined.push({ ...remark, doc: lines });
    else joined[joined.length - 1] = { ...last, doc: [...last.doc, ...lines], blankAfter: remark.blankAfter };
  }
  return joined;
}

function isDoc({ text }: Remark): boolean {
  return /^\/\/\/(?!\/)/.test(text) || (/^\/\*\*(?!\*)/.test(text) && text.length > 4);
}

const BAR = /^\/\/\s*-{4,}\s*$/;
const TITLE_BAR = /^\/\/\s*-{4,}\s*([^\s-].*?)\s*-{4,}\s*$/;

/** Bars and headers of top-level comments. */
export function bars(remarks: readonly Remark[], width: number): Remark[] {
  const bar = `// ${"-".repeat(Math.max(4, width - 3))}`;
  const made: Remark[] = [];
  for (let i = 0; i < remarks.length; i++) {
    const remark = remarks[i]!;
    const title = remark.inline ? undefined : TITLE_BAR.exec(remark.text)?.[1];
    if (title !== undefined) made.push(...remarkHeader(remark, remark, `// ${title}`, bar, made));
    else if (isBar(remark) && isTitle(remarks, i)) {
      made.push(...remarkHeader(remark, remarks[i + 2]!, remarks[i + 1]!.text, bar, made));
      i += 2;
    } else made.push(isBar(remark) ? { ...remark, text: bar } : remark);
  }
  return made;
}

function isBar(remark: Remark | undefined): boolean {
  return remark !== undefined && !remark.inline && BAR.test(remark.text);
}

/** A bar, one line of text and a bar, with no blank line between. */
function isTitle(remarks: readonly Remark[], at: number): boolean {
  const title = remarks[at + 1];
  if (title === undefined || !isBar(remarks[at + 2])) return false;
  const plain = /^\/\/(?!\/)\s*\S/.test(title.text) && !isBar(title) && !title.inline;
  return plain && !remarks[at]!.blankAfter && !title.blankAfter;
}

/** The three lines, with a blank line before (that of the remark before them) and after. */
function remarkHeader(first: Remark, last: Remark, title: string, bar: string, before: Remark[]): Remark[] {
  const previous = before.at(-1);
  if (previous !== undefined) before[before.length - 1] = { ...previous, blankAfter: true };
  const line = { ...first, blankBefore: false, blankAfter: false };
  return [
    { ...line, text: bar, blankBefore: true },
    { ...line, text: title },
    { ...last, text: bar, blankBefore: false, blankAfter: true },
  ];
}
