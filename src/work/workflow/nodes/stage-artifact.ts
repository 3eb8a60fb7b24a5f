/** What a stage makes, as an artifact: of workflows and of workers alike. */
import type { Task } from "../../../interp/index.ts";
import { Dict, Float, List, type Value } from "../../../values/index.ts";
import { makeArtifact } from "../../artifacts/record.ts";

export interface StageOutput {
  /** The stage that it comes from: its source and its title. */
  readonly stage: string;
  readonly kind: string;
  readonly text: string;
  readonly data?: Value;
  readonly title?: string;
  readonly lineage?: readonly string[];
  readonly metadata?: Dict;
}

export function stageArtifact(task: Task, caller: string, output: StageOutput): Dict {
  return makeArtifact(
    task,
    caller,
    Dict.of({
      kind: output.kind,
      title: output.title ?? `stage ${output.stage} output`,
      text: output.text,
      data: output.data ?? null,
      source: output.stage,
      stage: output.stage,
      relevance: new Float(1),
      lineage: new List([...(output.lineage ?? [])]),
      metadata: output.metadata ?? new Dict(),
    }),
  );
}

/** The kind that a node's contract names first. */
export function outputKind(node: Dict, usual: string): string {
  const contract = node.get("output_contract");
  const kinds = contract instanceof Dict ? contract.get("output_kinds") : null;
  const kind = kinds instanceof List ? kinds.at(0) : null;
  return typeof kind === "string" ? kind : usual;
}
