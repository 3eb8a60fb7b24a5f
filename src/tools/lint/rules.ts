/** All lint rules (language.md §27, agents.md): the one table that the command, the docs and the tests read. */
import type { LintRule } from "./rule.ts";
import * as agents from "./rules/agents.ts";
import * as calls from "./rules/calls.ts";
import * as expressions from "./rules/expressions.ts";
import * as flow from "./rules/flow.ts";
import * as layout from "./rules/layout.ts";
import * as names from "./rules/names.ts";

export const rules: readonly LintRule[] = [
  calls.assertOutsideTest,
  expressions.bareMilliseconds,
  layout.blankLineBetweenItems,
  flow.breakOutsideLoop,
  expressions.comparisonToBool,
  flow.cyclomaticComplexity,
  flow.deadCode,
  agents.deprecatedLlmOptions,
  flow.duplicateMatchArm,
  expressions.eagerCollectionConversion,
  flow.emptyBlock,
  layout.importOrder,
  expressions.integerDivision,
  expressions.commentForDivision,
  expressions.invalidBinaryOpLiteral,
  layout.legacyDocComment,
  expressions.lazyValueDropped,
  flow.letThenReturn,
  calls.longRunningWithoutCleanup,
  names.missingHarndoc,
  names.mutableNeverReassigned,
  names.namingConvention,
  names.pipelineReturnType,
  expressions.pointlessComparison,
  agents.prOpenWithoutSecretScan,
  agents.promptInjectionRisk,
  expressions.redundantClone,
  expressions.redundantNilTernary,
  layout.requireFileHeader,
  calls.requireInTest,
  names.shadowVariable,
  expressions.spawnInLazyChain,
  layout.trailingComma,
  names.undefinedFunction,
  agents.unhandledApprovalResult,
  expressions.unnecessaryCast,
  flow.unnecessaryElseReturn,
  agents.untypedDictAccess,
  names.unusedFunction,
  names.unusedImport,
  names.unusedParameter,
  names.unusedType,
];
