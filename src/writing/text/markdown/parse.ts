/** Markdown of papers ▸ tree. Total: any text gives a tree, in time that grows with its length. */
import type { Token, Tokens } from "marked";
import { bareMention, noteMention } from "./citation-syntax.ts";
import { tokensOf } from "./lexer.ts";
import { normaliseSource } from "./source.ts";
import type { Block, CitationItem, ImageInline, Inline, ListItem, MarkdownTree, TextSpan } from "./tree.ts";

/** Character references that people write. Others stay as they are. */
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  plusmn: "±",
  times: "×",
  middot: "·",
  micro: "µ",
  para: "¶",
  sect: "§",
  laquo: "«",
  raquo: "»",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  bull: "•",
  rarr: "→",
  larr: "←",
  le: "≤",
  ge: "≥",
  ne: "≠",
  euro: "€",
};

/** A text with its named references replaced (the lexer has replaced those by number). */
const withoutEntities = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(/&([a-zA-Z]{2,8});/g, (raw, name: string) =>
        Object.hasOwn(named, name) ? (named[name] as string) : raw,
      )
    : text;

export function parseMarkdown(text: string): MarkdownTree {
  const source = normaliseSource(text);
  const place = new Place(source);
  const blocks: Block[] = [];
  for (const token of tokensOf(source)) {
    place.enterBlock(token.raw);
    blocks.push(...parsedBlocks([token], place));
  }
  return { source, blocks };
}

/**
 * Where in the source the next leaf stands. Tokens at the top follow each other without a gap; what lies within quotes and
 * lists has lost its marks, so a leaf is looked for from the last one on, up to the end of its block.
 */
class Place {
  private readonly source: string;
  private start = 0;
  private end = 0;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Where the last leaf ended. */
  get reached(): number {
    return this.at;
  }

  enterBlock(raw: string): void {
    // The lexer leaves out blank lines at the beginning.
    const found = this.source.startsWith(raw, this.end) ? this.end : this.source.indexOf(raw, this.end);
    this.start = found < 0 ? this.end : found;
    this.end = Math.min(this.source.length, this.start + raw.length);
    this.at = this.start;
  }

  /** Goes past a leaf; its span, or the empty one at its block when it is not found as it is. */
  pass(raw: string): TextSpan {
    if (raw === "") return { from: this.at, to: this.at };
    const found = this.source.indexOf(raw, this.at);
    if (found >= 0 && found + raw.length <= this.end) {
      this.at = found + raw.length;
      return { from: found, to: this.at };
    }
    return raw.includes("\n") ? this.passLines(raw) : { from: this.start, to: this.start };
  }

  /** A leaf of several lines within a quote or list, whose lines begin with marks in the source. */
  private passLines(raw: string): TextSpan {
    const lines = raw.split("\n").filter((line) => line !== "");
    let from = -1;
    let at = this.at;
    for (const line of lines) {
      const found = this.source.indexOf(line, at);
      if (found < 0 || found + line.length > this.end) return { from: this.start, to: this.start };
      if (from < 0) from = found;
      else if (!/^[\s>]*$/.test(this.source.slice(at, found))) return { from: this.start, to: this.start };
      at = found + line.length;
    }
    this.at = at;
    return { from: Math.max(from, this.start), to: at };
  }
}

function parsedBlocks(tokens: readonly Token[], place: Place): Block[] {
  return tokens.flatMap((token): Block[] => {
    switch (token.type) {
      case "heading":
        return [{ kind: "heading", depth: token.depth, children: inlinesOf(token.tokens, place) }];
      case "paragraph":
      case "text":
        return paragraph(token as Tokens.Paragraph, place);
      case "code":
        place.pass(token.raw.trimEnd());
        return [{ kind: "code", language: infoLanguage(token.lang), text: token.text }];
      case "blockquote":
        return [{ kind: "quote", children: parsedBlocks(token.tokens ?? [], place) }];
      case "list":
        return [listBlock(token as Tokens.List, place)];
      case "table":
        return [tableBlock(token as Tokens.Table, place)];
      case "hr":
        return [{ kind: "rule" }];
      case "html":
        return [{ kind: "html_block", text: token.raw.trimEnd(), span: place.pass(token.raw.trimEnd()) }];
      case "display_math":
        return [{ kind: "display_math", tex: token.tex.trim(), span: place.pass(token.raw.trimEnd()) }];
      case "note": {
        const span = place.pass(`[^${token.label}]`);
        return [
          { kind: "note", label: token.label, span, children: parsedBlocks(token.tokens ?? [], place) },
        ];
      }
      // What is left are blank lines and definitions of links, which are nowhere to be seen, and boxes of task items.
      default:
        return [];
    }
  });
}

const infoLanguage = (info: string | undefined): string => /^[\w+#.-]+/.exec(info ?? "")?.[0] ?? "";

function paragraph(token: Tokens.Paragraph, place: Place): Block[] {
  const children = inlinesOf(token.tokens ?? [token], place);
  const [only] = children;
  if (children.length === 1 && only?.kind === "math" && only.display)
    return [{ kind: "display_math", tex: only.tex.trim(), span: only.span }];
  return children.length === 0 ? [] : [{ kind: "paragraph", children }];
}

function listBlock(token: Tokens.List, place: Place): Block {
  const items = token.items.map((item): ListItem => {
    const children = parsedBlocks(item.tokens, place);
    return { checked: item.task ? item.checked === true : null, children };
  });
  return {
    kind: "list",
    ordered: token.ordered,
    start: token.start === "" ? 1 : Math.min(token.start, 999_999_999),
    items,
  };
}

function tableBlock(token: Tokens.Table, place: Place): Block {
  const cells = (row: readonly Tokens.TableCell[]) => row.map((cell) => inlinesOf(cell.tokens, place));
  const header = cells(token.header);
  return {
    kind: "table",
    align: token.align.map((one) => one ?? "left"),
    header,
    rows: token.rows.map(cells),
  };
}

function inlinesOf(tokens: readonly Token[] | undefined, place: Place): Inline[] {
  const out: Inline[] = [];
  for (const token of tokens ?? []) addInline(out, token, place);
  return out;
}

function addInline(out: Inline[], token: Token, place: Place): void {
  switch (token.type) {
    case "text":
    case "paragraph": {
      if (token.tokens !== undefined) {
        for (const inner of token.tokens) addInline(out, inner, place);
        return;
      }
      addTextToken(out, token as Tokens.Text, place);
      return;
    }
    case "escape":
      place.pass(token.raw);
      addPlain(out, token.text);
      return;
    case "em":
    case "strong":
      out.push({
        kind: token.type === "em" ? "emphasis" : "strong",
        children: inlinesOf(token.tokens, place),
      });
      return;
    case "del": {
      const from = place.reached;
      out.push({
        kind: "strike",
        children: inlinesOf(token.tokens, place),
        span: { from, to: place.reached },
      });
      return;
    }
    case "codespan":
      place.pass(token.raw);
      out.push({ kind: "code_span", text: token.text });
      return;
    case "br":
      out.push({ kind: "break" });
      return;
    case "link": {
      const children = inlinesOf(token.tokens, place);
      const href = token.autolink ? token.href : withoutEntities(token.href);
      out.push({ kind: "link", href, bare: token.autolink === true, children });
      return;
    }
    case "image": {
      const span = place.pass(token.raw);
      const caption = inlinesOf(token.tokens, new Place(""));
      const labelSpan = { from: span.to, to: span.to };
      out.push({ kind: "image", path: withoutEntities(token.href), caption, label: "", span, labelSpan });
      return;
    }
    case "math":
      out.push({ kind: "math", tex: token.tex, display: token.display, span: place.pass(token.raw) });
      return;
    case "citation": {
      const items = token.items as readonly CitationItem[];
      out.push({ kind: "citation", form: "bracketed", items, span: place.pass(token.raw) });
      return;
    }
    case "html":
      out.push({ kind: "html", text: token.raw, span: place.pass(token.raw) });
      return;
    default:
      return;
  }
}

/** `{#fig:label}` right after an image. */
const figureLabel = /^\{#fig:([a-z0-9][a-z0-9-]*)\}/;
const mention = new RegExp(`${noteMention.source}|${bareMention.source}`, "gu");

/** Running text: mentions of notes, references and figures are taken out of it. */
function addTextToken(out: Inline[], token: Tokens.Text, place: Place): void {
  const raw = token.raw;
  const last = out.at(-1);
  const label = last?.kind === "image" ? figureLabel.exec(raw) : null;
  if (label !== null) {
    const labelSpan = place.pass(label[0]);
    out[out.length - 1] = { ...(last as ImageInline), label: label[1] as string, labelSpan };
  }
  let at = label?.[0].length ?? 0;
  const plain = (to: number): void => {
    if (to <= at) return;
    const piece = raw.slice(at, to);
    place.pass(piece);
    // The lexer's text has references by number resolved; where nothing was cut out, it is taken as it is.
    addPlain(out, withoutEntities(at === 0 && to === raw.length ? token.text : numericReferences(piece)));
  };
  for (const found of raw.matchAll(mention)) {
    const [whole, note, key] = found;
    if (found.index < at) continue;
    if (key !== undefined && found.index === 0 && endsInWord(last)) continue;
    plain(found.index);
    at = found.index + whole.length;
    const span = place.pass(whole);
    if (note !== undefined) out.push({ kind: "note_reference", label: note, span });
    else out.push(mentionOf(key as string, span));
  }
  plain(raw.length);
}

const numericReferences = (text: string): string =>
  text.replaceAll(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));/gi, (raw, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)
      ? String.fromCodePoint(code)
      : raw;
  });

const endsInWord = (last: Inline | undefined): boolean =>
  last?.kind === "text" && /[\p{L}\p{N}_@.]$/u.test(last.text);

function mentionOf(key: string, span: TextSpan): Inline {
  const crossed = /^(sec|fig):([a-z0-9][a-z0-9-]*)$/.exec(key);
  if (crossed !== null)
    return {
      kind: "cross_reference",
      to: crossed[1] as "sec" | "fig",
      label: crossed[2] as string,
      span,
    };
  return {
    kind: "citation",
    form: "textual",
    items: [{ key, prefix: "", suffix: "", yearOnly: false }],
    span,
  };
}

function addPlain(out: Inline[], text: string): void {
  const last = out.at(-1);
  if (last?.kind === "text") out[out.length - 1] = { kind: "text", text: last.text + text };
  else out.push({ kind: "text", text });
}
