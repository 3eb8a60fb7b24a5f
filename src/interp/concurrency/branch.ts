/**
 * What bodies of `parallel` print, for whoever watches. Recorded is what they print in the order of the bodies: that is what a
 * replay gives and what files and other programs read. Where somebody watches (`Console.show`) a line appears when it is
 * printed; one that stands before its place, and from then on every line of that `parallel`, is marked with its branch.
 */
import type { Value } from "../../values/index.ts";
import type { Printed, Task } from "../task.ts";

/** The bodies of one `parallel`. */
export class Branching {
  /** Lines stood before their place: all are marked from then on. */
  mixed = false;
  readonly around: Branch | undefined;

  constructor(around: Branch | undefined) {
    this.around = around;
  }
}

/** One body. */
export class Branch {
  private readonly task: Task;
  private readonly branching: Branching;
  private readonly mark: string;
  /** A line that is not at its end. */
  private begun = "";

  constructor(task: Task, branching: Branching, mark: string) {
    this.task = task;
    this.branching = branching;
    this.mark = mark;
  }

  /** Shows a text, or says how it looks at its place. */
  printed(text: string): Printed {
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

  /** Whether something that comes first is still to be printed. */
  private standsAhead(): boolean {
    let ahead = false;
    for (let at: Branch | undefined = this; at !== undefined; at = at.branching.around) {
      if (at.task.output === undefined) continue;
      at.branching.mixed = true;
      ahead = true;
    }
    return ahead;
  }

  private marks(): string {
    const { around, mixed } = this.branching;
    return `${around?.marks() ?? ""}${mixed ? `[${this.mark}]` : ""}`;
  }

  /** The lines that are at their end. */
  private lines(text: string, marks: string): string {
    const lines = `${this.begun}${text}`.split("\n");
    this.begun = lines.pop() ?? "";
    return lines.map((line) => `${marks} ${line}\n`).join("");
  }

  private show(lines: string): void {
    this.task.runtime.console.show?.(lines);
  }
}

/** Whether what a task prints is seen at once when nothing stands before it. */
export function isWatched({ runtime, output, branch }: Task): boolean {
  return (
    runtime.console.show !== undefined &&
    runtime.effects.mode !== "replay" &&
    (output === undefined || branch !== undefined)
  );
}

/** The number of a body, as in its results, and what it works on where that is short. */
export function markOf(index: number, item: Value | undefined): string {
  if (typeof item === "string" && item.length <= longest && !/\p{Cc}/u.test(item)) return `${index} ${item}`;
  return String(index);
}

const longest = 32;
