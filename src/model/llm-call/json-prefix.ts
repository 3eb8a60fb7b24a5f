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

/** What may come next: a value, a key, what stands behind one. `end`: nothing is read any more. */
type Expected = "start" | "fence" | "value" | "item" | "key" | "first_key" | "colon" | "comma" | "end";

/** As deep as a schema is checked. */
const maxDepth = 200;
const space = /\s/;
const scalarSign = /[-+.\w]/;
const fence = "```";

export class JsonPrefix {
  private readonly listener: JsonListener;
  private readonly open: ("dict" | "list")[] = [];
  private expected: Expected = "start";
  /** The scalar or key that is being read. */
  private raw = "";
  private readonly token = { kind: "none" as "none" | "string" | "other", escaped: false, isKey: false };

  constructor(listener: JsonListener) {
    this.listener = listener;
  }

  push(text: string): void {
    for (const sign of text) {
      if (this.expected === "end") return;
      this.expected = this.take(sign);
    }
  }

  /** Reads one character; gives what may come next. */
  private take(sign: string): Expected {
    if (this.token.kind === "string") return this.inString(sign);
    if (this.token.kind === "none") return this.between(sign);
    if (scalarSign.test(sign)) {
      this.raw += sign;
      return this.expected;
    }
    this.expected = this.endScalar();
    return this.between(sign);
  }

  private between(sign: string): Expected {
    if (this.expected === "start") return this.begin(sign);
    // The language of the fence, up to the end of its line.
    if (this.expected === "fence") return sign === "\n" ? "start" : "fence";
    if (space.test(sign)) return this.expected;
    switch (this.expected) {
      case "item":
        return sign === "]" ? this.close("list") : this.value(sign);
      case "value":
        return this.value(sign);
      case "first_key":
        return sign === "}" ? this.close("dict") : this.beginKey(sign);
      case "key":
        return this.beginKey(sign);
      case "colon":
        return sign === ":" ? "value" : "end";
      case "comma":
        return this.behind(sign);
      case "end":
        return "end";
    }
  }

  private begin(sign: string): Expected {
    if (sign === "`") {
      this.raw += sign;
      if (this.raw !== fence) return "start";
      this.raw = "";
      return "fence";
    }
    if (this.raw !== "") return "end";
    if (sign === "{" || sign === "[") return this.value(sign);
    return space.test(sign) ? "start" : "end";
  }

  private value(sign: string): Expected {
    if (sign === "{") return this.enter("dict");
    if (sign === "[") return this.enter("list");
    if (sign === '"') {
      this.beginString(false);
      return this.listener.stringBegins() ? "value" : "end";
    }
    if (!scalarSign.test(sign)) return "end";
    this.token.kind = "other";
    this.raw = sign;
    return "value";
  }

  private enter(kind: "dict" | "list"): Expected {
    if (this.open.length >= maxDepth) return "end";
    this.open.push(kind);
    if (!this.listener.open(kind)) return "end";
    return kind === "dict" ? "first_key" : "item";
  }

  private close(kind: "dict" | "list"): Expected {
    if (this.open.pop() !== kind || !this.listener.close()) return "end";
    return this.open.length === 0 ? "end" : "comma";
  }

  private behind(sign: string): Expected {
    if (sign === ",") return this.open.at(-1) === "dict" ? "key" : "value";
    if (sign === "}") return this.close("dict");
    return sign === "]" ? this.close("list") : "end";
  }

  private beginKey(sign: string): Expected {
    if (sign !== '"') return "end";
    this.beginString(true);
    return "key";
  }

  private beginString(isKey: boolean): void {
    Object.assign(this.token, { kind: "string", escaped: false, isKey });
    this.raw = '"';
  }

  private inString(sign: string): Expected {
    const { token } = this;
    this.raw += sign;
    if (token.escaped) token.escaped = false;
    else if (sign === "\\") token.escaped = true;
    else if (sign === '"') return this.endScalar();
    return this.expected;
  }

  private endScalar(): Expected {
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
