/**
 * The tagged text protocol (agents.md §7.2): what a model wrote, read into calls, prose, a done marker and errors.
 *
 * A response is a sequence of top-level blocks. Models break the rules in known ways, and each way is repaired where the
 * meaning is plain; what was repaired is a *violation* (kept, never fatal), what can't be read is an *error* (the model
 * is told). One pass from left to right; whatever fails gives back control after what it looked at, and failed
 * literal scans draw on one budget, so that any input takes time linear in its length.
 *
 *     top level:  think* | <tool_call> | <assistant_prose> | <user_response> | <done> | bare call | markup | stray text
 */
import type { JsonObject } from "../llm/index.ts";
import { parseLiteral, ScanBudget } from "./literal.ts";
import { markupCall } from "./markup-call.ts";
import type { ToolCall } from "./types.ts";
import { unknownToolText } from "./unknown-tool.ts";

/** A call that was read from text: its arguments are complete. */
export type TextCall = Pick<ToolCall, "id" | "name" | "rawArguments"> & { readonly arguments: JsonObject };

export interface TaggedResponse {
  readonly calls: readonly TextCall[];
  /** What could not be read; told to the model. */
  readonly errors: readonly string[];
  /** What was repaired or is out of place. */
  readonly violations: readonly string[];
  /** `user_response` text when there is any, else prose, else "". */
  readonly prose: string;
  /** Prose and responses in order; "" when everything was outside tags. */
  readonly visibleText: string;
  /** Trimmed body of the last done block; null without one. */
  readonly doneMarker: string | null;
  /** A clean re-rendering, stored as the assistant message; the raw text when no block was recognised. */
  readonly canonical: string;
  /** At least one block or call was recognised. */
  readonly recognised: boolean;
}

export interface TaggedOptions {
  /** Names that may be called. `load_skill` and `ledger` always may. */
  readonly toolNames: Iterable<string>;
  /** Number of the first call's id; default 0. */
  readonly firstId?: number;
}

/** Answered by the loop whether or not they are in the registry. */
export const alwaysKnown = ["ledger", "load_skill"] as const;

const openTag = /<(tool_?call|assistant_?prose|user_?response|done)>/g;
const anyTag = /<(\/?)([A-Za-z_][\w.:-]{0,80})([^<>]{0,400})>/y;
const callPrefix =
  /(?:(?:call|tool|tool_call|tool_code|toolcall|use|invoke|python|function|action)\s*:\s*)?/y;
const callHead = /([A-Za-z_][\w.-]*)\(/y;

/** Errors and unknown tags listed; an answer that breaks the rules more often is told so in one line. */
const maxErrors = 20;

type Block =
  | { readonly kind: "call"; readonly call: TextCall }
  | { readonly kind: "broken"; readonly raw: string }
  | { readonly kind: "prose" | "response" | "stray"; readonly text: string }
  | { readonly kind: "done"; readonly marker: string };

export function parseTaggedText(text: string, options: TaggedOptions): TaggedResponse {
  return new TaggedParser(text, options).parse();
}

class TaggedParser {
  private readonly text: string;
  private readonly known: ReadonlySet<string>;
  private readonly budget: ScanBudget;
  private readonly blocks: Block[] = [];
  private readonly errors: string[] = [];
  private readonly violations: string[] = [];
  private readonly bare: string[] = [];
  private readonly unknownTags = new Set<string>();
  private readonly unknownTools = new Set<string>();
  private nextId: number;
  private pos = 0;
  /** Where the stray text that is being passed begins. */
  private strayFrom = 0;
  /** The last search for each closing tag: from where, and what it found. */
  private readonly found = new Map<string, { from: number; at: number }>();
  private unlisted = 0;

  constructor(text: string, options: TaggedOptions) {
    this.text = text;
    this.known = new Set([...options.toolNames, ...alwaysKnown]);
    this.budget = new ScanBudget(text.length);
    this.nextId = options.firstId ?? 0;
  }

  parse(): TaggedResponse {
    const { text } = this;
    let lineStart = true;
    this.skipFenceLine();
    while (this.pos < text.length) {
      if (lineStart && this.bareCall()) continue;
      const c = text[this.pos];
      if (c === "<" && this.tag()) {
        lineStart = true;
        continue;
      }
      if (c === "\n") {
        this.pos++;
        lineStart = true;
        this.skipFenceLine();
      } else {
        lineStart = false;
        this.pos = this.nextPoint(this.pos + 1);
      }
    }
    this.stray(text.length);
    return this.finish();
  }

  /** The next place where anything but stray text may begin. */
  private nextPoint(from: number): number {
    let at = from;
    while (at < this.text.length) {
      const c = this.text.charCodeAt(at);
      if (c === 60 || c === 10) return at;
      at++;
    }
    return at;
  }

  /** Passes a line that only opens or closes a code fence; its content is read like any other text. */
  private skipFenceLine(): void {
    const fence = /[ \t]*(?:```|~~~)[\w-]*[ \t]*(?=\r?\n|$)/y;
    fence.lastIndex = this.pos;
    const found = fence.exec(this.text);
    if (found === null) return;
    this.stray(this.pos);
    this.pos += found[0].length;
    this.strayFrom = this.pos;
  }

  /** Ends the stray text before `end`. */
  private stray(end: number): void {
    const text = this.text.slice(this.strayFrom, end).trim();
    if (text !== "") this.blocks.push({ kind: "stray", text });
    this.strayFrom = end;
  }

  private resume(at: number): void {
    this.pos = at;
    this.strayFrom = at;
  }

  /** Position of `needle` at or after `from`, or -1. Each stretch of text is searched once. */
  private find(needle: string, from: number): number {
    const last = this.found.get(needle);
    if (last !== undefined && from >= last.from && (last.at === -1 || from <= last.at)) return last.at;
    const at = this.text.indexOf(needle, from);
    this.found.set(needle, { from, at });
    return at;
  }

  private error(text: string): void {
    if (this.errors.length < maxErrors) this.errors.push(text);
    else this.unlisted++;
  }

  // ── tags ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Reads the tag at `pos`. False: it is only a `<`. */
  private tag(): boolean {
    anyTag.lastIndex = this.pos;
    const found = anyTag.exec(this.text);
    if (found === null) return this.angleCall();
    const [whole, slash, rawName, rest] = found as unknown as [string, string, string, string];
    const name = rawName.toLowerCase();
    const after = this.pos + whole.length;
    if (slash === "/") {
      // Orphan closing tags mean nothing.
      this.stray(this.pos);
      this.resume(after);
      return true;
    }
    if (name === "function_calls" || name === "tool_calls") {
      this.stray(this.pos);
      this.resume(after);
      return true;
    }
    if (name === "think" || name === "thinking" || name === "reasoning") return this.reasoning(name, after);
    if (name === "tool_call" || name === "toolcall") return this.toolCall(after);
    if (name === "assistant_prose" || name === "assistantprose") return this.proseBlock("prose", name, after);
    if (name === "user_response" || name === "userresponse") return this.proseBlock("response", name, after);
    if (name === "done") return this.done(after);
    if (this.markup(name, rawName, rest)) return true;
    if (this.known.has(rawName) && rest.trimStart().startsWith("(")) return this.angleCall();
    this.unknownTags.add(rawName);
    this.stray(this.pos);
    this.resume(after);
    return true;
  }

  private reasoning(name: string, after: number): boolean {
    this.stray(this.pos);
    const close = this.find(`</${name}>`, after);
    this.resume(close === -1 ? after : close + name.length + 3);
    return true;
  }

  /** `<name({...})>`: a registered tool called in angle brackets. */
  private angleCall(): boolean {
    callHead.lastIndex = this.pos + 1;
    const head = callHead.exec(this.text);
    if (head === null || !this.known.has(head[1] as string)) return false;
    return this.callAt(head[1] as string, this.pos, callHead.lastIndex, ">");
  }

  /** `<function=…>`, `<invoke …>`, `<tool>{json}</tool>` at top level. */
  private markup(name: string, rawName: string, rest: string): boolean {
    const isForm =
      name.startsWith("function") || name === "invoke" || (this.known.has(rawName) && rest.trim() === "");
    if (!isForm) return false;
    const close = name.startsWith("function")
      ? "</function>"
      : name === "invoke"
        ? "</invoke>"
        : `</${rawName}>`;
    const end = this.find(close, this.pos);
    if (end === -1) return false;
    const from = this.pos;
    const until = end + close.length;
    const call = markupCall(this.text.slice(from, until), this.budget);
    if (call === undefined) return false;
    this.stray(from);
    this.addCall(call.name, call.json);
    this.bare.push(call.name);
    this.resume(until);
    return true;
  }

  private proseBlock(kind: "prose" | "response", name: string, after: number): boolean {
    this.stray(this.pos);
    const close = this.find(`</${name}>`, after);
    openTag.lastIndex = after;
    let end = close;
    if (close === -1) {
      // Accepted at the end of the answer; before a further block that block is what closes it.
      const next = openTag.exec(this.text);
      end = next === null ? this.text.length : next.index;
      if (next !== null) this.violations.push(`<${name}> is not closed`);
    }
    const text = withoutThink(this.text.slice(after, end)).trim();
    if (text !== "") this.blocks.push({ kind, text });
    this.resume(close === -1 ? end : end + name.length + 3);
    return true;
  }

  private done(after: number): boolean {
    this.stray(this.pos);
    const close = this.find("</done>", after);
    const end = close !== -1 ? close : this.endOfLine(after);
    const marker = this.text.slice(after, end).trim();
    if (marker === "") this.violations.push("<done> block is empty");
    else this.blocks.push({ kind: "done", marker });
    this.resume(close === -1 ? end : end + 7);
    return true;
  }

  private endOfLine(from: number): number {
    const eol = this.find("\n", from);
    return eol === -1 ? this.text.length : eol;
  }

  // ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

  private toolCall(after: number): boolean {
    this.stray(this.pos);
    const closeAt = this.closing(after);
    openTag.lastIndex = after;
    const next = openTag.exec(this.text);
    const closed = closeAt !== -1 && (next === null || closeAt < next.index);
    const limit = closed ? closeAt : (next?.index ?? this.text.length);
    const start = this.callStart(after, limit);
    if (start === undefined) {
      const body = this.text.slice(after, limit);
      const inside = this.structuredBody(body);
      if (inside !== undefined) this.addCall(inside.name, inside.json);
      else if (!closed)
        this.broken(after, limit, truncated("the block is not closed and holds no complete call"));
      else this.broken(after, limit, "<tool_call> body did not contain a bare `name({ ... })` expression");
      this.resume(this.afterClosing(limit));
      return true;
    }
    if (start.narration !== "") this.blocks.push({ kind: "prose", text: start.narration });
    this.callInBlock(after, start.name, start.args, limit, closed);
    return true;
  }

  /** One `name(` whose arguments begin at `args`, inside a block that ends at `limit` as far as one can see. */
  private callInBlock(blockFrom: number, name: string, args: number, limit: number, closed: boolean): void {
    const open = skipBlanks(this.text, args);
    if (this.text[open] !== "{") {
      const problem =
        closed || open < this.text.length
          ? `Tool '${name}' must be called with an object literal argument, as in \`${name}({ key: value })\``
          : truncated(`\`${name}(\` has no arguments`);
      this.broken(blockFrom, limit, problem);
      this.resume(this.afterClosing(limit));
      return;
    }
    const literal = this.budget.exhausted
      ? ({ ok: false, reason: "too much unreadable text before it", at: open, truncated: false } as const)
      : parseLiteral(this.text, open, this.budget);
    if (!literal.ok) {
      this.broken(
        blockFrom,
        limit,
        !closed
          ? truncated(`\`${name}(...)\` — ${literal.reason}`)
          : `TOOL CALL PARSE ERROR: \`${name}(...)\` — ${literal.reason}`,
      );
      this.resume(this.afterClosing(limit));
      return;
    }
    // A string of the arguments may contain `</tool_call>`: what closes the block stands after the literal.
    const rest = this.restOfBlock(literal.end);
    if (this.callStart(rest.from, rest.end) !== undefined) {
      this.broken(
        blockFrom,
        rest.end,
        `<tool_call> with \`${name}\` holds more than one call: emit one call per <tool_call> block`,
      );
    } else {
      this.addCall(name, literal.json);
      const tail = fenceless(this.text.slice(rest.from, rest.end));
      if (tail !== "") this.blocks.push({ kind: "prose", text: tail });
    }
    this.resume(rest.next);
  }

  /** What follows a complete literal up to the end of its block. */
  private restOfBlock(literalEnd: number): { from: number; end: number; next: number } {
    let from = skipBlanks(this.text, literalEnd);
    if (this.text[from] === ",") from = skipBlanks(this.text, from + 1);
    if (this.text[from] === ")") from++;
    if (this.text[from] === ";") from++;
    const close = this.closing(from);
    openTag.lastIndex = from;
    const open = openTag.exec(this.text);
    if (open !== null && (close === -1 || open.index < close))
      return { from, end: open.index, next: open.index };
    const end = close === -1 ? this.text.length : close;
    return { from, end, next: this.afterClosing(end) };
  }

  private closing(from: number): number {
    const a = this.find("</tool_call>", from);
    const b = this.find("</toolcall>", from);
    return a === -1 ? b : b === -1 ? a : Math.min(a, b);
  }

  private afterClosing(at: number): number {
    if (this.text.startsWith("</tool_call>", at)) return at + 12;
    return this.text.startsWith("</toolcall>", at) ? at + 11 : at;
  }

  /**
   * The call in a stretch of a block: `name(` at its beginning (after blanks, fences, a prefix), else the first
   * registered name with `(` after narration.
   */
  private callStart(
    from: number,
    end: number,
  ): { name: string; args: number; narration: string } | undefined {
    const at = this.afterDecoration(from, end);
    callHead.lastIndex = at;
    const head = callHead.exec(this.text);
    if (head !== null && callHead.lastIndex <= end)
      return { name: head[1] as string, args: callHead.lastIndex, narration: "" };
    const first = this.text[at];
    if (first === "{" || first === "<") return undefined;
    for (
      let paren = this.text.indexOf("(", at);
      paren !== -1 && paren < end;
      paren = this.text.indexOf("(", paren + 1)
    ) {
      const name = /[A-Za-z_][\w.-]{0,127}$/.exec(this.text.slice(Math.max(at, paren - 128), paren))?.[0];
      if (name === undefined || !this.known.has(name) || this.text[skipBlanks(this.text, paren + 1)] !== "{")
        continue;
      return { name, args: paren + 1, narration: fenceless(this.text.slice(from, paren - name.length)) };
    }
    return undefined;
  }

  /** Passes blanks, reasoning, a fence opening and a prefix such as `call:`. */
  private afterDecoration(from: number, end: number): number {
    let at = skipBlanks(this.text, from);
    for (;;) {
      const think = /<(think|thinking|reasoning)>/y;
      think.lastIndex = at;
      const found = think.exec(this.text);
      if (found !== null) {
        const close = this.find(`</${found[1]}>`, at);
        at = skipBlanks(
          this.text,
          close === -1 || close > end ? think.lastIndex : close + (found[1] as string).length + 3,
        );
        continue;
      }
      const fence = /(?:```|~~~)[\w-]*[ \t]*\r?\n/y;
      fence.lastIndex = at;
      if (fence.test(this.text)) {
        at = skipBlanks(this.text, fence.lastIndex);
        continue;
      }
      break;
    }
    callPrefix.lastIndex = at;
    callPrefix.exec(this.text);
    return callPrefix.lastIndex > at ? skipBlanks(this.text, callPrefix.lastIndex) : at;
  }

  /** JSON or markup in place of `name({...})`. */
  private structuredBody(body: string): { name: string; json: string } | undefined {
    const inner = fenceless(withoutThink(body));
    return inner === "" || this.budget.exhausted ? undefined : markupCall(inner, this.budget);
  }

  /** A call on a line of its own outside tags, of a registered tool. */
  private bareCall(): boolean {
    const { text } = this;
    let at = this.pos;
    while (text[at] === " " || text[at] === "\t") at++;
    const angle = text[at] === "<";
    if (angle) at++;
    callPrefix.lastIndex = at;
    callPrefix.exec(text);
    callHead.lastIndex = Math.max(at, callPrefix.lastIndex);
    const head = callHead.exec(text);
    if (head === null || !this.known.has(head[1] as string)) return false;
    return this.callAt(head[1] as string, this.pos, callHead.lastIndex, angle ? ">" : "");
  }

  /** A bare call whose arguments begin at `args`; passes it when it can be read. */
  private callAt(name: string, from: number, args: number, closer: string): boolean {
    const open = skipBlanks(this.text, args);
    if (this.text[open] !== "{" || this.budget.exhausted) return false;
    const literal = parseLiteral(this.text, open, this.budget);
    if (!literal.ok) {
      this.stray(from);
      const reason = literal.truncated
        ? truncated(`\`${name}(...)\` — ${literal.reason}`)
        : `TOOL CALL PARSE ERROR: \`${name}(...)\` — ${literal.reason}`;
      this.error(reason);
      this.bare.push(name);
      // The text itself stays in the answer as it was written.
      this.pos = Math.max(this.nextPoint(args), this.pos + 1);
      return true;
    }
    this.stray(from);
    this.addCall(name, literal.json);
    this.bare.push(name);
    let end = skipBlanks(this.text, literal.end);
    if (this.text[end] === ")") end++;
    else end = literal.end;
    if (this.text[end] === ";") end++;
    if (closer !== "" && this.text[end] === closer) end++;
    this.resume(end);
    return true;
  }

  private addCall(name: string, json: string): void {
    if (!this.known.has(name)) {
      if (!this.unknownTools.has(name)) this.error(unknownToolText(name, this.known));
      this.unknownTools.add(name);
      this.blocks.push({ kind: "broken", raw: `${name}(${json})` });
      return;
    }
    const call: TextCall = {
      id: `tc_${this.nextId++}`,
      name,
      arguments: JSON.parse(json) as JsonObject,
      rawArguments: json,
    };
    this.blocks.push({ kind: "call", call });
  }

  private broken(from: number, end: number, error: string): void {
    this.error(error);
    this.blocks.push({ kind: "broken", raw: this.text.slice(from, end).trim() });
  }

  // ── the result ─────────────────────────────────────────────────────────────────────────────────────────────────

  private finish(): TaggedResponse {
    const { blocks, violations } = this;
    const of = (kind: "prose" | "response" | "stray"): string[] =>
      blocks.flatMap((block) => (block.kind === kind ? [block.text] : []));
    if (of("stray").length > 0) violations.push("Stray text outside response tags");
    if (this.unlisted > 0) this.errors.push(`… and ${this.unlisted} more like these`);
    for (const tag of [...this.unknownTags].slice(0, maxErrors))
      violations.push(`Unknown top-level tag <${tag}>`);
    if (this.bare.length > 0) {
      violations.push(`${[...new Set(this.bare)].join(", ")}: emitted as bare text outside <tool_call> tags`);
    }
    const recognised = blocks.some((block) => block.kind !== "stray");
    const response = of("response");
    const prose = response.length > 0 ? response : of("prose");
    const seen = blocks.flatMap((block) =>
      block.kind === "prose" || block.kind === "response" ? [block.text] : [],
    );
    return {
      calls: blocks.flatMap((block) => (block.kind === "call" ? [block.call] : [])),
      errors: this.errors,
      violations,
      prose: prose.join("\n\n"),
      visibleText: seen.join("\n\n"),
      doneMarker: blocks.reduce<string | null>(
        (marker, block) => (block.kind === "done" ? block.marker : marker),
        null,
      ),
      canonical: recognised ? blocks.map(renderTaggedText).join("\n") : this.text,
      recognised,
    };
  }
}

function renderTaggedText(block: Block): string {
  switch (block.kind) {
    case "call":
      return `<tool_call>\n${block.call.name}(${prettyJson(block.call.rawArguments)})\n</tool_call>`;
    case "broken":
      return `<tool_call>\n${block.raw}\n</tool_call>`;
    case "prose":
    case "stray":
      return `<assistant_prose>${block.text}</assistant_prose>`;
    case "response":
      return `<user_response>${block.text}</user_response>`;
    case "done":
      return `<done>${block.marker}</done>`;
  }
}

function prettyJson(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}

function truncated(what: string): string {
  return `TOOL CALL TRUNCATED: ${what}. Send the whole call again, shorter if it was too long.`;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return at;
    at++;
  }
  return at;
}

/** Reasoning blocks cut out; a marker without its partner is dropped alone. */
function withoutThink(text: string): string {
  if (!text.includes("think") && !text.includes("reasoning")) return text;
  const parts: string[] = [];
  const tags = /<(\/?)(think|thinking|reasoning)>/g;
  const unmatched = new Set<string>();
  let from = 0;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    parts.push(text.slice(from, tag.index));
    from = tags.lastIndex;
    const name = tag[2] as string;
    if (tag[1] === "/" || unmatched.has(name)) continue;
    const close = text.indexOf(`</${name}>`, from);
    if (close === -1) {
      unmatched.add(name);
      continue;
    }
    from = close + name.length + 3;
    tags.lastIndex = from;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

/** Trimmed, without lines that only open or close a code fence. */
function fenceless(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*(?:```|~~~)[\w-]*\s*$/.test(line))
    .join("\n")
    .trim();
}
