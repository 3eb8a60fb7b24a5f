/**
 * Signatures of builtins: text in the language's own type syntax, parsed when somebody first asks (checker, docs, tool
 * schemas, a failing call). A parser of its own rather than the language's: the checker must not need the grammar for
 * 400 short texts, and defaults here are only shown, never run.
 *
 *   signature = '(' (param (',' param)*)? ')' '->' type
 *   param     = '...'? name '?'? '!'? (':' type bound*)? ('=' default)?
 *   bound     = ('>=' | '<=') number | '!=' '""'
 *   type      = atom ('|' atom)* ;  atom = name ('<' type,… '>')? | '[' type ']' | 'fn' '(' type,… ')' '->' type
 *             | '{' (name '?'? ':' type),… '}' | string | '-'? int | '(' type ')' ;  postfix '?' means `| nil`
 */

export type SignatureType =
  | { readonly kind: "name"; readonly name: string; readonly args: readonly SignatureType[] }
  | { readonly kind: "union"; readonly members: readonly SignatureType[] }
  | { readonly kind: "fn"; readonly params: readonly SignatureType[]; readonly returns: SignatureType }
  | { readonly kind: "shape"; readonly fields: readonly SignatureField[] }
  | { readonly kind: "literal"; readonly value: string | number };

interface SignatureField {
  readonly name: string;
  readonly optional: boolean;
  readonly type: SignatureType;
}

export interface SignatureParam {
  readonly name: string;
  readonly type: SignatureType;
  /** Source text of the default; `undefined` when there is none. */
  readonly default: string | undefined;
  /** May be left out: has a default, is marked `?`, or is a rest parameter. */
  readonly optional: boolean;
  readonly rest: boolean;
  /** It takes what its type and bounds say and nothing else: marked `!`, or bounded. Others take what has a printed form. */
  readonly strict: boolean;
  /** Least and greatest number, both included; `null` for no bound. */
  readonly range: readonly [least: number | null, greatest: number | null] | undefined;
  /** It is no empty text. */
  readonly filled: boolean;
}

export interface Signature {
  readonly params: readonly SignatureParam[];
  readonly returns: SignatureType;
}

const parsed = new Map<string, Signature>();

/** The signature in a text; remembered. Throws an `Error` on bad text: a test parses every text of the table. */
export function parseSignature(text: string): Signature {
  let signature = parsed.get(text);
  if (signature === undefined) {
    signature = new SignatureParser(text).signature();
    parsed.set(text, signature);
  }
  return signature;
}

/**
 * By position, whether an explicit nil means what leaving the argument out means: the parameter has a default other than
 * nil, or is optional and of a type that excludes nil. Where nil is a value of the type, it is handed on.
 */
export const nilIsDefault = (text: string): readonly boolean[] =>
  parseSignature(text).params.map(
    ({ default: fallback, optional, rest, type }) =>
      !rest && optional && (fallback === undefined || fallback === "nil" ? !takesNil(type) : true),
  );

function takesNil(type: SignatureType): boolean {
  if (type.kind === "union") return type.members.some(takesNil);
  return type.kind === "name" && (type.name === "nil" || type.name === "any");
}

/** The type in a text. Throws an `Error` on bad text. */
export const parseType = (text: string): SignatureType => new SignatureParser(text).wholeType();

const word = /[A-Za-z_][\w.]*/y;
const number = /-?\d+/y;
const string = /"(?:[^"\\]|\\.)*"/y;

class SignatureParser {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  signature(): Signature {
    this.expect("(");
    const params = this.listUntil(")", () => this.param());
    const returns = this.take("->") ? this.type() : nameType("nil");
    this.blanks();
    if (this.at < this.text.length) this.fail("end of text");
    return { params, returns };
  }

  wholeType(): SignatureType {
    const type = this.type();
    this.blanks();
    if (this.at < this.text.length) this.fail("end of text");
    return type;
  }

  private param(): SignatureParam {
    const rest = this.take("...");
    const name = this.match(word) ?? this.fail("a parameter name");
    const marked = this.take("?");
    const only = this.take("!");
    const type = this.take(":") ? this.type() : nameType("any");
    const least = this.take(">=") ? this.bound() : null;
    const greatest = this.take("<=") ? this.bound() : null;
    const filled = this.take('!= ""');
    const fallback = this.take("=") ? this.defaultText() : undefined;
    const range = least === null && greatest === null ? undefined : ([least, greatest] as const);
    const optional = marked || rest || fallback !== undefined;
    const strict = only || range !== undefined || filled;
    return { name, type, default: fallback, optional, rest, strict, range, filled };
  }

  private bound(): number {
    return Number(this.match(number) ?? this.fail("a number"));
  }

  /** Everything up to the `,` or `)` that ends the parameter. */
  private defaultText(): string {
    this.blanks();
    const start = this.at;
    let depth = 0;
    while (this.at < this.text.length) {
      if (this.match(string) !== undefined) continue;
      const char = this.text[this.at] as string;
      if (depth === 0 && (char === "," || char === ")")) break;
      if ("([{".includes(char)) depth += 1;
      if (")]}".includes(char)) depth -= 1;
      this.at += 1;
    }
    const text = this.text.slice(start, this.at).trim();
    return text === "" ? this.fail("a default") : text;
  }

  private type(): SignatureType {
    const members = [this.optionalType()];
    while (this.take("|")) members.push(this.optionalType());
    return members.length === 1 ? (members[0] as SignatureType) : { kind: "union", members };
  }

  private optionalType(): SignatureType {
    const type = this.atom();
    return this.take("?") ? { kind: "union", members: [type, nameType("nil")] } : type;
  }

  private atom(): SignatureType {
    if (this.take("(")) return this.closing(")", this.type());
    if (this.take("[")) return { kind: "name", name: "list", args: [this.closing("]", this.type())] };
    if (this.take("{")) return { kind: "shape", fields: this.listUntil("}", () => this.field()) };
    const quoted = this.match(string);
    if (quoted !== undefined) return { kind: "literal", value: JSON.parse(quoted) as string };
    const digits = this.match(number);
    if (digits !== undefined) return { kind: "literal", value: Number(digits) };
    const name = this.match(word) ?? this.fail("a type");
    if (name === "fn") return this.functionType();
    const args = this.take("<") ? this.listUntil(">", () => this.type()) : [];
    return { kind: "name", name, args };
  }

  private functionType(): SignatureType {
    this.expect("(");
    const params = this.listUntil(")", () => this.type());
    this.expect("->");
    return { kind: "fn", params, returns: this.type() };
  }

  private field(): SignatureField {
    const name = this.match(word) ?? this.fail("a field name");
    const optional = this.take("?");
    this.expect(":");
    return { name, optional, type: this.type() };
  }

  private listUntil<T>(end: string, item: () => T): T[] {
    const items: T[] = [];
    while (!this.take(end)) {
      if (items.length > 0) this.expect(",");
      items.push(item());
    }
    return items;
  }

  private closing<T>(end: string, inner: T): T {
    this.expect(end);
    return inner;
  }

  private blanks(): void {
    while (this.text[this.at] === " ") this.at += 1;
  }

  private take(symbol: string): boolean {
    this.blanks();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  private expect(symbol: string): void {
    if (!this.take(symbol)) this.fail(`\`${symbol}\``);
  }

  private match(pattern: RegExp): string | undefined {
    this.blanks();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private fail(wanted: string): never {
    throw new Error(`signature \`${this.text}\`: expected ${wanted} at column ${this.at + 1}`);
  }
}

function nameType(name: string): SignatureType {
  return { kind: "name", name, args: [] };
}

/** A type as it is written. */
export function showSignatureType(type: SignatureType): string {
  switch (type.kind) {
    case "name":
      return type.args.length === 0
        ? type.name
        : `${type.name}<${type.args.map(showSignatureType).join(", ")}>`;
    case "union":
      return type.members.map(showSignatureType).join(" | ");
    case "fn":
      return `fn(${type.params.map(showSignatureType).join(", ")}) -> ${showSignatureType(type.returns)}`;
    case "shape":
      return `{${type.fields.map((field) => `${field.name}${field.optional ? "?" : ""}: ${showSignatureType(field.type)}`).join(", ")}}`;
    case "literal":
      return JSON.stringify(type.value);
  }
}
