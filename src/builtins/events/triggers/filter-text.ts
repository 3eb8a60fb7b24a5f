/**
 * Filters and keys that are written as texts (builtins.md §2.22): paths into an event, compared with values.
 *
 *   any  = all { "||" all }
 *   all  = one { "&&" one }
 *   one  = "(" any ")"  |  "!" PATH  |  PATH [ ("==" | "!=") VALUE ]
 */
import { Dict, equals, jsonParse, List, runtimeError, truthy, type Value } from "../../../values/index.ts";

/** Steps into an event; a leading `event.` is dropped. */
export type EventPath = readonly string[];

export type EventTest = (event: Dict) => boolean;

/** What stands there; `undefined` where a step is missing. Digits are a step into a list. */
export function atPath(event: Dict, path: EventPath): Value | undefined {
  let at: Value | undefined = event;
  for (const step of path) {
    if (at instanceof Dict) at = at.get(step);
    else at = at instanceof List && /^\d{1,9}$/.test(step) ? at.toArray()[Number(step)] : undefined;
  }
  return at ?? undefined;
}

/** A `dedupe_key`: one path. */
export function parseEventPath(name: string, text: string): EventPath {
  const reader = new FilterParser(name, text);
  const path = reader.path();
  reader.end();
  return path;
}

/** A `filter`. */
export function parseFilter(name: string, text: string): EventTest {
  const reader = new FilterParser(name, text);
  const test = reader.any();
  reader.end("'&&', '||' or its end");
  return test;
}

/** Parentheses inside each other; more are no filter that anybody wrote. */
const maxDepth = 64;
const literals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["false", false],
  ["nil", null],
]);
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

class FilterParser {
  private readonly name: string;
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  any(): EventTest {
    const tests = [this.all()];
    while (this.takes("||")) tests.push(this.all());
    return tests.length === 1 ? (tests[0] as EventTest) : (event) => tests.some((test) => test(event));
  }

  private all(): EventTest {
    const tests = [this.one()];
    while (this.takes("&&")) tests.push(this.one());
    return tests.length === 1 ? (tests[0] as EventTest) : (event) => tests.every((test) => test(event));
  }

  private one(): EventTest {
    if (this.takes("(")) {
      this.depth++;
      if (this.depth > maxDepth) this.refuse(`at most ${maxDepth} parentheses inside each other`);
      const inside = this.any();
      if (!this.takes(")")) this.refuse("')'");
      this.depth--;
      return inside;
    }
    if (this.takes("!")) {
      const path = this.path();
      return (event) => !truthy(atPath(event, path) ?? null);
    }
    const path = this.path();
    const differs = this.takes("!=");
    if (!differs && !this.takes("==")) return (event) => truthy(atPath(event, path) ?? null);
    const wanted = this.value();
    return (event) => equals(atPath(event, path) ?? null, wanted) !== differs;
  }

  path(): EventPath {
    const start = this.skip();
    const word = this.word();
    const steps = word.replace(/^event\.(?=.)/, "").split(".");
    if (literals.has(word) || numberPattern.test(word) || steps.includes("")) {
      this.at = start;
      this.refuse("a path such as provider_payload.id");
    }
    return steps;
  }

  private value(): Value {
    this.skip();
    const quote = this.text[this.at];
    if (quote === '"' || quote === "'") return this.quoted(quote);
    const word = this.word();
    if (word === "") this.refuse("a value");
    if (numberPattern.test(word)) return jsonParse(word);
    return literals.has(word) ? (literals.get(word) as Value) : word;
  }

  private quoted(quote: string): string {
    const start = this.at;
    let text = "";
    for (this.at++; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] as string;
      if (character === quote) {
        this.at++;
        return text;
      }
      if (character === "\\") this.at++;
      text += this.text[this.at] ?? "";
    }
    this.at = start;
    return this.refuse(`a text that ends with ${quote}`);
  }

  /** Letters, digits and `. _ - / :`; may be empty. */
  private word(): string {
    const pattern = /[\p{L}\p{N}._\-/:]*/uy;
    pattern.lastIndex = this.at;
    const [word = ""] = pattern.exec(this.text) ?? [];
    this.at += word.length;
    return word;
  }

  private takes(char: string): boolean {
    this.skip();
    if (!this.text.startsWith(char, this.at)) return false;
    this.at += char.length;
    return true;
  }

  private skip(): number {
    while (/\s/.test(this.text[this.at] ?? "")) this.at++;
    return this.at;
  }

  end(more = "its end"): void {
    if (this.skip() < this.text.length) this.refuse(more);
  }

  private refuse(expected: string): never {
    const position = [...this.text.slice(0, this.at)].length + 1;
    const rest = [...this.text.slice(this.at)];
    const found =
      rest.length === 0 ? "its end" : `'${rest.slice(0, 20).join("")}${rest.length > 20 ? "…" : ""}'`;
    throw runtimeError(
      `trigger_register: ${this.name}: expected ${expected} at position ${position}, found ${found}`,
    );
  }
}
