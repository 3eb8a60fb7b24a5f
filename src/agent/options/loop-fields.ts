/**
 * The options of `agent_loop` (agents.md §10.1): its own, and those that it hands to every model call. Who adds an option
 * adds a row here: reading, the record (`LoopOptions`), refusals, the report of unknown names, `harn check`,
 * `harn doc agent_loop` and the reference page follow.
 */

import { callFields, toolSearchRow } from "../../model/index.ts";
import {
  type Below,
  type FieldTable,
  fieldRowsOf,
  keysOf,
  providerBodies,
  type Read,
  row,
  rows,
} from "../../table/index.ts";
import type { Callable } from "../../values/index.ts";
import { eventTypes, type HookTopic, hookTimes, hookTopics, isAboutTools } from "../contract/index.ts";
import { approvalFields, approvalOf } from "../policy/approval.ts";
import { iterationBudgetFields, limitFields } from "../policy/bound-fields.ts";
import { policyFields } from "../policy/capability-policy.ts";
import { commandPolicyFields } from "../policy/commands/fields.ts";
import { permissionFields } from "../policy/permissions.ts";
import { loopCompactionRows } from "./compaction-loop-options.ts";
import { completionFields } from "./completion-options.ts";
import {
  narrowingRow,
  projectionRow,
  scratchpadFields,
  skillMatchFields,
  turnPolicyFields,
} from "./context-fields.ts";
import { contractFields } from "./contract-options.ts";
import { controlModes, controlRow, controlStateKeys, progressToolRow, turnKeys } from "./control-options.ts";
import { daemonRows } from "./daemon-options.ts";
import { jitRow } from "./jit-options.ts";
import { judgeRow, stepJudgeRow } from "./judge-fields.ts";
import { promptRows } from "./prompt-overrides.ts";
import { providerRows } from "./provider-options.ts";
import { repetitionRows } from "./watching/repetition-options.ts";
import { workItemsRow } from "./work-item-options.ts";

const ends = (because: string): Below => ({ ends: because });

/** Why options end with the agent, by what they are about. */
const ofItsEnd = ends(
  "it decides when this agent's work is over; a delegate's answer is the result of a call",
);
const ofItsConversation = ends("it is about what is said in this agent's conversation");
const ofItsTools = ends("which tools a delegate has is said where it is made");
const judgesWork = { below: ends("it judges or measures the work of this agent") };
const ofItsTurns = ends("turns are counted for each agent by itself");

/** One closure or several. */
const callbacks = (doc: string) =>
  row
    .either([row.closure(), row.list(row.closure()).full()], doc)
    .to((read): readonly Callable[] => [read].flat())
    .or([]);

const topicRow = (topic: HookTopic) =>
  callbacks(`Called ${hookTimes[topic]}.`)
    .with({
      below: isAboutTools(topic)
        ? "holds"
        : ends("it is about this agent's own turns; hooks around tools see what a delegate does"),
    })
    .to((read) => read.map((callback) => ({ topic, callback })));

const hookFields = rows(
  () => ({
    ...(Object.fromEntries(hookTopics.map((topic) => [topic, topicRow(topic)])) as Record<
      HookTopic,
      ReturnType<typeof topicRow>
    >),
    pre_tool: callbacks(
      "Asked before a call of a tool runs, as the hooks of `register_tool_hook`; may refuse it.",
    ).with({ below: "holds" }),
    post_tool: callbacks("Told what a call gave; may change the text that the model is told.").with({
      below: "holds",
    }),
    agent_stop: callbacks("Asked before the loop ends as done, as `PreFinish`; may keep it going.").with({
      below: ofItsEnd,
    }),
  }),
  { strict: true },
);

/** Those at the loop's own topics, and those around its tools and its end: in order, before those of the run. */
const hooksOf = ({ preTool, postTool, agentStop, ...topics }: Read<typeof hookFields>) => ({
  topics: Object.values(topics).flat(),
  preTool,
  postTool,
  agentStop,
});

const running = () => ({
  profile: row
    .oneOf(
      ["tool_using", "researcher", "verifier", "completer"],
      "Defaults for a kind of agent.",
      "tool_using",
    )
    .fixed()
    .with({ sets: ["several answers"] }),
  system: row.text("The system text, where it is not given as an argument."),
  loop_until_done: row
    .bool("A turn without calls goes on until the model says that it is done.", false)
    .with({ sets: ["several answers"] }),
  persistent: row.bool("Another name for `loop_until_done`.").with({ sets: ["several answers"] }),
  done_sentinel: row.filled("The word by which the model says so; nil for none.").fixed(),
  max_iterations: row
    .int("Turns at most; by profile 50, 30, 5 or 1.", null, { min: 1 })
    .alias("max_turns")
    .bounds()
    .with({ sets: ["agent"] }),
  iteration_budget: row
    .either(
      [row.oneOf(["fixed", "adaptive"]), row.dict(iterationBudgetFields)],
      "Turns, time and money of the loop.",
    )
    .to((read) => (typeof read === "string" ? { ...iterationBudgetFields.usual, mode: read } : read))
    .bounds()
    .fixed()
    .with({ sets: ["several answers"] }),
  limits: row
    .dict(limitFields, "Tool calls and tokens of the loop.")
    .or(limitFields.usual)
    .bounds()
    .fixed()
    .with({ below: ends("calls are counted for each agent by itself; tokens hold") }),
  loop_control: row
    .closure("Asked after every turn: extend, stop, or nil.")
    .with({ sets: ["several answers"], calledWith: () => ({ keys: controlStateKeys }) }),
  max_nudges: row
    .int("Turns without progress in a row before the loop ends as `stuck`; by profile 8, 4 or 0.", null, {
      min: 0,
    })
    .bounds()
    .with({ sets: ["agent"] }),
  nudge: row.text("What the model is told then.").with({ sets: ["agent"] }),
  turn_policy: row
    .dict(turnPolicyFields, "What a turn must look like.")
    .or(turnPolicyFields.usual)
    .with({ sets: ["several answers", "agent"] }),
  modes: row
    .bool("The loop plans first: in the mode `plan` nothing can be called that changes something.", false)
    .bounds()
    .fixed()
    .with({ below: "holds" }),
  mode: row
    .text(
      "With `modes`: `plan` or `execute`, where the loop begins. What rules of an approval policy see as `mode`.",
    )
    .with({ below: "holds" }),
  agent: row.text("What rules of an approval policy see as `agent`.").with({ below: "holds" }),
  persona: row.text("What rules of an approval policy see as `persona`.").with({ below: "holds" }),
});

const calling = () => ({
  llm_options: row
    .dict(null, "Options of the model calls that stand over those of the loop.")
    .with({ nested: callFields, sets: ["reasoning"], below: "delegates" }),
  llm_caller: row
    .closure("Makes the model calls: `fn(call)`, built from std/llm/handlers.")
    .with({ below: "holds" }),
  tool_caller: row
    .closure("Makes the tool calls: `fn(call, next)`, built from std/llm/tool_middleware.")
    .with({ below: "holds" }),
  prefetch_next_turn: row
    .bool("Take a caller's early answer to the next turn.", false)
    .with({ below: ofItsTurns }),
});

const tools = () => ({
  tool_retries: row
    .int("Further tries of a tool call that fails.", 0, { min: 0 })
    .with({ sets: ["agent"], below: "delegates" }),
  tool_backoff_ms: row
    .int("Rest before the first of them; doubles with each.", 1000, { min: 0 })
    .with({ sets: ["agent"], below: "delegates" }),
  tool_timeout_ms: row
    .int("Milliseconds that a tool call may take.", null, { min: 1 })
    .bounds()
    .with({ below: "delegates" }),
  tool_output_max_chars: row
    .int("Characters of a tool result that the model is shown.", null, { min: 200 })
    .with({ below: "delegates" }),
  max_concurrent_tools: row
    .int("Tool calls of a turn that run at once.", 1, { min: 1 })
    .bounds()
    .with({ below: ofItsTurns }),
  stop_after_successful_tools: row
    .texts("Tools whose success ends the loop.")
    .to((read): ReadonlySet<string> => new Set(read))
    .with({ sets: ["several answers"], below: ofItsEnd }),
  require_successful_tools: row
    .either(
      [
        row
          .list(
            row.either([
              row.text(),
              row
                .list(row.text())
                .full()
                .where("a list of names", (some) => some.length > 0),
            ]),
          )
          .full(),
        row.text(),
      ],
      "Tools that must succeed before the loop may be done; one of each inner list.",
    )
    .to((read): readonly (readonly string[])[] =>
      typeof read === "string" ? [[read]] : read.map((one) => [one].flat()),
    )
    .or([])
    .with({ sets: ["several answers"], below: ofItsEnd }),
  native_tool_fallback: row
    .oneOf(
      ["allow", "allow_once", "reject"],
      "What is done about calls in the text of a native loop.",
      "allow",
    )
    .with({ sets: ["agent"], below: "delegates" }),
  tool_surface_narrowing: narrowingRow("Hide tools that go unused.").with({
    below: ends(
      "unused is what this agent does not call; under `control` it is off for all that works for the agent",
    ),
  }),
  mcp_servers: row
    .value("MCP servers whose tools the loop may call.", "names, dicts and lists of both")
    .with({ sets: ["several answers"], below: ofItsTools }),
  progress_tool: progressToolRow("A tool by which the model reports progress.")
    .fixed()
    .with({
      sets: ["several answers"],
      below: ends("progress is reported by the agent that somebody watches"),
    }),
  subagents: row
    .bool("The model may park, resume and stop workers.", false)
    .fixed()
    .with({ sets: ["agent"], below: ofItsTools }),
  subagent_tools: row
    .bool("Another name for `subagents`.")
    .fixed()
    .with({ sets: ["agent"], below: ofItsTools }),
  skills: row
    .value(
      "A registry of skills, a list of registries and entries, or false.",
      "registries, names, lists of them, or false",
    )
    .fixed()
    .with({ sets: ["several answers"], below: "sub-agents" }),
  skill_match: row
    .dict(skillMatchFields, "How skills are found for the task.")
    .fixed()
    .with({ below: "sub-agents" }),
  working_files: row.texts("Files that skills are matched with.").fixed().with({ below: ofItsConversation }),
});

const bounds = () => ({
  policy: row.unlessFalse(policyFields, "The ceiling of what tools may do.").bounds().fixed(),
  command_policy: row
    .dict(null, "The ceiling of what commands may do; see `command_policy`.")
    .bounds()
    .with({ nested: commandPolicyFields }),
  permissions: row
    .unlessFalse(permissionFields, "What may be called, decided call by call.")
    .bounds()
    .fixed(),
  approval_policy: row
    .unlessFalse(approvalFields, "What a person is asked about.")
    .to((read) => read && approvalOf(read))
    .bounds()
    .fixed(),
});

/** In the dict of `control`. */
const controlFields: FieldTable = rows(
  () => ({ mode: row.oneOf(controlModes, "Whether somebody watches.", "interactive") }),
  { strict: true, takesOuterRows: true, beside: () => fieldRowsOf(loopFields, "control", "mode") },
);

const judging = () => ({
  control: controlRow(
    controlFields,
    '`"interactive"` (or true) or `"autonomous"` switches the parts of the control plane on; a dict holds `mode` and further options (docs/control-plane.md).',
  )
    .bounds()
    .fixed()
    .with({ sets: ["brings a contract", "several answers"] }),
  max_continuation_prompts: row
    .int("Short for `completion: {max_continuation_prompts}`.", null, { min: 0 })
    .fixed(),
  work_items: workItemsRow("A ledger that the agent keeps of its work.")
    .fixed()
    .with({ sets: ["several answers"] }),
  contract: row
    .dict(null, "What must be true at the end; each claim is checked against it.")
    .fixed()
    .with({ nested: contractFields, sets: ["brings a contract", "several answers"] }),
  completion: row
    .either(
      [row.bool(), row.dict(completionFields)],
      "The loop ends by a claim (`work_complete`), and the claim is checked.",
    )
    .fixed()
    .with({ sets: ["several answers"] }),
  verify_completion: row
    .closure("Asked when the loop would be done: nil or true accepts, a text vetoes.")
    .with({ sets: ["several answers"] }),
  verify_completion_judge: judgeRow(5, "A model that is asked when the loop would be done.").with({
    sets: ["several answers"],
  }),
  done_judge: judgeRow(null, "A model that is asked when the model says that it is done.").with({
    sets: ["several answers"],
  }),
  max_verify_attempts: row
    .int("Vetoes of `verify_completion` before the loop ends.", 20, { min: 1 })
    .bounds(),
  step_judge: stepJudgeRow("A model that is asked about every turn before its calls run.").with({
    sets: ["several answers"],
  }),
  ...repetitionRows.typed,
});

const contextField = () => ({
  post_turn_callback: row
    .closure(
      "Called after every turn: a string is told to the model; {message, user_message, stop, stop_reason, next_options, llm_options} tells it, speaks as the user, ends the loop, changes options.",
    )
    .with({ sets: ["several answers"], calledWith: () => ({ keys: turnKeys }) }),
  context_callback: row
    .closure("Changes the messages and the system text before every call.")
    .with({ sets: ["agent"] }),
  context_filter: row.closure("Another name for `context_callback`.").with({ sets: ["agent"] }),
  message_decorator: row.closure("Changes every message on its way to the model."),
  timestamp_messages: row.bool("Messages of the user carry their time.", false),
  ...loopCompactionRows.typed,
  context_window: row
    .int("Tokens that the model takes in, where nobody knows it.", null, { min: 1000 })
    .with({ below: "delegates" }),
  transcript_projection: projectionRow("What of the conversation is sent."),
  ...providerRows.typed,
  jit: jitRow("Tell the model rules when they matter (docs/control-plane.md).").with({
    sets: ["several answers"],
  }),
  scratchpad: row
    .switched(scratchpadFields, "Goals, open items and facts that the model keeps in sight.")
    .with({ sets: ["several answers"] }),
  ...promptRows.typed,
});

const watching = () => ({
  hooks: row
    .dict(hookFields, "Closures by topic.")
    .to(hooksOf)
    .or(hooksOf(hookFields.usual))
    .fixed()
    .with({ sets: ["several answers"], below: "holds" }),
  on_event: row
    .closure("Called with every event of the loop.")
    .fixed()
    .with({
      below: ends("a delegate's events are its own; `agent_subscribe` and the run's log have them"),
      calledWith: () => ({
        keys: { type: eventTypes, ...keysOf("v", "n", "at", "session", "parent", "data") },
      }),
    }),
});

/** The stall options of an older line (agents.md §0.2). */
const older = () =>
  row.alike(
    { deprecated: "`stall_diagnostics`", ...judgesWork },
    { loop_detect_warn: outdated(), loop_detect_block: outdated(), loop_detect_skip: outdated() },
  );
const outdated = () => row.value("An older way to watch for stalls.", "nobody reads it");

/** Of the options of a call, those that a loop reads itself too, or reads otherwise. */
const sharedRows = () => ({
  tools: row
    .value(
      "Tools that the model may call: a registry, or a list of definitions and registries.",
      "registries, definitions and lists of both",
    )
    .fixed()
    .with({ sets: ["several answers", "agent"], below: ofItsTools }),
  tool_format: row
    .oneOf(["native", "text", "json", "auto"], "How the model calls tools.")
    .fixed()
    .with({ sets: ["agent"], below: "delegates" }),
  tool_search: toolSearchRow().with({ sets: ["several answers"], below: ofItsTools }),
  llm_retries: row
    .int(
      "Further tries of a model call after failures that pass; where it is not set, one after an answer that took too long.",
      null,
      { min: 0 },
    )
    .usually("2")
    .with({ below: "delegates" }),
  llm_backoff_ms: row
    .int("Rest before the first of them; doubles with each.", 2000, { min: 0 })
    .with({ below: "delegates" }),
  schema_retries: row
    .int("Further tries when an answer does not fit its schema; 3 for the profile `verifier`.", null, {
      min: 0,
    })
    .usually("0")
    .with({ below: ends("it is about the form of this agent's answer") }),
  ...row.alike({ below: ofItsConversation }, sharedSessionRows()),
});

/** Of these, the ones about the conversation. */
const sharedSessionRows = () => ({
  session_id: row
    .text("The conversation that the loop goes on with, or begins.")
    .fixed()
    .with({ sets: ["brings a contract"] }),
  session_busy: row.oneOf(
    ["wait", "fail", "fork"],
    "What it does when another loop holds that session: waits, throws, or works on a copy.",
    "wait",
  ),
  llm_transcript_dir: row.text("Folder that gets a record of every request and answer.").fixed(),
  transcript: row
    .value("A conversation that it begins with.", "a transcript, or false for none")
    .fixed()
    .with({ sets: ["brings a contract"] }),
  messages: row
    .value("Messages that the conversation begins with.", "a list of messages, or false for none")
    .fixed(),
});

/** `agent_loop(…, options)`: what the loop reads itself, and what it hands to every call. */
export const loopFields = rows(
  () => ({
    ...row.alike({ below: ofItsTurns }, running()),
    ...row.alike({ below: "holds" }, bounds()),
    ...calling(),
    ...tools(),
    ...row.alike(judgesWork, judging()),
    ...row.alike({ below: ofItsConversation }, contextField()),
    ...watching(),
    ...row.alike({ below: ends("a delegate does not idle: it answers a call") }, daemonRows.typed),
    ...older(),
    ...sharedRows(),
  }),
  {
    ...providerBodies,
    meant: { max_steps: "max_iterations" },
    beside: (own) => fieldRowsOf(callFields, ...own),
  },
);

/** Its own rows by subject, for the reference. */
export const loopSubjects: Readonly<Record<string, () => object>> = {
  Turns: running,
  "When it ends": judging,
  Bounds: bounds,
  "Model calls": calling,
  "Tools and skills": tools,
  "What the model sees": contextField,
  "Hooks and events": watching,
  Daemons: () => daemonRows.typed,
  "Shared with `llm_call`": sharedRows,
};

let own: ReadonlySet<string> | undefined;

/** Names that the loop reads itself: a callback that changes options changes the loop's, all others go to its calls. */
export function ownOptions(): ReadonlySet<string> {
  own ??= new Set([...loopFields.plan.byKey.keys(), "budget", "structural_experiment"]);
  return own;
}
