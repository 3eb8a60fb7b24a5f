/** ORC: agents and their orchestration (agents.md). Raised while running, by the loop. */
import { entry } from "../diagnostic.ts";

export const orc = {
  "HARN-ORC-001": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    label: () => "other number of arguments",
    help: () => "pass what the declaration names",
    explain:
      "A variant of an enum is made with more or fewer values than it declares. The value is made all the same; what takes it " +
      "apart by its declaration finds nil, or misses some.",
  }),
  "HARN-ORC-002": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    label: () => "an argument is missing",
    help: () => "pass what the declaration names, or give the parameter a default (`b = nil`)",
    explain:
      "A call leaves out an argument that the function requires: a parameter without a default whose type does not name nil. " +
      "It is refused before anything of the program runs.\nGive parameters that may be left out a default.",
  }),
  "HARN-ORC-003": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly name: string; readonly type: string }) =>
      `function '${p.name}' gives ${p.type}, but the value of its last statement is not returned`,
    label: () => "this value is dropped, and the function gives nil",
    help: () => "write `return` before it",
    explain:
      "A declared function gives only what `return` gives; falling off its end gives nil, which the declared result does not " +
      "allow. Only closures (`{ x -> … }`, `fn(x) { … }`) and tools give the value of their last expression.",
  }),
  "HARN-ORC-004": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly pipeline: string }) =>
      `this statement never runs: the program begins with pipeline '${p.pipeline}'`,
    label: () => "skipped",
    help: (p) => `move it into \`pipeline ${p.pipeline}\`, or into a function that it calls`,
    explain:
      "In a file with a pipeline, imports, the file's variables and its declarations run, and then the entry pipeline. Other " +
      "statements at the top of the file (calls, loops, assignments) are skipped.",
  }),
  "HARN-ORC-005": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string }) => p.text,
    label: () => "more arguments than it takes",
    help: () => "leave out what it does not take; the extra ones are dropped",
    explain:
      "A function is called with more arguments than it declares. The extra ones are dropped without a word, so what they " +
      "were to say is not done.",
  }),
  "HARN-ORC-006": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string; readonly instead: string }) => p.text,
    label: () => "this value is dropped",
    help: (p) => p.instead,
    explain:
      "A statement computes a value, does nothing else, and nothing takes the value. Methods of text, lists, dicts and sets leave " +
      "alone what they are called on: write `xs = xs.push(1)`. A declared function gives only what `return` gives. A function runs " +
      "only when it is called: `f()`. `a == b` compares, `a = b` assigns, `assert_eq(a, b)` tests.",
  }),
  "HARN-ORC-008": entry({
    severity: "warning",
    message: () => "unreachable code",
    label: () => "never runs",
    help: () => "remove it, or move it before the statement that leaves the block",
    explain:
      "A `return`, `throw`, `break` or `continue` (or an `if` whose branches all end so) stands before it in the same block.",
  }),
  "HARN-ORC-011": entry({
    severity: "error",
    message: (p: { readonly lock: string }) => `Runtime error: deadlock: this task already holds ${p.lock}`,
    help: () => "locks are not re-entrant: do the inner work without the lock, or give it another key",
    explain:
      "A task asked for a lock that it holds itself, so it would wait for ever. `mutex` and the `sync_*` locks are not " +
      "re-entrant.\nMove the inner work out of the lock, or use another key for it.",
  }),
  "HARN-ORC-012": entry({
    severity: "error",
    message: (p: { readonly who: string }) => `Runtime error: deadlock: ${p.who}`,
    help: () =>
      "close channels that nobody sends to any more, and take several locks always in the same order",
    explain:
      "Tasks wait for each other in a circle, or every task waits for another part of the program while nothing outside " +
      "is under way: nothing can ever happen. The message says who waits for what.\n" +
      "Often a channel was never closed (`for x in ch` waits for the next value until `close_channel`), a task awaits " +
      "one that waits for it, or two tasks take two locks in different order.",
  }),
  "HARN-ORC-013": entry({
    severity: "warning",
    message: () => "nothing calls `main`, so it never runs",
    label: () => "never called",
    help: (p: { readonly takesNothing: boolean }) =>
      "write `fn main(harness: Harness)`, which is called by itself when the file's own statements have run, or put " +
      `\`main(${p.takesNothing ? "" : "…"})\` at the end of the file`,
    explain:
      "In a file without pipelines the statements at its top run, in order. A function called `main` is the entry only if it " +
      "takes the harness: `fn main(harness: Harness) { … }` is called when those statements have run. Any other `main` is an " +
      "ordinary function, which somebody must call; here nobody does, so the program ends without having done anything in it.\n" +
      "Give it that parameter, call it, or give it another name if it isn't meant to run.",
  }),
  "HARN-ORC-014": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string; readonly help: string }) => p.text,
    label: () => "not what is called",
    help: (p) => p.help,
    explain:
      "Methods of collections call the function that they are given with one element, `reduce` with what was made so far and one " +
      "element. A parameter beyond that is always nil. Without a function they do nothing: `map` and `reduce` give nil.\n" +
      "Positions come from `enumerate()`: `xs.enumerate().map({ it -> it.index })`.",
  }),
  "HARN-ORC-015": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly what: string; readonly help: string }) =>
      `\`${p.name}\` is ${p.what}, not a function`,
    label: () => "can't be called",
    help: (p) => p.help,
    whenRun: (p) => `Undefined builtin: ${p.name}`,
    explain:
      "What is called is no function. A `tool` is a registry with one entry, which models call; a program that wants the same puts " +
      "it into a `fn` that it and the tool call, or calls the handler: `add.tools[0].handler(1, 2)`.",
  }),
  "HARN-ORC-090": entry({
    severity: "error",
    message: (p: { readonly caller: string; readonly option: string }) =>
      `${p.caller}: unknown option \`${p.option}\``,
    help: () => "correct its name, or leave it out; `harn doc spawn_agent` lists what there is",
    explain:
      "A worker without an option that was asked for would do something else than was meant: a policy that does not hold, " +
      "a limit that does not end it. So it does not start. The message names the nearest option; some belong to the " +
      "stages of a workflow and mean nothing for a single one.",
  }),
};
