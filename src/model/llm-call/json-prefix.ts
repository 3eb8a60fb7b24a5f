/**
 * JSON read while it arrives: told of each piece of text, it tells a listener what has begun and what is complete.
 *
 * It reads only an answer that is JSON from its first character, or from the first line of a code fence on. Anything else
 * (prose, JSON that is none) makes it fall silent for good: whether such an answer holds something usable is decided when
 * it is complete, by `extractJson`.
 */
import type { Json } from "../llm/index.ts";

/** What is told, in the order of the text. A listener that answers `false` is told no more. */
export interface JsonListener {
  open(kind: "dict" | "list"): boolean;
  close(): boolean;
  key(name: string): boolean;
  /** The first character of a string; other scalars are short and told when they are complete. */
  stringBegins(): boolean;
  scalar(value: Json): boolean;
}

/** What may come next: a value, a key, what follows one. `end`: nothing is parsed any more. */
type NextToken = "start" | "fence" | "value" | "item" | "key" | "first_key" | "colon" | "comma" | "end";

/** As deep as a schema is checked. */
const maxDepth = 200;
const space = /\s/;
const scalarChar = /[-+.\w]/;
const fence = "```";

export class JsonPrefix {
  private readonly listener: JsonListener;
  private readonly open: ("dict" | "list")[] = [];
  private expected: NextToken = "start";
  /** The scalar or key that is being read. */
  private raw = "";
  private readonly token = { kind: "none" as "none" | "string" | "other", escaped: false, isKey: false };

  constructor(listener: JsonListener) {
    this.listener = listener;
  }

  push(text: string): void {
    for (const char of text) {
      if (this.expected === "end") return;
      this.expected = this.take(char);
    }
  }

  /** Reads one character; gives what may come next. */
  private take(char: string): NextToken {
    if (this.token.kind === "string") return this.inString(char);
    if (this.token.kind === "none") return this.between(char);
    if (scalarChar.test(char)) {
      this.raw += char;
      return this.expected;
    }
    this.expected = this.endScalar();
    return this.between(char);
  }

  private between(char: string): NextToken {
    if (this.expected === "start") return this.begin(char);
    // The language of the fence, up to the end of its line.
    if (this.expected === "fence") return char === "\n" ? "start" : "fence";
    if (space.test(char)) return this.expected;
    switch (this.expected) {
      case "item":
        return char === "]" ? this.close("list") : this.value(char);
      case "value":
        return this.value(char);
      case "first_key":
        return char === "}" ? this.close("dict") : this.beginKey(char);
      case "key":
        return this.beginKey(char);
      case "colon":
        return char === ":" ? "value" : "end";
      case "comma":
        return this.afterValue(char);
      case "end":
        return "end";
    }
  }

  private begin(char: string): NextToken {
    if (char === "`") {
      this.raw += char;
      if (this.raw !== fence) return "start";
      this.raw = "";
      return "fence";
    }
    if (this.raw !== "") return "end";
    if (char === "{" || char === "[") return this.value(char);
    return space.test(char) ? "start" : "end";
  }

  private value(char: string): NextToken {
    if (char === "{") return this.enter("dict");
    if (char === "[") return this.enter("list");
    if (char === '"') {
      this.beginString(false);
      return this.listener.stringBegins() ? "value" : "end";
    }
    if (!scalarChar.test(char)) return "end";
    this.token.kind = "other";
    this.raw = char;
    return "value";
  }

  private enter(kind: "dict" | "list"): NextToken {
    if (this.open.length >= maxDepth) return "end";
    this.open.push(kind);
    if (!this.listener.open(kind)) return "end";
    return kind === "dict" ? "first_key" : "item";
  }

  private close(kind: "dict" | "list"): NextToken {
    if (this.open.pop() !== kind || !this.listener.close()) return "end";
    return this.open.length === 0 ? "end" : "comma";
  }

  private afterValue(char: string): NextToken {
    if (char === ",") return this.open.at(-1) === "dict" ? "key" : "value";
    if (char === "}") return this.close("dict");
    return char === "]" ? this.close("list") : "end";
  }

  private beginKey(char: string): NextToken {
    if (char !== '"') return "end";
    this.beginString(true);
    return "key";
  }

  private beginString(isKey: boolean): void {
    Object.assign(this.token, { kind: "string", escaped: false, isKey });
    this.raw = '"';
  }

  private inString(char: string): NextToken {
    const { token } = this;
    this.raw += char;
    if (token.escaped) token.escaped = false;
    else if (char === "\\") token.escaped = true;
    else if (char === '"') return this.endScalar();
    return this.expected;
  }

  private endScalar(): NextToken {
    const { isKey, kind } = this.token;
    this.token.kind = "none";
    let value: Json;
    try {
      value = JSON.parse(this.raw) as Json;
    } catch {
      return "end";
    }
    this.raw = "";
    if (kind === "string" && isKey) return this.listener.key(value as string) ? "colon" : "end";
    return this.listener.scalar(value) ? "comma" : "end";
  }
}
