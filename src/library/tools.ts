/** `harn/tools`: tools in TypeScript for anybody who speaks the Model Context Protocol, scripts among them. */
import { harnError } from "./errors.ts";
import { awaitedBy } from "./handles/call-site.ts";
import { listOfKind, tool } from "./option-checks.ts";
import type { AnyTool } from "./types.ts";

/**
 * Serves tools over standard input and output until the client leaves: a program that ends in `await serveTools([lookup])` is a
 * server of the Model Context Protocol. Standard output is the protocol's: what the program wants to say goes to `console.error`.
 */
export async function serveTools(tools: readonly AnyTool[]): Promise<void> {
  await awaitedBy(serveTools, async () => {
    const problem = problemWith(tools);
    if (problem !== undefined) throw harnError("HARN-LIB-006", `serveTools: ${problem}`);
    const { serveOverStdio: serve } = await import("./serve-tools.ts");
    await serve(tools);
  });
}

function problemWith(tools: readonly AnyTool[]): string | undefined {
  const kind = listOfKind(tool);
  if (!kind.fits(tools)) return `expected ${kind.words}`;
  const names = tools.map(({ name }) => name);
  if (names.length === 0) return "there are no tools to serve";
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `two tools are called \`${twice}\``;
  const asking = tools.find(({ approval }) => approval);
  if (asking === undefined) return undefined;
  return `\`${asking.name}\` asks before each call (\`approval\`), and a server has nobody to ask; leave that to whoever calls it`;
}
