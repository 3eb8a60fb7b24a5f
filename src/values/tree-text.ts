/** Writes a tree of values as text without recursion: the driver behind display and JSON. */
import type { Value } from "./value.ts";

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

interface Open {
  readonly group: Group;
  next: number;
}

/** The text of a tree. */
export function writeTree(root: Value, describe: Describe): string {
  const first = describe(root, 0);
  if (typeof first === "string") return first;
  const parts: string[] = [first.open];
  const stack: Open[] = [{ group: first, next: 0 }];
  while (stack.length > 0) {
    const top = stack[stack.length - 1] as Open;
    const { group } = top;
    if (top.next === group.count) {
      parts.push(group.close);
      stack.pop();
      continue;
    }
    if (top.next > 0) parts.push(group.separator);
    if (group.labels !== undefined) parts.push(group.labels[top.next] as string);
    const piece = describe(group.children[top.next++] as Value, stack.length);
    if (typeof piece === "string") parts.push(piece);
    else {
      parts.push(piece.open);
      stack.push({ group: piece, next: 0 });
    }
  }
  return parts.join("");
}
