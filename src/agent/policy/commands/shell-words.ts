/**
 * A shell line as the commands in it: quotes and escapes resolved, `;`, `|`, `&&`, substitutions and groups taken apart.
 * Text work for rules about commands, not a shell: what only a running shell could tell (`$NAME`, a glob, `$(…)` as the
 * program) is marked as unknown, and rules then take the careful side.
 */

export interface ShellWord {
  readonly text: string;
  /** Part of it is known only when it runs. */
  readonly unknown: boolean;
}

export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** It reads what another command prints, a file or a text in the line. */
  readonly piped: boolean;
}

const maxDepth = 8;

/** The commands in a line; those in substitutions and groups as well. */
export function shellCommands(line: string, depth = 0): ShellCommand[] {
  return new ShellLineReader(line, depth).commands();
}

class ShellLineReader {
  private readonly line: string;
  private readonly depth: number;
  private at = 0;
  private readonly found: ShellCommand[] = [];
  /** Assignments of the line so far: `x=rm; $x y`. */
  private readonly variables = new Map<string, string>();
  private words: ShellWord[] = [];
  private text = "";
  private inWord = false;
  private unknown = false;
  private piped = false;
  /** The next word is where a redirection leads. */
  private target = false;

  constructor(line: string, depth: number) {
    this.line = line;
    this.depth = depth;
  }

  commands(): ShellCommand[] {
    while (this.at < this.line.length) this.step();
    this.endCommand(false);
    return this.found;
  }

  private step(): void {
    const char = this.line[this.at] as string;
    const next = this.line[this.at + 1];
    if (char === "\\") this.escape(next);
    else if (char === "'") this.single();
    else if (char === '"') this.double();
    else if (char === "$") this.dollar();
    else if (char === "`") this.substitute("`", 1);
    else if ((char === "<" || char === ">") && next === "(") this.substitute(")", 2);
    else if (char === "#" && !this.inWord) this.comment();
    else if (char === "|") this.separator(next === "|" ? 2 : next === "&" ? 2 : 1, next !== "|");
    else if (char === ";" || char === "\n") this.separator(1, false);
    else if (char === "&" && next === ">") this.redirect();
    else if (char === "&") this.separator(next === "&" ? 2 : 1, false);
    else if (char === "(" || char === ")") this.separator(1, false);
    else if (char === "<" || char === ">") this.redirect();
    else if (char === " " || char === "\t" || char === "\r") {
      this.endWord();
      this.at += 1;
    } else {
      if (char === "*" || char === "?" || char === "[" || char === "{") this.unknown = true;
      this.add(char);
      this.at += 1;
    }
  }

  private add(text: string): void {
    this.text += text;
    this.inWord = true;
  }

  private escape(next: string | undefined): void {
    if (next !== "\n" && next !== undefined) this.add(next);
    this.at += 2;
  }

  private single(): void {
    const end = this.line.indexOf("'", this.at + 1);
    this.add(this.line.slice(this.at + 1, end < 0 ? undefined : end));
    this.at = end < 0 ? this.line.length : end + 1;
  }

  private double(): void {
    this.inWord = true;
    this.at += 1;
    while (this.at < this.line.length && this.line[this.at] !== '"') {
      const char = this.line[this.at] as string;
      const next = this.line[this.at + 1] ?? "";
      if (char === "\\" && '$`"\\\n'.includes(next)) {
        if (next !== "\n") this.add(next);
        this.at += 2;
      } else if (char === "$") this.dollar();
      else if (char === "`") this.substitute("`", 1);
      else {
        this.add(char);
        this.at += 1;
      }
    }
    this.at += 1;
  }

  private dollar(): void {
    const rest = this.line.slice(this.at);
    if (rest.startsWith("$'")) {
      const quoted = /^\$'((?:\\[\s\S]|[^'\\])*)'?/.exec(rest) as RegExpExecArray;
      this.add(unescapedWord(quoted[1] as string));
      this.at += quoted[0].length;
      return;
    }
    if (rest.startsWith('$"')) {
      this.at += 1;
      return;
    }
    if (rest.startsWith("$(")) {
      this.substitute(")", 2);
      return;
    }
    const name = /^\$(?:(\w+)|\{(\w+)\}|\{[^}]*\}|[@*#?$!-])/.exec(rest);
    if (name === null) {
      this.add("$");
      this.at += 1;
      return;
    }
    const known = this.variables.get(name[1] ?? name[2] ?? "");
    if (known === undefined) this.unknown = true;
    this.add(known ?? name[0]);
    this.at += name[0].length;
  }

  /** What is substituted is commands of its own; what it gives is known only when it runs. */
  private substitute(close: ")" | "`", skip: number): void {
    const start = this.at + skip;
    const end = close === "`" ? this.line.indexOf("`", start) : matchingQuote(this.line, start);
    const inner = this.line.slice(start, end < 0 ? undefined : end);
    if (this.depth < maxDepth) this.found.push(...shellCommands(inner, this.depth + 1));
    this.add("$()");
    this.unknown = true;
    this.at = end < 0 ? this.line.length : end + 1;
  }

  private comment(): void {
    const end = this.line.indexOf("\n", this.at);
    this.at = end < 0 ? this.line.length : end;
  }

  /** `2> file`, `<<< text`: the target is no word of the command; input from anywhere means that the command reads it. */
  private redirect(): void {
    if (/^\d+$/.test(this.text)) {
      this.text = "";
      this.inWord = false;
    }
    this.endWord();
    this.target = true;
    if (this.line[this.at] === "<") this.piped = true;
    while ("<>&|-".includes(this.line[this.at] ?? " ")) this.at += 1;
  }

  private separator(length: number, pipes: boolean): void {
    this.at += length;
    this.endCommand(pipes);
  }

  private endWord(): void {
    const isTest = this.text === "[" || this.text === "[[";
    if (this.inWord && !this.target) this.words.push({ text: this.text, unknown: this.unknown && !isTest });
    if (this.inWord) this.target = false;
    this.text = "";
    this.inWord = false;
    this.unknown = false;
  }

  private endCommand(pipes: boolean): void {
    this.endWord();
    this.target = false;
    for (const { text, unknown } of this.words) {
      const assigned = /^(\w+)=([\s\S]*)$/.exec(text);
      if (assigned === null) break;
      if (unknown) this.variables.delete(assigned[1] as string);
      else this.variables.set(assigned[1] as string, assigned[2] as string);
    }
    if (this.words.length > 0) this.found.push({ words: this.words, piped: this.piped });
    this.words = [];
    this.piped = pipes;
  }
}

/** The `)` of a `(` that stands before `from`; quotes are passed over. */
function matchingQuote(line: string, from: number): number {
  let open = 1;
  for (let at = from; at < line.length; at++) {
    const char = line[at];
    if (char === "\\") at += 1;
    else if (char === "'" || char === '"') {
      const end = line.indexOf(char, at + 1);
      at = end < 0 ? line.length : end;
    } else if (char === "(") open += 1;
    else if (char === ")" && --open === 0) return at;
  }
  return -1;
}

const letters: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
};

/** `$'\x72m'` */
const unescapedWord = (text: string): string =>
  text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([\s\S]))/g,
    (_, hex, wide, octal, one) => {
      if (hex !== undefined || wide !== undefined)
        return String.fromCodePoint(Number.parseInt(hex ?? wide, 16));
      return octal === undefined
        ? (letters[one] ?? one)
        : String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    },
  );
