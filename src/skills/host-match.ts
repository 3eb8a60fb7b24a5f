/**
 * `skill_match: {strategy: "host"}`: the host scores the skills (`skill/match`), an editor with its embeddings say. Its
 * answer is an observation; a mock (`host_mock("skill", "match", …)`) answers inside the run. Where nobody answers, or
 * nonsense, the built-in matching takes its place with a warning.
 */
import { type Json, shape } from "../effects/index.ts";
import { type Runtime, stateKey, type Task } from "../interp/index.ts";
import {
  Dict,
  Float,
  fromJson,
  List,
  type MaybePromise,
  ScriptError,
  textField,
  toJson,
  uncaughtText,
  type Value,
} from "../values/index.ts";
import type { Candidate } from "./match.ts";
import { skillName } from "./skill-entries.ts";

/** Answers `skill/match` with a list of `{name, score, reason}`. */
export type SkillMatchHost = (request: Json, signal: AbortSignal) => MaybePromise<unknown>;

interface SkillMatchers {
  /** Answers inside the run: state, not an effect. */
  mock: ((task: Task, request: Dict) => Value | undefined) | undefined;
  host: SkillMatchHost | undefined;
}

/** `task.runtime.state(skillMatchers)` */
export const skillMatchers = stateKey<SkillMatchers>("agent.skill matchers", () => ({
  mock: undefined,
  host: undefined,
}));

/** Lets a TypeScript host match skills. */
export function configureSkillMatch(runtime: Runtime, host: SkillMatchHost): void {
  runtime.state(skillMatchers).host = host;
}

/** The host's candidates, or what went wrong. */
export async function askHost(
  task: Task,
  prompt: string,
  workingFiles: readonly string[],
  entries: readonly Dict[],
): Promise<Candidate[] | string> {
  const request = Dict.of({
    prompt,
    working_files: new List([...workingFiles]),
    skills: new List(entries.map(advertised)),
  });
  try {
    return parseMatchAnswer(await answer(task, request), entries);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return uncaughtText(error);
  }
}

async function answer(task: Task, request: Dict): Promise<Value | undefined> {
  const { mock, host } = task.runtime.state(skillMatchers);
  const mocked = mock?.(task, request);
  if (mocked !== undefined || host === undefined) return mocked;
  const said = await task.perform<Json>({
    effect: "observe",
    kind: "skill.match",
    args: () => toJson(request) as Json,
    run: async (signal) =>
      JSON.parse(JSON.stringify((await host(toJson(request) as Json, signal)) ?? null)) as Json,
    result: shape.json,
  });
  return fromJson(said);
}

const advertised = (entry: Dict): Dict =>
  Dict.of({
    name: skillName(entry),
    description: textField(entry, "description"),
    when_to_use: textField(entry, "when_to_use"),
    paths: entry.get("paths") ?? new List([]),
  });

function parseMatchAnswer(value: Value | undefined, entries: readonly Dict[]): Candidate[] | string {
  if (value === undefined) return "no host answers `skill/match`";
  const list = value instanceof Dict ? (value.get("candidates") ?? null) : value;
  if (!(list instanceof List)) return "the answer of `skill/match` is no list";
  const known = new Set(entries.map(skillName));
  return list.toArray().flatMap((item): Candidate[] => {
    const name = item instanceof Dict ? item.get("name") : undefined;
    if (!(item instanceof Dict) || typeof name !== "string" || !known.has(name)) return [];
    const reason = item.get("reason");
    const score = numberOf(item.get("score"));
    return score > 0
      ? [
          {
            name,
            score,
            reason: typeof reason === "string" ? reason : "matched by the host",
            trigger: "host",
          },
        ]
      : [];
  });
}

function numberOf(value: Value | undefined): number {
  if (typeof value === "number") return value;
  return value instanceof Float ? value.value : 0;
}
