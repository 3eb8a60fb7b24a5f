/**
 * The session of an editor that a run serves (agents.md §20, ACP): what it lends to the program's own loops. Loops inside
 * tools are the program's affair and get nothing of it.
 *
 * A loop that is given the user's own words and names no session continues the editor's conversation, so that a script
 * written for one question answers the next one, too.
 */
import { stateKey, type Task } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import type { Attachment } from "../context/attachments.ts";
import { loopFields } from "../options/fields.ts";
import { heldAround } from "../session/session-holds.ts";
import type { LoopExtensions, ServerClient } from "../state/extensions.ts";

export interface HostSession {
  /** Id of the editor's conversation. */
  readonly id: string;
  /** What the user said last. */
  prompt: string;
  /** Files that come with it: of the first loop that is given it. */
  attached?: readonly Attachment[];
  /** `reasoning_policy` for loops that say nothing about it. */
  reasoning: string | null;
  /** Descriptions of the MCP servers that the editor brings. */
  readonly servers: readonly Dict[];
  /** Connected by the first loop. */
  clients: ServerClient[] | undefined;
  /** `acp_stop_reason` of the last loop. */
  stopReason: string | null;
}

/** `null` for runs that serve nobody. */
export const hostSession = stateKey<{ current: HostSession | null }>("agent.host session", () => ({
  current: null,
}));

/** The session that a loop of this task would serve; `null` also inside another loop. */
export function hostSessionOf(task: Task): HostSession | null {
  const { current } = task.runtime.state(hostSession);
  return current === null || task.runtime.state(conversations).current(task) !== null ? null : current;
}

/** The options of a loop with the defaults of the editor. */
export async function withEditorDefaults(
  task: Task,
  host: HostSession,
  prompt: string,
  input: Dict,
  connect: LoopExtensions["connectServer"],
): Promise<Dict> {
  let options = input;
  const says = (name: string): boolean => (input.get(name) ?? null) !== null;
  if (!says("session_id") && prompt === host.prompt && !heldAround(task, host.id))
    options = options.with("session_id", host.id);
  if (host.reasoning !== null && ![...loopFields.set("reasoning")].some(says))
    options = options.with("reasoning_policy", host.reasoning);
  if (host.servers.length === 0) return options;
  host.clients ??= await connectAll(task, host.servers, connect);
  return options.with("mcp_servers", withClients(input.get("mcp_servers") ?? null, host.clients));
}

async function connectAll(
  task: Task,
  servers: readonly Dict[],
  connect: LoopExtensions["connectServer"],
): Promise<ServerClient[]> {
  const clients: ServerClient[] = [];
  for (const server of servers) clients.push(await connect(task, server, "acp: mcpServers"));
  return clients;
}

/** The script's own servers win over the editor's of the same name. */
function withClients(own: Value, clients: readonly ServerClient[]): Value {
  if (own !== null && !(own instanceof List)) return own;
  const entries = own === null ? [] : [...own];
  const names = new Set(
    entries
      .map((entry) => (entry instanceof Dict ? entry.get("name") : entry))
      .filter((name) => name !== null),
  );
  return new List([...entries, ...clients.filter(({ name }) => !names.has(name))]);
}

/** The files that come with the user's own words, for the loop that is given them; once. */
export function takeAttached(
  task: Task,
  sessionId: string,
  prompt: string,
): readonly Attachment[] | undefined {
  const { current: host } = task.runtime.state(hostSession);
  if (host === null || host.id !== sessionId || host.prompt !== prompt) return undefined;
  const { attached } = host;
  delete host.attached;
  return attached;
}
