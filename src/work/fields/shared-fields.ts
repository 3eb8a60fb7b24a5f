/** Rows that sub-agents, workers and workflows have in common: what is asked for, where it works, what it takes along. */
import { at, type Field, field, providerBodies, type Read, type Row, row, rows } from "../../table/index.ts";
import { Dict, display, type Value } from "../../values/index.ts";

/** Options of a loop: it looks at their types itself, in documented words. */
export const ofLoop = { ...providerBodies, typedByReader: true } as const;

/** Names that mean nothing are refused by the reader, in documented words. */
export const refused = { refusedByReader: true } as const;

/** A word for `git`, which would take what begins with `-` for an option. */
const gitName = <A extends string | null = null>(doc: string, usual = null as A): Row<string, A> =>
  row.filled(doc, usual).where("a name that does not begin with `-`", (name) => !name.startsWith("-"));

export const worktreeFields = rows(
  () => ({
    repo: row.filled("The repository.", "."),
    path: row.filled("Where the copy lies."),
    branch: gitName("Its branch."),
    base_ref: gitName("What it begins with.", "HEAD"),
    cleanup: row.oneOf(["preserve", "remove"], "`preserve` it, or `remove` it at the end.", "preserve"),
  }),
  { strict: true },
);

/** Where workers and sub-agents work (agents.md §17.3). */
export const executionFields = rows(
  () => ({
    cwd: row.filled("The folder that the work is done in."),
    env: row
      .dict(null, "Variables that its processes get.")
      .to((env) => Object.fromEntries([...env.entries()].map(([key, one]) => [key, display(one)])))
      .or<Readonly<Record<string, string>>>({}),
    worktree: row.dict(worktreeFields, "A copy of a repository of its own."),
  }),
  { strict: true },
);
export type ExecutionOption = Read<typeof executionFields>;
export type WorktreeOption = Read<typeof worktreeFields>;

/** `null` when nothing is said. */
export const executionOption = (value: Value, caller: string): ExecutionOption | null =>
  value === null ? null : row.dict(executionFields).read(value, at(caller, "execution"));

/** What a next run takes along (`carry.ts`). */
export const carryFields = rows(
  () => ({
    transcript_mode: row.oneOf(
      ["inherit", "fork", "reset", "compact"],
      "What a next run takes of the conversation.",
      "inherit",
    ),
    artifact_mode: row.oneOf(["inherit", "none", "reset"], "What it takes of the artifacts.", "inherit"),
    persist_state: row.bool("Keep the state when it ends.", true),
    retriggerable: row.bool("It may be started again.", false),
    resume_workflow: row.bool("A workflow goes on where it was.", true),
  }),
  { strict: true },
);
export type Carry = Read<typeof carryFields>;

export const carryOf = (value: Value, caller: string): Carry =>
  row.dict(carryFields).read(value ?? new Dict(), at(caller, "carry"));

/** Lists of a request, and what they may be called too (agents.md §17.1); where both are given, the full name holds. */
export const requestLists = {
  research_questions: "questions",
  action_items: "actions",
  workflow_stages: "stages",
  verification_steps: "verification",
} as const;

const asItIs = { why: "kept as it is" };

export const subAgentRequestRows = (): readonly Field[] => [
  field("request", "any", "Kept as the payload of the request; made of the lists below when left out.", {
    why: "kept as it is",
  }),
  ...Object.entries(requestLists).flatMap(([name, short]) => [
    field(name, "any", "Kept in the request, for whoever asked.", asItIs),
    field(short, "any", `The same as \`${name}\`.`, asItIs),
  ]),
];

const many = { max: 10_000 };

/** Options of `session_run` that are not the loop's. */
export const sessionRunRows = rows(() => ({
  session: row.text("The session's name."),
  custom_tools: row.list(row.dict(null), "The script's tools whose calls others answer.", []),
  max_events: row.int("Events that one run takes.", 100, { min: 1, ...many }).bounds(),
  directive_retries: row.int("Further tries when the directive is broken.", 1, { min: 0, ...many }),
  promote_after: row.int("Uses after which a learning is kept.", 3, { min: 0, ...many }),
  max_continues: row.int("Runs in a row without a pause.", 10, { min: 0, ...many }).bounds(),
}));

/** The names of rows, for a reader of documented words of its own. */
export const namesOf = (rows: Iterable<Field>, ...without: readonly string[]): ReadonlySet<string> =>
  new Set([...rows].map(({ name }) => name).filter((name) => !without.includes(name)));
