/**
 * `agent_loop` and `agent_turn`: from arguments to a running loop and back to a result.
 *
 *     options ─▶ route, tools, format, sentinel ─▶ conversation (opened, repaired, prompt appended) ─▶ driver ─▶ result
 */

import {
  type LoopIdentity,
  type RunEvents,
  runEvents,
  type TaskPlace,
  taskPlaces,
} from "../../events/index.ts";
import { addJudge } from "../../host/index.ts";
import { elapsedMs, newId, scriptMonotonicMs, type Task, wallMs } from "../../interp/index.ts";
import {
  type AgentMode,
  asksServers,
  type CallPlan,
  type Conversation,
  conversations,
  findAll,
  isToolFormat,
  joinToolSets,
  learnToolFormat,
  ModelBudget,
  modelBudgetOf,
  modelsOf,
  type PendingCall,
  parsedStructured,
  patternMatcher,
  promptOrigin,
  providerNames,
  publish,
  publishNamed,
  roleOf,
  routeOfCall,
  type StructuralTool,
  type ToolEntry,
  type ToolFormat,
  toolSetOf,
  warn,
} from "../../model/index.ts";
import { checkNames } from "../../table/index.ts";
import {
  Dict,
  Float,
  List,
  type MaybePromise,
  ScriptError,
  sha256Hex,
  thrown,
  typeOf,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { decisionFields } from "../completion/judge.ts";
import { doomGate } from "../completion/repetition/circles-in-loop.ts";
import { restoreStall } from "../completion/repetition/snapshot.ts";
import { passingChecks, warnOfPassingChecks } from "../completion/task-contract/passing-checks.ts";
import { openTaskState, resumeTaskState } from "../completion/task-state.ts";
import { spoken } from "../context/attachments.ts";
import { checkPatterns } from "../context/passes/tool-facts.ts";
import { reminderProviders } from "../context/reminder-providers.ts";
import { publishRepairs, repairOptions } from "../context/repair/in-loop.ts";
import { type Repair, repairConversation } from "../context/repair/repair.ts";
import { emitMode, openMode, proposesPlans } from "../context/session-mode.ts";
import { searchAnswer } from "../context/tool-search.ts";
import { sayDeferred } from "../context/user-messages.ts";
import { refreshVisible } from "../context/visible-tools.ts";
import {
  type Completion,
  type Core,
  createControl,
  EventLog,
  HookRegistry,
  isAboutTools,
} from "../contract/index.ts";
import { closeDaemon, openDaemon } from "../daemon/perform.ts";
import {
  endConversation,
  loopSessionHooks,
  loopToolHooks,
  runSessionHooks,
  sessionHooks,
  toolHookGate,
} from "../hooks/index.ts";
import { loopFields } from "../options/loop-fields.ts";
import {
  checkLoopTypes,
  type LoopOptions,
  loopOptionsOf,
  wantsSubagentTools,
} from "../options/loop-options.ts";
import { checkNested, installGuard, judgeCommands, policyScopes } from "../policy/index.ts";
import { modeGate, modeScopes, narrowest } from "../policy/modes.ts";
import { interventionFields, recordIntervention } from "../session/interventions.ts";
import { seedConversation } from "../session/seed-transcript.ts";
import { type Hold, holdSession } from "../session/session-holds.ts";
import { type LaidOn, laidOnAround, layOn, laysSomething } from "../state/below/laid-on.ts";
import type { LoopExtensions, LoopServers } from "../state/extensions.ts";
import { loadSkillName } from "../state/load-skill-name.ts";
import type { LoopCall } from "../state/loop-call.ts";
import {
  createLoopState,
  type Loop,
  type LoopFailure,
  type LoopSkills,
  newTurn,
  type ToolMode,
} from "../state/loop-state.ts";
import { phaseObserver } from "../state/phases.ts";
import { runningLoops } from "../state/running.ts";
import { suspensionPortOf } from "../state/suspension-port.ts";
import { isUnderControl, turnLimit } from "../state/turn-fields.ts";
import { watchChanges } from "../tools/call-changes.ts";
import { type AroundCalls, type AroundTools, callOptionsOf, LoopDriver, planModelCalls } from "./driver.ts";
import { hostSessionOf, takeAttached, withEditorDefaults } from "./host-session.ts";
import { controlTools, loopTools, userToolsOf } from "./loop-tools.ts";
import { failedCallOf } from "./outcome.ts";
import { beginAtDispatch, messageOf } from "./phases/open-batch.ts";
import { policyGates } from "./policy-gates.ts";
import { loopResult } from "./result.ts";
import { scriptHook } from "./script-hooks.ts";
import { toolWrapper } from "./tool-caller.ts";
import { reportLoopEnd } from "./unseen-ends.ts";

/** How a loop ended, for callers that need more than the dict that scripts get. */
export interface LoopEnd {
  readonly result: Dict;
  readonly lastText: string;
  /** What a person saw of the last turn. */
  readonly lastVisible: string;
  readonly failure: LoopFailure | null;
  /** Who answered. */
  readonly route: { readonly provider: string; readonly model: string };
}

/** What runs loops. */
export interface AgentLoops {
  /** Runs a loop to its end. Effects are counted on a child path of the task. */
  runAgentLoop(task: Task, call: LoopCall): Promise<Dict>;
  /** A loop on another's behalf: sub-agents, workers. */
  runChildLoop(task: Task, call: LoopCall): Promise<LoopEnd>;
  /** `agent_turn(prompt, opts?)`: loops until done, judged. */
  runAgentTurn(task: Task, prompt: string, options: Value, said?: LoopCall["said"]): Promise<Dict>;
}

/** Loops that may use what the folders above `agent/` bring along. */
export const agentLoops = (extensions: LoopExtensions): AgentLoops => ({
  runAgentLoop: async (task, call) => (await runLoop(task, call, extensions)).result,
  runChildLoop: (task, call) => runChildLoop(task, call, extensions),
  runAgentTurn: (task, prompt, options, said) => runAgentTurn(task, { prompt, said }, options, extensions),
});

async function runChildLoop(task: Task, call: LoopCall, extensions: LoopExtensions): Promise<LoopEnd> {
  const { result, loop } = await runLoop(task, call, extensions);
  const { lastText, lastVisible, failure } = loop.state;
  const { provider, model } = loop.route;
  return { result, lastText, lastVisible, failure, route: { provider, model } };
}

async function runAgentTurn(
  task: Task,
  asked: Pick<LoopCall, "prompt" | "said">,
  value: Value,
  extensions: LoopExtensions,
): Promise<Dict> {
  const options = turnOptions(task, value);
  const own = options.get("system") ?? null;
  if (own !== null && typeof own !== "string")
    throw thrown(`agent_turn: \`system\` must be a string or nil; got ${typeOf(own)}`);
  const call = {
    ...asked,
    system: own,
    announces: true,
    options: options.without("system"),
    caller: "agent_turn",
  };
  const { result, loop } = await runLoop(task, call, extensions);
  const iterations = loop.state.turns.map(({ iteration, toolCount, proseChars }) =>
    Dict.of({ iteration, started: true, ended: true, tool_count: toolCount, prose_chars: proseChars }),
  );
  const decisions = loop.state.judgeDecisions.map((decision) => Dict.of(decisionFields(decision)));
  return result.merge(Dict.of({ iterations: new List(iterations), judge_decisions: new List(decisions) }));
}

function turnOptions(task: Task, value: Value): Dict {
  if (value !== null && !(value instanceof Dict))
    throw thrown("agent_turn(prompt, opts?): opts must be a dict or nil");
  let options = value ?? new Dict();
  const judge = options.has("done_judge")
    ? options.get("done_judge")
    : options.has("judge")
      ? options.get("judge")
      : true;
  if (judge === null || judge === false)
    throw thrown("agent_turn: done_judge is mandatory; pass a dict, true, or omit it");
  if (options.get("loop_until_done") === false || options.get("persistent") === false) {
    throw thrown("agent_turn: completion looping is required; pass loop_until_done: true or omit it");
  }
  options = options
    .without("judge")
    .with("done_judge", judge ?? true)
    .with("loop_until_done", true);
  if ((options.get("session_id") ?? null) === null)
    options = options.with("session_id", `agent_turn_session_${newId(task)}`);
  return options;
}

async function runLoop(
  task: Task,
  asked: LoopCall,
  extensions: LoopExtensions,
): Promise<{ result: Dict; loop: Loop }> {
  const { effects } = task.runtime;
  const outer = task.scope;
  task.scope = effects.child(outer);
  const store = task.runtime.state(conversations);
  let loop: Loop | undefined;
  let servers: LoopServers | undefined;
  let hold: Hold | undefined;
  let ended: Dict | undefined;
  let around: AroundTools | undefined;
  let leavePlace: (() => void) | undefined;
  const host = hostSessionOf(task);
  try {
    const wanted =
      host === null
        ? asked.options
        : await withEditorDefaults(task, host, asked.prompt, asked.options, extensions.connectServer);
    hold = await holdSession(task, asked.prompt, wanted);
    const call = { ...asked, options: wanted };
    servers = await serversOf(task, call, extensions);
    const lifecycle = await lifecycleOf(task, call);
    await learnFormat(task, call, servers, extensions);
    const made = makeLoop(task, call, { hold, servers, lifecycle, extensions });
    loop = made.loop;
    around = enterScope(task, loop);
    store.enter(task, loop.state.sessionId);
    task.runtime.state(runningLoops).enter(task, loop);
    leavePlace = taskPlaces.enter(task, { loop: loop.identity, call: null });
    loop.conversation.latestLoop = loop.identity;
    loop.conversation.running++;
    if (isUnderControl(loop)) loop.conversation.controlled = true;
    const started = scriptMonotonicMs(task);
    task.runtime.effects.beginsNow?.();
    const text = emitStart(task, loop);
    if (text instanceof Promise) await text;
    if (made.modeBefore !== null && loop.conversation.mode !== null)
      await emitMode(task, loop.state.sessionId, made.modeBefore, loop.conversation.mode, "program");
    if (loop.formatOverride !== null) await reportOverride(task, loop);
    if (lacksNativeTools(loop, made.plan)) await reportGap(task, loop);
    await call.prepare?.(loop.conversation);
    if (made.repairs.length > 0) await publishRepairs(task, loop, made.repairs);
    if (made.passing.length > 0) warnOfPassingChecks(task, call.caller, made.passing);
    if (made.loop.options.daemon !== null) {
      const kept = await openDaemon(task, loop, call);
      if (kept !== null) resumeTaskState(loop.conversation, kept, "agent_loop", patternMatcher(task.runtime));
    }
    const blocked = call.isResumed === true ? undefined : await openLoopSession(task, loop, made);
    const driver = new LoopDriver(task, loop, made.plan, started, around);
    const completion = blocked ?? (await driver.run());
    await closeLoopSession(task, loop, completion);
    const durationMs = elapsedMs(task, started);
    const data = made.plan.wantsJson
      ? parsedStructured(task, made.plan, loop.state.lastText, driver.strictNulls).data
      : undefined;
    const startedAt = new Date(loop.state.startedAt).toISOString();
    const result = loopResult(loop, { ...completion, durationMs, startedAt, data });
    if (loop.options.daemon !== null) await closeDaemon(task, loop, String(result.get("status")));
    const endEvents = emitEnd(task, loop, result, completion, durationMs);
    if (endEvents instanceof Promise) await endEvents;
    if (goneOn(loop, result)) await (await suspensionPortOf(task))?.ended(task, loop, { result });
    const { closing } = loop.conversation;
    if (closing !== null) await endConversation(task, loop.conversation, closing);
    ended = result;
    return { result, loop };
  } catch (error) {
    if (loop !== undefined && goneOn(loop) && error instanceof ScriptError)
      await (await suspensionPortOf(task))?.ended(task, loop, { error: uncaughtText(error) });
    throw error;
  } finally {
    if (loop !== undefined) {
      store.leave(task);
      task.runtime.state(runningLoops).leave(task);
      leavePlace?.();
      around?.leave?.();
      task.runtime.state(policyScopes).leave(task);
      if (loop.options.modes !== null) modeScopes.leave(task);
      loop.conversation.running--;
      loop.conversation.task = null;
      // Calls of a suspended loop stay open, and what others say waits after them.
      if (loop.conversation.openBatch === null) loop.conversation.callsAnswered();
      // It failed: nobody is told, but it is over all the same.
      if (loop.conversation.closing !== null) store.remove(loop.conversation.id);
    }
    hold?.release();
    servers?.close();
    task.scope = outer;
    const reason = ended?.get("acp_stop_reason");
    if (host !== null && typeof reason === "string") host.stopReason = reason;
  }
}

/** Names, and what is wrong in documented words; the types of everything else are looked at after those of the calls. */
function readOptions(
  task: Task,
  { caller, options }: LoopCall,
  { readSkills, withSkillDefaults }: LoopExtensions,
): { readonly options: LoopOptions; readonly skills: LoopSkills | null } {
  checkNames(task, caller, options, loopFields, { also: providerNames(task) });
  return {
    options: loopOptionsOf(withSkillDefaults(task, options), "agent_loop", patternMatcher(task.runtime)),
    skills: readSkills(options),
  };
}

/** The servers of `mcp_servers`, connected once everything else about the options is known to be right. */
async function serversOf(task: Task, call: LoopCall, extensions: LoopExtensions): Promise<LoopServers> {
  const option = call.options.get("mcp_servers") ?? null;
  if (option !== null) readOptions(task, call, extensions);
  return await extensions.openServers(task, option);
}

/** Where neither the loop nor its session says how tools are spoken, a server of one's own is asked. */
async function learnFormat(
  task: Task,
  call: LoopCall,
  servers: LoopServers,
  extensions: LoopExtensions,
): Promise<void> {
  const { options } = call;
  const asked = options.get("tool_format") ?? "auto";
  if ((options.get("tools") ?? null) === null && servers.tools.length === 0) return;
  if (asked !== "auto" || !asksServers(task)) return;
  const read = readOptions(task, call, extensions);
  await learnToolFormat(task, routeOfCall(task, callOptionsOf(read.options)));
}

/** What a session that knows of its work has from the options. */
const taskParts = ["completion", "contract", "workItems", "transcript"] as const;

/** What lets a model control workers, where the loop asks for it. */
async function lifecycleOf(task: Task, { options, caller }: LoopCall): Promise<ToolEntry[]> {
  if (!wantsSubagentTools(options)) return [];
  const port = await suspensionPortOf(task);
  if (port === null) throw thrown(`${caller}: \`subagents\` needs workers, and this program has none`);
  return port.lifecycleTools();
}

/** It was suspended, went on in the same call, and is over now: its suspension port has to know. */
const goneOn = ({ state }: Loop, result?: Dict): boolean =>
  state.slots.suspension.isResumed && result?.get("status") !== "suspended";

/** Loops inside tools inside loops …: agents that start each other for ever are stopped here. */
const maxNested = 32;

function checkDepth(task: Task, caller: string): void {
  if (task.runtime.state(runningLoops).depth(task) < maxNested) return;
  const message = `${caller}: agents are nested deeper than ${maxNested} levels`;
  const category = "budget_exceeded";
  throw new ScriptError("thrown", Dict.of({ category, message }), { category });
}

/** Its dollar limits hold for everybody who works for it. */
function openModelBudget(task: Task, options: LoopOptions, plan: CallPlan): ModelBudget {
  const modelBudget = new ModelBudget(modelBudgetOf(task));
  const limits = [options.iterationBudget.totalCostUsd, plan.budget?.totalBudgetUsd];
  const known = limits.filter((usd) => typeof usd === "number");
  if (known.length > 0) modelBudget.limitUsd = Math.min(...known);
  modelBudget.limitTokens = options.limits.tokens;
  return modelBudget;
}

/** Puts the loop's own rules under those around it; gives the gates that its calls must pass. */
function enterScope(task: Task, loop: Loop): AroundTools {
  const { permissions, approvalPolicy: approval, commandPolicy: command } = loop.options;
  const policy = withServerTools(loop);
  const scopes = task.runtime.state(policyScopes);
  if (policy !== null) installGuard(task.runtime);
  const { toolSurfaceNarrowing: asked } = loop.options;
  const { narrowing } = loop.state.slots;
  const outer = task.runtime.state(runningLoops).current(task);
  narrowing.off =
    asked?.isUsual === true &&
    (isUnderControl(loop) ||
      (outer !== null && (outer.state.slots.narrowing.off === true || isUnderControl(outer))));
  // Checks and claims, and tools that are no longer offered, ask what was changed since.
  if (loop.options.completion !== null || (asked !== null && !narrowing.off && loop.usesTools))
    watchChanges(task.runtime);
  if (command !== null) addJudge(task.runtime, judgeCommands);
  const { conversation } = loop;
  const text = (name: string): string | null => {
    const value = loop.options.input.get(name);
    return typeof value === "string" ? value : null;
  };
  const actor = { agent: text("agent"), persona: text("persona"), mode: text("mode") };
  scopes.enter(task, { conversation, policy, permissions, approval, command, actor, repeats: new Map() });
  if (loop.options.modes !== null) modeScopes.enter(task, { mode: () => conversation.mode ?? "execute" });
  const leave = laysSomething(loop.options) ? layOn(task, loop.options) : undefined;
  const laid = laidOnAround(task);
  for (const { topics } of laid)
    for (const { topic, callback } of topics) loop.core.hooks.on(topic, scriptHook(task, callback));
  // A loop that calls nothing needs none of it.
  let around: AroundCalls | undefined;
  return {
    calls: () => (around ??= aroundCalls(task, loop, policy, laid)),
    llmCaller: laid.findLast(({ llmCaller }) => llmCaller !== null)?.llmCaller ?? null,
    leave,
  };
}

function aroundCalls(
  task: Task,
  loop: Loop,
  policy: LoopOptions["policy"],
  laid: readonly LaidOn[],
): AroundCalls {
  const hooks = loopToolHooks(laid, (call, pending, reason) => toolDenied(call, loop, pending, reason));
  const overrides = policy?.toolAnnotations ?? null;
  const mode =
    loop.agentMode() === null ? [] : [modeGate(loop.agentMode, { overrides, proposes: proposesPlans(loop) })];
  const gates = [
    ...mode,
    ...(loop.options.repetition.circles === null ? [] : [doomGate(loop)]),
    ...(loop.skills === null ? [] : [loop.skills.gate(loop)]),
    ...policyGates(loop, task.runtime.state(policyScopes).around(task)),
    toolHookGate(hooks),
    ...mode,
  ];
  return { gates, hooks, wrap: toolWrapper(loop, laid) };
}

/** A hook of the loop refused a call: on record, with the hook's words. */
async function toolDenied(task: Task, loop: Loop, { call }: PendingCall, reason: string): Promise<void> {
  const facts = { tool: call.name };
  const refusal = { kind: "hook", rule: "pre_tool", reason, facts, call: call.id } as const;
  const made = recordIntervention(loop.conversation, loop.work.iteration + 1, refusal);
  loop.state.slots.interventions.count++;
  if (loop.listens())
    await publishNamed(task, loop.state.sessionId, "control_intervention", Dict.of(interventionFields(made)));
}

/** The loop's own ceiling, with the tools of its servers on the list: it asked for them when it named the servers. */
function withServerTools({ options, tools }: Loop): LoopOptions["policy"] {
  const { policy } = options;
  const found = tools.entries.filter(({ origin }) => origin === "mcp").map(({ name }) => name);
  if (policy === null || policy.tools.length === 0 || found.length === 0) return policy;
  return { ...policy, tools: [...policy.tools, ...found] };
}

/** What a loop is made of besides its call. */
interface LoopServices {
  readonly hold: Hold;
  readonly servers: LoopServers;
  readonly lifecycle: readonly ToolEntry[];
  readonly extensions: LoopExtensions;
}

/** A loop that has not begun. */
interface NewLoop {
  readonly loop: Loop;
  readonly plan: CallPlan;
  /** Nothing was said in its session before. */
  readonly fresh: boolean;
  /** It begins at the dispatch of calls that a suspended loop left open. */
  readonly resumes: boolean;
  /** What was wrong with the conversation that it begins in. */
  readonly repairs: readonly Repair[];
  /** The mode of the session, where this loop begins in another one. */
  readonly modeBefore: AgentMode | null;
  /** Requirements whose checks end with this run, though the conversation goes on. */
  readonly passing: readonly string[];
}

function makeLoop(
  task: Task,
  call: LoopCall,
  { hold, servers, lifecycle, extensions }: LoopServices,
): NewLoop {
  const { caller } = call;
  const { options, skills } = readOptions(task, call, extensions);
  checkDepth(task, caller);
  const asked = call.narrowed === true ? null : options.policy;
  checkNested(task.runtime.state(policyScopes).around(task), asked, "agent_loop: ");
  const plan = planModelCalls(task, callOptionsOf(options), options);
  checkLoopTypes(call.options, caller);
  const ownTools = userToolsOf(options, servers);
  const { userTools } = ownTools;
  const usesTools = userTools.entries.length > 0;
  const { sessionId } = hold;
  const store = task.runtime.state(conversations);
  const fresh = store.get(sessionId) === undefined;
  const conversation = store.open(sessionId);
  if (fresh && (options.sessionId === null || call.disposable === true)) conversation.disposable = true;
  const parent = store.current(task);
  if (fresh && parent !== null) adopt(store.get(parent), conversation);
  if (options.transcript !== null) seedConversation(conversation, options.transcript, "agent_loop");
  const passing = options.contract === null ? [] : passingChecks(conversation, options.contract);
  if (conversation.contract !== null || taskParts.some((name) => options[name] !== null))
    openTaskState(conversation, options, caller, patternMatcher(task.runtime));
  const modeBefore =
    options.modes === null ? null : openMode(conversation, options.modes, call.isResumed === true);
  const modesAbove = modeScopes.around(task);
  const ownMode = options.modes === null ? [] : [{ mode: () => conversation.mode ?? "execute" } as const];
  const modesInForce = [...modesAbove, ...ownMode];
  const format = claimFormat(task, conversation, options, plan);
  const mode: ToolMode = usesTools ? format : "none";
  const events = task.runtime.state(runEvents);
  const {
    tools: offered,
    unlisted,
    disclosure,
  } = loopTools(task, options, ownTools, plan, format, lifecycle);
  const structural = new Map<string, StructuralTool>();
  const control = controlTools(options, conversation).filter(
    ({ entry }) => !userTools.byName.has(entry.name),
  );
  // A tool of the user's own under this name is the user's.
  const load = userTools.byName.has(loadSkillName) ? undefined : skills?.tool;
  const loaded = load === undefined ? offered : joinToolSets(offered, toolSetOf([load]));
  const tools =
    control.length === 0 ? loaded : joinToolSets(loaded, toolSetOf(control.map(({ entry }) => entry)));
  const { iterationBudget, limits } = options;
  const machine = createControl(sessionId, {
    turns: iterationBudget.initial,
    ...(iterationBudget.wallClockMs === null ? {} : { wall_clock_ms: iterationBudget.wallClockMs }),
    ...(iterationBudget.totalCostUsd === null ? {} : { cost_usd: iterationBudget.totalCostUsd }),
    ...(limits.toolCalls === null ? {} : { tool_calls: limits.toolCalls }),
    ...(limits.tokens === null ? {} : { tokens: limits.tokens }),
  });
  machine.goal = call.prompt;
  const hooks = new HookRegistry();
  for (const { topic, callback } of options.hooks.topics)
    if (!isAboutTools(topic)) hooks.on(topic, scriptHook(task, callback));
  const log = new EventLog(
    sessionId,
    parent === null ? null : { session: parent, call: taskPlaces.current(task)?.call?.modelCallId ?? null },
  );
  const core: Core = { control: machine, events: log, hooks, now: 0 };
  const { provider, model } = plan.base;
  const toolResultBlocks = provider === "anthropic";
  const own = loopSessionHooks(options.hooks.agentStop);
  const loop: Loop = {
    call,
    core,
    identity: openedLoop(task, events, events.openLoop(sessionId, placeAbove(task, parent))),
    state: createLoopState(machine, call.prompt, sessionId),
    conversation,
    options,
    route: { provider, model, toolResultBlocks },
    system: call.system === "" ? null : call.system,
    announces: call.announces === true,
    compactionMode: call.compactionMode ?? "auto",
    serverNotes: servers.notes,
    modelBudget: openModelBudget(task, options, plan),
    onOutcome: call.onOutcome ?? null,
    mailbox: call.mailbox ?? null,
    reminderProviders: task.runtime.state(reminderProviders),
    tools,
    visible: toolSetOf([]),
    unlisted,
    disclosure,
    structural,
    usesTools,
    agentMode: modesInForce.length === 0 ? () => null : () => narrowest(modesInForce),
    format,
    formatOverride: overrideOf(options, format),
    mode,
    channel: usesTools || load !== undefined || control.length > 0 ? format : "none",
    skills,
    sentinel: sentinelOf(options, mode, caller),
    overrides: null,
    hooked: (event) =>
      task.runtime.state(sessionHooks).some((hook) => hook.event === event) ||
      (event === "PreFinish" && options.hooks.agentStop.length > 0),
    sessionHooks: (event, fields, subject) =>
      loop.hooked(event) ? runSessionHooks(task, event, sessionId, fields, subject, own) : null,
    listens: () => conversation.subscribers.length > 0 || events.listens,
    projector: null,
    contextWindow: plan.capabilities.context_window ?? options.contextWindow,
    seesPictures: plan.capabilities.vision,
    reasoningStays: plan.capabilities.reasoning_must_stay,
    freshId: () => newId(task),
    digest: (text) => sha256Hex(task.runtime.host.crypto, text),
    findAll: (pattern, text) => findAll(task.runtime, pattern, text),
    reached: task.runtime.state(phaseObserver).reached,
    work: newTurn(0),
  };
  const { ladder = null } = options.compaction ?? {};
  if (ladder !== null)
    checkPatterns(ladder.mustSurvive, loop.findAll, "agent_loop: `compaction.must_survive`");
  refreshVisible(loop);
  if (options.toolSearch !== null && disclosure?.mode === "client")
    structural.set(options.toolSearch.name, searchAnswer(loop, task.runtime, options.toolSearch));
  for (const { entry, answer, aliases = [] } of control)
    for (const name of [entry.name, ...aliases])
      if (!userTools.byName.has(name)) structural.set(name, answer(loop));
  if (!userTools.byName.has(loadSkillName)) structural.set(loadSkillName, extensions.answerLoadSkill(loop));
  const startedAt = wallMs(task);
  loop.state.startedAt = startedAt;
  conversation.loopLogs.open({ loop: loop.identity.id, log, startedAt });
  if (conversation.streak !== null) restoreStall(loop.state.slots, conversation.streak);
  conversation.streak = null;
  const resumes = resumeBatch(loop);
  const repairs = resumes ? [] : repairConversation(conversation, repairOptions(loop, hold.forked));
  return { loop, plan, fresh: fresh || hold.forked, resumes, repairs, modeBefore, passing };
}

/**
 * Whether the loop goes on for a suspended one that left calls undispatched: it begins with them. Any other loop of the
 * conversation gives them up.
 */
function resumeBatch(loop: Loop): boolean {
  const { conversation } = loop;
  const { openBatch, resumption } = conversation;
  conversation.openBatch = null;
  const message = openBatch === null ? undefined : messageOf(conversation, openBatch);
  if (openBatch !== null && message !== undefined && resumption !== null) {
    beginAtDispatch(loop, openBatch, message);
    return true;
  }
  conversation.resumption = null;
  if (openBatch !== null) conversation.callsAnswered();
  return false;
}

/** Hooks before the first turn; a blocked prompt never reaches the conversation, and no model is called. */
/** A loop of a simulated user or a judge is told from the agent's. */
function openedLoop(task: Task, events: RunEvents, identity: LoopIdentity): LoopIdentity {
  if (roleOf(task) !== "agent") events.others.add(identity.id);
  return identity;
}

async function openLoopSession(
  task: Task,
  loop: Loop,
  { fresh, resumes }: NewLoop,
): Promise<Completion | undefined> {
  const { conversation } = loop;
  const started = resumes ? (conversation.resumption?.said ?? null) : loop.state.task;
  conversation.resumption = null;
  if (resumes) conversation.task = conversation.shown.find(({ message }) => message.role === "user") ?? null;
  // It goes on with its calls: there is nothing to say.
  if (started === null) return undefined;
  const prompt = started;
  if (conversation.feedback.length > 0) sayDeferred(conversation, loop.seesPictures);
  const said = await loop.sessionHooks("UserPromptSubmit", Dict.of({ prompt }), prompt);
  if (said !== null && said.blocked !== null)
    return { status: "blocked", reason: "user_prompt_submit_blocked" };
  if (fresh) await loop.sessionHooks("SessionStart", Dict.of({ prompt }), loop.state.sessionId);
  const changed = said?.payload.get("prompt");
  const words = typeof changed === "string" ? changed : prompt;
  const attached = takeAttached(task, loop.state.sessionId, prompt);
  const { said: whole } = loop.call;
  const asked = whole !== undefined && words === prompt ? whole : spoken(words, attached, loop.seesPictures);
  if (resumes) {
    conversation.say(asked, promptOrigin);
    return undefined;
  }
  const logged = conversation.append(asked, promptOrigin);
  conversation.task = logged;
  if (loop.listens()) {
    const data = { message: logged.id, role: asked.role, text: words };
    await publish(task, loop.identity.here(), "message.end", data);
  }
  return undefined;
}

/** A session keeps the format that it began with. */
async function reportOverride(task: Task, { formatOverride, state }: Loop): Promise<void> {
  const fields = Dict.of({ ...formatOverride, reason: "the session keeps its first tool format" });
  await publishNamed(task, state.sessionId, "tool_format_override", fields);
}

/** Native calls were asked for by name, on a route of which nobody knows that it has them. */
const lacksNativeTools = ({ options, mode, route }: Loop, { capabilities }: CallPlan): boolean =>
  options.toolFormat === "native" &&
  mode === "native" &&
  route.provider !== "mock" &&
  !capabilities.native_tools;

async function reportGap(task: Task, { route, state }: Loop): Promise<void> {
  const reason = `nothing says that ${route.model} of ${route.provider} has native tools`;
  const fields = Dict.of({ requested: "native", effective: "native", reason });
  await publishNamed(task, state.sessionId, "capability_gap", fields);
}

/** Hooks after the last turn. */
async function closeLoopSession(task: Task, loop: Loop, completion: Completion): Promise<void> {
  const { status, reason } = completion;
  const fields = Dict.of({ status, stop_reason: reason, iterations: loop.state.iterations });
  const exit = fields.merge(Dict.of({ checkpoint: "loop_exit", drained_messages: 0 }));
  if (loop.listens()) await publishNamed(task, loop.state.sessionId, "loop_checkpoint", exit);
  await loop.sessionHooks("LoopCheckpoint", exit, "loop_exit");
  if (loop.state.failure !== null) {
    const error = loop.state.failure.error.message;
    await loop.sessionHooks("SessionError", fields.with("error", error), status);
  }
  if (status === "done") await loop.sessionHooks("PostFinish", fields, reason);
  if (loop.conversation.disposable && loop.conversation.closing === null)
    await loop.sessionHooks("SessionEnd", fields, loop.state.sessionId);
}

function adopt(parent: Conversation | undefined, child: Conversation): void {
  if (parent === undefined) return;
  child.parentId = parent.id;
  parent.childIds.push(child.id);
}

/** The session's first format stays; else what was asked for, else the route's own; the mock speaks text. */
function claimFormat(
  task: Task,
  conversation: Conversation,
  options: LoopOptions,
  plan: CallPlan,
): ToolFormat {
  const asked = options.toolFormat === "auto" ? null : options.toolFormat;
  const claimed = conversation.toolFormat;
  if (isToolFormat(claimed)) {
    if (asked !== null && asked !== claimed) {
      warn(
        task,
        `agent_loop: session ${conversation.id} speaks the ${claimed} tool format; \`tool_format: "${asked}"\` is overridden`,
      );
    }
    return claimed;
  }
  const format = asked ?? usualFormat(plan);
  conversation.toolFormat = format;
  return format;
}

/** The pin of the model's alias, else what the route prefers; the mock speaks text. */
function usualFormat({ base, pinnedFormat, capabilities }: CallPlan): ToolFormat {
  if (pinnedFormat !== null) return pinnedFormat;
  if (base.provider === "mock") return "text";
  const { preferred_tool_format: preferred, native_tools } = capabilities;
  if (isToolFormat(preferred)) return preferred;
  return native_tools ? "native" : "text";
}

function overrideOf(options: LoopOptions, effective: ToolFormat): Loop["formatOverride"] {
  const requested = options.toolFormat;
  return isToolFormat(requested) && requested !== effective ? { requested, effective } : null;
}

function sentinelOf(options: LoopOptions, mode: ToolMode, caller: string): string | null {
  if (options.doneSentinel === null && caller === "agent_turn" && mode !== "native") {
    throw thrown(
      "agent_turn: done_sentinel is required for non-native loops; omit it or pass a non-empty string",
    );
  }
  if (options.doneSentinel !== undefined) return options.doneSentinel;
  // A claim ends it, unless somebody names a word as well.
  if (options.completion !== null) return null;
  return mode === "native" ? null : "##DONE##";
}

// ── events ────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The loop and the call that a loop begins in: of the session that the task works for, which a worker's later cycles keep
 * whoever began them.
 */
function placeAbove(task: Task, session: string | null): TaskPlace | null {
  if (session === null) return null;
  const place = taskPlaces.current(task);
  if (place?.loop.session === session) return place;
  const loop = task.runtime.state(conversations).get(session)?.latestLoop ?? null;
  return loop === null ? null : { loop, call: null };
}

function emitStart(task: Task, loop: Loop): MaybePromise<void> {
  if (!loop.listens()) return;
  const { identity, route, state, core, format, options, contextWindow } = loop;
  const name = options.raw.get("agent");
  return publish(task, identity.here(), "loop.start", {
    ...turnLimit(loop),
    task: state.task,
    name: typeof name === "string" ? name : (loop.call.name ?? null),
    provider: route.provider,
    model: route.model,
    format,
    window: contextWindow,
    ...(loop.agentMode() === null ? {} : { mode: loop.agentMode() }),
    parent_session: core.events.parent?.session ?? null,
    parent_tool_call: identity.parentCall,
  });
}

function emitEnd(
  task: Task,
  loop: Loop,
  result: Dict,
  completion: Completion,
  durationMs: number,
): MaybePromise<void> {
  const text = (name: string): string => String(result.get(name) ?? "");
  const end = { status: text("status"), reason: text("stop_reason") };
  loop.state.end = end;
  const error = failedCallOf(loop, end.status);
  reportLoopEnd(task, loop, error);
  const { identity, state } = loop;
  const cost = result.get("cost_usd");
  return publish(task, identity.here(), "loop.end", {
    ...turnLimit(loop),
    status: String(result.get("status") ?? completion.status),
    stop_reason: String(result.get("stop_reason") ?? completion.reason),
    turns: state.iterations,
    duration_ms: durationMs,
    total: {
      input: state.usage.input,
      output: state.usage.output,
      // With an answer of unknown price in it the sum is a lower bound, and no cost.
      cost_usd: cost instanceof Float && modelsOf(task).spending.unpriced === 0 ? cost.value : null,
    },
    tools_used: [...state.tools.attempted],
    successful_tools: [...state.tools.successful],
    error,
  });
}
