/** Programs that touch what most scripts touch, with what they print: V8's compiled form of the bundle holds what they ran. */
export const warmPrograms: Readonly<Record<string, { readonly text: string; readonly prints: string }>> = {
  "plain.harn": {
    text: `
fn add(a, b) { return a + b }
var total = 0
for n in [1, 2, 3] { total = add(total, n) }
let point = {x: 1, name: "p"}
let doubled = [1, 2].map({ n -> n * 2 })
while total > 100 { total = total - 1 }
if total == 6 && len(doubled) == 2 { println("total \${total} \${point.name}") } else { println("no") }
`,
    prints: "total 6 p\n",
  },
  "agent.harn": {
    text: `
let parameters = {a: {type: "int"}}
let tools = tool_define(tool_registry(), "add", "Adds.", {parameters: parameters, handler: { args -> args.a }})
llm_mock({tool_calls: [{name: "add", arguments: {a: 1}}]})
llm_mock({text: "done ##DONE##"})
println(agent_loop("go", nil, {provider: "mock", tools: tools, max_iterations: 3}).status)
`,
    prints: "done\n",
  },
};

/** All of them in one, for a process that runs everything. */
export const warmProgram = (): string =>
  Object.values(warmPrograms)
    .map(({ text }) => text)
    .join("\n");
