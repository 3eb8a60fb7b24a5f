"use strict";
/*
 * What an executable of `harn build` begins with, as `bin/harn.cjs` is in the package: Node runs this text alone, and everything else
 * lies beside it as assets (`src/executable/contents.ts`). Files of the bundle are compiled here, from what V8 made of them when
 * `bin/warm.cjs` loaded them at the build.
 */
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const sea = require("node:sea");
const { fileURLToPath } = require("node:url");
const vm = require("node:vm");

const main = "dist/cli.cjs";
exports.loadBundle = loadBundle;
if (sea.isSea() && !startedAgain()) {
  // Node would open its debugger to every process of this user.
  process.on("SIGUSR1", () => {});
  const load = loadBundle(process.execPath, read, (name) => read(`code-cache/${name}`));
  load(main).mainOfExecutable({ names: sea.getAssetKeys, read }, process.argv.slice(2));
}

/** An asset as Node has it in memory: nobody may write into it. */
function read(name) {
  try {
    return new Uint8Array(sea.getRawAsset(name));
  } catch {
    return undefined;
  }
}

/**
 * Whether the process could be started again with the stack that Node's flag promises (bin/harn.cjs says why). On Linux most
 * executables have raised the limit before Node began (`src/executable/stack-stub.ts`). The last of the flags is the one that holds.
 */
function startedAgain() {
  const flags = process.execArgv.filter((flag) => flag.startsWith("--stack-size="));
  if (flags.length === 0 || typeof process.execve !== "function") return false;
  const wanted = Number(flags.at(-1).slice("--stack-size=".length));
  if (process.platform === "linux" ? wanted <= stackSize(softLimitKb()) : flags.length > 1) return false;
  const others = process.execArgv.filter((flag) => !flag.startsWith("--stack-size="));
  const options = (size) => `--node-options=${[...others, `--stack-size=${size}`].join(" ")}`;
  const shell = `if ulimit -s 65500 2>/dev/null; then kb=65500; else ulimit -s "$(ulimit -H -s)" 2>/dev/null; kb=$(ulimit -s); fi
case $kb in unlimited) kb=65500;; esac
exec "$0" "${options("$((kb - kb / 8 - 300))")}" "$@"`;
  const args = process.argv.slice(2);
  try {
    process.execve("/bin/sh", ["sh", "-c", shell, process.execPath, ...args], process.env);
  } catch {
    // No shell here: fewer nested calls than promised, and no crash.
    const size = stackSize(softLimitKb());
    process.execve(process.execPath, [process.execPath, options(size), ...args], process.env);
  }
  return true;
}

/** What the launcher makes of a limit. */
function stackSize(kb) {
  return kb - Math.floor(kb / 8) - 300;
}

function softLimitKb() {
  try {
    const [, bytes] = /^Max stack size +(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "latin1"));
    return bytes === "unlimited" ? 65500 : Math.floor(Number(bytes) / 1024);
  } catch {
    return 8192;
  }
}

/**
 * Gives what loads a file of the bundle by its name. `root`: what its path begins with, where anybody asks for it; `compiled`: what V8
 * made of a file; `onCompile` is told of each.
 */
function loadBundle(root, read, compiled, onCompile) {
  const modules = new Map();
  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const source = read(name);
    if (source === undefined) throw new Error(`this executable holds no ${name}`);
    const filename = path.join(root, name);
    const script = new vm.Script(Module.wrap(Buffer.from(source.buffer, source.byteOffset, source.length).toString()), {
      filename: name,
      cachedData: compiled(name),
    });
    onCompile?.(name, script);
    const module = { exports: {}, filename };
    modules.set(name, module);
    const run = script.runInThisContext();
    run.call(module.exports, module.exports, requireFrom(name), module, filename, path.dirname(filename));
    return module.exports;
  };
  /** Files of the bundle lie here, all else is Node's: nothing is loaded from the folder that a program runs in. */
  const requireFrom = (name) => (wanted) => {
    if (wanted.startsWith(".")) return load(path.posix.join(path.posix.dirname(name), wanted));
    return wanted === "node:module" || wanted === "module" ? moduleOfNode : require(wanted);
  };
  /** Of a file of the bundle: it gives what that file itself has. */
  const createRequire = (from) =>
    requireFrom(path.relative(root, fileURLToPath(from)).replaceAll(path.sep, "/"));
  const moduleOfNode = { __proto__: Module, createRequire };
  return load;
}
