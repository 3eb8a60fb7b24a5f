/**
 * marked's lexer with the syntax of papers, and with bounds: it recurses and searches once more for each opening mark, so
 * that a text of a few kilobytes could take the stack or seconds. What lies beyond a bound is plain text.
 */
import {
  defaults,
  Lexer,
  type MarkedOptions,
  type Token,
  Tokenizer,
  type Tokens,
  type TokensList,
} from "marked";
import { bracketedCitation } from "./citation-syntax.ts";

/** Of containers (quotes, lists), and of emphasis within emphasis. */
const maxDepth = 32;
/** Opening and closing marks of one paragraph. 5,000 of them took 4 s. */
const maxMarks = 1_000;
const mark = /[*_~[\]]/g;
/** Characters of one paragraph, and of one word in it: marks and addresses are searched for from each character on. */
const maxParagraph = 16_384;
const longWord = /\S{1001}/;

/** A formula of its own paragraph. */
const displayMath = /^\$\$(?!\$)((?:[^$\\]|\\[\s\S])+?)\$\$[ \t]*(?:\n+|$)/;
/** A formula among words: no blank inside either `$`, no digit after the second. */
const inlineDisplay = /^\$\$(?!\$)((?:[^$\\]|\\[\s\S])+?)\$\$/;
const inlineMath = /^\$(?![\s$])((?:[^$\\]|\\[\s\S])*?(?:[^\s$\\]|\\[^\s]))\$(?!\d)/;
const noteDefinition =
  /^\[\^([^\]\s]{1,64})\]:[ \t]*([^\n]*(?:\n(?:(?:[ \t]*\n)*(?: {4}|\t)[^\n]+|(?![ \t]*\n)(?!\[\^)[^\n]+))*)(?:\n+|$)/;

type Reader = (this: { lexer: Lexer }, text: string) => Token | undefined;

const displayMathToken: Reader = (text) => {
  const found = displayMath.exec(text);
  if (found === null || /\n[ \t]*\n/.test(found[1] as string)) return undefined;
  return { type: "display_math", raw: found[0], tex: found[1] };
};

const noteToken: Reader = function (text) {
  const found = noteDefinition.exec(text);
  if (found === null) return undefined;
  const body = (found[2] as string).replaceAll(/\n(?: {4}|\t)/g, "\n");
  return { type: "note", raw: found[0], label: found[1], tokens: this.lexer.blockTokens(body, []) };
};

const mathToken: Reader = (text) => {
  const display = inlineDisplay.exec(text);
  const found = display ?? inlineMath.exec(text);
  if (found === null || /\n[ \t]*\n/.test(found[1] as string)) return undefined;
  return { type: "math", raw: found[0], tex: found[1], display: display !== null };
};

const citationToken: Reader = (text) => {
  const found = bracketedCitation(text);
  return found === null ? undefined : { type: "citation", ...found };
};

const startOfPattern =
  (pattern: RegExp) =>
  (text: string): number =>
    text.search(pattern);

/** Where a line of a paragraph begins that is none of it. Beyond its end nobody needs to look, once for each paragraph. */
const startInParagraph =
  (pattern: RegExp) =>
  (text: string): number => {
    const end = text.indexOf("\n\n");
    return (end < 0 ? text : text.slice(0, end)).search(pattern);
  };

const options: MarkedOptions = {
  ...defaults,
  gfm: true,
  extensions: {
    renderers: {},
    childTokens: {},
    block: [displayMathToken, noteToken],
    startBlock: [startInParagraph(/(?<=\n)\$\$/), startInParagraph(/(?<=\n)\[\^/)],
    inline: [mathToken, citationToken],
    startInline: [startOfPattern(/\$/), startOfPattern(/\[[^\]]*@/)],
  },
};

/**
 * The library reads the lines after a quote within a quote by calling itself, not the lexer: quotes have a count of their
 * own. 1,300 marks in one line and a line without took the stack of every exporter.
 */
class BoundedTokenizer extends Tokenizer {
  private quotes = 0;

  override blockquote(text: string): Tokens.Blockquote | undefined {
    if (this.quotes === maxDepth) {
      const raw = this.rules.block.blockquote.exec(text)?.[0];
      return raw === undefined
        ? undefined
        : { type: "blockquote", raw, text: raw, tokens: [plainParagraph(raw)] };
    }
    this.quotes++;
    try {
      return super.blockquote(text);
    } finally {
      this.quotes--;
    }
  }
}

class BoundedLexer extends Lexer {
  private containers = 0;
  private spans = 0;

  override blockTokens(text: string, tokens?: Token[], clipped?: boolean): TokensList {
    const list = (tokens ?? []) as TokensList;
    if (this.containers === maxDepth) {
      list.push(plainParagraph(text));
      return list;
    }
    this.containers++;
    try {
      super.blockTokens(text, list, clipped);
      return list;
    } finally {
      this.containers--;
    }
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (this.spans === maxDepth || isPlainParagraph(text)) {
      tokens.push({ type: "text", raw: text, text, escaped: false });
      return tokens;
    }
    this.spans++;
    try {
      return super.inlineTokens(text, tokens);
    } finally {
      this.spans--;
    }
  }
}

const isPlainParagraph = (text: string): boolean =>
  text.length > maxParagraph || longWord.test(text) || (text.match(mark)?.length ?? 0) > maxMarks;

const plainParagraph = (text: string): Token => ({
  type: "paragraph",
  raw: text,
  text,
  tokens: [{ type: "text", raw: text, text, escaped: false }],
});

/** Tokens of a text that `normaliseSource` made. Never throws. */
export function tokensOf(source: string): readonly Token[] {
  try {
    const tokenizer = new BoundedTokenizer(options as never);
    return new BoundedLexer({ ...options, tokenizer } as never).lex(source);
  } catch (error) {
    // Some pattern of the library overflows on some text that nobody thought of: it is shown as it is.
    if (error instanceof RangeError) return [plainParagraph(source)];
    throw error;
  }
}
