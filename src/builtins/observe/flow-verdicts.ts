/** Verdicts of checks on a proposed change (builtins.md §2.25): plain dicts, built and read. */
import { defineBuiltins } from "../../table/index.ts";
import { Dict, Float, List, numericValue, runtimeError, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

function needText(caller: string, name: string, value: Argument): string {
  if (typeof value === "string") return value;
  if (value === undefined) throw runtimeError(`${caller}: missing required string argument \`${name}\``);
  throw runtimeError(`${caller}: argument \`${name}\` must be a string, got ${typeOf(value)}`);
}

/** Positions of a span: whole numbers from 0 on, in order. */
function needSpan(caller: string, start: Argument, end: Argument): Dict {
  const position = (name: string, value: Argument): number => {
    if (typeof value === "number" && value >= 0) return value;
    const got = typeof value === "number" ? String(value) : typeOf(value ?? null);
    throw runtimeError(`${caller}: argument \`${name}\` must be an int of at least 0, got ${got}`);
  };
  const from = position("start", start);
  const to = position("end", end);
  if (to < from) throw runtimeError(`${caller}: end (${to}) must not be less than start (${from})`);
  return Dict.of({ start: from, end: to });
}

const flowVerdict = (fields: Record<string, Value>): Dict =>
  Dict.of({ verdict: Dict.of(fields), confidence: new Float(1) });

/** The result of a check and, inside it, what was decided. */
function needVerdict(caller: string, value: Argument): { readonly result: Dict; readonly kind: string } {
  const inner = value instanceof Dict ? value.get("verdict") : undefined;
  const kind = inner instanceof Dict ? inner.get("kind") : undefined;
  if (value instanceof Dict && typeof kind === "string") return { result: value, kind };
  const got = value instanceof Dict ? "a dict without `verdict.kind`" : typeOf(value ?? null);
  throw runtimeError(`${caller}: argument \`verdict\` must be a flow verdict, got ${got}`);
}

function approval(kind: Argument, id: Argument): Dict {
  const caller = "flow_invariant_require_approval";
  const whose = needText(caller, "kind", kind);
  const name = needText(caller, "id", id);
  if (whose === "principal")
    return flowVerdict({ kind: "require_approval", approver: Dict.of({ kind: "principal", id: name }) });
  if (whose === "role")
    return flowVerdict({ kind: "require_approval", approver: Dict.of({ kind: "role", name }) });
  throw runtimeError(`${caller}: approver kind must be "principal" or "role", got "${whose}"`);
}

function atom(id: Argument, start: Argument, end: Argument): Dict {
  const caller = "flow_evidence_atom";
  const text = needText(caller, "id", id);
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw runtimeError(`${caller}: invalid atom id`);
  return Dict.of({ kind: "atom_pointer", atom: text, diff_span: needSpan(caller, start, end) });
}

/** Texts of a builtin's arguments as the fields of a dict. */
function texts(caller: string, names: readonly string[], values: readonly Argument[]): [string, Value][] {
  return names.map((name, index) => [name, needText(caller, name, values[index])]);
}

function withEvidence(input: Argument, evidence: Argument): Dict {
  const caller = "flow_with_evidence";
  const { result } = needVerdict(caller, input);
  if (evidence instanceof List) return result.with("evidence", evidence);
  throw runtimeError(`${caller}: argument \`evidence\` must be a list, got ${typeOf(evidence ?? null)}`);
}

function withRemediation(input: Argument, remediation: Argument): Dict {
  const caller = "flow_with_remediation";
  const { result } = needVerdict(caller, input);
  if (remediation instanceof Dict) return result.with("remediation", remediation);
  throw runtimeError(
    `${caller}: argument \`remediation\` must be a dict, got ${typeOf(remediation ?? null)}`,
  );
}

function withConfidence(input: Argument, confidence: Argument): Dict {
  const caller = "flow_with_confidence";
  const { result } = needVerdict(caller, input);
  const value = numericValue(confidence ?? null);
  if (value === undefined || Number.isNaN(value))
    throw runtimeError(
      `${caller}: argument \`confidence\` must be a number, got ${typeOf(confidence ?? null)}`,
    );
  return result.with("confidence", new Float(Math.min(1, Math.max(0, value))));
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
      sig: "(reason: string) -> dict",
      example: 'flow_invariant_warn("late").verdict.reason  // late',
      run: (_task, reason: Argument) =>
        flowVerdict({ kind: "warn", reason: needText("flow_invariant_warn", "reason", reason) }),
    },
    flow_invariant_block: {
      ...pure,
      doc: "The verdict that a change must not go ahead: a code for programs, a message for people.",
      sig: "(code: string, message: string) -> dict",
      example: 'flow_invariant_block("secret", "a key").verdict.error.code  // secret',
      run: (_task, code: Argument, message: Argument) =>
        flowVerdict({
          kind: "block",
          error: Dict.from(texts("flow_invariant_block", ["code", "message"], [code, message])),
        }),
    },
    flow_invariant_require_approval: {
      ...pure,
      doc: 'The verdict that somebody has to approve: a `"principal"` by id or a `"role"` by name.',
      sig: '(kind: "principal" | "role", id: string) -> dict',
      example: 'flow_invariant_require_approval("role", "owner").verdict.approver.name  // owner',
      run: (_task, kind: Argument, id: Argument) => approval(kind, id),
    },
    flow_invariant_kind: {
      ...pure,
      doc: "What was decided: `allow`, `warn`, `block` or `require_approval`.",
      sig: "(verdict: dict) -> string",
      example: "flow_invariant_kind(flow_invariant_allow())  // allow",
      run: (_task, input: Argument) => needVerdict("flow_invariant_kind", input).kind,
    },
    flow_invariant_is_blocking: {
      ...pure,
      doc: "Whether the verdict is `block`.",
      sig: "(verdict: dict) -> bool",
      example: "flow_invariant_is_blocking(flow_invariant_allow())  // false",
      run: (_task, input: Argument) => needVerdict("flow_invariant_is_blocking", input).kind === "block",
    },
    flow_invariant_confidence: {
      ...pure,
      doc: "How sure the check is, from 0 to 1.",
      sig: "(verdict: dict) -> float",
      example: "flow_invariant_confidence(flow_invariant_allow())  // 1.0",
      run: (_task, input: Argument) =>
        needVerdict("flow_invariant_confidence", input).result.get("confidence") ?? null,
    },
    flow_evidence_atom: {
      ...pure,
      doc: "Evidence in a piece of a change: its id (64 hex digits) and a span in its diff.",
      sig: "(id: string, start: int, end: int) -> dict",
      example: 'flow_evidence_atom("ab".repeat(32), 1, 5).diff_span.end  // 5',
      run: (_task, id: Argument, start: Argument, end: Argument) => atom(id, start, end),
    },
    flow_evidence_metadata: {
      ...pure,
      doc: "Evidence in the metadata of a folder: namespace and key.",
      sig: "(directory: string, namespace: string, key: string) -> dict",
      example: 'flow_evidence_metadata("src", "owners", "team").kind  // metadata_path',
      run: (_task, ...args: readonly Argument[]) =>
        Dict.from([
          ["kind", "metadata_path"],
          ...texts("flow_evidence_metadata", ["directory", "namespace", "key"], args),
        ]),
    },
    flow_evidence_transcript: {
      ...pure,
      doc: "Evidence in a transcript: its id and a span in it.",
      sig: "(id: string, start: int, end: int) -> dict",
      example: 'flow_evidence_transcript("t", 0, 9).span.end  // 9',
      run: (_task, id: Argument, start: Argument, end: Argument) =>
        Dict.of({
          kind: "transcript_excerpt",
          transcript_id: needText("flow_evidence_transcript", "id", id),
          span: needSpan("flow_evidence_transcript", start, end),
        }),
    },
    flow_evidence_citation: {
      ...pure,
      doc: "Evidence somewhere else: address, the words quoted, and when they were read.",
      sig: "(url: string, quote: string, fetched_at: string) -> dict",
      example: 'flow_evidence_citation("https://a.test", "q", "2026-01-01").kind  // external_citation',
      run: (_task, ...args: readonly Argument[]) =>
        Dict.from([
          ["kind", "external_citation"],
          ...texts("flow_evidence_citation", ["url", "quote", "fetched_at"], args),
        ]),
    },
    flow_remediation: {
      ...pure,
      doc: "What would make the check pass, in words.",
      sig: "(description: string) -> dict",
      example: 'flow_remediation("remove the key").description  // remove the key',
      run: (_task, description: Argument) =>
        Dict.of({ description: needText("flow_remediation", "description", description) }),
    },
    flow_with_evidence: {
      ...pure,
      doc: "A verdict with a list of evidence, instead of what it had.",
      sig: "(verdict: dict, evidence: list<dict>) -> dict",
      example: "flow_with_evidence(flow_invariant_allow(), []).evidence  // []",
      run: (_task, input: Argument, evidence: Argument) => withEvidence(input, evidence),
    },
    flow_with_remediation: {
      ...pure,
      doc: "A verdict with a remediation.",
      sig: "(verdict: dict, remediation: dict) -> dict",
      example:
        'flow_with_remediation(flow_invariant_allow(), flow_remediation("no")).remediation.description  // no',
      run: (_task, input: Argument, remediation: Argument) => withRemediation(input, remediation),
    },
    flow_with_confidence: {
      ...pure,
      doc: "A verdict with another confidence, kept between 0 and 1.",
      sig: "(verdict: dict, confidence: int | float) -> dict",
      example: "flow_with_confidence(flow_invariant_allow(), 7).confidence  // 1.0",
      run: (_task, input: Argument, confidence: Argument) => withConfidence(input, confidence),
    },
  },
  {
    verdict: "a verdict, as `flow_*` gives it",
    evidence: "evidence, as `flow_evidence_*` gives it",
    remediation: "a remediation, as `flow_remediation` gives it",
  },
);
