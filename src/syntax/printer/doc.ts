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
  /** Text only in a broken group: the last comma of a list. */
  | { readonly kind: "whenBroken"; readonly text: string }
  /** What must stay on one line: a hole of a string. */
  | { readonly kind: "flat"; readonly body: Doc }
  /** Text of several lines that is taken as it is. */
  | { readonly kind: "verbatim"; readonly text: string };

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

/** `open item, item close` on one line, or one item for each line with a comma behind the last. */
export function bracketed(open: string, items: readonly Doc[], close: string): Doc {
  if (items.length === 0) return open + close;
  const commas = join([",", line], items);
  return group([open, indent([softLine, commas]), { kind: "whenBroken", text: "," }, softLine, close], true);
}

/** The text of a document. */
export function layOut(doc: Doc, width: number): string {
  return new Layout(width).run(doc);
}

interface Task {
  readonly doc: Doc;
  readonly indentation: number;
  readonly broken: boolean;
}

const STEP = 2;

class Layout {
  private readonly width: number;
  private readonly out: string[] = [];
  private column = 0;

  constructor(width: number) {
    this.width = width;
  }

  run(doc: Doc): string {
    const tasks: Task[] = [{ doc, indentation: 0, broken: true }];
    while (tasks.length > 0) this.step(tasks.pop()!, tasks);
    return this.out.join("").replace(/[ \t]+$/gm, "");
  }

  private step(task: Task, tasks: Task[]): void {
    const { doc, indentation, broken } = task;
    if (typeof doc === "string") this.text(doc);
    else if (isList(doc))
      for (let i = doc.length - 1; i >= 0; i--) tasks.push({ doc: doc[i]!, indentation, broken });
    else if (doc.kind === "hard") this.newLine(indentation);
    else if (doc.kind === "flat") this.text(flatText(doc.body));
    else if (doc.kind === "line") broken ? this.newLine(indentation) : this.text(doc.flat);
    else if (doc.kind === "indent") tasks.push({ doc: doc.body, indentation: indentation + STEP, broken });
    else if (doc.kind === "whenBroken") this.text(broken ? doc.text : "");
    else if (doc.kind === "verbatim") this.verbatim(doc.text);
    else
      tasks.push({
        doc: doc.body,
        indentation,
        broken: !this.fits(doc.body, doc.fromHere ? 0 : this.column),
      });
  }

  private text(text: string): void {
    this.out.push(text);
    this.column += text.length;
  }

  private newLine(indentation: number): void {
    this.out.push(`\n${" ".repeat(indentation)}`);
    this.column = indentation;
  }

  private verbatim(text: string): void {
    this.out.push(text);
    this.column = text.length - text.lastIndexOf("\n") - 1;
  }

  /** Does a document fit on one line that begins at a column? */
  private fits(doc: Doc, from: number): boolean {
    let left = this.width - from;
    const rest: Doc[] = [doc];
    while (rest.length > 0) {
      const next = rest.pop()!;
      if (typeof next === "string") left -= next.length;
      else if (isList(next)) for (let i = next.length - 1; i >= 0; i--) rest.push(next[i]!);
      else if (next.kind === "hard" || next.kind === "verbatim") return false;
      else if (next.kind === "flat") left -= flatText(next.body).length;
      else if (next.kind === "line") left -= next.flat.length;
      else if (next.kind === "indent" || next.kind === "group") rest.push(next.body);
      if (left < 0) return false;
    }
    return true;
  }
}

/** A document on one line. */
function flatText(doc: Doc): string {
  if (typeof doc === "string") return doc;
  if (isList(doc)) return doc.map(flatText).join("");
  switch (doc.kind) {
    case "hard":
    case "line":
      return doc.flat;
    case "whenBroken":
      return "";
    case "verbatim":
      return doc.text;
    default:
      return flatText(doc.body);
  }
}

function isList(doc: Doc): doc is readonly Doc[] {
  return Array.isArray(doc);
}
