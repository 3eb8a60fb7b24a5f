/** Looks at one predicate: where its inputs are found, and which check of `checks/` it is. */
import { callableOnChild, type Task } from "../../../interp/index.ts";
import { findAll, messageText, type Predicate, patternMatcher } from "../../../model/index.ts";
import { Dict, display, List, type MaybePromise, thrown, typeOf, type Value } from "../../../values/index.ts";
import {
  type CallRecord,
  type CallsSeen,
  type CheckedCall,
  type CheckLook,
  type FoundFiles,
  findFiles,
  fitsCall,
  lookAtCalls,
  lookAtCommand,
  lookAtJson,
  lookForText,
  lookInResults,
  maxFiles,
  met,
  noCallsSeen,
  noResultsSeen,
  type PatternFinder,
  partly,
  readTexts,
  type SearchedText,
  searchFiles,
  unmet,
} from "../../checks/index.ts";
import { ledgerValue } from "../../session/ledger.ts";
import type { Loop } from "../../state/loop-state.ts";

/** What a look may draw on. `loop` is null outside of every loop. */
export interface LookedAt {
  readonly loop: Loop | null;
  readonly conversation: Loop["conversation"];
  /** Digests of files as they were when the contract was set. */
  readonly beginning: ReadonlyMap<string, string | null>;
}

/** At once where it looks at what the loop itself knows, which costs neither effect nor time. */
export function lookAtPredicate(task: Task, predicate: Predicate, about: LookedAt): MaybePromise<CheckLook> {
  switch (predicate.type) {
    case "tool_result_success":
      return lookAtCalls(callsSeenBy(predicate, about), callRecordOf(about), {
        ...predicate,
        isCheck: (call) => isAskedFor(call, about.conversation),
      });
    case "contains_text":
      return predicate.in === "files"
        ? lookOutside(task, predicate, about)
        : lookInTexts(task, predicate, about);
    case "always_true":
      return met("taken as true");
    case "not_available":
      return unmet(`not available here: its ${predicate.was} check was a closure of another run`);
    default:
      return lookOutside(task, predicate, about);
  }
}

type BuiltInCheck = "tool_result_success" | "always_true" | "not_available";

async function lookOutside(
  task: Task,
  predicate: Exclude<Predicate, { type: BuiltInCheck }>,
  about: LookedAt,
): Promise<CheckLook> {
  const matches = patternMatcher(task.runtime);
  switch (predicate.type) {
    case "file_exists":
      return lookAtFoundFiles(
        await findFiles(task, predicate, predicate.changed),
        predicate,
        about.beginning,
      );
    case "contains_text": {
      const { pattern, path } = predicate;
      const isGlob = /[*?[{]/.test(path ?? "");
      const { files, more } = await findFiles(
        task,
        isGlob ? { path: null, glob: path } : { path, glob: null },
        false,
      );
      const found = await searchFiles(
        task,
        matches,
        pattern,
        files.map((file) => file.path),
      );
      if (typeof found === "string") return unmet(`the pattern can't be read: ${found}`);
      if (found === null)
        return unmet(`${pattern} was not found in ${countedFiles(files.length, more)} (${path})`);
      return lookForText(matches, pattern, "files", [found]);
    }
    case "json_schema_valid":
      return await lookAtSource(task, predicate, about);
    case "command":
      return await lookAtCommand(task, predicate);
    case "custom":
      return customLook(await callableOnChild(task, predicate.check, [customContext(about)]));
    case "unchanged":
      return lookAtProtected(
        await findFiles(task, wantedFiles(predicate.glob), true),
        predicate.glob,
        about.beginning,
      );
  }
}

const callRecordOf = ({ loop }: LookedAt): CallRecord =>
  loop === null
    ? { calls: [], count: 0 }
    : { calls: loop.state.slots.completion.calls, count: loop.state.slots.completion.called };

/**
 * Whether the contract asks for this call: the program that it runs is one that looks, or two checks that are programs would
 * make each other stale for ever. A tool that takes any command line is none, unless the contract says which.
 */
function isAskedFor(call: CheckedCall, { contract }: Loop["conversation"]): boolean {
  return (contract?.contract.outputs ?? []).some(
    ({ predicate }) =>
      predicate.type === "tool_result_success" &&
      (predicate.args !== null || !commandKeys.some((key) => call.arguments.has(key))) &&
      fitsCall(call, predicate),
  );
}

/** Names of arguments that are a command to run. */
const commandKeys = ["command", "cmd", "argv", "script", "code"] as const;

/** What a check has seen of the loop's calls; outside of every loop nothing is remembered. */
function callsSeenBy(predicate: Predicate, { loop }: LookedAt): CallsSeen {
  return loop === null
    ? noCallsSeen()
    : rememberedLook(loop.state.slots.completion.callsSeen, predicate, noCallsSeen);
}

function rememberedLook<T>(memories: Map<Predicate, T>, predicate: Predicate, create: () => T): T {
  const known = memories.get(predicate);
  if (known !== undefined) return known;
  const memory = create();
  memories.set(predicate, memory);
  return memory;
}

export const wantedFiles = (glob: string): { path: string | null; glob: string | null } =>
  /[*?[{]/.test(glob) ? { path: null, glob } : { path: glob, glob: null };

/** How many files were looked at, and that there are more. */
const countedFiles = (count: number, more: boolean): string =>
  more ? `the first ${count} files; there are more` : `${count} files`;

function lookAtFoundFiles(
  { files: found, more }: FoundFiles,
  { path, glob, minCount, minBytes, changed }: Extract<Predicate, { type: "file_exists" }>,
  beginning: ReadonlyMap<string, string | null>,
): CheckLook {
  const what = path ?? glob ?? "";
  const large = found.filter(({ bytes }) => bytes >= minBytes);
  const wanted = changed ? large.filter((file) => beginning.get(file.path) !== file.sha256) : large;
  const evidence = wanted.slice(0, 3).map((file) => ({
    kind: "file" as const,
    ref: file.path,
    digest: file.sha256,
    excerpt: `${file.bytes} bytes`,
  }));
  if (wanted.length >= minCount)
    return met(
      minCount === 1 ? `${what} is there` : `${more ? "at least " : ""}${wanted.length} files fit ${what}`,
      evidence,
    );
  if (found.length === 0) return unmet(`${what} does not exist`);
  if (large.length < minCount && found.length >= minCount)
    return partly(`${what} has fewer than ${minBytes} bytes`, evidence);
  if (changed && large.length >= minCount) return partly(`${what} is as it was in the beginning`, evidence);
  return partly(`${wanted.length} of ${minCount} files fit ${what}`, evidence);
}

function lookAtProtected(
  { files: found, more }: FoundFiles,
  glob: string,
  beginning: ReadonlyMap<string, string | null>,
): CheckLook {
  if (more) return unmet(`${glob} has more than ${maxFiles} files now: remove what is new`);
  const changed = found.filter(({ path, sha256 }) => beginning.get(path) !== sha256).map(({ path }) => path);
  const now = new Set(found.map(({ path }) => path));
  const gone = [...beginning].filter(
    ([path, digest]) => digest !== null && belongs(path, glob, beginning) && !now.has(path),
  );
  const named = [...changed.map((path) => `${path} was changed`), ...gone.map(([path]) => `${path} is gone`)];
  return named.length === 0
    ? met(`${glob} is as it was in the beginning`)
    : unmet(`${named.slice(0, 5).join("; ")}: put it back as it was`);
}

/** Whether a path of the beginning was seen through this glob. */
const belongs = (path: string, glob: string, beginning: ReadonlyMap<string, string | null>): boolean =>
  beginning.has(`${glob}\0${path}`);

/**
 * Looks for a pattern in results, the last answer, or what was said. No result is what a failed call was answered: it quotes
 * the model (`the file 12 boxes does not exist`), so it would prove what was only asked for. Nor is what the model wrote
 * itself, wherever it is kept: artifacts, notes, what it recalls.
 */
function lookInTexts(
  task: Task,
  predicate: Extract<Predicate, { type: "contains_text" }>,
  about: LookedAt,
): CheckLook {
  const { loop, conversation } = about;
  const { pattern, in: where, tool } = predicate;
  const matches = patternMatcher(task.runtime);
  if (where === "output") {
    const answer = loop === null ? null : loop.state.answer || loop.state.lastVisible;
    return lookForText(
      matches,
      pattern,
      "answers",
      answer === null ? [] : [searchedPart("the answer", answer)],
    );
  }
  if (where === "transcript") {
    const said = conversation.log.filter(
      ({ origin }) => origin.by === "person" || origin.by === "model" || origin.by === "tool",
    );
    const texts = said.reverse().map(({ id, message }) => searchedPart(id, messageText(message)));
    return lookForText(matches, pattern, "messages", texts);
  }
  const memory =
    loop === null
      ? noResultsSeen()
      : rememberedLook(loop.state.slots.completion.resultsSeen, predicate, noResultsSeen);
  const find: PatternFinder = (wanted, text) => findAll(task.runtime, wanted, text);
  return lookInResults(matches, find, { pattern, tool }, memory, callRecordOf(about));
}

const searchedPart = (ref: string, text: string): SearchedText => ({ ref, kind: "text", text });

async function lookAtSource(
  task: Task,
  { schema, source }: Extract<Predicate, { type: "json_schema_valid" }>,
  about: LookedAt,
): Promise<CheckLook> {
  const matches = patternMatcher(task.runtime);
  if (source.kind === "output") {
    const text = about.loop?.state.answer ?? "";
    return lookAtJson(matches, schema, text, { ref: "the answer", kind: "text" });
  }
  if (source.kind === "item") {
    const item = about.conversation.workItems?.items.find(({ id }) => id === source.id);
    if (item?.artifact === null || item === undefined) return unmet(`work item ${source.id} has no artifact`);
    return lookAtJson(matches, schema, item.artifact, { ref: `item:${source.id}`, kind: "artifact" });
  }
  const [text] = await readTexts(task, [source.path]);
  if (text === undefined) return unmet(`${source.path} can't be read`);
  return lookAtJson(matches, schema, text.text, { ref: source.path, kind: "file" });
}

function customContext({ loop, conversation }: LookedAt): Dict {
  const calls = loop?.state.slots.completion.calls ?? [];
  return Dict.of({
    session_id: conversation.id,
    turn: loop === null ? 0 : loop.work.iteration + 1,
    output: loop?.state.answer ?? "",
    work_items: conversation.workItems === null ? null : ledgerValue(conversation.workItems),
    calls: new List(
      calls
        .slice(-50)
        .map(({ tool, ok, turn, arguments: args, text }) =>
          Dict.of({ tool, ok, turn, arguments: args, result: text }),
        ),
    ),
  });
}

function customLook(value: Value): CheckLook {
  if (typeof value === "boolean") return value ? met("the check holds") : unmet("the check does not hold");
  if (!(value instanceof Dict))
    throw thrown(
      `a custom check must give a bool or {met, partial?, notes?, evidence?}; got ${typeOf(value)}`,
    );
  const notes = value.get("notes") ?? null;
  const shown = value.get("evidence") ?? null;
  const evidence =
    shown === null
      ? []
      : [{ kind: "callback" as const, ref: "custom", digest: null, excerpt: display(shown).slice(0, 200) }];
  const text = typeof notes === "string" && notes !== "" ? notes : null;
  if (value.get("met") === true) return met(text ?? "the check holds", evidence);
  if (value.get("partial") === true) return partly(text ?? "the check holds in part", evidence);
  return unmet(text ?? "the check does not hold", evidence);
}
