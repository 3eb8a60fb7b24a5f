/**
 * Columns of tables in which it stands what people, models and programs said: they are written and read through `KeptJson`, so that
 * secrets stand in them by name. All other columns of text are names, states, digests and addresses, which are compared as they are;
 * journals (`record`, `blob`, bodies of questions) are hidden by their recorder.
 *
 * A column that is added here later needs a migration of its own (`escapedNames`): what was written before is text, also where it
 * looks like the name of a secret.
 */
export type KeptKind = "json" | "text";

export const keptColumns: { readonly [table: string]: { readonly [column: string]: KeptKind } | undefined } =
  {
    question: { answer: "json" },
    eval_set: { spec: "json", why: "text" },
    eval_task: { spec: "json" },
    eval_variant: { body: "json" },
    eval_trial: { error: "text", faults: "json" },
    eval_attempt: { error: "text" },
    eval_label: { label: "text", note: "text" },
    eval_limit: { reason: "text" },
    eval_score: { label: "text" },
    conversation: { record: "json" },
    message: { body: "json" },
    history: { body: "json" },
    partial: { body: "json" },
    interrupt: { reason: "text" },
    answered_request: { body: "json" },
    writing_projects: { title: "text", authors: "json", abstract: "text" },
    writing_sections: { title: "text", label: "text", body: "text", summary: "text" },
    writing_references: { item: "json", origin: "json", quote: "text" },
    writing_versions: { note: "text", changes: "json" },
    library: { item: "json", origin: "json", source: "text" },
    note: { title: "text", text: "text", tags: "json" },
    source: { url: "text", title: "text" },
  };

/** What was written before these columns were kept so: text that looks like the name of a secret stays text. */
export const escapedNames = Object.entries(keptColumns)
  .flatMap(([table, columns]) => Object.keys(columns ?? {}).map((column) => [table, column] as const))
  .map(
    ([table, column]) =>
      `UPDATE ${table} SET ${column} = replace(${column}, '{{secret', '{{secret*') WHERE instr(${column}, '{{secret') > 0;`,
  )
  .join("\n");
