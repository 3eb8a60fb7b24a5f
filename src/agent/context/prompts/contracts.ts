/** The parts of the system text that say how to work: preamble, tools, completion. All of them can be overridden. */

import { toolListing } from "../../../model/index.ts";
import { List } from "../../../values/index.ts";
import { wantsCitation } from "../../options/completion-options.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { proposesPlans } from "../session-mode.ts";
import { searchableTools, stubLine } from "../tool-search.ts";
import { loopBindings, promptText } from "./overrides.ts";

/** Before the caller's text, for `agent_turn`. */
export function* preambleText(loop: Loop): Turn<string> {
  return yield* promptText(loop, "agent.turn_preamble", loopBindings(loop));
}

/** What the model is told of its tools, by the way it calls them. */
export function* toolContractText(loop: Loop): Turn<string> {
  const { channel, visible, options, mode, sentinel } = loop;
  const bindings = {
    ...loopBindings(loop),
    // A loop without tools of the user ends as one without tools, whatever its contract lists.
    done_sentinel: options.loopUntilDone && mode !== "none" ? sentinel : null,
    tools: channel === "native" ? "" : toolListing(visible),
    work_items: loop.conversation.workItems !== null,
  };
  const contract =
    channel === "text"
      ? yield* promptText(loop, "agent.tool_contract_text", {
          ...bindings,
          response_protocol: yield* promptText(loop, "agent.tool_contract_text_response_protocol", bindings),
        })
      : yield* promptText(
          loop,
          channel === "native" ? "agent.tool_contract_native" : "agent.tool_contract_json",
          bindings,
        );
  const action = yield* promptText(
    loop,
    channel === "native" ? "agent.tool_contract_action_native" : "agent.tool_contract_action_text",
    bindings,
  );
  const ledger = yield* promptText(loop, "agent.tool_contract_task_ledger", bindings);
  return [contract, action, ledger].filter((part) => part !== "").join("\n\n");
}

/** Tools that have to be searched for first, with `tool_search.include_stub_listing`. */
export function* deferredToolsText(loop: Loop): Turn<string> {
  const hidden = searchableTools(loop);
  if (hidden.length === 0) return "";
  const tools = new List(hidden.map(stubLine));
  const listing = yield* promptText(loop, "agent.deferred_tool_listing", { tools });
  return yield* promptText(loop, "agent.tool_contract_deferred_tools", { listing, tools });
}

/** What the mode of a loop means; "" for loops without. */
export function* modeContractText(loop: Loop): Turn<string> {
  const mode = loop.agentMode();
  if (mode === null || loop.state.slots.closing.begun) return "";
  return yield* promptText(loop, "agent.mode_contract", { mode, proposes: proposesPlans(loop) });
}

/** When a loop that goes on until it is done is done. */
export function* loopContractText(loop: Loop): Turn<string> {
  const { completion, loopUntilDone } = loop.options;
  if (loop.state.slots.closing.begun) return "";
  if (completion === null)
    return loopUntilDone ? yield* promptText(loop, "agent.loop_contract", loopBindings(loop)) : "";
  const cites = wantsCitation(completion, loop.conversation.contract !== null);
  const plain = completion.plainAnswers;
  return yield* promptText(loop, "agent.work_completion", { ...loopBindings(loop), cites, plain });
}
