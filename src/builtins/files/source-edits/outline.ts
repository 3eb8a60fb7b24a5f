/** The declarations of a source text, found by keyword and block: whole lines, with the path of those around them. */
import { bracketsOf, type CodeBrackets, codeParts, Part } from "./code-parts.ts";
import type { Language } from "./languages.ts";

export interface Outline {
  readonly nodes: readonly CodeNode[];
  readonly code: string;
  readonly parts: Uint8Array;
  readonly brackets: CodeBrackets;
}

interface CodeDeclaration {
  readonly name: string;
  readonly kind: string;
  readonly at: number;
  readonly bare: boolean;
}

const identifier = "[#]?[\\p{ID_Start}_$][\\p{ID_Continue}$]*";
const holders = new Set([
  "class",
  "interface",
  "struct",
  "enum",
  "record",
  "object",
  "impl",
  "trait",
  "extension",
]);
/** They look like functions without a keyword. */
const notNames = new Set(
  "if for while switch catch return function with do else new await throw using lock foreach synchronized sizeof elif super this match when guard constructor_".split(
    " ",
  ),
);

/** `look` is called for each line: a deadline may end it. */
export function outlineOf(caller: string, text: string, language: Language, look: () => void): Outline {
  const { parts, code } = codeParts(text, language);
  const brackets = bracketsOf(caller, code);
  const lines = lineStarts(text);
  const source: CodeSource = { text, code, parts, brackets, lines, language, leads: [0] };
  const bare: CodeNode[] = [];
  const nodes: CodeNode[] = [];
  for (let line = 0; line < lines.length; line++) {
    look();
    const found = declarationAt(source, line);
    if (found === undefined) continue;
    const node =
      language.blocks === "braces" ? bracedNode(source, line, found) : indentedNode(source, line, found);
    if (node === undefined) continue;
    (found.bare ? bare : nodes).push(node);
  }
  const around = innermostOf(bare, nodes);
  const kept = bare.filter((node) => isDeclared(around.get(node), language));
  return { nodes: withPaths([...nodes, ...kept].sort((a, b) => a.line - b.line)), code, parts, brackets };
}

interface CodeSource {
  readonly text: string;
  readonly code: string;
  readonly parts: Uint8Array;
  readonly brackets: CodeBrackets;
  /** Where each line begins. */
  readonly lines: readonly number[];
  readonly language: Language;
  /** By line, as far as it is known: `leadOf`. */
  readonly leads: number[];
}

export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return starts;
}

const lineEnd = ({ lines, text }: CodeSource, line: number): number =>
  line + 1 < lines.length ? (lines[line + 1] as number) - 1 : text.length;

const codeLine = (source: CodeSource, line: number): string =>
  source.code.slice(source.lines[line], lineEnd(source, line));

const patterns = new WeakMap<Language, { keyword: RegExp; bare: RegExp }>();

function outlinePatternsOf(language: Language): { keyword: RegExp; bare: RegExp } {
  const known = patterns.get(language);
  if (known !== undefined) return known;
  const modifiers = language.modifiers === "" ? "" : `(?:(?:${language.modifiers})\\s+)*`;
  const keywords = Object.keys(language.keywords).join("|");
  const made = {
    keyword: new RegExp(`^\\s*${modifiers}(${keywords})(?:\\s+|(?<=[*>])\\s*)(${identifier})`, "u"),
    bare: new RegExp(
      `^\\s*(?:[\\p{ID_Continue}$@<>\\[\\],.?*&:\\s]*[\\s*&])?((?:${identifier}::)*~?${identifier})\\s*(?:<[^()<>]*>)?\\s*\\(`,
      "u",
    ),
  };
  patterns.set(language, made);
  return made;
}

function declarationAt(source: CodeSource, line: number): CodeDeclaration | undefined {
  const { language, lines } = source;
  const words = codeLine(source, line);
  const { keyword, bare } = outlinePatternsOf(language);
  const match = keyword.exec(words);
  if (match !== null) {
    const word = match[1] as string;
    const kind = Object.entries(language.keywords).find(([key]) =>
      new RegExp(`^(?:${key})$`, "u").test(word),
    )?.[1];
    return { name: match[2] as string, kind: kind ?? "declaration", at: lines[line] as number, bare: false };
  }
  if (language.bare === undefined) return undefined;
  const called = bare.exec(words);
  const name = called?.[1];
  if (called === null || name === undefined || notNames.has(name)) return undefined;
  if (notNames.has(/[\p{ID_Continue}$]+/u.exec(words)?.[0] ?? "")) return undefined;
  const open = (lines[line] as number) + called[0].length - 1;
  const close = source.brackets.partner.get(open);
  // What follows the parameters has to lead to a block.
  if (close === undefined || !/^[^;={}()]*\{/.test(source.code.slice(close + 1))) return undefined;
  return { name, kind: "function", at: lines[line] as number, bare: true };
}

/** What opens or goes on with a declaration at the beginning of the next line. */
const continuation = /^\s*(?:[{.?:|&+=]|->|where\b|extends\b|implements\b|throws\b|with\b)/;

function bracedNode(source: CodeSource, line: number, found: CodeDeclaration): CodeNode | undefined {
  const { code, brackets, lines } = source;
  let at = found.at;
  let last = "";
  let block: number | undefined;
  let end = at;
  for (; at < code.length; at++) {
    const char = code[at] as string;
    if (char === "(" || char === "[" || char === "{") {
      if (char === "{") block = at;
      at = brackets.partner.get(at) as number;
      last = code[at] as string;
      end = at;
    } else if (char === ")" || char === "]" || char === "}") {
      break;
    } else if (char === ";") {
      end = at;
      break;
    } else if (char === "\n") {
      if (!/(?:[=,.:?&|+\-*/%<(]|=>|\bwhere)$/.test(tail(code, at)) && !continuation.test(nextCode(code, at)))
        break;
    } else if (/\S/.test(char)) {
      last = char;
      end = at;
    }
  }
  const endLine = outlineLineOf(lines, end);
  if (found.bare && block === undefined) return undefined;
  const close = block === undefined ? undefined : brackets.partner.get(block);
  const rest = source.text.slice(end + 1, lineEnd(source, endLine));
  const codeRest = code.slice(end + 1, lineEnd(source, endLine));
  const bodied =
    block !== undefined &&
    last === "}" &&
    outlineLineOf(lines, block) < outlineLineOf(lines, close as number);
  return outlineNodeOf(source, line, found, endLine, {
    whole: /^[\s;,]*$/.test(codeRest) || rest.trim() === "",
    body: bodied
      ? [outlineLineOf(lines, block as number) + 1, outlineLineOf(lines, close as number)]
      : undefined,
  });
}

/** The code of the line up to a place, without blanks at its end. */
const tail = (code: string, at: number): string =>
  code.slice(code.lastIndexOf("\n", at - 1) + 1, at).trimEnd();

/** The next line with code. */
function nextCode(code: string, at: number): string {
  const from = code.slice(at, at + 4000).search(/\S/);
  if (from < 0) return "";
  const end = code.indexOf("\n", at + from);
  return code.slice(at + from, end < 0 ? code.length : end);
}

function indentedNode(source: CodeSource, line: number, found: CodeDeclaration): CodeNode | undefined {
  const { code, parts, lines, brackets, text } = source;
  const own = outlineIndentOf(text.slice(lines[line], lineEnd(source, line))).length;
  let body: number | undefined;
  let end = line;
  let inside = 0;
  for (let next = line; next < lines.length; next++) {
    const start = lines[next] as number;
    const raw = text.slice(start, lineEnd(source, next));
    const continuesHere = next === line || brackets.around(start) >= 0 || insideText(parts, start);
    if (continuesHere) {
      // Brackets around the whole declaration are not those of its head.
      if (next !== line && brackets.around(start) >= 0 && brackets.around(start) < found.at) return undefined;
      end = next;
    } else if (raw.trim() !== "") {
      if (outlineIndentOf(raw).length <= own) break;
      end = next;
      inside += 1;
    }
    if (
      body === undefined &&
      /:\s*$/.test(codeLine(source, next)) &&
      bracketFree(brackets, lineEnd(source, next))
    )
      body = next + 1;
  }
  const oneLine = /:\s*\S/.test(code.slice(headEnd(source, found), lineEnd(source, line)));
  if (inside === 0 && !oneLine && end === line && !/:/.test(codeLine(source, line))) return undefined;
  return outlineNodeOf(source, line, found, end, {
    whole: true,
    body: inside > 0 && body !== undefined ? [body, end + 1] : undefined,
  });
}

const bracketFree = (brackets: CodeBrackets, at: number): boolean => brackets.around(at) < 0;

/** After the parameters. */
function headEnd({ code, brackets }: CodeSource, found: CodeDeclaration): number {
  const open = code.indexOf("(", found.at);
  return (open < 0 ? undefined : brackets.partner.get(open)) ?? found.at;
}

const insideText = (parts: Uint8Array, start: number): boolean =>
  start > 0 && parts[start] === Part.Text && parts[start - 1] === Part.Text;

const outlineIndentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";

function outlineNodeOf(
  source: CodeSource,
  line: number,
  { name, kind }: CodeDeclaration,
  endLine: number,
  { whole, body }: { whole: boolean; body: readonly [number, number] | undefined },
) {
  return {
    name,
    /** `Class.method`. */
    path: name,
    kind,
    line: line + 1,
    endLine: endLine + 1,
    /** The first line of the comments, decorators and attributes right above; `line` without any. */
    leadLine: leadOf(source, line) + 1,
    /** The first line inside of the block, or `undefined` where the block is none or stands on one line. */
    bodyLine: body === undefined ? undefined : body[0] + 1,
    bodyEndLine: body === undefined ? undefined : body[1],
    /** Blanks before it. */
    indent: outlineIndentOf(source.text.slice(source.lines[line], lineEnd(source, line))),
    /** Nothing else stands on its lines. */
    whole,
  };
}

/** Lines count from 1, both ends included. */
export type CodeNode = Readonly<ReturnType<typeof outlineNodeOf>>;

/** Comments, decorators and attributes right above, without an empty line between. */
function leadOf(source: CodeSource, line: number): number {
  const { leads } = source;
  for (let next = leads.length; next <= line; next++) {
    const raw = source.text.slice(source.lines[next - 1], lineEnd(source, next - 1));
    const comment =
      raw.trim() !== "" &&
      codeLine(source, next - 1).trim() === "" &&
      !insideText(source.parts, source.lines[next - 1] as number);
    leads.push(comment || /^\s*(?:@|#\[)/.test(raw) ? (leads[next - 1] as number) : next);
  }
  return leads[line] as number;
}

/** The line of a place, from 0, by where lines begin. */
export function outlineLineOf(lines: readonly number[], at: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** For each of some nodes the last of others that lies around it. Both are in the order of their lines. */
function innermostOf(nodes: readonly CodeNode[], others: readonly CodeNode[]): Map<CodeNode, CodeNode> {
  const around = new Map<CodeNode, CodeNode>();
  const open: CodeNode[] = [];
  let next = 0;
  for (const node of nodes) {
    for (; next < others.length && (others[next] as CodeNode).line <= node.line; next++) {
      const other = others[next] as CodeNode;
      while ((open.at(-1)?.endLine ?? other.line) < other.line) open.pop();
      open.push(other);
    }
    const found = open.findLast(
      (other) =>
        other !== node &&
        node.endLine <= other.endLine &&
        (other.line < node.line || other.endLine > node.endLine),
    );
    if (found !== undefined) around.set(node, found);
  }
  return around;
}

/** A function without a keyword counts where the language has them. */
function isDeclared(around: CodeNode | undefined, language: Language): boolean {
  if (around === undefined) return language.bare === "anywhere";
  return holders.has(around.kind) || (language.bare === "anywhere" && around.kind === "namespace");
}

function withPaths(nodes: readonly CodeNode[]): CodeNode[] {
  const paths = new Map<CodeNode, string>();
  const innermost = innermostOf(nodes, nodes);
  return nodes.map((node) => {
    const around = innermost.get(node);
    const path = around === undefined ? node.name : `${paths.get(around) ?? around.name}.${node.name}`;
    paths.set(node, path);
    return { ...node, path };
  });
}
