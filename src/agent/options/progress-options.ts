/** The option `progress_tool`: a tool by which the model reports progress. */
import { row, rows } from "../../table/index.ts";

const progressToolFields = rows(() => ({
  name: row.text("What the tool is called.", "agent_progress"),
  description: row.text("What the model is told about it."),
  system_prompt_nudge: row.text("The sentence about it in the system text."),
}));

export const progressToolRow = (doc: string) =>
  row.switched(progressToolFields, doc).to((read) => {
    if (read === null) return null;
    const name = read.name || "agent_progress";
    return {
      name,
      description:
        read.description ||
        "Tell the user how the work is going: a message, a list of task entries, or both.",
      hint:
        read.systemPromptNudge ||
        `Use \`${name}\` to report progress when a part of the work begins or ends.`,
    };
  });
