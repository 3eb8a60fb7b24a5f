/**
 * What a CommonJS chunk requires at its top is loaded when it is first used.
 *
 * In sources an import is static or gives a promise; a builtin that answers at once (`tool_registry()`, `sha256(x)`) has
 * no use for a promise, and its area should not cost every run the loading of agents or of `node:os`. CommonJS needs
 * no promise. The bundler writes a chunk as `const require_x = require("./x.cjs")` with uses `require_x.name`; here they
 * become `require_x()` and `require_x().name`. A chunk that used one of them while it is being loaded itself would only
 * lose what this saves: the build's test starts a program and looks at what was loaded.
 */
import type { Plugin } from "rolldown";

/** Statements at the top of a chunk as rolldown writes them before minifying. */
const chunkImport = /^const (require_\w+) = (require\("\.[^"]+"\));$/gm;
/** Nothing of it is used, or only by those who load it themselves. */
const bareImport = /^require\("\.[^"]*?([a-z]+)-[^"/]+"\);\n/gm;
const moduleImport = /^let (\w+) = (require\("[^.][^"]*"\));$/gm;
/** The bundler's copy of a module with a made-up default. Node's own modules are their own default. */
const interop = (name: string): RegExp => new RegExp(`^${name} = [\\w.]+\\(${name}(?:, 1)?\\);\\n`, "m");

/** For all chunks but the core, which every process has loaded. `unasked`: those that nothing needs to have been loaded. */
export function lazyRequires(core: string, unasked: readonly string[]): Plugin {
  return {
    name: "lazy-requires",
    renderChunk(code) {
      const chunks = [...code.matchAll(chunkImport)].filter(([, name]) => name !== `require_${core}`);
      const modules = [...code.matchAll(moduleImport)].filter(([, , call]) => call?.includes('"node:'));
      let text = code.replaceAll(bareImport, (statement, name) => (unasked.includes(name) ? "" : statement));
      for (const [statement, name, call] of [...modules, ...chunks] as unknown as [
        string,
        string,
        string,
      ][]) {
        text = text
          .replace(interop(name), "")
          .replaceAll(`${name}.default.`, `${name}.`)
          .replaceAll(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}(?=\\.)`, "g"), `(${name}())`)
          .replace(statement, `let ${name}_loaded;\nconst ${name} = () => (${name}_loaded ??= ${call});`);
      }
      return text;
    },
  };
}
