/**
 * What a builtin is, where a stage before or beside the table treats some builtins otherwise than the rest: the compiler, the
 * checker, the linter. They ask for a trait; none of them keeps names (`test/unit/table/name-lists.test.ts`).
 */
export type Trait =
  /** Only looks at its arguments: a variable passed to it keeps its right to write in place. */
  | "borrows"
  /** An argument may name a type alias, which stands for its schema (language.md §15.5). */
  | "takesSchema"
  /** Recognised by name before any look-up (language.md §23). */
  | "specialForm"
  /** Calls may name their arguments (language.md §13.10); the grammar has the same names. */
  | "namedArguments"
  /** The second argument, or the option `system` of the third, is a system text. */
  | "systemSecond"
  /** People approve what comes next: its result must not be dropped. */
  | "approves"
  /** Gives whatever a text holds. */
  | "uncheckedText"
  /** Its answer comes from outside, in no certain form (language.md §17.6, end). */
  | "unvalidated"
  /** Converts to the type that its name ends in. */
  | "converts"
  /** Opens what goes on until somebody ends it. */
  | "opens"
  /** Asks why an agent did what it did: agents of a program that names it are watched from its start. */
  | "watches"
  /** Nothing is laid under its dict of options: what an option needs beside it stands there (`Field.needs`). */
  | "wholeOptions"
  /** Gives a new value and does nothing else: whoever drops that meant something else. */
  | "onlyGives"
  /** Its first argument must be held whole: of an iterator it knows neither length nor form. */
  | "needsWhole"
  /** Its first argument is one task. */
  | "takesTask"
  /** Its first argument is a template with `{}` for each of the others. */
  | "fillsTemplate"
  /** Its first argument names a variable of the environment. */
  | "readsVariable"
  /** An assertion of tests. */
  | "asserts"
  /** Which type it gives depends on its arguments (language.md §17.1). */
  | "resultVaries";

/** Whether a builtin has a trait; false for what is none. */
export const hasTrait = (
  spec: { readonly traits?: readonly Trait[] | undefined } | undefined,
  trait: Trait,
): boolean => spec?.traits?.includes(trait) === true;
