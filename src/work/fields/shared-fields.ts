/** Rows that sub-agents, workers and workflows have in common: what is asked for, where it works, what it takes along. */
import { type Field, field, fieldTable, providerBodies } from "../../table/index.ts";

/** Options of a loop: it looks at their types itself, in documented words. */
export const ofLoop = { ...providerBodies, typedByReader: true } as const;

/** Names that mean nothing are refused by the reader, in documented words. */
export const refused = { refusedByReader: true } as const;

export const worktreeFields = fieldTable(
  () => [
    field("repo", "any", "The repository.", { default: '"."' }),
    field("path", "any", "Where the copy lies."),
    field("branch", "any", "Its branch."),
    field("base_ref", "any", "What it begins with.", { default: '"HEAD"' }),
    field("cleanup", "any", "`preserve` it, or `remove` it at the end.", { default: '"preserve"' }),
  ],
  refused,
);

export const executionFields = fieldTable(
  () => [
    field("cwd", "any", "The folder that the work is done in."),
    field("env", "any", "Variables that its processes get."),
    field("worktree", "any", "A copy of a repository of its own.", { nested: worktreeFields }),
  ],
  { strict: true, refusedByReader: true },
);

export const carryFields = fieldTable(
  () => [
    field("transcript_mode", "any", "What a next run takes of the conversation.", { default: '"inherit"' }),
    field("artifact_mode", "any", "What it takes of the artifacts.", { default: '"inherit"' }),
    field("persist_state", "any", "Keep the state when it ends.", { default: "true" }),
    field("retriggerable", "any", "It may be started again.", { default: "false" }),
    field("resume_workflow", "any", "A workflow goes on where it was.", { default: "true" }),
  ],
  refused,
);

/** Lists of a request, and what they may be called too (agents.md §17.1); where both are given, the full name holds. */
export const requestLists = {
  research_questions: "questions",
  action_items: "actions",
  workflow_stages: "stages",
  verification_steps: "verification",
} as const;

export const subAgentRequestRows = (): readonly Field[] => [
  field("request", "any", "Kept as the payload of the request; made of the lists below when left out."),
  ...Object.entries(requestLists).flatMap(([name, short]) => [
    field(name, "any", "Kept in the request, for whoever asked."),
    field(short, "any", `The same as \`${name}\`.`),
  ]),
];

/** Options of `session_run` that are not the loop's. */
export const sessionRunRows = (): readonly Field[] => [
  field("session", "any", "The session's name."),
  field("custom_tools", "any", "The script's tools whose calls others answer."),
  field("max_events", "any", "Events that one run takes.", { bounds: true }),
  field("directive_retries", "any", "Further tries when the directive is broken."),
  field("promote_after", "any", "Uses after which a learning is kept."),
  field("max_continues", "any", "Runs in a row without a pause.", { bounds: true }),
];

/** The names of rows, for a reader of documented words of its own. */
export const namesOf = (rows: Iterable<Field>, ...without: readonly string[]): ReadonlySet<string> =>
  new Set([...rows].map(({ name }) => name).filter((name) => !without.includes(name)));
