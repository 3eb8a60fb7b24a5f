/**
 * What all grammar files stand on: the Chevrotain parser with our lookahead, positions, lists, and the words of errors.
 *
 * A rule's message names only what was expected (`ERR_MSG`, or the label of the token); failure.ts makes the full text
 * of language.md §2.1 from it and the token met. Rules are instance fields of one chain of classes (base → types →
 * patterns → literals → suffixes → expressions → controls → statements → declarations → program); a rule that lives in
 * a later file is declared `abstract` where it is first used.
 */
import {
  EmbeddedActionsParser,
  EOF,
  type IParserErrorMessageProvider,
  type IToken,
  MismatchedTokenException,
  type ParserMethod,
  type TokenType,
  tokenLabel,
} from "chevrotain";
import type { Span } from "../../source/index.ts";
import type { Name, Node } from "../ast.ts";
import { newStatement } from "../layout.ts";
import type { LexResult } from "../lexer.ts";
import { densify, type LookaheadTables, lookaheadFunctions } from "../lookahead.ts";
import { T, type Token, type TokenValue, tokenSet } from "../tokens.ts";

/** A rule, as the other grammar files see it. */
export type Rule<R, A extends unknown[] = []> = ParserMethod<A, R>;

/** The failure that `fail` throws: what stands in the text instead of the token, if anything. */
export interface SyntaxFailure extends MismatchedTokenException {
  got?: string;
  /** Where an assignment has a target that cannot be assigned to: another message stands for it. */
  target?: Span;
  /** What to write instead, where that is known: it stands for the whole message. */
  instead?: string;
  /** What a comma is missing before. */
  comma?: Span;
}

interface TokenCursor {
  currIdx: number;
}

/** What of Chevrotain's parser `useTables` sets; checked against the pinned version by the tests. */
interface Internals {
  readonly definedRulesNames: readonly string[];
  selfAnalysisDone: boolean;
  lookAheadFuncsCache: ReturnType<typeof lookaheadFunctions>;
}

const messages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => tokenLabel(expected),
  buildNotAllInputParsedMessage: () => "end of expression",
  buildNoViableAltMessage: ({ customUserDescription }) => customUserDescription ?? "statement",
  buildEarlyExitMessage: ({ customUserDescription }) => customUserDescription ?? "statement",
};

/** Occurrence numbers of the list helpers, out of the way of the numbers that rules use themselves. */
const LIST = 20;
/** From here on reading the lookahead tables faster is worth 4 ms. */
const MANY_TOKENS = 20_000;
const EOF_INDEX = EOF.tokenTypeIdx!;
const NEWLINE = T.Newline.tokenTypeIdx!;
const COMMA = T.Comma.tokenTypeIdx!;
/** What begins an item; after anything else that does not fit other messages say it better. */
const beginsItem = tokenSet(
  T.AnyName, T.Str, T.RawStr, T.StrStart, T.Int, T.Float, T.Duration, T.LParen, T.LSquare, T.LCurly, T.Bang, T.Ellipsis,
); // biome-ignore format: a token list

// Hoisted: an options object per call would be garbage in the hottest path of the parser.
const NAME_ERRORS = new Map<string, { ERR_MSG: string }>();
export function expecting(what: string): { ERR_MSG: string } {
  let options = NAME_ERRORS.get(what);
  if (options === undefined) {
    options = { ERR_MSG: what };
    NAME_ERRORS.set(what, options);
  }
  return options;
}

export class BaseGrammar extends EmbeddedActionsParser {
  /** The tokens being parsed, without the end marks that Chevrotain appends. */
  protected tokens: readonly IToken[] = [];
  protected count = 0;
  protected text = "";
  /** Are the lookahead tables in the form for long texts? */
  private dense = true;
  /** Documentation by the offset of the token below it. */
  protected docs: ReadonlyMap<number, string> = new Map();
  /** Longest operator, postfix or `else if` chain met: how deep the tree may be without brackets. */
  maxChain = 0;
  /** Are we between a word such as `if` and its block, where `{` begins the block? */
  protected inHeader = false;

  /** `analysed`: with Chevrotain's own recording, lookahead and grammar checks (for tests and generators). */
  constructor(analysed: boolean) {
    // The vocabulary serves only the analysis; without it one type says enough: categories are in use.
    super(analysed ? Object.values(T) : [T.AnyName], {
      skipValidations: !analysed,
      maxLookahead: 2,
      recoveryEnabled: false,
      errorMessageProvider: messages,
    });
  }

  /** Takes the place of Chevrotain's analysis, which would record the grammar anew (see lookahead.ts). */
  protected useTables(tables: LookaheadTables): void {
    const internals = this as unknown as Internals;
    const rules = internals.definedRulesNames;
    if (rules.join() !== tables.rules.join())
      throw new Error("the grammar has changed: run `npm run grammar`");
    internals.selfAnalysisDone = true;
    internals.lookAheadFuncsCache = lookaheadFunctions(tables);
    this.dense = false;
  }

  /** Chevrotain's own would enumerate all that could have followed, only to word a message that we word ourselves. */
  protected raiseNoAltException(_occurrence: number, expected: string | undefined): never {
    this.fail(expected ?? "statement");
  }

  /** The same for a list that wants at least one item. */
  protected raiseEarlyExitException(
    _occurrence: number,
    _kind: unknown,
    expected: string | undefined,
  ): never {
    this.fail(expected ?? "statement");
  }

  /** Takes a tokenized source; the entry rule is called next. */
  load(text: string, lexed: LexResult): void {
    if (!this.dense && lexed.tokens.length > MANY_TOKENS) this.makeDense();
    this.input = lexed.tokens;
    this.tokens = lexed.tokens;
    this.count = lexed.tokens.length;
    this.text = text;
    this.docs = lexed.docs;
    this.maxChain = 0;
    this.inHeader = false;
  }

  private makeDense(): void {
    const internals = this as unknown as Internals;
    internals.lookAheadFuncsCache = densify(internals.lookAheadFuncsCache);
    this.dense = true;
  }

  /** Lets go of the source, which may be large. */
  unload(): void {
    this.input = [];
    this.tokens = [];
    this.text = "";
    this.docs = new Map();
  }

  // ---------------------------------------------------------- positions

  /** Type of the token at a distance (1 is the next one). */
  protected peek(distance: number): number {
    return this.LA(distance).tokenTypeIdx;
  }

  protected isNext(type: TokenType): boolean {
    return this.LA(1).tokenTypeIdx === type.tokenTypeIdx;
  }

  /** Where the next token begins. */
  protected offset(): number {
    return this.LA(1).startOffset;
  }

  /** Where the last token taken ends. */
  protected end(): number {
    return this.LA(0).endOffset! + 1;
  }

  /** Do two tokens touch? */
  protected adjacent(left: IToken, right: IToken): boolean {
    return left.endOffset! + 1 === right.startOffset;
  }

  /** Index of the last token taken: Chevrotain's own cursor, which its types do not show. */
  protected get cursor(): number {
    return (this as unknown as TokenCursor).currIdx;
  }

  protected set cursor(index: number) {
    (this as unknown as TokenCursor).currIdx = index;
  }

  /** Offset of the next token, for a parse that was cut short. */
  get position(): number {
    return Math.max(0, this.LA(1).startOffset);
  }

  /** Does a token begin its line? */
  protected atMargin(token: IToken): boolean {
    return token.startOffset === 0 || this.text.charCodeAt(token.startOffset - 1) === 10;
  }

  protected nameOf(token: IToken): Name {
    return { text: token.image, start: token.startOffset, end: token.endOffset! + 1 };
  }

  protected payload(token: IToken): TokenValue {
    return (token as Token).value;
  }

  /** The documentation above the declaration that begins at an offset. */
  protected docAt(offset: number): string {
    return this.docs.get(offset) ?? "";
  }

  // -------------------------------------------------------------- lists

  /**
   * `( item )*` up to a closing token or the end of the file. Unlike MANY it does not stop at a token that begins no
   * item, so the item's own rule says what was expected.
   */
  protected untilClosed(closer: TokenType, item: () => void): void {
    if (this.RECORDING_PHASE) {
      this.many(LIST, item);
      return;
    }
    const end = closer.tokenTypeIdx!;
    for (;;) {
      const next = this.LA(1).tokenTypeIdx;
      if (next === end || next === EOF_INDEX) return;
      item();
    }
  }

  /** `item ( ',' item )* ','?` up to the closing token. */
  protected commaList(closer: TokenType, item: () => void): void {
    this.untilClosed(closer, () => {
      item();
      this.option(LIST, () => this.consume(LIST, T.Comma));
      if (!this.RECORDING_PHASE && this.LA(0).tokenTypeIdx !== COMMA && !this.isNext(closer)) {
        this.fail(closer.LABEL!);
      }
    });
  }

  /** As `commaList`, but line ends may stand for commas (language.md §2, lenient lists). */
  protected lenientList(closer: TokenType, item: () => void): void {
    this.untilClosed(closer, () => {
      item();
      this.option(LIST, () => this.consume(LIST, T.Comma));
      if (!this.RECORDING_PHASE && this.missesComma()) {
        const next = this.LA(1);
        this.failAtComma({ start: next.startOffset, end: next.endOffset! + 1 });
      }
      if (closer !== T.RCurly && this.missesCloser()) this.fail(closer.LABEL!);
      this.option(LIST + 1, () => this.consume(LIST, T.Newline));
    });
  }

  /** Does the next item begin on the same line, without a comma before it? */
  private missesComma(): boolean {
    const next = this.LA(1).tokenTypeIdx;
    if (this.LA(0).tokenTypeIdx === COMMA || beginsItem[next] !== 1 || newStatement[next] === 1) return false;
    return !this.text.slice(this.end(), this.offset()).includes("\n");
  }

  /**
   * `[1 -1]` is read as a subtraction, and hardly ever meant as one: a minus with a blank before it and none after it
   * wants a comma, or a blank.
   */
  protected refuseGluedMinus(item: Node): void {
    let at = item as Node & { readonly left?: Node; readonly op?: string; readonly opSpan?: Span };
    while (at.kind === "Binary" && at.left !== undefined && at.opSpan !== undefined) {
      const { start, end } = at.opSpan;
      if (at.op === "-" && /[ \t]/.test(this.text[start - 1] ?? "") && !/\s/.test(this.text[end] ?? " ")) {
        this.failAtComma({ start, end: at.end });
      }
      at = at.left;
    }
  }

  private failAtComma(comma: Span): never {
    const failure: SyntaxFailure = new MismatchedTokenException(",", this.LA(1), this.LA(0));
    failure.comma = comma;
    this.errors = [...this.errors, failure];
    throw failure;
  }

  /** Does a new statement begin on the next line, although a list is open? (`name:` would be an entry.) */
  private missesCloser(): boolean {
    return (
      this.isNext(T.Newline) && newStatement[this.peek(2)] === 1 && this.peek(3) !== T.Colon.tokenTypeIdx
    );
  }

  /** May a value follow on this line? (`return`, `yield`) */
  protected endsStatement(): boolean {
    const next = this.LA(1).tokenTypeIdx;
    return (
      next === NEWLINE ||
      next === EOF_INDEX ||
      next === T.Semicolon.tokenTypeIdx ||
      next === T.RCurly.tokenTypeIdx
    );
  }

  // ------------------------------------------------------------- errors

  /** Reports that `what` was expected at a token and leaves the current statement. */
  protected fail(what: string, details: { at?: IToken; got?: string; instead?: string } = {}): never {
    const failure: SyntaxFailure = new MismatchedTokenException(what, details.at ?? this.LA(1), this.LA(0));
    if (details.got !== undefined) failure.got = details.got;
    if (details.instead !== undefined) failure.instead = details.instead;
    this.errors = [...this.errors, failure];
    throw failure;
  }

  /** Reports an assignment target; the parse goes on. */
  protected rejectTarget(target: Span): void {
    const failure: SyntaxFailure = new MismatchedTokenException("", this.LA(0), this.LA(0));
    failure.target = target;
    this.errors = [...this.errors, failure];
  }
}
