/**
 * Comments beside the tree. The printer asks for them by node and puts them where that node is printed; who belongs to
 * whom is decided by a formatter (tools/format). Nodes that are asked for: statements and top-level items, members of
 * declarations, match arms, select cases (by name), elements, entries, arguments, parameters, imported names; and the
 * links of chains: operators by `opSpan`, members and method calls by `name`, stages of a pipe by `into`.
 */

export interface Remark {
  /** The comment as written, markers included. */
  readonly text: string;
  /** The lines of a documentation comment that is printed in its canonical form. */
  readonly doc?: readonly string[] | undefined;
  /** Stands on the same line as the code that it belongs to. */
  readonly inline: boolean;
  /** A `//` comment: nothing may follow it on its line. */
  readonly endsLine: boolean;
  readonly blankBefore: boolean;
  readonly blankAfter: boolean;
}

export interface Trivia {
  /**
   * Above a node, or before it on its line. For a link of a chain, inline ones end the line before; for the program,
   * what stays at its head wherever the imports go.
   */
  before(node: object): readonly Remark[];
  /** After a node on its line. */
  after(node: object): readonly Remark[];
  /** After everything in a block or list, before what closes it. */
  inside(owner: object): readonly Remark[];
  /** Must a string with holes be kept as it was written? */
  keeps(node: object): boolean;
}

const none: readonly Remark[] = [];

/** A tree without comments. */
export const noTrivia: Trivia = {
  before: () => none,
  after: () => none,
  inside: () => none,
  keeps: () => false,
};
