/** What a builtin declaration is: the type of the one table that checker, interpreter, docs and journal read. */
export {
  type BuiltinDeclaration,
  type BuiltinRun,
  type BuiltinSpec,
  type BuiltinTable,
  defineBuiltins,
  type Suspends,
} from "./builtin-spec.ts";
export type { EffectClass } from "./effect-class.ts";
export {
  parseSignature,
  type Signature,
  type SignatureField,
  type SignatureParam,
  type SignatureType,
  showSignatureType,
} from "./signature.ts";
