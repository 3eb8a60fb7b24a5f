/** Rows of a skill: what `skill_define` takes, and what a skill file may say. */
import { row, rows } from "../table/index.ts";

const texts = (doc: string) =>
  row
    .list(row.text(), doc)
    .full()
    .with({ sets: ["list"] });

/** An exact name, `*` or `namespace:<tag>`. */
const allowedTool = row
  .text()
  .where("a name, `*` or `namespace:<tag>`", (read) => !read.includes(":") || /^namespace:\s*\S/.test(read));

/** Skills are kept as they are: a project may have keys of its own. */
export const skillFields = rows(
  () => ({
    description: row.text("What it is for."),
    short: row.text("The same in few words."),
    when_to_use: row.text("When models should load it."),
    prompt: row.text("What the model is told."),
    body: row.text("Its text."),
    paths: texts("Globs of the files that it is for."),
    allowed_tools: row
      .list(allowedTool, "Tools that are shown while it is active.")
      .full()
      .bounds()
      .with({ sets: ["list"] }),
    requires_mcp: texts("Servers that it can't do without; those of `mcp` unless given."),
    disable_model_invocation: row.bool("Models do not load it by themselves."),
    user_invocable: row.bool("People may load it by its name."),
    invocation: row.text("Who may load it."),
    model: row.text("The model that it wants."),
    effort: row.text("How much that is to think."),
    mcp: texts("Servers that it needs."),
    on_activate: row.closure("Called when it becomes active."),
    on_deactivate: row.closure("Called when it no longer is."),
    hooks: row.value("Commands at events.", "kept as the file has it"),
    arguments: row.value("What it takes.", "kept as the file has it"),
    namespace: row.text("The group that it is found under."),
  }),
  { others: "kept in the skill's entry", typedByReader: true },
);
