/** The text that a stage's model is given: its task, what it works from, what is expected of the answer. */
import { Dict, option, textField, textOf } from "../../../values/index.ts";
import { graphEdges, graphNodes, nodeKinds } from "../record/graph.ts";

export interface StageText {
  readonly node: Dict;
  /** The run's task. */
  readonly about: string;
  /** The selected artifacts, as text. */
  readonly context: string;
  /** What else the answer must do: checks that come later, what went wrong before. */
  readonly expectations: readonly string[];
}

export function stagePrompt({ node, about, context, expectations }: StageText): string {
  const label = textField(node, "task_label");
  const own = textField(node, "prompt");
  const instructions = own === "" ? about : `${own}\n\n${about}`;
  return [
    `<workflow_task>\n<label>${label === "" ? "Task" : label}</label>\n<instructions>\n${instructions}\n</instructions>\n</workflow_task>`,
    ...(context === "" ? [] : [`<workflow_context>\n${context}\n</workflow_context>`]),
    `<workflow_response_contract>\n${["Respond to the workflow task above.", ...expectations].join("\n")}\n</workflow_response_contract>`,
  ].join("\n\n");
}

/** What verify nodes will look for once this node is done: those that its edges reach before another model works. */
export function laterChecks(graph: Dict, id: string): string[] {
  const nodes = graphNodes(graph);
  const leaving = Map.groupBy(graphEdges(graph), (edge) => textOf(edge.get("from")));
  const seen = new Set<string>();
  const found: string[] = [];
  const todo = [id];
  for (const at of todo) {
    for (const edge of leaving.get(at) ?? []) {
      const to = textOf(edge.get("to"));
      const node = nodes.get(to);
      if (seen.has(to) || !(node instanceof Dict)) continue;
      seen.add(to);
      const kind = textField(node, "kind");
      if (kind === "verify") found.push(...checkLines(to, node));
      else if (nodeKinds.get(kind) === "steers") todo.push(to);
    }
  }
  return found;
}

/** One line about what a node checks; none when it checks nothing. */
function checkLines(id: string, node: Dict): string[] {
  const check = node.get("verify");
  const command = option(check, "command");
  const text = option(check, "assert_text");
  const parts = [
    ...(command === undefined
      ? []
      : [
          `the command \`${textOf(command)}\` must end with status ${textOf(option(check, "expect_status") ?? 0)}`,
        ]),
    ...(text === undefined ? [] : [`its output must contain "${textOf(text)}"`]),
  ];
  return parts.length === 0 ? [] : [`Step "${id}" checks the work afterwards: ${parts.join(", and ")}.`];
}
