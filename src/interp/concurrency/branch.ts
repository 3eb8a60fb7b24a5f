/**
 * What bodies of `parallel` print, for whoever watches. Recorded is what they print in the order of the bodies: that is what a
 * replay gives and what files and other programs read. Where somebody watches (`Console.show`) a line appears when it is
 * printed; one that stands before its place, and from then on every line of that `parallel`, is marked with its branch.
 */
import type { Value } from "../../values/index.ts";

/** A text of standard output; `as` is what is printed for it where that is another one, "" when it was shown before. */
export type PrintedText = string | { readonly text: string; readonly as: string };

/** The task of a body: what it prints is buffered while something that comes before it is still to be printed. */
interface BranchBody {
  readonly output: readonly PrintedText[] | undefined;
}

/** The bodies of one `parallel`. */
export class BranchGroup {
  /** Lines stood before their place: all are marked from then on. */
  mixed = false;
  readonly around: ParallelBranch | undefined;

  constructor(around: ParallelBranch | undefined) {
    this.around = around;
  }
}

/** One body. */
export class ParallelBranch {
  private readonly body: BranchBody;
  private readonly branching: BranchGroup;
  private readonly mark: string;
  private readonly show: (lines: string) => void;
  /** A line that is not at its end. */
  private begun = "";

  constructor(body: BranchBody, branching: BranchGroup, mark: string, show: (lines: string) => void) {
    this.body = body;
    this.show = show;
    this.branching = branching;
    this.mark = mark;
  }

  /** Shows a text, or says how it looks at its place. */
  printed(text: string): PrintedText {
    const ahead = this.standsAhead();
    const marks = this.marks();
    if (marks === "") return text;
    const lines = this.lines(text, marks);
    if (!ahead) return { text, as: lines };
    if (lines !== "") this.show(lines);
    return { text, as: "" };
  }

  /** Shows what is left of a line. */
  end(): void {
    if (this.begun === "") return;
    this.show(this.lines("\n", this.marks()));
  }

  /** Whether something that comes before what it prints is still to be printed. */
  standsAhead(): boolean {
    const isAfter = this.branching.around?.standsAhead() === true;
    if (this.body.output === undefined) return isAfter;
    this.branching.mixed = true;
    return true;
  }

  /** What its lines begin with; "" where no lines have mixed. */
  marks(): string {
    const { around, mixed } = this.branching;
    return `${around?.marks() ?? ""}${mixed ? `[${this.mark}]` : ""}`;
  }

  /** The lines that are at their end. */
  private lines(text: string, marks: string): string {
    const lines = `${this.begun}${text}`.split("\n");
    this.begun = lines.pop() ?? "";
    return lines.map((line) => `${marks} ${line}\n`).join("");
  }
}

/** The number of a body, as in its results, and what it works on where that is short. */
export function branchMark(index: number, item: Value | undefined): string {
  if (typeof item === "string" && item.length <= maxItemLength && !/\p{Cc}/u.test(item))
    return `${index} ${item}`;
  return String(index);
}

const maxItemLength = 32;
