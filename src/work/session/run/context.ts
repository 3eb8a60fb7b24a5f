/**
 * What the model is told in a run: the script's own system text, then everything that outlives runs, then how to end one;
 * the pending events are the prompt. Nothing of it belongs to a provider.
 */
import type {
  InputEvent,
  PendingInput,
  SessionEvent,
  SessionRecord,
  StoredWake,
} from "../../../durable/index.ts";
import { clip } from "../memory/clip.ts";
import type { Memory } from "../memory/memory-files.ts";
import type { Environment } from "./environment.ts";
import type { Resource } from "./resources.ts";

export interface ContextParts {
  readonly record: SessionRecord;
  readonly run: number;
  readonly now: number;
  readonly system: string | null;
  readonly environment: Environment | null;
  readonly resources: readonly Resource[];
  readonly memoryFile: string;
  readonly learnings: readonly string[];
  readonly memory: Memory;
  readonly wakes: readonly StoredWake[];
  readonly customTools: readonly string[];
}

const maxMemoryFileLength = 24_000;
/** Of one event in the prompt; a commit moves on after it all the same. */
const maxEventLength = 32_000;

export function systemText(parts: ContextParts): string {
  const { record, run, now, memory } = parts;
  const sections = [
    parts.system ?? "",
    section(
      "This session",
      `You work in the session "${record.name}" (agent "${record.agent}"), which goes on over many runs. This is run ${run}, ` +
        `begun ${new Date(now).toISOString()}. You do not see earlier conversations: what they came to stands below.`,
    ),
    section("Environment", sessionEnvironmentText(parts.environment)),
    section("Attached resources", resourcesText(parts.resources)),
    section("Memory of all sessions", clip(parts.memoryFile, maxMemoryFileLength)),
    section("Learned so far", parts.learnings.map((text) => `- ${text}`).join("\n")),
    section("Where this session is", memory.summary),
    section("The last runs", memory.buffer),
    section("Waiting wakes", wakesText(parts.wakes)),
    directiveText(parts.customTools),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

const section = (title: string, text: string): string =>
  text.trim() === "" ? "" : `## ${title}\n${text.trim()}`;

function sessionEnvironmentText(environment: Environment | null): string {
  if (environment === null) return "";
  const variables = environment.variables.map(([name, value]) => `- ${name} = ${value}`);
  return [`Name: ${environment.name}`, environment.notes.trim(), ...variables]
    .filter((line) => line !== "")
    .join("\n");
}

function resourcesText(resources: readonly Resource[]): string {
  return resources
    .map(({ path, text, problem }) =>
      text === null ? `### ${path}\n(${problem})` : `### ${path}\n${fencedContext(text)}`,
    )
    .join("\n\n");
}

/** In a fence that is longer than any in the text. */
function fencedContext(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([mark]) => mark.length));
  const mark = "`".repeat(longest + 1);
  return `${mark}\n${text.replace(/\n$/, "")}\n${mark}`;
}

const wakesText = (wakes: readonly StoredWake[]): string =>
  wakes.map(({ key, due, reason }) => `- ${key} at ${new Date(due).toISOString()}: ${reason}`).join("\n");

/** How the model ends a run. */
function directiveText(customTools: readonly string[]): string {
  const tools =
    customTools.length === 0
      ? ""
      : `\n- "customTool": {"name": one of ${customTools.join(", ")}, "input": {…}}, if you can't call it as a tool. Its result comes in a later run.`;
  return `## How to end this run
Do what the events ask for, then end with an answer for the user and, behind it, one block in exactly this form:

\`\`\`directive
{"summary": "…", "next": "sleep", "queuedWakes": [], "learnings": []}
\`\`\`

- "summary": everything that a later run must know about this session, in full: it takes the place of "Where this session is". Leave it out if nothing has changed.
- "next": "sleep" until something happens, or "continue" if there is more to do right now.
- "queuedWakes": when to look again by yourself: {"after": "2h" or "at": "2026-01-31T09:00:00Z", "reason": "…", "key": "…"}. A key replaces the waiting wake of that key.
- "learnings": short sentences that will help in other sessions, too; {"text": "…", "promote": true} if everybody should always know it.${tools}`;
}

// ── the prompt ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface PromptParts {
  readonly events: readonly SessionEvent<InputEvent>[];
  /** All calls that results may answer. */
  readonly awaiting: readonly PendingInput[];
  /** Events that are left to the next run. */
  readonly left: number;
}

export function sessionPromptText({ events, awaiting, left }: PromptParts): string {
  const parts = events.map((event) => contextEventText(event, awaiting));
  if (events.length === 0) parts.push("You asked to continue: go on where the last run ended.");
  const open = awaiting.filter(({ answered }) => answered === null);
  if (open.length > 0) {
    const names = open.map(({ id, name }) => `${id} (${name})`).join(", ");
    parts.push(`[still without a result: ${names}]`);
  }
  if (left > 0) parts.push(`[${left} more events are pending; they come in the next run]`);
  return parts.join("\n\n");
}

function contextEventText(event: SessionEvent<InputEvent>, awaiting: readonly PendingInput[]): string {
  const at = new Date(event.at).toISOString();
  switch (event.type) {
    case "user.message":
      return `[event ${event.n}, ${at}: message]\n${clip(event.text, maxEventLength)}`;
    case "user.custom_tool_result": {
      const use = awaiting.find(({ id }) => id === event.tool_use_id);
      const call =
        use === undefined ? event.tool_use_id : `${use.id}, ${use.name}(${JSON.stringify(use.input)})`;
      const content = typeof event.content === "string" ? event.content : JSON.stringify(event.content);
      const what = event.is_error ? "failure" : "result";
      return `[event ${event.n}, ${at}: ${what} of ${call}]\n${clip(content, maxEventLength)}`;
    }
    case "session.wake":
      return `[event ${event.n}, ${at}: wake ${event.key}, due ${new Date(event.due).toISOString()}]\n${event.reason}`;
  }
}

/** What the model is told about a directive that can't be used. */
export function contextCorrectionText(problems: readonly string[]): string {
  return `This of your directive can't be used:\n${problems.map((problem) => `- ${problem}`).join("\n")}\n\nSend the whole corrected \`\`\`directive block again, and nothing else.`;
}
