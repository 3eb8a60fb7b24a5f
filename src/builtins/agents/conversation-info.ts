/** What a program can know of the conversation that it works for (docs/serve.md). */
import { defineBuiltins } from "../../table/index.ts";
import { conversationInfo } from "../../threads/index.ts";

export const conversationBuiltins = defineBuiltins("conversations", {
  conversation_info: {
    doc:
      "The conversation that this run works for under a server: `{id, title, agent, mode, config, workspace, message, run, " +
      "parent}`, with `message` as `{id, text, attachments, by}` and `parent` as the id of the conversation that it was forked " +
      "from. nil in any other run.",
    sig: "() -> dict?",
    example: "conversation_info()  // nil",
    effect: "state",
    run: (task) => conversationInfo(task.runtime),
  },
});
