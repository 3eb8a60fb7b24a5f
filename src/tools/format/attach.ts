/**
 * Which comment belongs to what. A comment goes
 *
 * - after the item of a list or block that ends on its line,
 * - else before the item that follows, above it or on its line,
 * - else, when nothing follows, to the end of the list;
 * - from inside an item: to the operator or method that it stands before, to the block after an `else`, `catch` or head,
 *   and from any other place to the line above the item ("comments stay before the statement they precede").
 *
 * No comment is ever without a place: the file itself is the outermost list. Comments in the holes of a string stay in
 * it: such a string is printed as it was written.
 */
import type { SourceFile } from "../../source/index.ts";
import type { Comment, FnDecl, ImplDecl, LexResult, Program, Remark, Trivia } from "../../syntax/index.ts";
import { Brackets } from "./brackets.ts";
import { type AnchorList, type Gap, type NodeAnchor, Places } from "./places.ts";
import { bars, joinDocs } from "./remarks.ts";

const none: readonly Remark[] = [];

/** The comments of a file by node. `separatorWidth`: length of the bars that divide a file. */
export function attachComments(
  source: SourceFile,
  program: Program,
  lexed: LexResult,
  separatorWidth: number,
): Trivia {
  if (lexed.comments.length === 0)
    return { before: () => none, after: () => none, inside: () => none, keeps: () => false };
  const attached = new RemarkAttacher(source.text, program, lexed);
  attached.run(lexed.comments);
  return attached.finish(program, separatorWidth);
}

type SideRemarks = Map<object, Remark[]>;

class RemarkAttacher {
  private readonly text: string;
  private readonly program: Program;
  private readonly places: Places;
  private readonly brackets: Brackets;
  private readonly before: SideRemarks = new Map();
  private readonly after: SideRemarks = new Map();
  private readonly inside: SideRemarks = new Map();
  private readonly kept = new Set<object>();
  /** Nodes whose inline comments end the line before. */
  private readonly links = new Set<object>();

  constructor(text: string, program: Program, lexed: LexResult) {
    this.text = text;
    this.program = program;
    this.brackets = new Brackets(lexed.tokens);
    this.places = new Places(program, this.brackets);
    for (const string of this.places.strings)
      if (firstAt(lexed.comments, string.start) < firstAt(lexed.comments, string.end)) this.kept.add(string);
  }

  run(comments: readonly Comment[]): void {
    const enclosing = this.brackets.around(comments.map((comment) => comment.start));
    const kept = [...this.kept] as NodeAnchor[];
    kept.sort((a, b) => a.start - b.start);
    comments.forEach((comment, index) => {
      const string = kept[firstAfter(kept, comment.start) - 1];
      if (string !== undefined && string.end > comment.start && this.isInside(kept, comment)) return;
      const open = enclosing[index]!.findLast((offset) => this.places.lists.has(offset));
      this.place(comment, open === undefined ? this.places.file : this.places.lists.get(open)!, open);
    });
  }

  private isInside(kept: readonly NodeAnchor[], comment: Comment): boolean {
    return kept.some((string) => string.start < comment.start && comment.end <= string.end);
  }

  private place(comment: Comment, list: AnchorList, open: number | undefined): void {
    const next = firstAfter(list.anchors, comment.start);
    const previous = list.anchors[next - 1];
    if (previous !== undefined && comment.start < previous.end) {
      this.fromInside(comment, previous);
      return;
    }
    this.between(comment, previous, list.anchors[next], list, open);
  }

  private between(
    comment: Comment,
    previous: NodeAnchor | undefined,
    next: NodeAnchor | undefined,
    list: AnchorList,
    open: number | undefined,
  ): void {
    const trailing = previous !== undefined && this.sameLine(previous.end, comment.start);
    const apart = previous === undefined || /[,;]/.test(this.text.slice(previous.end, comment.start));
    const isBeforeNext =
      next !== undefined && this.isBlock(comment) && this.onlyBlanks(comment.end, next.start);
    if (trailing && next !== undefined && this.documents(comment, next)) {
      this.push(this.before, next.node, comment, false);
    } else if (isBeforeNext && (!trailing || apart)) this.push(this.before, next.node, comment, true);
    else if (trailing) this.push(this.after, previous.node, comment, true);
    else if (next !== undefined) {
      // Before the parameters of a closure: it documents nothing, also not what its body begins with.
      const beforeParameters =
        previous === undefined && this.betweenCode(comment.end, next.start).endsWith("->");
      if (beforeParameters) this.above(comment, next.node);
      else this.push(this.before, next.node, comment, false);
    } else {
      const alone = open !== undefined && this.isBlock(comment) && this.sameLine(open, comment.end);
      const close = open === undefined ? undefined : this.brackets.closeOf(open);
      const inline = alone && close !== undefined && this.sameLine(comment.end, close);
      this.push(this.inside, list.owner, comment, inline);
    }
  }

  /** Is a comment after one item the documentation of the next? */
  private documents(comment: Comment, next: NodeAnchor): boolean {
    if (comment.kind !== "doc" || !("doc" in next.node) || next.node.doc === "") return false;
    if (/\n[ \t\r]*\n/.test(this.text.slice(comment.end, next.start))) return false;
    return this.betweenCode(comment.end, next.start) === "";
  }

  /** What stands between two places besides comments. */
  private betweenCode(from: number, to: number): string {
    return this.text
      .slice(from, to)
      .replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "")
      .trim();
  }

  /** A comment at an odd place within an item. */
  private fromInside(comment: Comment, anchor: NodeAnchor): void {
    const gap = this.gapAround(comment);
    if (gap?.link !== undefined) {
      this.links.add(gap.link);
      this.push(this.before, gap.link, comment, this.sameLine(gap.start, comment.start));
    } else if (gap?.block !== undefined) {
      const first = gap.block.anchors[0];
      if (first === undefined) this.push(this.inside, gap.block.owner, comment, false);
      else this.above(comment, first.node);
    } else this.above(comment, anchor.node);
  }

  /** Moved to the line above a node. */
  private above(comment: Comment, node: object): void {
    this.push(this.before, node, comment, false);
    if (comment.kind !== "doc" || !this.isForeign(comment, node)) return;
    // Directly above the declaration it would become its documentation.
    const list = this.before.get(node)!;
    list.unshift({ ...list.pop()!, blankAfter: true });
  }

  /** A documentation comment near a declaration that does not document it (one after the attributes does). */
  private isForeign(comment: Comment, node: object): boolean {
    if (!("doc" in node) || !("name" in node || "target" in node)) return false;
    const decl = node as FnDecl | ImplDecl;
    const name = decl.kind === "ImplDecl" ? decl.target : decl.name;
    const attributes = decl.attributes.at(-1);
    const afterAttributes =
      attributes !== undefined && comment.start >= attributes.end && comment.start < name.start;
    // Where one stands before the attributes, that is the documentation.
    const commentsBefore = this.before.get(node)?.slice(0, -1) ?? [];
    const documented = commentsBefore.some(
      ({ text, blankAfter }) => /^\/\*\*|^\/\/\//.test(text) && !blankAfter,
    );
    return decl.doc === "" || !afterAttributes || documented;
  }

  /** The innermost gap: the last one that begins before the comment and ends after it. */
  private gapAround(comment: Comment): Gap | undefined {
    const { gaps } = this.places;
    const from = firstAfter(gaps, comment.start) - 1;
    for (let i = from; i >= 0 && i > from - 64; i--) if (gaps[i]!.end >= comment.end) return gaps[i];
    return undefined;
  }

  private push(side: SideRemarks, node: object, comment: Comment, inline: boolean): void {
    const list = side.get(node) ?? [];
    side.set(node, list);
    list.push({
      text: this.text.slice(comment.start, comment.end).replaceAll("\r\n", "\n").trimEnd(),
      inline,
      endsLine: this.text.startsWith("//", comment.start),
      blankBefore: /\n[ \t\r]*\n[ \t\r]*$/.test(
        this.text.slice(Math.max(0, comment.start - 200), comment.start),
      ),
      blankAfter: /^[ \t\r]*\n[ \t\r]*\n/.test(this.text.slice(comment.end, comment.end + 200)),
    });
  }

  private isBlock(comment: Comment): boolean {
    return !this.text.startsWith("//", comment.start) && this.sameLine(comment.start, comment.end);
  }

  private sameLine(from: number, to: number): boolean {
    return !this.text.slice(from, to).includes("\n");
  }

  private onlyBlanks(from: number, to: number): boolean {
    return /^[ \t]*$/.test(this.text.slice(from, to));
  }

  finish(program: Program, width: number): Trivia {
    this.settleHead();
    for (const side of [this.before, this.inside]) {
      for (const [node, remarks] of side) {
        const alone = side === this.inside && remarks.length > 1;
        const placed = alone ? remarks.map((remark) => ({ ...remark, inline: false })) : settled(remarks);
        const joined = joinDocs(this.links.has(node) ? remarks : placed);
        side.set(node, side === this.before ? [...docLast(node, joined)] : joined);
      }
    }
    this.partHead(program);
    const top: object[] = [program, ...program.items.filter((item) => item.kind !== "Import")];
    for (const node of top) {
      const remarks = this.before.get(node);
      if (remarks !== undefined) this.before.set(node, bars(remarks, width));
    }
    const last = this.inside.get(program);
    if (last !== undefined) this.inside.set(program, bars(last, width));
    return {
      before: (node) => this.before.get(node) ?? none,
      after: (node) => this.after.get(node) ?? none,
      inside: (node) => this.inside.get(node) ?? none,
      keeps: (node) => this.kept.has(node),
    };
  }

  /** Documentation at the head and that of the import that sorting put first would become one. */
  private partHead(program: Program): void {
    const head = this.before.get(program);
    const last = head?.at(-1);
    const first = program.items[0];
    if (last?.doc === undefined || first === undefined || this.before.get(first)?.[0]?.doc === undefined)
      return;
    this.before.set(program, [...(head ?? none).slice(0, -1), { ...last, blankAfter: true }]);
  }

  /** What stands above the first import and apart from it stays at the head of the file, however imports are sorted. */
  private settleHead(): void {
    const first = this.places.file.anchors[0]?.node;
    if (first === undefined || !("kind" in first) || first.kind !== "Import") return;
    const remarks = this.before.get(first) ?? none;
    const head = remarks.findLastIndex(
      (remark) => !remark.inline && (remark.blankAfter || /^\/\*\*|^\/\/\/|^\/\/\s*----/.test(remark.text)),
    );
    this.before.set(this.program, remarks.slice(0, head + 1));
    this.before.set(first, remarks.slice(head + 1));
  }
}

/** Documentation stays next to what it documents: other comments that came between them go above it. */
function docLast(node: object, remarks: readonly Remark[]): readonly Remark[] {
  if (!("doc" in node) || node.doc === "") return remarks;
  const last = remarks.findLastIndex((remark) => remark.doc !== undefined && !remark.inline);
  if (last < 0 || remarks[last]!.blankAfter) return remarks;
  const [inline, above] = [remarks.slice(last + 1), remarks.slice(0, last)];
  const moved = inline.filter((remark) => !remark.inline);
  return [...above, ...moved, remarks[last]!, ...inline.filter((remark) => remark.inline)];
}

/** Only the last comments before a node stand on its line: what is above one on a line of its own, does so too. */
function settled(remarks: readonly Remark[]): Remark[] {
  const last = remarks.findLastIndex((remark) => !remark.inline);
  return remarks.map((remark, index) => (index < last ? { ...remark, inline: false } : remark));
}

/** Index of the first span that begins at an offset or after it. */
function firstAt(spans: readonly { readonly start: number }[], offset: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (spans[mid]!.start < offset) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** Index of the first span that begins after an offset. */
function firstAfter(spans: readonly { readonly start: number }[], offset: number): number {
  return firstAt(spans, offset + 1);
}
