/** The bracket pairs of a source, by offset: what tells which list a comment stands in. */
import type { LexResult } from "../../syntax/index.ts";

type FormatToken = LexResult["tokens"][number];

export class Brackets {
  /** Offset of the closing bracket by that of the opening one, and the other way round. */
  private readonly closes = new Map<number, number>();
  private readonly opens = new Map<number, number>();
  private readonly tokens: readonly FormatToken[];

  constructor(tokens: readonly FormatToken[]) {
    this.tokens = tokens;
    for (const token of tokens) {
      const { value } = token;
      if (typeof value !== "object" || value.close < 0) continue;
      const close = tokens[value.close]!.startOffset;
      this.closes.set(token.startOffset, close);
      this.opens.set(close, token.startOffset);
    }
  }

  closeOf(open: number): number | undefined {
    return this.closes.get(open);
  }

  openOf(close: number): number | undefined {
    return this.opens.get(close);
  }

  /** The first opening bracket of a form at an offset or after it. */
  firstOpen(image: string, offset: number): number | undefined {
    for (let i = this.indexAt(offset); i < this.tokens.length; i++) {
      if (this.tokens[i]!.image === image) return this.tokens[i]!.startOffset;
    }
    return undefined;
  }

  /** The last `}` before an offset. */
  lastBrace(offset: number): number | undefined {
    for (let i = this.indexAt(offset) - 1; i >= 0; i--) {
      if (this.tokens[i]!.image === "}") return this.tokens[i]!.startOffset;
    }
    return undefined;
  }

  /** For offsets in ascending order: the opening brackets around each, outermost first. */
  around(offsets: readonly number[]): number[][] {
    const found: number[][] = [];
    const stack: number[] = [];
    let i = 0;
    for (const offset of offsets) {
      for (; i < this.tokens.length && this.tokens[i]!.startOffset < offset; i++) {
        const at = this.tokens[i]!.startOffset;
        if (this.closes.has(at)) stack.push(at);
        else if (this.opens.has(at)) while (stack.length > 0 && stack.pop() !== this.opens.get(at)) {}
      }
      found.push([...stack]);
    }
    return found;
  }

  /** Where the word before an expression or a block begins. */
  wordBefore(offset: number): number {
    let i = this.indexAt(offset) - 1;
    while (i > 0 && this.tokens[i]!.image === "(") i--;
    return this.tokens[i]?.startOffset ?? offset;
  }

  private indexAt(offset: number): number {
    let low = 0;
    let high = this.tokens.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.tokens[mid]!.startOffset < offset) low = mid + 1;
      else high = mid;
    }
    return low;
  }
}
