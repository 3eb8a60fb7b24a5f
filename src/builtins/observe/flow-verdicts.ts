/** Verdicts of checks on a proposed change (builtins.md §2.25): plain dicts, built and read. */
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, Float, type List, numericValue, runtimeError, type Value } from "../../values/index.ts";

/** Positions of a span: whole numbers from 0 on, in order. */
function needSpan(caller: string, start: number, end: number): Dict {
  if (end < start) throw refusal(at(caller, "end"), `int >= ${start}`, end);
  return Dict.of({ start, end });
}

const flowVerdict = (fields: Record<string, Value>): Dict =>
  Dict.of({ verdict: Dict.of(fields), confidence: new Float(1) });

/** What was decided in the result of a check. */
function verdictKind(caller: string, result: Dict): string {
  const inner = result.get("verdict");
  const kind = inner instanceof Dict ? inner.get("kind") : undefined;
  if (typeof kind === "string") return kind;
  throw refusal(at(caller, "verdict"), "a flow verdict", result);
}

/** A result of a check with one thing more. */
function withMore(caller: string, result: Dict, key: string, value: Value): Dict {
  verdictKind(caller, result);
  return result.with(key, value);
}

const pure = { effect: "pure" } as const;

export const flowVerdicts = defineBuiltins(
  "flow-verdicts",
  {
    flow_invariant_allow: {
      ...pure,
      doc: "The verdict that a change may go ahead.",
      sig: "() -> dict",
      example: "flow_invariant_allow().verdict.kind  // allow",
      run: () => flowVerdict({ kind: "allow" }),
    },
    flow_invariant_warn: {
      ...pure,
      doc: "The verdict that a change may go ahead, with a warning.",
      sig: "(reason!: string) -> dict",
      example: 'flow_invariant_warn("late").verdict.reason  // late',
      run: (_task, reason: string) => flowVerdict({ kind: "warn", reason }),
    },
    flow_invariant_block: {
      ...pure,
      doc: "The verdict that a change must not go ahead: a code for programs, a message for people.",
      sig: "(code!: string, message!: string) -> dict",
      example: 'flow_invariant_block("secret", "a key").verdict.error.code  // secret',
      run: (_task, code: string, message: string) =>
        flowVerdict({ kind: "block", error: Dict.of({ code, message }) }),
    },
    flow_invariant_require_approval: {
      ...pure,
      doc: 'The verdict that somebody has to approve: a `"principal"` by id or a `"role"` by name.',
      sig: '(kind!: "principal" | "role", id!: string) -> dict',
      example: 'flow_invariant_require_approval("role", "owner").verdict.approver.name  // owner',
      run: (_task, kind: string, id: string) =>
        flowVerdict({
          kind: "require_approval",
          approver: Dict.of(kind === "role" ? { kind, name: id } : { kind, id }),
        }),
    },
    flow_invariant_kind: {
      ...pure,
      doc: "What was decided: `allow`, `warn`, `block` or `require_approval`.",
      sig: "(verdict!: dict) -> string",
      example: "flow_invariant_kind(flow_invariant_allow())  // allow",
      run: (_task, input: Dict) => verdictKind("flow_invariant_kind", input),
    },
    flow_invariant_is_blocking: {
      ...pure,
      doc: "Whether the verdict is `block`.",
      sig: "(verdict!: dict) -> bool",
      example: "flow_invariant_is_blocking(flow_invariant_allow())  // false",
      run: (_task, input: Dict) => verdictKind("flow_invariant_is_blocking", input) === "block",
    },
    flow_invariant_confidence: {
      ...pure,
      doc: "How sure the check is, from 0 to 1.",
      sig: "(verdict!: dict) -> float",
      example: "flow_invariant_confidence(flow_invariant_allow())  // 1.0",
      run: (_task, input: Dict) => {
        verdictKind("flow_invariant_confidence", input);
        return input.get("confidence") ?? null;
      },
    },
    flow_evidence_atom: {
      ...pure,
      doc: "Evidence in a piece of a change: its id (64 hex digits) and a span in its diff.",
      sig: "(id!: string, start: int >= 0, end: int >= 0) -> dict",
      example: 'flow_evidence_atom("ab".repeat(32), 1, 5).diff_span.end  // 5',
      run: (_task, id: string, start: number, end: number) => {
        const caller = "flow_evidence_atom";
        if (!/^[0-9a-fA-F]{64}$/.test(id)) throw runtimeError(`${caller}: invalid atom id`);
        return Dict.of({ kind: "atom_pointer", atom: id, diff_span: needSpan(caller, start, end) });
      },
    },
    flow_evidence_metadata: {
      ...pure,
      doc: "Evidence in the metadata of a folder: namespace and key.",
      sig: "(directory!: string, namespace!: string, key!: string) -> dict",
      example: 'flow_evidence_metadata("src", "owners", "team").kind  // metadata_path',
      run: (_task, directory: string, namespace: string, key: string) =>
        Dict.of({ kind: "metadata_path", directory, namespace, key }),
    },
    flow_evidence_transcript: {
      ...pure,
      doc: "Evidence in a transcript: its id and a span in it.",
      sig: "(id!: string, start: int >= 0, end: int >= 0) -> dict",
      example: 'flow_evidence_transcript("t", 0, 9).span.end  // 9',
      run: (_task, id: string, start: number, end: number) =>
        Dict.of({
          kind: "transcript_excerpt",
          transcript_id: id,
          span: needSpan("flow_evidence_transcript", start, end),
        }),
    },
    flow_evidence_citation: {
      ...pure,
      doc: "Evidence somewhere else: address, the words quoted, and when they were read.",
      sig: "(url!: string, quote!: string, fetched_at!: string) -> dict",
      example: 'flow_evidence_citation("https://a.test", "q", "2026-01-01").kind  // external_citation',
      run: (_task, url: string, quote: string, fetchedAt: string) =>
        Dict.of({ kind: "external_citation", url, quote, fetched_at: fetchedAt }),
    },
    flow_remediation: {
      ...pure,
      doc: "What would make the check pass, in words.",
      sig: "(description!: string) -> dict",
      example: 'flow_remediation("remove the key").description  // remove the key',
      run: (_task, description: string) => Dict.of({ description }),
    },
    flow_with_evidence: {
      ...pure,
      doc: "A verdict with a list of evidence, instead of what it had.",
      sig: "(verdict!: dict, evidence!: list) -> dict",
      example: "flow_with_evidence(flow_invariant_allow(), []).evidence  // []",
      run: (_task, input: Dict, evidence: List) =>
        withMore("flow_with_evidence", input, "evidence", evidence),
    },
    flow_with_remediation: {
      ...pure,
      doc: "A verdict with a remediation.",
      sig: "(verdict!: dict, remediation!: dict) -> dict",
      example:
        'flow_with_remediation(flow_invariant_allow(), flow_remediation("no")).remediation.description  // no',
      run: (_task, input: Dict, remediation: Dict) =>
        withMore("flow_with_remediation", input, "remediation", remediation),
    },
    flow_with_confidence: {
      ...pure,
      doc: "A verdict with another confidence, kept between 0 and 1.",
      sig: "(verdict!: dict, confidence!: int | float) -> dict",
      example: "flow_with_confidence(flow_invariant_allow(), 7).confidence  // 1.0",
      run: (_task, input: Dict, confidence: number | Float) => {
        const name = "flow_with_confidence";
        const share = numericValue(confidence)!;
        if (Number.isNaN(share)) throw refusal(at(name, "confidence"), "a number", confidence);
        return withMore(name, input, "confidence", new Float(Math.min(1, Math.max(0, share))));
      },
    },
  },
  {
    verdict: "a verdict, as `flow_*` gives it",
    evidence: "evidence, as `flow_evidence_*` gives it",
    remediation: "a remediation, as `flow_remediation` gives it",
  },
);
