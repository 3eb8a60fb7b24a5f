/**
 * The code that the engine's sandbox runs on workers (`src/cluster/engine/workflow.ts`), bundled by the SDK's own bundler into
 * `dist/engine/workflow.js`: a worker would need webpack and two seconds for it at each start.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BundledPackages } from "./packages.ts";

const root = join(import.meta.dirname, "..");

export async function bundleEngineWorkflow(folder: string, packages: BundledPackages): Promise<void> {
  const { bundleWorkflowCode } = await import("@temporalio/worker");
  const { minify } = await import("rolldown/utils");
  const bundled = await bundleWorkflowCode({
    workflowsPath: join(root, "src/cluster/engine/workflow.ts"),
    logger: quiet,
    webpackConfigHook: (config) => ({
      ...config,
      context: root,
      mode: "production",
      devtool: false,
      // Names stay: errors of the SDK are told apart by them, and they stand in stacks.
      optimization: { minimize: false },
      plugins: [...(config.plugins ?? []), { apply: (compiler) => noteModules(compiler, packages) }],
    }),
  });
  const { code, errors } = await minify("workflow.js", bundled.code, {
    mangle: false,
    compress: true,
    codegen: { removeWhitespace: true },
  });
  if (errors.length > 0)
    throw new Error(`the engine's workflow can't be minified: ${JSON.stringify(errors)}`);
  const path = join(folder, "engine/workflow.js");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${code}\n${sourceMap}\n`);
}

/** The SDK wants one, and would show places of this machine by it. */
const sourceMap = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  JSON.stringify({ version: 3, file: "workflow.js", sources: [], names: [], mappings: "" }),
).toString("base64")}`;

interface Compiler {
  readonly hooks: {
    readonly compilation: { tap(name: string, then: (compilation: Compilation) => void): void };
  };
}
interface Module {
  /** Its file. */
  nameForCondition(): string | null;
}
interface Compilation {
  readonly hooks: {
    readonly finishModules: { tap(name: string, then: (modules: Iterable<Module>) => void): void };
  };
}

/** Whose code is in it: their licences ask to be named. */
function noteModules(compiler: Compiler, packages: BundledPackages): void {
  compiler.hooks.compilation.tap("packages", (compilation) =>
    compilation.hooks.finishModules.tap("packages", (modules) => {
      for (const module of modules) packages.note(module.nameForCondition() ?? "");
    }),
  );
}

const nothing = (): void => {};
const quiet = {
  log: nothing,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: (message: string): void => console.error(message),
};
