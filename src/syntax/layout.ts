/**
 * Which line ends are tokens (language.md §1.1, §3).
 *
 * The lexer drops a line end that cannot separate statements, so the grammar need not mention it: after an opening
 * bracket, `,` or an operator that still wants its right side, and before a closing bracket or a token that may start
 * a continuation line. `-`, `(` and `[` are absent from the second list: they begin a new statement.
 * A `>` may close a type, so the line end after it is kept and the expression rule skips it.
 */
import { T, tokenSet } from "./tokens.ts";

const dropAfter = tokenSet(
  T.LParen, T.LSquare, T.LCurly, T.Comma, T.Semicolon, T.Colon, T.Arrow, T.Dot, T.QuestionDot, T.Bar, T.Amp,
  T.PipeArrow, T.OrOr, T.AndAnd, T.EqEq, T.NotEq, T.Less, T.LessEq, T.GreaterEq, T.Plus, T.Minus, T.Coalesce,
  T.Star, T.Slash, T.Percent, T.Power, T.In, T.To, T.Bang, T.StrStart, T.StrMid,
  T.Equals, T.PlusEq, T.MinusEq, T.StarEq, T.SlashEq, T.PercentEq,
); // biome-ignore format: a token list

const dropBefore = tokenSet(
  T.RParen, T.RSquare, T.RCurly, T.Dot, T.QuestionDot, T.Question, T.Colon, T.Bar,
  T.PipeArrow, T.OrOr, T.AndAnd, T.EqEq, T.NotEq, T.Less, T.Greater, T.LessEq, T.GreaterEq, T.Plus, T.Coalesce,
  T.Star, T.Slash, T.Percent, T.Power, T.StrMid, T.StrEnd,
); // biome-ignore format: a token list

/** Words that go on with the construct whose block ended on an earlier line. */
const afterBlock = tokenSet(T.Else, T.Catch, T.Finally);

/**
 * Words that begin statements and never expressions. After `=` or in a list, a line that begins with one of these is a
 * new statement: what is missing is missing before it.
 */
export const newStatement = tokenSet(
  T.Let, T.Var, T.For, T.While, T.Return, T.Throw, T.Break, T.Continue, T.Guard, T.Require, T.Defer, T.Mutex,
  T.Yield, T.Emit, T.Select, T.Import, T.Pub, T.Pipeline, T.Tool, T.Skill, T.Struct, T.Enum, T.Type, T.Interface,
  T.Impl, T.Override, T.EvalPack,
); // biome-ignore format: a token list

const assigns = tokenSet(T.AssignOperator);
const closesBlock = T.RCurly.tokenTypeIdx!;

/** Is a line end between tokens of these two types (by `tokenTypeIdx`) a token? */
export function separates(previous: number, next: number): boolean {
  if (assigns[previous] === 1 && newStatement[next] === 1) return true;
  if (dropAfter[previous] === 1 || dropBefore[next] === 1) return false;
  return !(previous === closesBlock && afterBlock[next] === 1);
}
