/** What the tool calls of a child come to for its parent: refusals, evidence, files, artifacts. */
import { type OutcomeSink, writtenPaths } from "../agent/index.ts";
import { Dict, List, type Value } from "../values/index.ts";

export class OutcomeRecord {
  /** Results that the child got. */
  evidence = 0;
  private readonly refused = new Map<string, string>();
  private readonly files = new Set<string>();
  private readonly made: Dict[] = [];

  readonly sink: OutcomeSink = (outcome, entry) => {
    if (outcome.status === "rejected") {
      const reason = outcome.denial?.reason ?? outcome.error ?? "";
      if (!this.refused.has(outcome.name)) this.refused.set(outcome.name, reason);
    }
    if (!outcome.ok) return;
    this.evidence++;
    // A tool that works in the end was worth the refusals before.
    this.refused.delete(outcome.name);
    for (const path of writtenPaths(outcome, entry?.annotations)) this.files.add(path);
    this.collect(outcome.result);
  };

  /** The first refusal that no later success of the same tool made up for. */
  get refusal(): { readonly tool: string; readonly reason: string } | undefined {
    const [first] = this.refused;
    return first === undefined ? undefined : { tool: first[0], reason: first[1] };
  }

  get filesWritten(): List {
    return new List([...this.files]);
  }

  get artifacts(): List {
    return new List(this.made);
  }

  private collect(result: Value): void {
    for (const value of result instanceof List ? result.toArray() : [result]) {
      const type = value instanceof Dict ? value.get("_type") : undefined;
      if (type === "artifact" || type === "handoff_artifact") this.made.push(value as Dict);
    }
  }
}
