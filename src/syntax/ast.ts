/**
 * The abstract syntax tree: what the parser builds and the resolver, checker, formatter and lowering read.
 *
 * Every node has `kind` and a span (`start`, `end`: offsets into its `SourceFile`). Nodes are plain objects made by
 * the parser and never changed afterwards; the resolver keeps what it learns in side tables keyed by node.
 * Operators are flat in the grammar and folded into `Binary` by precedence, so the tree never shows the fold.
 */
import type { Span } from "../source/index.ts";

export interface Node extends Span {
  readonly kind: string;
}

/** A name in the source with its own span. */
export interface Name extends Span {
  readonly text: string;
}

// ---------------------------------------------------------------- program

export interface Program extends Node {
  readonly kind: "Program";
  readonly items: readonly Item[];
}

export type Item = Import | Statement;

export interface Import extends Node {
  readonly kind: "Import";
  readonly pub: boolean;
  readonly path: string;
  readonly pathSpan: Span;
  /** `undefined`: everything the module exports. */
  readonly names: readonly Name[] | undefined;
}

// ---------------------------------------------------------------- declarations

export type Declaration =
  | FnDecl
  | PipelineDecl
  | OverrideDecl
  | ToolDecl
  | SkillDecl
  | EvalPackDecl
  | StructDecl
  | EnumDecl
  | ImplDecl
  | InterfaceDecl
  | TypeAliasDecl;

export interface Attribute extends Span {
  readonly name: Name;
  readonly args: readonly AttributeArg[];
}

export interface AttributeArg extends Span {
  readonly name: Name | undefined;
  /** A literal, or an `Identifier` taken as a string. */
  readonly value: Expr;
}

interface DeclBase extends Node {
  readonly attributes: readonly Attribute[];
  readonly pub: boolean;
  /** The documentation comment above it, markers removed; "" when there is none. */
  readonly doc: string;
}

export interface Param extends Span {
  readonly name: Name;
  readonly rest: boolean;
  readonly type: TypeExpr | undefined;
  readonly default: Expr | undefined;
}

export interface TypeParam extends Span {
  readonly name: Name;
  readonly variance: "in" | "out" | undefined;
}

export interface WhereBound extends Span {
  readonly param: Name;
  readonly bounds: readonly Name[];
}

export interface FnDecl extends DeclBase {
  readonly kind: "FnDecl";
  readonly name: Name;
  /** `gen fn`. (A plain `fn` with `yield` in its own body is a generator too: the resolver finds that.) */
  readonly gen: boolean;
  readonly typeParams: readonly TypeParam[];
  readonly params: readonly Param[];
  readonly returns: TypeExpr | undefined;
  readonly where: readonly WhereBound[];
  readonly body: Block;
}

export interface PipelineDecl extends DeclBase {
  readonly kind: "PipelineDecl";
  readonly name: Name;
  readonly params: readonly Name[];
  readonly returns: TypeExpr | undefined;
  readonly extends: Name | undefined;
  readonly body: Block;
}

export interface OverrideDecl extends DeclBase {
  readonly kind: "OverrideDecl";
  readonly name: Name;
  readonly params: readonly Name[];
  readonly body: Block;
}

export interface ToolDecl extends DeclBase {
  readonly kind: "ToolDecl";
  readonly name: Name;
  readonly description: string | undefined;
  readonly params: readonly Param[];
  readonly returns: TypeExpr | undefined;
  readonly body: Block;
}

export interface SkillDecl extends DeclBase {
  readonly kind: "SkillDecl";
  readonly name: Name;
  readonly fields: readonly NamedExpr[];
}

export interface NamedExpr extends Span {
  readonly name: Name;
  readonly value: Expr;
}

export interface EvalPackDecl extends DeclBase {
  readonly kind: "EvalPackDecl";
  /** The variable it binds. */
  readonly name: Name;
  readonly id: string;
  readonly fields: readonly NamedExpr[];
  readonly statements: readonly Statement[];
  readonly summarize: Block | undefined;
}

export interface StructDecl extends DeclBase {
  readonly kind: "StructDecl";
  readonly name: Name;
  readonly typeParams: readonly TypeParam[];
  readonly fields: readonly FieldDecl[];
}

export interface FieldDecl extends Span {
  readonly name: Name;
  readonly optional: boolean;
  readonly type: TypeExpr | undefined;
}

export interface EnumDecl extends DeclBase {
  readonly kind: "EnumDecl";
  readonly name: Name;
  readonly typeParams: readonly TypeParam[];
  readonly variants: readonly VariantDecl[];
}

export interface VariantDecl extends Span {
  readonly name: Name;
  readonly params: readonly Param[];
}

export interface ImplDecl extends DeclBase {
  readonly kind: "ImplDecl";
  readonly target: Name;
  readonly methods: readonly FnDecl[];
}

export interface InterfaceDecl extends DeclBase {
  readonly kind: "InterfaceDecl";
  readonly name: Name;
  readonly typeParams: readonly TypeParam[];
  readonly types: readonly AssociatedType[];
  readonly methods: readonly InterfaceMethod[];
}

export interface AssociatedType extends Span {
  readonly name: Name;
  readonly type: TypeExpr | undefined;
}

export interface InterfaceMethod extends Span {
  readonly name: Name;
  readonly typeParams: readonly TypeParam[];
  readonly params: readonly Param[];
  readonly returns: TypeExpr | undefined;
}

export interface TypeAliasDecl extends DeclBase {
  readonly kind: "TypeAliasDecl";
  readonly name: Name;
  readonly typeParams: readonly TypeParam[];
  readonly type: TypeExpr;
}

// ---------------------------------------------------------------- statements

export type Statement =
  | Declaration
  | Let
  | Assign
  | ExprStatement
  | For
  | While
  | Select
  | Return
  | Throw
  | Break
  | Continue
  | Guard
  | Require
  | Defer
  | Mutex
  | Yield
  | Emit;

export interface Block extends Node {
  readonly kind: "Block";
  readonly statements: readonly Statement[];
}

/** `let`, `var` and (0.8) `const` bindings. */
export interface Let extends Node {
  readonly kind: "Let";
  readonly keyword: "let" | "var" | "const";
  readonly pattern: Pattern;
  readonly type: TypeExpr | undefined;
  readonly value: Expr;
}

export type Pattern = NamePattern | DictPattern | ListPattern | PairPattern;

/** A single name; `_` binds nothing. */
export interface NamePattern extends Node {
  readonly kind: "NamePattern";
  readonly name: Name;
}

export interface DictPattern extends Node {
  readonly kind: "DictPattern";
  readonly entries: readonly {
    readonly key: Name;
    readonly alias: Name | undefined;
    readonly default: Expr | undefined;
  }[];
  readonly rest: Name | undefined;
}

export interface ListPattern extends Node {
  readonly kind: "ListPattern";
  readonly elements: readonly { readonly name: Name; readonly default: Expr | undefined }[];
  readonly rest: Name | undefined;
}

/** `(a, b)`, in `for` only. */
export interface PairPattern extends Node {
  readonly kind: "PairPattern";
  readonly first: Name;
  readonly second: Name;
}

export interface Assign extends Node {
  readonly kind: "Assign";
  /** The parser reports other targets. */
  readonly target: Identifier | Member | Index;
  readonly op: "=" | "+=" | "-=" | "*=" | "/=" | "%=";
  readonly value: Expr;
}

/** An expression in statement position; `if`, `match`, `try` … are expressions and stand here too. */
export interface ExprStatement extends Node {
  readonly kind: "ExprStatement";
  readonly expr: Expr;
}

export interface For extends Node {
  readonly kind: "For";
  readonly pattern: Pattern;
  readonly iterable: Expr;
  readonly body: Block;
}

export interface While extends Node {
  readonly kind: "While";
  readonly condition: Expr;
  readonly body: Block;
}

export interface Select extends Node {
  readonly kind: "Select";
  readonly cases: readonly { readonly name: Name; readonly channel: Expr; readonly body: Block }[];
  readonly timeout: { readonly duration: Expr; readonly body: Block } | undefined;
  readonly default: Block | undefined;
}

export interface Return extends Node {
  readonly kind: "Return";
  readonly value: Expr | undefined;
}

export interface Throw extends Node {
  readonly kind: "Throw";
  readonly value: Expr;
}

export interface Break extends Node {
  readonly kind: "Break";
}

export interface Continue extends Node {
  readonly kind: "Continue";
}

export interface Guard extends Node {
  readonly kind: "Guard";
  readonly condition: Expr;
  readonly else: Block;
}

export interface Require extends Node {
  readonly kind: "Require";
  readonly condition: Expr;
  readonly message: Expr | undefined;
}

export interface Defer extends Node {
  readonly kind: "Defer";
  readonly body: Block;
}

export interface Mutex extends Node {
  readonly kind: "Mutex";
  readonly key: Expr | undefined;
  readonly body: Block;
}

export interface Yield extends Node {
  readonly kind: "Yield";
  readonly value: Expr | undefined;
}

export interface Emit extends Node {
  readonly kind: "Emit";
  readonly value: Expr;
}

// ---------------------------------------------------------------- expressions

export type Expr =
  | IntLit
  | FloatLit
  | DurationLit
  | StringLit
  | Interpolation
  | BoolLit
  | NilLit
  | Identifier
  | ListLit
  | DictLit
  | StructLit
  | Closure
  | Unary
  | Binary
  | Ternary
  | RangeExpr
  | Pipe
  | Call
  | MethodCall
  | Member
  | Index
  | Slice
  | Propagate
  | If
  | Match
  | Try
  | TryStar
  | Retry
  | Parallel
  | Spawn
  | Deadline
  | Scope
  | CostRoute
  | ErrorExpr;

export interface IntLit extends Node {
  readonly kind: "IntLit";
  /** A number while safe, a bigint from 2^53 to 2^63. */
  readonly value: number | bigint;
}

export interface FloatLit extends Node {
  readonly kind: "FloatLit";
  readonly value: number;
}

export interface DurationLit extends Node {
  readonly kind: "DurationLit";
  readonly ms: number;
}

export interface StringLit extends Node {
  readonly kind: "StringLit";
  readonly value: string;
  readonly raw: boolean;
}

/** A string with holes: `parts` alternates texts (escapes done, indentation stripped) and expressions. */
export interface Interpolation extends Node {
  readonly kind: "Interpolation";
  readonly parts: readonly (string | Expr)[];
}

export interface BoolLit extends Node {
  readonly kind: "BoolLit";
  readonly value: boolean;
}

export interface NilLit extends Node {
  readonly kind: "NilLit";
}

export interface Identifier extends Node {
  readonly kind: "Identifier";
  readonly name: string;
}

/** `...e` in a list, dict or argument list. */
export interface Spread extends Node {
  readonly kind: "Spread";
  readonly value: Expr;
}

export interface ListLit extends Node {
  readonly kind: "ListLit";
  readonly elements: readonly (Expr | Spread)[];
}

export interface DictLit extends Node {
  readonly kind: "DictLit";
  readonly entries: readonly (DictEntry | Spread)[];
}

export interface DictEntry extends Node {
  readonly kind: "DictEntry";
  /** A string for `name:` and `"text":`, an expression for `[expr]:`. */
  readonly key: string | Expr;
  readonly keySpan: Span;
  readonly value: Expr;
}

export interface StructLit extends Node {
  readonly kind: "StructLit";
  readonly name: Name;
  readonly fields: readonly NamedExpr[];
}

/** `fn(p) { … }` and `{ p -> … }`: both give their last expression's value. */
export interface Closure extends Node {
  readonly kind: "Closure";
  readonly form: "fn" | "brace";
  readonly params: readonly Param[];
  readonly body: Block;
}

export interface Unary extends Node {
  readonly kind: "Unary";
  readonly op: "!" | "-";
  readonly operand: Expr;
}

export type BinaryOp =
  | "||"
  | "&&"
  | "=="
  | "!="
  | "<"
  | ">"
  | "<="
  | ">="
  | "in"
  | "not in"
  | "+"
  | "-"
  | "??"
  | "*"
  | "/"
  | "%"
  | "**";

export interface Binary extends Node {
  readonly kind: "Binary";
  readonly op: BinaryOp;
  readonly opSpan: Span;
  readonly left: Expr;
  readonly right: Expr;
}

export interface Ternary extends Node {
  readonly kind: "Ternary";
  readonly condition: Expr;
  readonly then: Expr;
  readonly else: Expr;
}

export interface RangeExpr extends Node {
  readonly kind: "RangeExpr";
  readonly from: Expr;
  readonly to: Expr;
  readonly exclusive: boolean;
}

export interface Pipe extends Node {
  readonly kind: "Pipe";
  readonly value: Expr;
  readonly into: Expr;
}

/** A named argument exists only in `ask_user`, `request_approval`, `dual_control` and `escalate_to` (0.8). */
export interface NamedArg extends Node {
  readonly kind: "NamedArg";
  readonly name: Name;
  readonly value: Expr;
}

export type Arg = Expr | Spread | NamedArg;

/** A call of a bare name, or of a parenthesised expression. */
export interface Call extends Node {
  readonly kind: "Call";
  readonly callee: Expr;
  readonly typeArgs: readonly TypeExpr[];
  readonly args: readonly Arg[];
}

export interface MethodCall extends Node {
  readonly kind: "MethodCall";
  readonly receiver: Expr;
  readonly name: Name;
  readonly optional: boolean;
  readonly args: readonly Arg[];
}

export interface Member extends Node {
  readonly kind: "Member";
  readonly object: Expr;
  readonly name: Name;
  readonly optional: boolean;
}

export interface Index extends Node {
  readonly kind: "Index";
  readonly object: Expr;
  readonly index: Expr;
  readonly optional: boolean;
}

export interface Slice extends Node {
  readonly kind: "Slice";
  readonly object: Expr;
  readonly from: Expr | undefined;
  readonly to: Expr | undefined;
}

/** `expr?`: Result propagation. */
export interface Propagate extends Node {
  readonly kind: "Propagate";
  readonly value: Expr;
}

export interface If extends Node {
  readonly kind: "If";
  readonly condition: Expr;
  readonly then: Block;
  readonly else: Block | If | undefined;
}

export interface Match extends Node {
  readonly kind: "Match";
  readonly subject: Expr;
  readonly arms: readonly MatchArm[];
}

export interface MatchArm extends Node {
  readonly kind: "MatchArm";
  /**
   * Alternatives of `p | q`, usually one. Patterns are ordinary expressions, read as patterns by §11: `Identifier`
   * binds (`_` does not), `Member`/`MethodCall` on a name is an enum variant, `DictLit`/`ListLit` destructure.
   */
  readonly patterns: readonly Expr[];
  readonly guard: Expr | undefined;
  readonly body: Block;
}

export interface Try extends Node {
  readonly kind: "Try";
  readonly body: Block;
  readonly catch:
    | { readonly name: Name | undefined; readonly type: TypeExpr | undefined; readonly body: Block }
    | undefined;
  readonly finally: Block | undefined;
}

export interface TryStar extends Node {
  readonly kind: "TryStar";
  readonly value: Expr;
}

export interface Retry extends Node {
  readonly kind: "Retry";
  readonly count: Expr;
  readonly body: Block;
}

export interface Parallel extends Node {
  readonly kind: "Parallel";
  readonly mode: "count" | "each" | "settle";
  readonly subject: Expr;
  readonly maxConcurrent: Expr | undefined;
  readonly param: Name | undefined;
  readonly body: Block;
  readonly asStream: boolean;
}

export interface Spawn extends Node {
  readonly kind: "Spawn";
  readonly body: Block;
}

export interface Deadline extends Node {
  readonly kind: "Deadline";
  readonly duration: Expr;
  readonly body: Block;
}

export interface Scope extends Node {
  readonly kind: "Scope";
  readonly body: Block;
}

export interface CostRoute extends Node {
  readonly kind: "CostRoute";
  readonly body: Block;
}

/** Stands where an expression could not be parsed; a diagnostic was reported. Never reaches resolution. */
export interface ErrorExpr extends Node {
  readonly kind: "ErrorExpr";
}

// ---------------------------------------------------------------- types

export type TypeExpr =
  | NamedType
  | FnType
  | ShapeType
  | LiteralType
  | UnionType
  | IntersectionType
  | OptionalType
  | ListType
  | OwnedType;

export interface NamedType extends Node {
  readonly kind: "NamedType";
  readonly name: Name;
  readonly args: readonly TypeExpr[];
}

/** `[T]` */
export interface ListType extends Node {
  readonly kind: "ListType";
  readonly element: TypeExpr;
}

export interface FnType extends Node {
  readonly kind: "FnType";
  readonly params: readonly TypeExpr[];
  readonly returns: TypeExpr;
}

export interface ShapeType extends Node {
  readonly kind: "ShapeType";
  readonly fields: readonly { readonly name: Name; readonly optional: boolean; readonly type: TypeExpr }[];
}

/** `"pass"`, `3`, `true`, `nil`; `true` and `false` mean `bool`. */
export interface LiteralType extends Node {
  readonly kind: "LiteralType";
  readonly value: string | number | bigint | boolean | null;
}

export interface UnionType extends Node {
  readonly kind: "UnionType";
  readonly members: readonly TypeExpr[];
}

export interface IntersectionType extends Node {
  readonly kind: "IntersectionType";
  readonly members: readonly TypeExpr[];
}

/** `T?` */
export interface OptionalType extends Node {
  readonly kind: "OptionalType";
  readonly type: TypeExpr;
}

/** `owned<T>` */
export interface OwnedType extends Node {
  readonly kind: "OwnedType";
  readonly type: TypeExpr;
}
