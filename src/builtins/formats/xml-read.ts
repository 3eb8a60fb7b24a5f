/**
 * XML to values. Attributes are `@name`, text beside them or beside children is `#text`, children of one name are a list;
 * an element with nothing but text is that text, an empty one is nil. No recursion. Document types are skipped and only
 * the five entities of XML and character references are known, so no document can make anything grow.
 */
import { Dict, List, thrown, type Value } from "../../values/index.ts";

interface OpenElement {
  readonly name: string;
  /** Attributes and children, in order; several of one name stand in a list. */
  readonly parts: Map<string, Value[]>;
  text: string;
}

const maxDepth = 1000;
const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);
const namePattern = /[\p{L}_:][\p{L}\p{N}\p{M}_:.\-·]*/uy;
const blanks = /\s*/y;

export const isXmlName = (text: string): boolean => /^[\p{L}_:][\p{L}\p{N}\p{M}_:.\-·]*$/u.test(text);

/** The value of a document: a dict with its root element. Throws `XML parse error: … at line 1 column 2`. */
export function xmlParse(text: string): Dict {
  return new XmlReader(text.replace(/^\uFEFF/, "")).read();
}

class XmlReader {
  private readonly text: string;
  private at = 0;
  private readonly stack: OpenElement[] = [];
  private root: Dict | undefined;

  constructor(text: string) {
    this.text = text;
  }

  read(): Dict {
    while (this.at < this.text.length) {
      if (this.text[this.at] === "<") this.markup();
      else this.characters();
    }
    const open = this.stack.at(-1);
    if (open !== undefined) throw this.error(`element '${open.name}' is not closed`);
    if (this.root === undefined) throw this.error("no root element");
    return this.root;
  }

  private markup(): void {
    const { text, at } = this;
    if (text.startsWith("<!--", at)) this.skip("-->", 4);
    else if (text.startsWith("<![CDATA[", at)) this.literal();
    else if (text.startsWith("<?", at)) this.skip("?>", 2);
    else if (text.startsWith("<!DOCTYPE", at)) this.doctype();
    else if (text[at + 1] === "/") this.close();
    else this.open();
  }

  /** Past the end of something that has no meaning here. */
  private skip(end: string, from: number): string {
    const found = this.text.indexOf(end, this.at + from);
    if (found < 0) throw this.error(`'${end}' is missing`);
    const inside = this.text.slice(this.at + from, found);
    this.at = found + end.length;
    return inside;
  }

  private literal(): void {
    const open = this.stack.at(-1);
    if (open === undefined) throw this.error("text stands outside of the root element");
    open.text += this.skip("]]>", 9);
  }

  private doctype(): void {
    if (this.root !== undefined || this.stack.length > 0)
      throw this.error("a document type must stand before the root element");
    let depth = 0;
    let quote = "";
    for (let at = this.at; at < this.text.length; at++) {
      const char = this.text[at] as string;
      if (quote !== "") quote = char === quote ? "" : quote;
      else if (char === '"' || char === "'") quote = char;
      else if (char === "[") depth++;
      else if (char === "]") depth--;
      else if (char === ">" && depth === 0) {
        this.at = at + 1;
        return;
      }
    }
    throw this.error("the document type does not end");
  }

  private characters(): void {
    const end = this.text.indexOf("<", this.at);
    const raw = this.text.slice(this.at, end < 0 ? undefined : end);
    const open = this.stack.at(-1);
    if (open === undefined && raw.trim() !== "") throw this.error("text stands outside of the root element");
    if (open !== undefined) open.text += this.unescaped(raw);
    this.at += raw.length;
  }

  private open(): void {
    if (this.root !== undefined && this.stack.length === 0)
      throw this.error("there is a second root element");
    if (this.stack.length >= maxDepth)
      throw this.error(`elements are nested more than ${maxDepth} levels deep`);
    this.at++;
    const opened: OpenElement = { name: this.name("an element name"), parts: new Map(), text: "" };
    for (;;) {
      const before = this.at;
      this.match(blanks);
      const char = this.text[this.at];
      if (char === ">") {
        this.at++;
        this.stack.push(opened);
        return;
      }
      if (this.text.startsWith("/>", this.at)) {
        this.at += 2;
        this.finish(opened);
        return;
      }
      if (before === this.at) throw this.error("a blank is missing before an attribute");
      this.attribute(opened);
    }
  }

  private attribute({ parts }: OpenElement): void {
    const name = `@${this.name("an attribute name or '>'")}`;
    this.match(blanks);
    if (this.text[this.at] !== "=") throw this.error(`attribute '${name.slice(1)}' has no value`);
    this.at++;
    this.match(blanks);
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") throw this.error(`the value of '${name.slice(1)}' is not in quotes`);
    if (parts.has(name)) throw this.error(`attribute '${name.slice(1)}' is given twice`);
    const value = this.skip(quote, 1);
    if (value.includes("<")) throw this.error("'<' must be written &lt; in a value");
    parts.set(name, [this.unescaped(value)]);
  }

  private close(): void {
    const open = this.stack.at(-1);
    const start = this.at;
    this.at += 2;
    const name = this.name("an element name");
    this.match(blanks);
    if (this.text[this.at] !== ">") throw this.error("'>' is missing");
    if (open?.name !== name) {
      this.at = start;
      throw this.error(
        open === undefined ? `unexpected </${name}>` : `expected </${open.name}>, got </${name}>`,
      );
    }
    this.at++;
    this.stack.pop();
    this.finish(open);
  }

  /** An element is whole: it goes to its parent, or is the root. */
  private finish(element: OpenElement): void {
    const value = elementContent(element);
    const parent = this.stack.at(-1);
    if (parent === undefined) this.root = Dict.from([[element.name, value]]);
    else {
      const same = parent.parts.get(element.name);
      if (same === undefined) parent.parts.set(element.name, [value]);
      else same.push(value);
    }
  }

  private name(what: string): string {
    const name = this.match(namePattern);
    if (name === "") throw this.error(`expected ${what}`);
    return name;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private unescaped(text: string): string {
    if (!text.includes("&")) return text;
    return text.replace(/&([^;&\s]{0,32};?)/g, (whole, inside: string) => {
      const name = inside.endsWith(";") ? inside.slice(0, -1) : undefined;
      const known = name === undefined ? undefined : (entities.get(name) ?? characterOf(name));
      if (known === undefined) throw this.error(`unknown entity '${whole}'; write &amp; for an ampersand`);
      return known;
    });
  }

  private error(why: string): unknown {
    const before = this.text.slice(0, this.at).split("\n");
    return thrown(
      `XML parse error: ${why} at line ${before.length} column ${(before.at(-1) as string).length + 1}`,
    );
  }
}

/** `#65` and `#x41`. */
function characterOf(name: string): string | undefined {
  const digits = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
  if (digits === null) return undefined;
  const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16);
  const allowed = code === 9 || code === 10 || code === 13 || (code >= 32 && code <= 0x10_ffff);
  return allowed && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : undefined;
}

/** Blanks between children are layout; text beside them is kept without what surrounds it. */
function elementContent({ parts, text }: OpenElement): Value {
  if (parts.size === 0) return text === "" ? null : text;
  const entries = [...parts].map(
    ([name, values]) => [name, values.length === 1 ? (values[0] as Value) : new List(values)] as const,
  );
  const own = text.trim();
  return Dict.from(own === "" ? entries : [...entries, ["#text", own]]);
}
