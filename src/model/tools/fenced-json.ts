/**
 * The fenced JSON protocol (agents.md §7.3): each call is a fence of its own, `{"name": …, "args": {…}}` between a line
 * of three backticks with the word `tool` and a line of three backticks. Everything outside the fences is prose.
 *
 * JSON that is plainly a call but stands in another fence (```json, tildes) is run and kept as a violation; a fence that
 * holds other data is a part of the answer. What cannot be read is an error, told to the model. One pass over the lines.
 */
import { isObject, type JsonObject } from "../llm/index.ts";
import { parseLiteral, ScanBudget } from "./literal.ts";
import { alwaysKnown, type TaggedOptions, type TaggedResponse, type TextCall } from "./tagged-text.ts";
import { unknownToolText } from "./unknown-tool.ts";
import { withoutReasoning } from "./visible-text.ts";

/** A call as this protocol writes it. */
export function fencedCall(name: string, rawArguments: string): string {
  return `\`\`\`tool\n{"name": ${JSON.stringify(name)}, "args": ${rawArguments === "" ? "{}" : rawArguments}}\n\`\`\``;
}

/** Reads an answer; the result has the shape of the tagged protocol's. */
export function parseFencedJson(text: string, options: TaggedOptions): TaggedResponse {
  return new FenceParser(withoutReasoning(text), options).parse();
}

const opening = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w-]*)[ \t]*\r?$/;
const callWords: ReadonlySet<string> = new Set(["tool", "tool_call"]);
/** Fences in which a call may stand by mistake. */
const otherWords: ReadonlySet<string> = new Set(["", "json", "tool", "tool_call", "tool_code"]);
const argumentKeys = ["args", "arguments", "parameters"];

interface Fence {
  readonly mark: string;
  readonly word: string;
  readonly body: string;
  /** Line after the fence. */
  readonly end: number;
  readonly closed: boolean;
}

type FencedCall =
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: JsonObject;
      readonly raw: string;
      readonly key: string;
    }
  | { readonly kind: "broken"; readonly why: string };

class FenceParser {
  private readonly lines: readonly string[];
  private readonly options: TaggedOptions;
  private readonly known: ReadonlySet<string>;
  private readonly calls: TextCall[] = [];
  private readonly errors: string[] = [];
  private readonly violations: string[] = [];
  private readonly prose: string[] = [];
  /** Prose and calls in order. */
  private readonly canonical: string[] = [];

  constructor(text: string, options: TaggedOptions) {
    this.lines = text.split("\n");
    this.options = options;
    this.known = new Set([...options.toolNames, ...alwaysKnown]);
  }

  parse(): TaggedResponse {
    let from = 0;
    for (let at = 0; at < this.lines.length; ) {
      const fence = this.fenceAt(at);
      if (fence === undefined) at++;
      else {
        if (this.take(fence, from, at)) from = fence.end;
        at = fence.end;
      }
    }
    this.say(from, this.lines.length);
    const prose = this.prose.join("\n\n");
    return {
      calls: this.calls,
      errors: this.errors,
      violations: this.violations,
      prose,
      visibleText: prose,
      doneMarker: /<done>([\s\S]*?)<\/done>/.exec(prose)?.[1]?.trim() ?? null,
      canonical: this.canonical.join("\n\n"),
      recognised: this.calls.length + this.errors.length > 0,
    };
  }

  private fenceAt(at: number): Fence | undefined {
    const open = opening.exec(this.lines[at] as string);
    if (open === null) return undefined;
    const [, mark = "", word = ""] = open;
    const close = this.closingLine(at + 1, mark);
    const closed = close < this.lines.length;
    const body = this.lines.slice(at + 1, close).join("\n");
    return { mark, word: word.toLowerCase(), body, end: closed ? close + 1 : close, closed };
  }

  private closingLine(from: number, mark: string): number {
    const sign = mark[0] as string;
    for (let at = from; at < this.lines.length; at++) {
      const line = (this.lines[at] as string).trim();
      if (line.length >= mark.length && line === sign.repeat(line.length)) return at;
    }
    return this.lines.length;
  }

  /** Reads a fence as a call; false when it is a part of the prose. `from` is where the prose before it begins. */
  private take(fence: Fence, from: number, at: number): boolean {
    if (fence.mark[0] === "`" && callWords.has(fence.word)) {
      this.say(from, at);
      if (!fence.closed)
        this.fail("TOOL CALL TRUNCATED: the ```tool block is not closed by a line of three backticks");
      else this.read(parseFencedCall(fence.body));
      return true;
    }
    if (!fence.closed || !otherWords.has(fence.word)) return false;
    const read = parseFencedCall(fence.body);
    if (read.kind === "broken" || read.key === "" || !this.known.has(read.name)) return false;
    this.say(from, at);
    this.violations.push(
      `The call of '${read.name}' stands in a ${fence.mark}${fence.word} fence; use \`\`\`tool`,
    );
    this.read(read);
    return true;
  }

  private read(read: FencedCall): void {
    if (read.kind === "broken") {
      this.fail(`TOOL CALL PARSE ERROR: ${read.why}`);
      return;
    }
    const { name, args, raw, key } = read;
    if (!this.known.has(name)) {
      this.fail(unknownToolText(name, this.known));
      return;
    }
    if (key !== "args" && key !== "")
      this.violations.push(`The arguments of '${name}' stand under \`${key}\`; use \`args\``);
    const id = `tc_${(this.options.firstId ?? 0) + this.calls.length}`;
    this.calls.push({ id, name, arguments: args, rawArguments: raw });
    this.canonical.push(fencedCall(name, raw));
  }

  private fail(text: string): void {
    this.errors.push(text);
  }

  private say(from: number, to: number): void {
    const text = this.lines.slice(from, to).join("\n").trim();
    if (text === "") return;
    this.prose.push(text);
    this.canonical.push(text);
  }
}

/** One JSON object with a name; `key` is where its arguments stood, "" when it has none. */
function parseFencedCall(body: string): FencedCall {
  const text = body.trim();
  const broken = (why: string): FencedCall => ({ kind: "broken", why });
  if (!text.startsWith("{")) return broken("a ```tool block must hold a single JSON object");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const several = parseLiteral(text, 0, new ScanBudget(text.length));
    if (several.ok && text.slice(several.end).trim() !== "")
      return broken("a ```tool block must hold a single JSON object; write one block per call");
    return broken(`invalid JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  // JSON itself has no limit of depth, everything that walks the arguments has.
  const walked = parseLiteral(text, 0, new ScanBudget(text.length));
  if (!isObject(value) || !walked.ok)
    return broken(walked.ok ? "a ```tool block must hold a single JSON object" : walked.reason);
  if (typeof value.name !== "string" || value.name === "") return broken("the call has no `name`");
  const key = argumentKeys.find((name) => Object.hasOwn(value as object, name)) ?? "";
  const args = key === "" ? {} : value[key];
  if (!isObject(args)) return broken(`the \`${key}\` of '${value.name}' must be an object`);
  return { kind: "call", name: value.name, args, raw: key === "" ? "{}" : rawValue(text, key), key };
}

/** The text of a top-level member of an object that is known to be JSON; the last one of that name counts. */
function rawValue(text: string, key: string): string {
  const budget = new ScanBudget(text.length);
  const member = /\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
  let found = "{}";
  for (let at = 0; at < text.length; ) {
    member.lastIndex = at;
    const match = member.exec(text);
    if (match === null) return found;
    const end = endOfValue(text, member.lastIndex, budget);
    if (JSON.parse(match[1] as string) === key) found = text.slice(member.lastIndex, end).trim();
    at = end;
  }
  return found;
}

function endOfValue(text: string, at: number, budget: ScanBudget): number {
  if (text[at] === "{" || text[at] === "[") {
    const literal = parseLiteral(text, at, budget);
    return literal.ok ? literal.end : text.length;
  }
  const scalar = /"(?:[^"\\]|\\.)*"|[^\s,}\]]+/y;
  scalar.lastIndex = at;
  return scalar.exec(text) === null ? text.length : scalar.lastIndex;
}
