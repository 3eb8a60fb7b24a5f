/**
 * What a task asks for beside what there is: a metric about more epochs than are run, a group by a field that no sample has. Each
 * would be a figure that is never shown, or a gate that never fails; so nothing of the set is run.
 */
import { nearest } from "../../diagnostics/index.ts";
import { refusal } from "../../table/index.ts";
import { evalError, taskAt } from "../eval-error.ts";
import {
  type Gate,
  type MetricRef,
  passCount,
  type RegisteredTask,
  type Sample,
  sampleFiles,
  sandboxFor,
  type TaskSpec,
  variantCalled,
} from "../plan/index.ts";
import { groupText } from "../report/metrics/selection.ts";
import { lookAtSample } from "../score/index.ts";

/** Throws HARN-EVL-001, 009 and 015. `samples` are those of the dataset, before the command line chooses among them. */
export function checkPlan(
  spec: TaskSpec,
  { spec: declared, code }: Pick<RegisteredTask, "spec" | "code">,
  samples: readonly Sample[],
): void {
  for (const { id, body } of samples)
    for (const { score } of code.scorers) {
      const wanted = lookAtSample(score, body);
      if (wanted !== undefined)
        throw refusal(taskAt(spec.name, `target of ${id}`), wanted, body.get("target") ?? null);
    }
  const fields = new FieldsOf(samples);
  for (const [at, field] of spec.groupBy.entries())
    if (!fields.has(field)) throw fields.missing(spec.name, `group_by[${at}]`, field);
  const by = spec.sample?.by ?? null;
  if (by !== null && !fields.has(by)) throw fields.missing(spec.name, "sample.by", by);
  if (spec.sandbox !== null)
    for (const { id, body } of samples) {
      sampleFiles(body.get("files"), taskAt(spec.name, `files of ${id}`));
      sandboxFor(spec, body);
    }
  for (const metric of spec.metrics ?? []) checkEpochs(metric, spec);
  for (const how of Object.values(spec.reduce))
    if (typeof how === "object" && how.k > spec.epochs)
      throw evalError("HARN-EVL-015", {
        metric: `at_least_${how.k}`,
        needs: how.k,
        epochs: spec.epochs,
      });
  for (const gate of spec.gates) checkGate(gate, spec, declared, samples);
}

/** A gate of the task or of the command line. A variant that only the command line leaves out is one, too. */
export function checkGate(gate: Gate, spec: TaskSpec, declared: TaskSpec, samples: readonly Sample[]): void {
  checkEpochs(gate.metric, spec);
  const reason = variantProblem(gate, spec, declared) ?? groupProblem(gate, samples);
  if (reason !== undefined) throw evalError("HARN-EVL-009", { task: spec.name, text: gate.text, reason });
}

function checkEpochs(metric: string, { epochs, scorers }: TaskSpec): void {
  const needs = passCount(
    metric,
    scorers.map(({ name }) => name),
  );
  if (needs !== undefined && needs > epochs) throw evalError("HARN-EVL-015", { metric, needs, epochs });
}

function variantProblem({ variant }: MetricRef, spec: TaskSpec, declared: TaskSpec): string | undefined {
  if (variant === null || [spec, declared].some((one) => variantCalled({ spec: one }, variant) !== undefined))
    return undefined;
  return `there is no variant ${variant}; there are ${spec.variants.map(({ name }) => name).join(", ")}`;
}

function groupProblem({ group }: MetricRef, samples: readonly Sample[]): string | undefined {
  if (group === null) return undefined;
  const values = new Set(samples.flatMap(({ body }) => groupText(body, group.field) ?? []));
  if (values.has(group.value)) return undefined;
  if (values.size === 0) return `no sample has a field ${group.field}`;
  const near = nearest(group.value, [...values]);
  return `no sample has the ${group.field} ${group.value}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** The fields that samples have. */
class FieldsOf {
  private readonly samples: readonly Sample[];

  constructor(samples: readonly Sample[]) {
    this.samples = samples;
  }

  has(field: string): boolean {
    return this.samples.some(({ body }) => groupText(body, field) !== undefined);
  }

  missing(task: string, where: string, field: string) {
    const names = [...new Set(this.samples.flatMap(({ body }) => [...body.keys()]))];
    const near = nearest(field, names);
    const what = `a field that some sample has${near === undefined ? "" : ` (did you mean \`${near}\`?)`}`;
    return refusal(taskAt(task, where), what, field);
  }
}
