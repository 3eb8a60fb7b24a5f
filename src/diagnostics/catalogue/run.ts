/** RUN: errors of a running program that nobody caught. Their message is the uncaught text of language.md §28.2. */
import { entry } from "../diagnostic.ts";

const uncaught = (explain: string, help?: string) =>
  entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    ...(help === undefined ? {} : { help: () => help }),
    explain,
  });

export const run = {
  "HARN-RUN-001": uncaught(
    "The program uses a construct or a function that this version of the runtime parses but does not run yet.\n" +
      "The message names it; `docs/` says what exists.",
  ),
  "HARN-RUN-002": uncaught(
    "The program threw a value (`throw v`, a failed `assert` or `require`, or a builtin that throws) and nothing caught it.\n" +
      "Catch it with `try { … } catch (e) { … }`, or turn it into a value with `let r = try { … }`.",
  ),
  "HARN-RUN-003": uncaught(
    "An operation met a value of a type that it does not take: adding a string and an int, reading a property of nil.\n" +
      "`type_of(x)` says what a value is; `to_string`, `to_int` and `to_float` convert; `?.` and `??` deal with nil.",
  ),
  "HARN-RUN-004": uncaught(
    "An operation or a builtin failed while the program ran. The message says which and why.\n" +
      "`try { … } catch (e) { … }` catches it.",
  ),
  "HARN-RUN-005": uncaught(
    "A name was used that no variable, function or builtin has at this place.\n" +
      "Closures and functions see the variables that were visible when they were made; a misspelt name is suggested in the message.",
  ),
  "HARN-RUN-006": uncaught(
    "A `let` binding, a parameter or a match binding was assigned or declared again in the same scope.\n" +
      "Declare it with `var` when it has to change, or choose another name.",
  ),
  "HARN-RUN-007": uncaught(
    "An int was divided by zero, or a remainder by zero was taken. Floats divide by zero without an error.\n" +
      "Test the divisor first.",
  ),
  "HARN-RUN-008": uncaught(
    "More calls were nested than the limit allows (10,000), most often because a recursion does not end.\n" +
      "A call in tail position (`return f(x)`) does not nest; `harn run --max-depth N` raises the limit.",
    "look for the end of the recursion; a call in tail position (`return f(x)`) does not nest",
  ),
  "HARN-RUN-010": uncaught(
    "The run was given a step limit (`harn run --max-steps N`), and its calls and rounds of loops have reached it.\n" +
      "No `catch` stops this; `finally` and `defer` blocks run. The exit code is 124.",
    "look for the loop that does not end, or raise `--max-steps`",
  ),
};
