/** BibTeX ▸ entries with their fields as text. Lenient: what can't be read is said with its line, the rest is taken. */

export interface BibtexEntry {
  /** Lower case. */
  readonly type: string;
  readonly key: string;
  /** Names in lower case; values without their delimiters, otherwise as they stand. */
  readonly fields: ReadonlyMap<string, string>;
  /** Where it begins, in characters. */
  readonly at: number;
}

export interface BibtexProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

class BibtexSyntaxError extends Error {}

export function parseBibtex(text: string): {
  readonly entries: readonly BibtexEntry[];
  readonly problems: readonly BibtexProblem[];
  /** The line of a place, from 1. */
  readonly lineOf: (at: number) => number;
} {
  const entries: BibtexEntry[] = [];
  const problems: BibtexProblem[] = [];
  const reader = new BibtexParser(text);
  while (reader.toNextEntry()) {
    const start = reader.at;
    try {
      const entry = reader.entry();
      if (entry !== undefined) entries.push({ ...entry, at: start });
    } catch (error) {
      if (!(error instanceof BibtexSyntaxError)) throw error;
      problems.push({ line: reader.lineOf(start), message: error.message });
    }
  }
  return { entries, problems, lineOf: (at) => reader.lineOf(at) };
}

class BibtexParser {
  at = 0;
  private readonly text: string;
  private readonly strings = new Map(months.map((name, at) => [name, String(at + 1)]));

  constructor(text: string) {
    this.text = text;
  }

  lineOf(at: number): number {
    return this.text.slice(0, at).split("\n").length;
  }

  /** Text between entries is a comment. */
  toNextEntry(): boolean {
    const next = this.text.indexOf("@", this.at);
    this.at = next < 0 ? this.text.length : next + 1;
    return next >= 0;
  }

  entry(): Omit<BibtexEntry, "at"> | undefined {
    const type = this.word().toLowerCase();
    if (type === "") throw new BibtexSyntaxError("an entry begins with @ and its type, like @article{");
    if (type === "comment") return undefined;
    this.blanks();
    const open = this.text[this.at];
    if (open !== "{" && open !== "(") throw new BibtexSyntaxError(`@${type} has no { after its type`);
    this.at++;
    const close = open === "{" ? "}" : ")";
    if (type === "preamble") {
      this.value();
      return undefined;
    }
    this.blanks();
    if (type === "string") {
      for (const [name, value] of this.fields(close, type)) this.strings.set(name, value);
      return undefined;
    }
    const key = /^[^\s,={}()"#%]*/.exec(this.text.slice(this.at, this.at + 1_000))?.[0] ?? "";
    this.at += key.length;
    this.blanks();
    if (this.text[this.at] === ",") this.at++;
    else if (this.text[this.at] !== close)
      throw new BibtexSyntaxError(`@${type}{${key} has no comma after its key`);
    return { type, key, fields: this.fields(close, key || type) };
  }

  private fields(close: string, of: string): ReadonlyMap<string, string> {
    const fields = new Map<string, string>();
    for (;;) {
      this.blanks();
      if (this.text[this.at] === close) {
        this.at++;
        return fields;
      }
      const name = this.word().toLowerCase();
      this.blanks();
      if (name === "" || this.text[this.at] !== "=")
        throw new BibtexSyntaxError(`${of}: expected a field, like title = {…}`);
      this.at++;
      const value = this.value();
      if (!fields.has(name)) fields.set(name, value);
      this.blanks();
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== close)
        throw new BibtexSyntaxError(`${of}: expected a comma or ${close} after ${name}`);
    }
  }

  /** `{…}`, `"…"`, a number or the name of a string, joined by `#`. */
  private value(): string {
    let value = "";
    for (;;) {
      this.blanks();
      const first = this.text[this.at];
      if (first === "{") value += this.group("}");
      else if (first === '"') value += this.group('"');
      else {
        const word = this.word();
        if (word === "") throw new BibtexSyntaxError('expected a value: {…}, "…", a number or a name');
        value += this.strings.get(word.toLowerCase()) ?? word;
      }
      this.blanks();
      if (this.text[this.at] !== "#") return value;
      this.at++;
    }
  }

  /** What stands between delimiters; braces within it count, escaped or not. */
  private group(end: string): string {
    const start = ++this.at;
    let depth = 0;
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at];
      if (depth === 0 && character === end) return this.text.slice(start, this.at++);
      if (character === "{") depth++;
      else if (character === "}") depth--;
    }
    // The next entry may be whole: it is looked for from the beginning of this value.
    this.at = start;
    throw new BibtexSyntaxError("a value does not end");
  }

  private word(): string {
    const word = /^[^\s,={}()"#%@']+/.exec(this.text.slice(this.at, this.at + 1_000))?.[0] ?? "";
    this.at += word.length;
    return word;
  }

  private blanks(): void {
    while (this.at < this.text.length && /\s/.test(this.text[this.at] as string)) this.at++;
  }
}
