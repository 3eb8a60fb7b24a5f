/**
 * Where comments may go: the lists of a program with their items, and the gaps inside an item from which a comment
 * belongs to something nearer than the item (a link of a chain, the block that follows an `else`).
 */
import type { Span } from "../../source/index.ts";
import type { Block, Expr, Node, Program, Select } from "../../syntax/index.ts";
import type { Brackets } from "./brackets.ts";

/** Something that the printer prints with its comments. */
export interface NodeAnchor extends Span {
  readonly node: object;
}

/** A bracketed list (or the file) with its items in source order. */
export interface AnchorList {
  readonly owner: object;
  readonly anchors: readonly NodeAnchor[];
}

export interface Gap extends Span {
  /**
   * Before a link of a chain, or at the beginning of a block. A link is known by a part of its own (operator, name, stage):
   * its node may be an item too.
   */
  readonly link: object | undefined;
  readonly block: AnchorList | undefined;
}

/** The operators before which a comment may stand: the others need a backslash there. */
const CONTINUES: ReadonlySet<string> = new Set([
  "||", "&&", "==", "!=", "<", ">", "<=", ">=", "+", "??", "*", "/", "%", "**",
]); // biome-ignore format: a list of operators

export class Places {
  readonly file: AnchorList;
  /** Lists by the offset of their opening bracket. */
  readonly lists = new Map<number, AnchorList>();
  /** By their beginning. */
  readonly gaps: Gap[] = [];
  /** Strings with holes. */
  readonly strings: Expr[] = [];
  private readonly brackets: Brackets;
  private readonly blocks = new Map<Block, AnchorList>();

  constructor(program: Program, brackets: Brackets) {
    this.brackets = brackets;
    this.file = { owner: program, anchors: formatAnchors(program.items) };
    const nodes = nodesOf(program);
    for (const node of nodes) this.listsOf(node);
    for (const node of nodes) this.gapsOf(node);
    this.gaps.sort((a, b) => a.start - b.start);
  }

  private add(open: number | undefined, owner: object, anchors: readonly NodeAnchor[]): void {
    if (open === undefined || this.lists.has(open)) return;
    const list = { owner, anchors: [...anchors].sort((a, b) => a.start - b.start) };
    this.lists.set(open, list);
    if ("kind" in owner && owner.kind === "Block") this.blocks.set(owner as Block, list);
  }

  private endingAt(node: Span): number | undefined {
    return this.brackets.openOf(node.end - 1);
  }

  /** Registers the lists that a node brings. Owners of blocks come before their blocks. */
  private listsOf(node: Node): void {
    const one = node as Expr | Exclude<Program["items"][number], { kind: "ExprStatement" }> | Block | Select;
    switch (one.kind) {
      case "Block":
        if (!this.blocks.has(one) && this.brackets.closeOf(one.start) === one.end - 1)
          this.add(one.start, one, formatAnchors(one.statements));
        return;
      case "Closure":
        if (one.form === "brace") this.add(one.start, one.body, formatAnchors(one.body.statements));
        else this.add(this.brackets.firstOpen("(", one.start), one.params, formatAnchors(one.params));
        return;
      case "Parallel": {
        const brace = this.brackets.lastBrace(one.end);
        if (brace !== undefined)
          this.add(this.brackets.openOf(brace), one.body, formatAnchors(one.body.statements));
        return;
      }
      case "FnDecl":
      case "ToolDecl":
        this.params(one.name, one.params);
        return;
      case "SkillDecl":
        this.add(this.endingAt(one), one, formatAnchors(one.fields));
        return;
      case "EvalPackDecl": {
        const anchors = formatAnchors([...one.fields, ...one.statements]);
        if (one.summarize !== undefined)
          anchors.push(this.afterWord(one.summarize, one.summarize, one.summarize.end));
        this.add(this.endingAt(one), one, anchors);
        return;
      }
      case "StructDecl":
        this.add(this.endingAt(one), one, formatAnchors(one.fields));
        return;
      case "EnumDecl":
        this.add(this.endingAt(one), one, formatAnchors(one.variants));
        for (const variant of one.variants)
          if (variant.params.length > 0) this.params(variant.name, variant.params);
        return;
      case "ImplDecl":
        this.add(this.endingAt(one), one, formatAnchors(one.methods));
        return;
      case "InterfaceDecl":
        this.add(this.endingAt(one), one, formatAnchors([...one.types, ...one.methods]));
        for (const method of one.methods) this.params(method.name, method.params);
        return;
      case "Import":
        if (one.names !== undefined)
          this.add(this.brackets.firstOpen("{", one.start), one, formatAnchors(one.names));
        return;
      case "Select":
        this.add(this.endingAt(one), one, this.selectAnchors(one));
        return;
      case "Match":
        this.add(this.endingAt(one), one, formatAnchors(one.arms));
        return;
      case "ListLit":
        this.add(one.start, one, formatAnchors(one.elements));
        return;
      case "DictLit":
        this.add(one.start, one, formatAnchors(one.entries));
        return;
      case "StructLit":
        this.add(this.endingAt(one), one, formatAnchors(one.fields));
        return;
      case "Call":
      case "MethodCall":
        this.add(this.endingAt(one), one, formatAnchors(one.args));
        return;
      case "Interpolation":
        this.strings.push(one);
        return;
      default:
        return;
    }
  }

  private params(name: Span, params: readonly Span[]): void {
    this.add(this.brackets.firstOpen("(", name.end), params, formatAnchors(params));
  }

  private ifGaps(one: Extract<Expr, { kind: "If" }>): void {
    this.blockGap(one.condition.end, one.then);
    if (one.else?.kind === "If") this.blockGap(one.then.end, one.else.then, one.else.condition.start);
    else if (one.else !== undefined) this.blockGap(one.then.end, one.else);
  }

  private gapsOf(node: Node): void {
    const one = node as Expr | Exclude<Program["items"][number], { kind: "ExprStatement" }>;
    switch (one.kind) {
      case "Binary":
        if (CONTINUES.has(one.op)) this.linkGap(one.left.end, one.right.start, one.opSpan);
        return;
      case "Pipe":
        this.linkGap(one.value.end, one.into.start, one.into);
        return;
      case "MethodCall":
        this.linkGap(one.receiver.end, one.name.start, one.name);
        return;
      case "Member":
        this.linkGap(one.object.end, one.name.start, one.name);
        return;
      case "If":
        this.ifGaps(one);
        return;
      case "Try": {
        if (one.catch !== undefined) this.blockGap(one.body.end, one.catch.body);
        if (one.finally !== undefined) this.blockGap((one.catch?.body ?? one.body).end, one.finally);
        return;
      }
      case "For":
        this.blockGap(one.iterable.end, one.body);
        return;
      case "While":
        this.blockGap(one.condition.end, one.body);
        return;
      case "FnDecl":
      case "PipelineDecl":
      case "ToolDecl":
        this.blockGap(one.name.end, one.body);
        return;
      default:
        return;
    }
  }

  private selectAnchors(select: Select): NodeAnchor[] {
    const anchors: NodeAnchor[] = select.cases.map(({ name, body }) => ({
      node: name,
      start: name.start,
      end: body.end,
    }));
    const { timeout } = select;
    if (timeout !== undefined) anchors.push(this.afterWord(timeout, timeout.duration, timeout.body.end));
    if (select.default !== undefined)
      anchors.push(this.afterWord(select.default, select.default, select.default.end));
    return anchors;
  }

  /** A part that begins with a word which is no node. */
  private afterWord(node: object, first: Span, end: number): NodeAnchor {
    return { node, start: this.brackets.wordBefore(first.start), end };
  }

  private linkGap(start: number, end: number, link: object): void {
    if (start < end) this.gaps.push({ start, end, link, block: undefined });
  }

  private blockGap(start: number, block: Block, end = block.start): void {
    const list = this.blocks.get(block);
    if (list !== undefined && start < end) this.gaps.push({ start, end, link: undefined, block: list });
  }
}

function formatAnchors(nodes: readonly Span[]): NodeAnchor[] {
  return nodes.map((node) => ({ node, start: node.start, end: node.end })).sort((a, b) => a.start - b.start);
}

/** All nodes, parents before children; keeps its own stack, chains may be long. */
export function nodesOf(root: object): Node[] {
  const found: Node[] = [];
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    if ("kind" in value && "start" in value) found.push(value as Node);
    for (const child of Object.values(value)) if (typeof child === "object") stack.push(child);
  }
  return found;
}
