/** Writes a tree of values as text without recursion: the driver behind display and JSON. */
import type { Value } from "../value.ts";

/** A value that contains others, as its text form sees it. */
export interface Group {
  readonly open: string;
  readonly close: string;
  readonly separator: string;
  /** Text before each child. */
  readonly labels: readonly string[] | undefined;
  readonly children: ArrayLike<Value>;
  readonly count: number;
}

/** Says how a value is written at a depth (the root is 0): its whole text, or a group. */
export type Describe = (value: Value, depth: number) => string | Group;

interface OpenGroup {
  readonly group: Group;
  next: number;
}

/** The text of a tree. Concatenation is faster than joined parts: the engine keeps a rope and copies once. */
export function writeTree(root: Value, describe: Describe): string {
  const first = describe(root, 0);
  if (typeof first === "string") return first;
  let text = first.open;
  const stack: OpenGroup[] = [{ group: first, next: 0 }];
  while (stack.length > 0) {
    const depth = stack.length;
    const top = stack[depth - 1] as OpenGroup;
    const { separator, labels, children, count } = top.group;
    let next = top.next;
    for (; next < count; next++) {
      if (next > 0) text += separator;
      if (labels !== undefined) text += labels[next];
      const piece = describe(children[next] as Value, depth);
      if (typeof piece === "string") text += piece;
      else {
        text += piece.open;
        stack.push({ group: piece, next: 0 });
        break;
      }
    }
    top.next = next + 1;
    if (next < count) continue;
    text += top.group.close;
    stack.pop();
  }
  return text;
}
