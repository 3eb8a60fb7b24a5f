/** The words of the language for `harn doc`: what each is for, how it is written, a program, and where the page says more. */

export interface LanguageWord {
  /** Words that are told of together; the first is the one that people ask for. */
  readonly words: readonly string[];
  readonly forms: readonly string[];
  readonly doc: string;
  readonly example: string;
  /** What the example prints. */
  readonly prints: string;
  /** Of `docs/reference/language.md`. */
  readonly section: string;
}

export const languageWords: readonly LanguageWord[] = [
  {
    words: ["let", "var", "const"],
    forms: ["let NAME = VALUE", "var NAME = VALUE", "const NAME = VALUE"],
    doc: "Names a value. A `let` keeps its value, a `var` may get others; `const` is `let`. Patterns take lists and dicts apart.",
    example:
      'let {name, age = 30} = {name: "Ada"}\nvar count = 1\ncount += 1\nprintln("${name} ${age} ${count}")',
    prints: "Ada 30 2",
    section: "7.1",
  },
  {
    words: ["fn", "return"],
    forms: ["fn NAME(PARAMETER: TYPE = DEFAULT) -> TYPE { … return VALUE }", "{ x -> VALUE }"],
    doc: "A function. `fn` gives what it returns, nil without `return`; a closure `{ x -> … }` gives its last expression. Closures see the values that variables had when they were made.",
    example:
      "fn add(a: int, b: int = 1) -> int {\n  return a + b\n}\nlet twice = { x -> x * 2 }\nprintln(twice(add(2)))",
    prints: "6",
    section: "8.1",
  },
  {
    words: ["if", "else"],
    forms: ["if CONDITION { … } else if CONDITION { … } else { … }"],
    doc: "Chooses a block; its value is that of the block. On one line `c ? a : b` does.",
    example: 'let n = 3\nlet kind = if n > 2 { "many" } else { "few" }\nprintln(kind)',
    prints: "many",
    section: "10",
  },
  {
    words: ["for", "in", "while", "break", "continue"],
    forms: ["for NAME in VALUE { … }", "while CONDITION { … }", "VALUE in VALUE", "VALUE not in VALUE"],
    doc: "Loops. `for` goes over lists, sets, ranges, channels, iterators, and dicts as `{key, value}`; `break` ends the loop, `continue` its turn. Outside of `for`, `in` asks whether a list, dict or text holds something.",
    example:
      "for n in [1, 2, 3, 4] {\n  if n in [2] {\n    continue\n  }\n  if n > 3 {\n    break\n  }\n  println(n)\n}",
    prints: "1\n3",
    section: "10",
  },
  {
    words: ["to", "exclusive"],
    forms: ["A to B", "A to B exclusive"],
    doc: "A range of whole numbers; both ends are in it, unless it is `exclusive`.",
    example: "println((1 to 3).to_list())\nprintln((0 to 3 exclusive).to_list())",
    prints: "[1, 2, 3]\n[0, 1, 2]",
    section: "6.3",
  },
  {
    words: ["match"],
    forms: ["match VALUE { PATTERN -> { … } PATTERN if CONDITION -> { … } _ -> { … } }"],
    doc: "Chooses the first arm that fits; its value is that of the arm. Patterns are values, `a | b`, names, enum variants `E.V(x)`, dicts `{k: v}` and lists `[a, b]`. When none fits an error is thrown.",
    example:
      'let label = match 7 {\n  0 | 1 -> { "small" }\n  n if n < 0 -> { "negative" }\n  _ -> { "big" }\n}\nprintln(label)',
    prints: "big",
    section: "11",
  },
  {
    words: ["try", "catch", "finally", "throw"],
    forms: ["try { … } catch (e) { … } finally { … }", "throw VALUE", "try VALUE", "try* VALUE"],
    doc: "Errors. Anything can be thrown; `catch` gets it, `finally` runs in any case. `try` without `catch` gives a Result: `Ok(value)` or `Err(error)`. Behind a Result, `?` passes an error on.",
    example:
      'let answer = try {\n  throw "no disk"\n} catch (e) {\n  "failed: ${e}"\n} finally {\n  println("over")\n}\nprintln(answer)',
    prints: "over\nfailed: no disk",
    section: "12.2",
  },
  {
    words: ["retry"],
    forms: ["retry COUNT { … }"],
    doc: "Runs a block again when it throws, COUNT times at most in all; then the last error is thrown. Its value is that of the block. Model calls have `llm_retries` for their own.",
    example:
      'let tries = atomic(0)\nlet value = retry 3 {\n  atomic_add(tries, 1)\n  require atomic_get(tries) > 1, "not yet"\n  atomic_get(tries)\n}\nprintln(value)',
    prints: "2",
    section: "10",
  },
  {
    words: ["guard", "require"],
    forms: ["guard CONDITION else { … }", "require CONDITION, MESSAGE"],
    doc: "What must hold: `guard` runs its block where it does not, which leaves the function; `require` throws the message.",
    example:
      'fn half(n) {\n  require n % 2 == 0, "${n} is odd"\n  guard n > 0 else {\n    return 0\n  }\n  return n / 2\n}\nprintln(half(8))',
    prints: "4",
    section: "10",
  },
  {
    words: ["defer"],
    forms: ["defer { … }"],
    doc: "Runs a block when the function ends, however it ends; the last one first.",
    example: 'fn work() {\n  defer { println("closed") }\n  println("working")\n}\nwork()',
    prints: "working\nclosed",
    section: "12.5",
  },
  {
    words: ["parallel", "each", "settle", "with", "max_concurrent", "as", "stream"],
    forms: [
      "parallel each LIST with { max_concurrent: N } { x -> … }",
      "parallel settle LIST { x -> … }",
      "parallel N { i -> … }",
      "parallel each LIST { x -> … } as stream",
    ],
    doc: "Runs a block for every element at once; the results come in the order of the list. `settle` gives `{results, succeeded, failed}` where others throw the first error; `as stream` gives results as they come. Blocks see variables as they were: what they assign outside is not seen there.",
    example:
      'let doubled = parallel each [1, 2, 3] with { max_concurrent: 2 } { n -> n * 2 }\nprintln(doubled)\nlet outcome = parallel settle [1, 0] { n -> 10 / n }\nprintln("${outcome.succeeded} ${outcome.failed}")',
    prints: "[2, 4, 6]\n1 1",
    section: "13.1",
  },
  {
    words: ["spawn"],
    forms: ["let TASK = spawn { … }"],
    doc: "Begins a task beside this one. `await(task)` waits for its value, `cancel(task)` ends it. A task that nobody awaits ends with the program; one that failed is told then.",
    example: "let task = spawn { 6 * 7 }\nprintln(await(task))",
    prints: "42",
    section: "13.2",
  },
  {
    words: ["select", "from", "timeout", "default"],
    forms: [
      "select { NAME from CHANNEL { … } timeout 2s { … } }",
      "select { NAME from CHANNEL { … } default { … } }",
    ],
    doc: "Waits until one of several channels has a value. `timeout` runs when none came in time, `default` when none is there now. (`from` also stands in imports.)",
    example:
      'let inbox = channel("inbox")\nsend(inbox, 7)\nselect {\n  value from inbox { println("got ${value}") }\n  timeout 2s { println("nothing") }\n}',
    prints: "got 7",
    section: "13.4",
  },
  {
    words: ["deadline"],
    forms: ["deadline 2s { … }"],
    doc: "Ends a block when its time is over: `Deadline exceeded` is thrown. Its value is that of the block.",
    example: "println(deadline 2s { 1 + 1 })",
    prints: "2",
    section: "13.6",
  },
  {
    words: ["mutex"],
    forms: ["mutex { … }", "mutex (KEY) { … }"],
    doc: "Runs a block while no other task is in a `mutex` of the same key.",
    example: 'var total = 0\nmutex ("total") {\n  total += 1\n}\nprintln(total)',
    prints: "1",
    section: "13.7",
  },
  {
    words: ["scope", "cost_route"],
    forms: ["scope { … }"],
    doc: "At its end, tasks that were spawned inside of it are cancelled. (`cost_route { … }` parses and is an error when it runs.)",
    example: "scope {\n  let task = spawn { 1 }\n  println(await(task))\n}",
    prints: "1",
    section: "13.10",
  },
  {
    words: ["yield", "gen", "emit"],
    forms: ["fn NAME() { … yield VALUE … }", "gen fn NAME() -> Stream<TYPE> { … emit VALUE … }"],
    doc: "A function with `yield` is a generator: it gives values one by one, and runs on when the next is asked for. `gen fn` with `emit` gives a stream.",
    example:
      "fn naturals() {\n  var n = 0\n  while true {\n    yield n\n    n += 1\n  }\n}\nprintln(iter(naturals()).take(3).to_list())",
    prints: "[0, 1, 2]",
    section: "14.1",
  },
  {
    words: ["type", "owned"],
    forms: ["type NAME = TYPE"],
    doc: 'Names a type: a shape `{name: string, age?: int}`, a union `"a" | "b"`, a list `list<int>`. `schema_of(NAME)` makes a schema of it for models. `owned<T>` means T.',
    example: 'type Person = {name: string, age?: int}\nlet ada: Person = {name: "Ada"}\nprintln(ada.name)',
    prints: "Ada",
    section: "15.5",
  },
  {
    words: ["struct", "impl"],
    forms: ["struct NAME { FIELD: TYPE }", "impl NAME { fn METHOD(self) { … } }"],
    doc: "A record with named fields, and its methods. It is made by `NAME {field: value}` and never changed: methods give a new one.",
    example:
      "struct Point { x: int, y: int }\nimpl Point {\n  fn sum(self) {\n    return self.x + self.y\n  }\n}\nprintln(Point {x: 1, y: 2}.sum())",
    prints: "3",
    section: "15.1",
  },
  {
    words: ["enum"],
    forms: ["enum NAME { VARIANT, VARIANT(FIELD: TYPE) }"],
    doc: "One of several variants, each with values of its own; `match` tells them apart and `harn check` says which arm is missing.",
    example:
      "enum Shape { Circle(r: int), Point }\nlet size = match Shape.Circle(2) {\n  Shape.Circle(r) -> { r }\n  Shape.Point -> { 0 }\n}\nprintln(size)",
    prints: "2",
    section: "15.2",
  },
  {
    words: ["interface", "where", "out"],
    forms: ["interface NAME { fn METHOD(self) -> TYPE }", "fn NAME<T>(x: T) where T: INTERFACE { … }"],
    doc: "What methods a struct must have; one that has them fits, without saying so. `where` asks for it in a function of any type, `out` and `in` before a type parameter say how it varies.",
    example:
      'interface Named { fn name(self) -> string }\nstruct Cat { age: int }\nimpl Cat {\n  fn name(self) -> string {\n    return "Tom"\n  }\n}\nfn greet(who: Named) {\n  return "Hello ${who.name()}"\n}\nprintln(greet(Cat {age: 2}))',
    prints: "Hello Tom",
    section: "15.4",
  },
  {
    words: ["import", "pub"],
    forms: [
      'import "std/NAME"',
      'import { NAME } from "./FILE"',
      'pub import { NAME } from "./FILE"',
      "pub fn …",
    ],
    doc: "Takes functions and types of another file, of `std/…` or of a package. A file gives what is `pub`; one without any `pub` gives all. `harn doc std` lists the modules.",
    example: 'import { slugify } from "std/slug"\nprintln(slugify("To be or not"))',
    prints: "to-be-or-not",
    section: "20.1",
  },
  {
    words: ["pipeline", "extends", "override"],
    forms: ["pipeline NAME(PARAMETER) { … }", "pipeline NAME() extends OTHER { … }"],
    doc: "An entry of a program: `default`, else the first. In a file with pipelines only imports, variables and declarations at the top run before it. Names that begin with `test_` are tests. Its parameters have the words after `--` of the command line, as texts, in order; one without a word is an unknown name. `extends` runs another one first; `override` is read and does nothing.",
    example: 'pipeline default() {\n  println("begins here")\n}',
    prints: "begins here",
    section: "19.1",
  },
  {
    words: ["tool", "description"],
    forms: ["tool NAME(PARAMETER: TYPE) -> TYPE { description TEXT … }"],
    doc: "What a model may call: its parameters become a schema, its last expression the result. `agent_loop(task, system, {tools: NAME})`, or a list of several.",
    example:
      'tool add(a: int, b: int) -> int {\n  description "Adds two whole numbers."\n  a + b\n}\nllm_mock({tool_calls: [{name: "add", arguments: {a: 19, b: 23}}]})\nllm_mock({text: "It is 42."})\nprintln(agent_loop("19 + 23?", nil, {tools: add, tool_format: "native"}).answer)',
    prints: "It is 42.",
    section: "21",
  },
  {
    words: ["skill"],
    forms: ["skill NAME { description TEXT; prompt TEXT; … }"],
    doc: "Instructions that a loop takes up when they fit: `agent_loop(task, system, {skills: NAME})`.",
    example:
      'skill haiku {\n  description "Writes haiku."\n  prompt "Five, seven, five."\n}\nprintln(haiku.skills[0].name)',
    prints: "haiku",
    section: "21",
  },
  {
    words: ["eval_pack", "summarize"],
    forms: ['eval_pack NAME "ID" { FIELD: VALUE … summarize { … } }'],
    doc: "Cases and how they are judged; `eval_pack_run` runs it, `harn eval` shows it. `summarize` runs after its statements.",
    example:
      'eval_pack smoke "smoke" {\n  cases: []\n  summarize { println("judged ${id}") }\n}\nprintln(smoke.version)',
    prints: "judged smoke\n1",
    section: "21",
  },
  {
    words: ["true", "false", "nil", "not"],
    forms: ["true", "false", "nil", "!CONDITION", "VALUE not in VALUE"],
    doc: "The truth values, and no value. `!` negates; `not` stands before `in` only. `x ?? y` is y where x is nil; `x?.y` is nil where x is.",
    example: 'let name = nil\nprintln(name ?? "nobody")\nprintln(3 not in [1, 2])',
    prints: "nobody\ntrue",
    section: "4.2",
  },
];

/** The entry of a word; `undefined` when the language has no such word. */
export const languageWord = (word: string): LanguageWord | undefined =>
  languageWords.find(({ words }) => words.includes(word));

/** One entry for a terminal. Ends with a line break. */
export function languageWordText({ words, forms, doc, example, prints, section }: LanguageWord): string {
  const indented = (text: string): string[] => text.split("\n").map((line) => `  ${line}`);
  return [
    ...forms,
    "",
    doc,
    "",
    `words: ${words.join(", ")}`,
    `more: docs/reference/language.md, section ${section}`,
    "",
    "example:",
    ...indented(example),
    "",
    "prints:",
    ...indented(prints),
    "",
  ].join("\n");
}
