/**
 * The tools of a loop, put together before its first turn: the user's, those of MCP servers, those of the runtime, how much of them
 * the model is told (agents.md §9, §10.1), and the control tools that its options ask for.
 */

import type { Task } from "../../interp/index.ts";
import {
  type CallPlan,
  type Conversation,
  type Disclosure,
  disclosureOf,
  joinToolSets,
  selectTools,
  type ToolEntry,
  type ToolFormat,
  type ToolSet,
  toolSetOf,
  toolSetOfValue,
  withLoaded,
} from "../../model/index.ts";
import { claimTool } from "../completion/claim/claim.ts";
import { progressTool } from "../completion/progress.ts";
import { contractTools } from "../completion/task-contract/in-loop.ts";
import { workItemTools } from "../completion/work-items/tools.ts";
import { ladderTools } from "../context/passes/recall-tools.ts";
import { searchTool } from "../context/tool-search.ts";
import type { LoopOptions } from "../options/loop-options.ts";
import type { ControlTool } from "../state/control-tools.ts";
import type { LoopServers } from "../state/extensions.ts";
import { resumableWork } from "../state/suspension-port.ts";
import { awaitResumptionTool, standsForAwaitResumption } from "./await-resumption.ts";

/** The user's tools, those of servers among them. */
export function userToolsOf(options: LoopOptions, servers: LoopServers): UserTools {
  if ((options.raw.get("tools") ?? null) === null && servers.tools.length === 0) return noTools;
  const read = toolSetOfValue(options.raw.get("tools"), "agent_loop: ");
  const selected = selectTools(read, (entry) => !standsForAwaitResumption(entry));
  const set = servers.bind(joinToolSets(selected, toolSetOf(servers.tools)));
  return {
    userTools: options.toolSearch === null ? set : withLoaded(set, options.toolSearch.alwaysLoaded),
    asksToPark: read.entries.some(standsForAwaitResumption),
  };
}

const noTools: UserTools = { userTools: toolSetOf([]), asksToPark: false };

export interface UserTools {
  readonly userTools: ToolSet;
  /** The registry has `agent_await_resumption` (`agent_lifecycle_tools`). */
  readonly asksToPark: boolean;
}

/** Whether somebody can go on with the loop once it has parked itself: it works for others, has a session or a daemon around it, or asks for it. */
const isResumed = (task: Task, { daemon, sessionId }: LoopOptions, asked: boolean): boolean =>
  asked || daemon !== null || sessionId !== null || resumableWork.current(task) === true;

export interface LoopTools {
  readonly tools: ToolSet;
  /** Names of tools that the loop answers and the model is not told of. */
  readonly unlisted: ReadonlySet<string>;
  readonly disclosure: Disclosure;
}

/** All tools that a call may reach; a tool of the user's own under a name of the runtime's is the user's. */
export function loopTools(
  task: Task,
  options: LoopOptions,
  { userTools, asksToPark }: UserTools,
  plan: CallPlan,
  format: ToolFormat,
  lifecycle: readonly ToolEntry[],
): LoopTools {
  const disclosure =
    options.toolSearch === null ? null : disclosureFor(options.toolSearch, userTools, plan, format);
  const own = (entry: ToolEntry): boolean => !userTools.byName.has(entry.name);
  const runtime = [awaitResumptionTool, ...lifecycle].filter(own);
  if (options.progressTool !== null)
    runtime.push(progressTool(options.progressTool, options.workItems !== null));
  if (options.toolSearch !== null && disclosure?.mode === "client")
    runtime.push(searchTool(options.toolSearch));
  const isListed = !own(awaitResumptionTool) || isResumed(task, options, asksToPark);
  const unlisted = new Set(isListed ? [] : [awaitResumptionTool.name]);
  return { tools: joinToolSets(userTools, toolSetOf(runtime)), unlisted, disclosure };
}

function disclosureFor(
  search: NonNullable<LoopOptions["toolSearch"]>,
  userTools: ToolSet,
  plan: CallPlan,
  format: ToolFormat,
): Disclosure {
  const { provider, model, provider_overrides } = plan.base;
  const route = {
    provider,
    model,
    capabilities: plan.capabilities,
    native: format === "native",
    forced: provider_overrides?.force_native_tool_search === true,
  };
  return disclosureOf(search, userTools, route, "agent_loop");
}

/** In the order in which the model is told of them: the claim is the last of all tools. */
export function controlTools(options: LoopOptions, kept: Conversation): readonly ControlTool[] {
  const { completion, workItems, contract } = options;
  const items =
    workItems !== null ||
    kept.workItems !== null ||
    (contract?.outputs ?? []).some(({ item }) => item !== null);
  const questions = (contract ?? kept.contract?.contract)?.questions ?? [];
  return [
    ...ladderTools(options, kept),
    ...(items ? workItemTools : []),
    ...(questions.length === 0 ? [] : contractTools(questions)),
    ...(completion === null ? [] : [claimTool(completion)]),
  ];
}
