/**
 * The constructors of artifacts by kind (builtins.md §2.21). Each sets kind, title, text and what its kind says in
 * `metadata`; the fields of the last argument outrank these, its `metadata` joins them.
 */

import type { Task } from "../../../interp/index.ts";
import type { BuiltinDeclaration } from "../../../table/index.ts";
import { Dict, List, thrown, type Value } from "../../../values/index.ts";
import { artifactBody, extraFields, isArtifact, lineageFrom, makeArtifact } from "../../../work/index.ts";
import { type Argument, textOf } from "../../arguments.ts";
import { unifiedDiff } from "../../text/line-diff.ts";

/** Makes the artifact `artifact_KIND` of what the constructor says and the extra fields given. */
function construct(task: Task, kind: string, fields: Dict, extra: Argument): Dict {
  const name = `artifact_${kind}`;
  const extras = extraFields(name, extra);
  const metadata = fields.get("metadata");
  const more = extras.get("metadata");
  const joined = metadata instanceof Dict && more instanceof Dict ? metadata.merge(more) : (more ?? metadata);
  const all = fields.merge(extras).merge(Dict.of({ kind }));
  return makeArtifact(task, name, joined === undefined ? all : all.with("metadata", joined));
}

const textually = (value: Argument): string => textOf(value ?? undefined);

/** The output of a command: text, or what `exec` gave. */
function outputFields(output: Argument): Dict {
  if (!(output instanceof Dict)) return Dict.of({ text: textually(output) });
  const parts = [output.get("stdout"), output.get("stderr")].map(textually).filter((part) => part !== "");
  return Dict.of({ text: parts.join("\n"), data: output });
}

function workspaceSnapshot(task: Task, paths: List, summary: Argument, extra: Argument): Dict {
  const names = paths.toArray().map((path) => textOf(path));
  const said = textually(summary);
  const fields = Dict.of({
    title: "workspace snapshot",
    text: said === "" ? names.join("\n") : said,
    data: Dict.of({ paths: new List(names) }),
  });
  return construct(task, "workspace_snapshot", fields, extra);
}

function diff(task: Task, path: Argument, before: Argument, after: Argument, extra: Argument): Dict {
  const name = textually(path);
  const labels = { fromLabel: `a/${name}`, toLabel: `b/${name}`, context: 3 };
  const text = unifiedDiff(task, textually(before), textually(after), labels);
  return construct(task, "diff", Dict.of({ title: name, text, metadata: Dict.of({ path: name }) }), extra);
}

function verificationBundle(task: Task, title: Argument, checks: List, extra: Argument): Dict {
  const items = checks.toArray();
  const line = (check: Value): string => `- ${checkArtifactText(check)}`;
  const fields = Dict.of({
    title: textually(title),
    text: items.map(line).join("\n"),
    data: Dict.of({ checks }),
    lineage: new List(items.filter(isArtifact).map((check) => check.get("id") ?? null)),
  });
  return construct(task, "verification_bundle", fields, extra);
}

function checkArtifactText(check: Value): string {
  if (!isArtifact(check)) return textOf(check);
  const title = textually(check.get("title"));
  const body = artifactBody(check);
  return title === "" ? body : `${title}: ${body}`;
}

/** What speaks about another artifact: it names its target and continues the target's lineage. */
function aboutTarget(task: Task, kind: string, target: Argument, fields: Dict, extra: Argument): Dict {
  if (!(target instanceof Dict) || target.get("id") === undefined)
    throw thrown(`artifact_${kind}: missing target artifact`);
  const named = textually(target.get("title"));
  const metadata = Dict.of({
    target_artifact_id: target.get("id") ?? null,
    target_kind: target.get("kind") ?? null,
  });
  const own = fields.get("metadata");
  const about = Dict.of({
    title: `${kind.replace("_", " ")}: ${named === "" ? textually(target.get("id")) : named}`,
    lineage: lineageFrom(target),
    metadata: own instanceof Dict ? metadata.merge(own) : metadata,
  });
  return construct(task, kind, fields.merge(about), extra);
}

const aboutTexts = (kind: string, argument: string, doc: string): BuiltinDeclaration => ({
  doc: `${doc} \`metadata.target_artifact_id\` and \`target_kind\` name the target, which ends the lineage.`,
  sig: `(target: dict, ${argument}: string, extra: dict? = nil) -> dict`,
  effect: "state",
  run: (task, target: Argument, text: Argument, extra: Argument) =>
    aboutTarget(task, kind, target, Dict.of({ text: textually(text) }), extra),
});

/** Title and text, as given. */
const titledArtifact = (kind: string, doc: string): BuiltinDeclaration => ({
  doc,
  sig: "(title: string, text: string, extra: dict? = nil) -> dict",
  effect: "state",
  example: `artifact_${kind}("unit", "ok").kind  // ${kind}`,
  run: (task, title: Argument, text: Argument, extra: Argument) =>
    construct(task, kind, Dict.of({ title: textually(title), text: textually(text) }), extra),
});

/** A text of a file. */
const ofFile = (kind: string, argument: string, doc: string): BuiltinDeclaration => ({
  doc: `${doc} The path is its title, source and \`metadata.path\`.`,
  sig: `(path: string, ${argument}: string, extra: dict? = nil) -> dict`,
  effect: "state",
  example: `artifact_${kind}("a.txt", "x").title  // a.txt`,
  run: (task, path: Argument, text: Argument, extra: Argument) => {
    const name = textually(path);
    const metadata = Dict.of({ path: name });
    return construct(
      task,
      kind,
      Dict.of({ title: name, source: name, text: textually(text), metadata }),
      extra,
    );
  },
});

export const artifactConstructors: Readonly<Record<string, BuiltinDeclaration>> = {
  artifact_workspace_file: ofFile("workspace_file", "content", "A file of the workspace."),
  artifact_workspace_snapshot: {
    doc: "The workspace at one time: `data.paths`, and the summary as text; without one the paths, a line each.",
    sig: "(paths!: list, summary: string? = nil, extra: dict? = nil) -> dict",
    effect: "state",
    example: 'artifact_workspace_snapshot(["a.txt"]).text  // a.txt',
    run: workspaceSnapshot,
  },
  artifact_editor_selection: ofFile("editor_selection", "text", "What is selected in an editor."),
  artifact_verification_result: titledArtifact("verification_result", "What a check said."),
  artifact_test_result: titledArtifact("test_result", "What a test run said."),
  artifact_command_result: {
    doc: "What a command printed, as text or as `exec` gave it (then also `data`); the command is the title and `metadata.command`.",
    sig: "(command: string, output: any, extra: dict? = nil) -> dict",
    effect: "state",
    example: 'artifact_command_result("ls", "a.txt").text  // a.txt',
    run: (task, command: Argument, output: Argument, extra: Argument) => {
      const title = textually(command);
      const metadata = Dict.of({ command: title });
      return construct(
        task,
        "command_result",
        outputFields(output).merge(Dict.of({ title, metadata })),
        extra,
      );
    },
  },
  artifact_diff: {
    doc: 'How a file changed: a unified diff as text, "" when both texts are the same; `metadata.path`.',
    sig: "(path: string, before: string, after: string, extra: dict? = nil) -> dict",
    effect: "state",
    example: 'artifact_diff("a.txt", "x\\n", "x\\n").text  // ',
    run: diff,
  },
  artifact_git_diff: {
    doc: "A diff that git made.",
    sig: "(text: string, extra: dict? = nil) -> dict",
    effect: "state",
    example: 'artifact_git_diff("").title  // git diff',
    run: (task, text: Argument, extra: Argument) =>
      construct(task, "git_diff", Dict.of({ title: "git diff", text: textually(text) }), extra),
  },
  artifact_diff_review: aboutTexts("diff_review", "summary", "A review of a diff."),
  artifact_review_decision: {
    doc: "What was decided about an artifact, as text and `metadata.decision`. `metadata.target_artifact_id` and `target_kind` name the target, which ends the lineage.",
    sig: "(target: dict, decision: string, extra: dict? = nil) -> dict",
    effect: "state",
    run: (task, target: Argument, decision: Argument, extra: Argument) => {
      const text = textually(decision);
      const fields = Dict.of({ text, metadata: Dict.of({ decision: text }) });
      return aboutTarget(task, "review_decision", target, fields, extra);
    },
  },
  artifact_patch_proposal: aboutTexts("patch_proposal", "patch", "A patch proposed for an artifact."),
  artifact_verification_bundle: {
    doc: "Several checks as one: a line for each, `data.checks`; those that are artifacts stand in the lineage.",
    sig: "(title: string, checks!: list, extra: dict? = nil) -> dict",
    effect: "state",
    example: 'artifact_verification_bundle("all", ["lint ok"]).text  // - lint ok',
    run: verificationBundle,
  },
  artifact_apply_intent: aboutTexts(
    "apply_intent",
    "intent",
    "The intent to apply an artifact, say a patch.",
  ),
};
