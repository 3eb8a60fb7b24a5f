/** Rows of a skill: what `skill_define` takes, and what a skill file may say. */
import { field, fieldTable } from "../table/index.ts";

/** Skills are kept as they are: a project may have keys of its own. */
export const skillFields = fieldTable(
  () => [
    field("description", "any", "What it is for.", { sets: ["text"] }),
    field("short", "any", "The same in few words.", { sets: ["text"] }),
    field("when_to_use", "any", "When models should load it.", { sets: ["text"] }),
    field("prompt", "any", "What the model is told.", { sets: ["text"] }),
    field("body", "any", "Its text."),
    field("paths", "any", "Globs of the files that it is for.", { sets: ["list"] }),
    field("allowed_tools", "any", "Tools that are shown while it is active.", {
      bounds: true,
      sets: ["list"],
    }),
    field("requires_mcp", "any", "Servers that it can't do without; those of `mcp` unless given.", {
      sets: ["list"],
    }),
    field("disable_model_invocation", "any", "Models do not load it by themselves.", { sets: ["flag"] }),
    field("user_invocable", "any", "People may load it by its name.", { sets: ["flag"] }),
    field("invocation", "any", "Who may load it.", { sets: ["text"] }),
    field("model", "any", "The model that it wants.", { sets: ["text"] }),
    field("effort", "any", "How much that is to think.", { sets: ["text"] }),
    field("mcp", "any", "Servers that it needs.", { sets: ["list"] }),
    field("on_activate", "any", "Called when it becomes active.", { sets: ["closure"] }),
    field("on_deactivate", "any", "Called when it no longer is.", { sets: ["closure"] }),
    field("hooks", "any", "Commands at events."),
    field("arguments", "any", "What it takes."),
    field("namespace", "any", "The group that it is found under.", { sets: ["text"] }),
  ],
  { others: "kept in the skill's entry" },
);
