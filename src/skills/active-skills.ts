/**
 * Skills in a loop (agents.md §15.3): before a turn they are matched, activated and deactivated; what is active stands in
 * the system text and narrows the tools.
 *
 *     first turn: the session's active skills come back ─▶ match ─▶ activate top_n
 *     later turns, `sticky: false`: match again on the newest message ─▶ deactivate what no longer fits ─▶ activate
 *
 * The set of active skills lives on the conversation, so the next loop of the session begins with it.
 */

import type { Loop } from "../agent/index.ts";
import { callBack, emitNamed, refreshVisible, resetNarrowing, type Turn } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import { NativeCallable } from "../interp/index.ts";
import { disconnectServer, ensureActive, letGo } from "../mcp/index.ts";
import type { ModelMessage } from "../model/index.ts";
import { isResultText, messageText, warn } from "../model/index.ts";
import { Callable, Dict, display, Float, List, ScriptError, textField, type Value } from "../values/index.ts";
import { askHost } from "./host-match.ts";
import { type LoadedSkill, loadSkillBody } from "./load.ts";
import { type Candidate, matchSkills, ranked } from "./match.ts";
import { skillList, skillName } from "./skill-entries.ts";
import type { SkillOptions } from "./skill-options.ts";
import { renderSkill } from "./skill-text.ts";

/** PLANNING: matches where it is due. */
export function* matchForTurn(loop: Loop, skills: SkillOptions): Turn<void> {
  if (skills.strategy === "catalog") return;
  const { iteration } = loop.work;
  const first = iteration === 0;
  if (first) rehydrate(loop, skills);
  if (!first && skills.sticky) return;
  const prompt = first ? wholePrompt(loop) : newestPrompt(loop);
  const candidates = yield* candidatesFor(skills, prompt);
  yield* note(loop, "skill_matched", {
    strategy: skills.strategy,
    iteration,
    reassess: !first,
    candidates: new List(candidates.map(candidateValue)),
    working_files: new List([...skills.workingFiles]),
  });
  const chosen = candidates.slice(0, skills.topN);
  if (!skills.sticky) yield* deactivateOthers(loop, skills, chosen);
  for (const candidate of chosen) yield* activate(loop, skills, candidate);
}

/** Active skills of the session that this loop has too. */
function rehydrate(loop: Loop, skills: SkillOptions): void {
  const names = new Set(skills.entries.map(skillName));
  const { conversation } = loop;
  conversation.activeSkills = conversation.activeSkills.filter(({ name }) => names.has(name));
  if (conversation.activeSkills.length > 0) refreshVisible(loop);
}

function* candidatesFor(skills: SkillOptions, prompt: string): Turn<Candidate[]> {
  const { entries, strategy, workingFiles } = skills;
  if (strategy === "metadata") return matchSkills(entries, prompt, workingFiles);
  const offered = entries.filter((entry) => entry.get("disable_model_invocation") !== true);
  let found: Candidate[] | string = "";
  yield* skillsInTask(async (task) => {
    found = await askHost(task, prompt, workingFiles, offered);
    if (typeof found === "string")
      warn(task, `agent_loop: skill_match by the host failed (${found}); metadata matching is used`);
  });
  return typeof found === "string" ? matchSkills(entries, prompt, workingFiles) : ranked(found);
}

/** A step of the turn that needs the task: reading files, asking the host. */
function* skillsInTask(body: (task: Task) => Promise<void>): Turn<void> {
  yield* callBack(
    new NativeCallable("skills", [], async (task) => {
      await body(task);
      return null;
    }),
  );
}

// ── what is asked ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Everything that the user said. */
const wholePrompt = (loop: Loop): string => loop.conversation.view.flatMap(userText).join("\n");

/** The newest thing said to the model that is no result and no nudge of the loop's own; looked for from the end. */
function newestPrompt({ conversation: { view } }: Loop): string {
  for (let at = view.length - 1; at >= 0; at--) {
    const [text] = userText(view[at] as ModelMessage);
    if (text !== undefined) return text;
  }
  return "";
}

const ownFeedback =
  /^<runtime_feedback kind="(nudge|parse_guidance|native_tool_contract|verify_completion|required_tools|stall_diagnostics|step_judge|path_scope|pre_finish|stall_warning|instruction)">/;

function userText(message: ModelMessage): string[] {
  if (message.role !== "user") return [];
  const text = messageText(message);
  return isResultText(text) || ownFeedback.test(text) ? [] : [text];
}

// ── coming and going ──────────────────────────────────────────────────────────────────────────────────────────────

/** The skill with its body loaded and its placeholders filled in. */
function* renderedSkill(loop: Loop, entry: Dict): Turn<LoadedSkill | undefined> {
  let loaded: LoadedSkill | undefined;
  yield* skillsInTask(async (task) => {
    loaded = await loadSkillBody(task, entry);
    if (loaded.ok)
      loaded = {
        ...loaded,
        body: renderSkill(entry.with("body", loaded.body), null, surroundings(task, loop)),
      };
  });
  return loaded;
}

function* activate(loop: Loop, skills: SkillOptions, candidate: Candidate): Turn<void> {
  const { conversation, work } = loop;
  const { name, score, trigger } = candidate;
  if (conversation.activeSkills.some((skill) => skill.name === name && skill.body !== null)) return;
  const entry = entryNamed(skills, name);
  const result = yield* renderedSkill(loop, entry);
  if (result === undefined || !result.ok) {
    yield* refuse(loop, name, result);
    return;
  }
  conversation.activeSkills = [
    ...conversation.activeSkills.filter((skill) => skill.name !== name),
    { name, score, trigger, body: result.body },
  ];
  const allowed = skillList(entry, "allowed_tools");
  yield* note(loop, "skill_activated", {
    name,
    id: name,
    score: new Float(score),
    trigger,
    reason: candidate.reason,
    description: textField(entry, "description"),
    allowed_tools: new List(allowed ?? []),
    iteration: work.iteration,
  });
  yield* callHook(loop, entry, "on_activate");
  yield* bindServers(loop, entry);
  const before = loop.visible.entries.length;
  resetNarrowing(loop);
  refreshVisible(loop);
  if (allowed !== undefined && loop.visible.entries.length < Math.max(before, loop.tools.entries.length))
    yield* note(loop, "skill_scope_tools", { name, id: name, allowed_tools: new List(allowed) });
}

/** A skill that must not be loaded stays inactive; the transcript says why. */
function* refuse(loop: Loop, name: string, loaded: LoadedSkill | undefined): Turn<void> {
  const problem = loaded?.ok === false ? loaded.problem : undefined;
  yield* note(loop, "skill.loaded", loadedFields(name, loaded), name);
  yield* skillsInTask(async (task) => {
    warn(task, `agent_loop: skill '${name}' is not activated: ${problem?.message ?? "it can't be read"}`);
  });
}

function* deactivateOthers(loop: Loop, skills: SkillOptions, kept: readonly Candidate[]): Turn<void> {
  const { conversation } = loop;
  const gone = conversation.activeSkills.filter(
    ({ name, body }) => body !== null && !kept.some((candidate) => candidate.name === name),
  );
  for (const { name, servers = [] } of gone) {
    conversation.activeSkills = conversation.activeSkills.filter((skill) => skill.name !== name);
    const entry = entryNamed(skills, name);
    yield* callHook(loop, entry, "on_deactivate");
    yield* note(loop, "skill_deactivated", { name, id: name, iteration: loop.work.iteration });
    for (const server of servers) {
      yield* skillsInTask(async (task) => {
        const client = letGo(task, server);
        if (client !== undefined) await disconnectServer(task, client);
      });
      yield* note(loop, "skill_mcp_unbound", { name, id: name, server });
    }
  }
  if (gone.length > 0) refreshVisible(loop);
}

/** Makes the servers active that a skill needs; one that fails is told, and the skill stays active. */
function* bindServers(loop: Loop, entry: Dict): Turn<void> {
  const { conversation } = loop;
  const name = skillName(entry);
  const bound: string[] = [];
  for (const server of new Set(skillList(entry, "requires_mcp") ?? skillList(entry, "mcp") ?? [])) {
    let error = "";
    yield* skillsInTask(async (task) => {
      try {
        await ensureActive(task, server);
      } catch (problem) {
        if (!(problem instanceof ScriptError)) throw problem;
        error = display(problem.value);
      }
    });
    if (error === "") bound.push(server);
    if (error === "") yield* note(loop, "skill_mcp_bound", { name, id: name, server });
    else yield* note(loop, "skill_mcp_bind_failed", { name, id: name, server, error });
  }
  if (bound.length === 0) return;
  conversation.activeSkills = conversation.activeSkills.map((skill) =>
    skill.name === name ? { ...skill, servers: bound } : skill,
  );
}

/** Hooks may take the skill's name and session, and need not. */
function* callHook(loop: Loop, entry: Dict, which: "on_activate" | "on_deactivate"): Turn<void> {
  const hook = entry.get(which);
  if (!(hook instanceof Callable)) return;
  const about = Dict.of({
    name: skillName(entry),
    session_id: loop.state.sessionId,
    iteration: loop.work.iteration,
  });
  yield* callBack(hook, ...(hook.params.length === 0 ? [] : [about]));
}

const entryNamed = (skills: SkillOptions, name: string): Dict =>
  skills.entries.find((entry) => skillName(entry) === name) ?? new Dict();

/** Where the placeholders of a body look. */
export const surroundings = (task: Task, loop: Loop): Parameters<typeof renderSkill>[2] => ({
  env: task.runtime.host.env,
  cwd: task.runtime.host.cwd,
  session: loop.state.sessionId,
});

// ── what is told ──────────────────────────────────────────────────────────────────────────────────────────────────

const candidateValue = ({ name, score, reason, trigger }: Candidate): Dict =>
  Dict.of({ id: name, name, score: new Float(score), reason, trigger });

/** The fields of `skill.loaded`. */
export function loadedFields(name: string, loaded: LoadedSkill | undefined): Record<string, Value> {
  const signature = loaded?.signature ?? null;
  return {
    skill_id: name,
    signed: signature?.signed ?? false,
    trusted: signature?.trusted ?? false,
    signer_fingerprint: signature?.fingerprint ?? null,
    ...(loaded?.ok === false ? { error: loaded.problem.code } : {}),
  };
}

/** An event of the transcript and, for those who listen, a live one. */
export function* note(loop: Loop, kind: string, fields: Record<string, Value>, text = ""): Turn<void> {
  loop.conversation.audit.push({
    kind,
    role: "system",
    visibility: "internal",
    text,
    metadata: Dict.of(fields),
  });
  if (loop.listens()) yield* emitNamed(kind, fields);
}
