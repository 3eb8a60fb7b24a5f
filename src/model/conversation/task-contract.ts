/** A task contract: what must be true at the end, and how far it was seen to be. It belongs to the session. */
import type { Callable, Dict, Value } from "../../values/index.ts";
import type { JsonSchema } from "../llm/index.ts";

/** What is looked at to tell whether a requirement is met. */
export type Predicate =
  | {
      readonly type: "file_exists";
      readonly path: string | null;
      readonly glob: string | null;
      readonly minCount: number;
      readonly minBytes: number;
      /** Other contents than at the beginning. */
      readonly changed: boolean;
    }
  | {
      readonly type: "contains_text";
      readonly pattern: string;
      readonly in: "results" | "files" | "output" | "transcript";
      readonly path: string | null;
      readonly tool: string | null;
    }
  | {
      readonly type: "tool_result_success";
      readonly tool: string;
      readonly args: Dict | null;
      readonly minCount: number;
      /** No writing call since. */
      readonly fresh: boolean;
    }
  | {
      readonly type: "json_schema_valid";
      readonly schema: JsonSchema;
      readonly source:
        | { readonly kind: "file"; readonly path: string }
        | { readonly kind: "item"; readonly id: string }
        | { readonly kind: "output" };
    }
  | { readonly type: "custom"; readonly check: Callable }
  | { readonly type: "always_true"; readonly judge: Dict | null }
  | {
      readonly type: "command";
      readonly command: string;
      readonly expectStatus: number;
      readonly assertText: string | null;
    }
  /** Files with the contents of the beginning: `protect`. */
  | { readonly type: "unchanged"; readonly glob: string }
  /** A closure of another run: it can't be looked at here. */
  | { readonly type: "not_available"; readonly was: string };

export interface Requirement {
  readonly id: string;
  readonly description: string;
  readonly predicate: Predicate;
  /** As it was given, for those who read the contract. */
  readonly input: Dict;
  readonly required: boolean;
  readonly weight: number;
  /** A locked work item stands for it. */
  readonly item: { readonly title: string; readonly priority: "high" | "medium" | "low" } | null;
}

export interface ContractQuestion {
  readonly id: string;
  readonly text: string;
  readonly required: boolean;
  readonly choices: readonly string[] | null;
  readonly fallback: string | null;
}

export interface TaskContract {
  readonly id: string;
  readonly goal: string;
  readonly outputs: readonly Requirement[];
  readonly questions: readonly ContractQuestion[];
  readonly answerer: Value;
  readonly acceptability: {
    readonly mode: "all" | "required" | "threshold";
    readonly threshold: number;
    readonly allowPartial: boolean;
  };
  readonly maxChecks: number;
  readonly checkTimeoutMs: number;
  /** The dict that it was read from. */
  readonly given: Dict;
}

export type RequirementStatus = "unmet" | "met" | "partially_met" | "skipped";

/** What was seen. */
export interface Evidence {
  readonly kind: "file" | "tool_result" | "artifact" | "text" | "command" | "callback" | "judge";
  readonly ref: string;
  readonly digest: string | null;
  readonly excerpt: string;
  /** 1-based; 0: outside of every turn. */
  readonly turn: number;
}

export interface RequirementCoverage {
  readonly requirementId: string;
  readonly status: RequirementStatus;
  readonly evidence: readonly Evidence[];
  /** What was looked for and found. */
  readonly notes: string;
  /** 1-based turn of the last look; 0: never, or outside of every turn. */
  readonly checkedTurn: number;
  /** 1-based turn since which it stands as it does. */
  readonly sinceTurn: number;
}

/** The contract of a session, with what is known of it. */
export interface ContractState {
  readonly contract: TaskContract;
  /** +1 per change of the contract. */
  version: number;
  /** The files of the beginning were looked at. */
  surveyed: boolean;
  readonly coverage: Map<string, RequirementCoverage>;
  /** Answers by question. */
  readonly answers: Map<string, { readonly answer: string; readonly by: string }>;
  /** Requirements that people and scripts have marked as skipped. */
  readonly skipped: Set<string>;
  /** Looks so far. */
  checks: number;
  /** Digests of files as they were in the beginning, by path; `null`: there was none. */
  readonly beginning: Map<string, string | null>;
  /** What each requirement's inputs were at its last look. */
  readonly inputs: Map<string, string>;
  /** Looks in a row that ended in the same error, by requirement. */
  readonly errors: Map<string, { readonly text: string; readonly count: number }>;
}
