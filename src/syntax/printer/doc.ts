/**
 * A small layout language: text with places where a line may break. A group is printed on one line when it fits and
 * with all of its own places broken when it does not; groups inside decide for themselves.
 */

export type Doc =
  | string
  | readonly Doc[]
  /** A place to break: nothing or a blank on one line, a line break when its group is broken. */
  | { readonly kind: "line"; readonly flat: string }
  /** A line break in any case (the groups around it are broken), except inside `flat`. */
  | { readonly kind: "hard"; readonly flat: string }
  | { readonly kind: "indent"; readonly body: Doc }
  /** `fromHere`: whether it fits is counted from its own beginning, not from that of the line (language.md §26). */
  | { readonly kind: "group"; readonly body: Doc; readonly fromHere: boolean }
  /** As a group, but only what stands before the first line break inside has to fit. */
  | { readonly kind: "firstLine"; readonly body: Doc }
  /** `yes` if `probe` fits: all of it, counted from here, or else its first line, counted from the line's beginning. */
  | {
      readonly kind: "choice";
      readonly probe: Doc;
      readonly yes: Doc;
      readonly no: Doc;
      readonly fromHere: boolean;
    }
  /** Text only in a broken group: the last comma of a list. */
  | { readonly kind: "whenBroken"; readonly text: string }
  /** What must stay on one line: a hole of a string. */
  | { readonly kind: "flat"; readonly body: Doc }
  /** Text of several lines that is taken as it is. */
  | { readonly kind: "verbatim"; readonly text: string }
  /** A `//` comment: printed where its line ends, and nothing that holds one stays on one line. */
  | { readonly kind: "suffix"; readonly text: string };

export const line: Doc = { kind: "line", flat: " " };
export const softLine: Doc = { kind: "line", flat: "" };
export const hardLine: Doc = { kind: "hard", flat: " " };
/** Between two statements. */
export const statementBreak: Doc = { kind: "hard", flat: "; " };

export function indent(body: Doc): Doc {
  return { kind: "indent", body };
}

export function group(body: Doc, fromHere = false): Doc {
  return { kind: "group", body, fromHere };
}

/** `separator` between the items. */
export function join(separator: Doc, items: readonly Doc[]): Doc {
  return items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
}

export interface BracketStyle {
  /** Whether it fits is counted from the opening text, not from the line's beginning (the default). */
  readonly fromHere?: boolean;
  /** Blanks inside the brackets on one line. */
  readonly blanks?: boolean;
  /** Stands after the last item, on lines of its own. */
  readonly tail?: Doc | undefined;
}

/** `open item, item close` on one line, or one item for each line with a comma after the last. */
export function bracketed(open: string, items: readonly Doc[], close: string, style: BracketStyle = {}): Doc {
  const { tail, fromHere = true } = style;
  if (items.length === 0) return tail === undefined ? open + close : group([open, tail, close], fromHere);
  const edge = style.blanks === true ? line : softLine;
  const commas = join([",", line], items);
  const comma: Doc = { kind: "whenBroken", text: "," };
  const last = tail === undefined ? comma : [comma, indent([hardLine, tail])];
  return group([open, indent([edge, commas]), last, edge, close], fromHere);
}

/** The text of a document. */
export function layOut(doc: Doc, width: number): string {
  return new Layout(width).run(doc);
}

interface LayoutTask {
  readonly doc: Doc;
  readonly indentation: number;
  readonly mode: LayoutMode;
}

/** `flat`: nothing inside may break any more; `fitting`: this group is on one line, groups inside see for themselves. */
type LayoutMode = "broken" | "fitting" | "flat";

const STEP = 2;

class Layout {
  private readonly width: number;
  private readonly out: string[] = [];
  private column = 0;
  /** Which pieces of the output are not ours to trim. */
  private readonly kept = new Set<number>();
  /** Comments that wait for the end of the line. */
  private suffix = "";

  constructor(width: number) {
    this.width = width;
  }

  run(doc: Doc): string {
    const tasks: LayoutTask[] = [{ doc, indentation: 0, mode: "broken" }];
    while (tasks.length > 0) this.step(tasks.pop()!, tasks);
    this.endLine();
    return this.out.join("");
  }

  private step(task: LayoutTask, tasks: LayoutTask[]): void {
    const { doc, indentation, mode } = task;
    if (typeof doc === "string") this.text(doc);
    else if (isDocList(doc))
      for (let i = doc.length - 1; i >= 0; i--) tasks.push({ doc: doc[i]!, indentation, mode });
    else if (doc.kind === "hard") this.newLine(indentation);
    else if (doc.kind === "flat") this.text(flatText(doc.body));
    else if (doc.kind === "line") mode === "broken" ? this.newLine(indentation) : this.text(doc.flat);
    else if (doc.kind === "indent") tasks.push({ doc: doc.body, indentation: indentation + STEP, mode });
    else if (doc.kind === "whenBroken") this.text(mode === "broken" ? doc.text : "");
    else if (doc.kind === "verbatim") this.verbatim(doc.text);
    else if (doc.kind === "suffix") this.suffix += doc.text;
    else if (doc.kind === "choice") tasks.push({ doc: this.choose(doc, mode), indentation, mode });
    else tasks.push({ doc: doc.body, indentation, mode: mode === "flat" ? mode : this.modeOf(doc) });
  }

  /** What fits when counted from its own beginning is printed on one line whatever its column is. */
  private modeOf(doc: Extract<Doc, { kind: "group" | "firstLine" }>): LayoutMode {
    if (doc.kind === "firstLine") return this.fits(doc.body, this.column, true) ? "fitting" : "broken";
    if (!this.fits(doc.body, doc.fromHere ? 0 : this.column)) return "broken";
    return doc.fromHere ? "flat" : "fitting";
  }

  private choose(doc: Extract<Doc, { kind: "choice" }>, mode: LayoutMode): Doc {
    if (mode === "flat") return doc.yes;
    return this.fits(doc.probe, doc.fromHere ? 0 : this.column, !doc.fromHere) ? doc.yes : doc.no;
  }

  private text(text: string): void {
    this.out.push(text);
    this.column += text.length;
  }

  private newLine(indentation: number): void {
    this.endLine();
    this.out.push("\n", " ".repeat(indentation));
    this.column = indentation;
  }

  /** Puts waiting comments down, and takes blanks away that nothing follows: only our own, never those of a string. */
  private endLine(): void {
    const { out } = this;
    while (out.length > 0 && /^ *$/.test(out.at(-1)!)) out.pop();
    const last = out.at(-1);
    if (last?.endsWith(" ") && !this.kept.has(out.length - 1)) out[out.length - 1] = last.trimEnd();
    if (this.suffix === "") return;
    out.push(this.suffix);
    this.suffix = "";
  }

  private verbatim(text: string): void {
    this.kept.add(this.out.push(text) - 1);
    this.column = text.length - text.lastIndexOf("\n") - 1;
  }

  /** Does a document (with `lenient`: its first line) fit on a line from a column on? */
  private fits(doc: Doc, from: number, lenient = false): boolean {
    let left = this.width - from;
    const rest: Doc[] = [doc];
    while (rest.length > 0 && left >= 0) {
      const next = rest.pop()!;
      if (typeof next === "string") left -= next.length;
      else if (isDocList(next)) for (let i = next.length - 1; i >= 0; i--) rest.push(next[i]!);
      else if (next.kind === "hard" || next.kind === "suffix") return lenient;
      else if (next.kind === "verbatim") {
        // A string of several lines breaks nothing around it: what counts is where its first line ends, and no remark.
        const lineEnd = next.text.indexOf("\n");
        if (lineEnd >= 0) return left >= lineEnd && (lenient || !rest.some(endsLine));
        left -= next.text.length;
      } else if (next.kind === "flat") left -= flatText(next.body).length;
      else if (next.kind === "line") left -= next.flat.length;
      else if (next.kind === "choice") rest.push(next.probe);
      else if (next.kind !== "whenBroken") rest.push(next.body);
    }
    return left >= 0;
  }
}

/** Does a document end its line however much room there is? */
function endsLine(doc: Doc): boolean {
  if (typeof doc === "string") return false;
  if (isDocList(doc)) return doc.some(endsLine);
  if (doc.kind === "choice") return endsLine(doc.probe);
  return (
    doc.kind === "hard" ||
    doc.kind === "suffix" ||
    ("body" in doc && doc.kind !== "flat" && endsLine(doc.body))
  );
}

/** A document on one line. */
function flatText(doc: Doc): string {
  if (typeof doc === "string") return doc;
  if (isDocList(doc)) return doc.map(flatText).join("");
  switch (doc.kind) {
    case "hard":
    case "line":
      return doc.flat;
    case "whenBroken":
      return "";
    case "verbatim":
    case "suffix":
      return doc.text;
    case "choice":
      return flatText(doc.probe);
    default:
      return flatText(doc.body);
  }
}

function isDocList(doc: Doc): doc is readonly Doc[] {
  return Array.isArray(doc);
}
