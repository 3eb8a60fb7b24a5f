/** Rows of a skill: what `skill_define` takes, and what a skill file may say. */
import { field, fieldTable } from "../table/index.ts";

/** Skills are kept as they are: a project may have keys of its own. */
export const skillFields = fieldTable(
  () => [
    field("description", "string", "What it is for.", { sets: ["text"] }),
    field("short", "string", "The same in few words.", { sets: ["text"] }),
    field("when_to_use", "string", "When models should load it.", { sets: ["text"] }),
    field("prompt", "string", "What the model is told.", { sets: ["text"] }),
    field("body", "string", "Its text."),
    field("paths", "string | list<string>", "Globs of the files that it is for.", { sets: ["list"] }),
    field("allowed_tools", "string | list<string>", "Tools that are shown while it is active.", {
      bounds: true,
      sets: ["list"],
    }),
    field(
      "requires_mcp",
      "string | list<string>",
      "Servers that it can't do without; those of `mcp` unless given.",
      {
        sets: ["list"],
      },
    ),
    field("disable_model_invocation", "bool", "Models do not load it by themselves.", { sets: ["flag"] }),
    field("user_invocable", "bool", "People may load it by its name.", { sets: ["flag"] }),
    field("invocation", "string", "Who may load it.", { sets: ["text"] }),
    field("model", "string", "The model that it wants.", { sets: ["text"] }),
    field("effort", "string", "How much that is to think.", { sets: ["text"] }),
    field("mcp", "string | list<string>", "Servers that it needs.", { sets: ["list"] }),
    field("on_activate", "closure", "Called when it becomes active.", { sets: ["closure"] }),
    field("on_deactivate", "closure", "Called when it no longer is.", { sets: ["closure"] }),
    field("hooks", "any", "Commands at events.", { why: "kept as the file has it" }),
    field("arguments", "any", "What it takes.", { why: "kept as the file has it" }),
    field("namespace", "string", "The group that it is found under.", { sets: ["text"] }),
  ],
  { others: "kept in the skill's entry", typedByReader: true },
);
