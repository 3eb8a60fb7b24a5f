"use strict";
/*
 * Keeps what V8 made of the files of `dist/` beside them, in `dist/code-cache/`: the next process reads it in place of
 * parsing. Node's own `module.enableCompileCache` keeps a file as it is before it has run, without the functions in it;
 * here it is taken when the process ends, with every function that ran (bench/README.md has what that gains).
 *
 * A file's name has what V8 asks to be equal (Node, processor, the launcher's flags) and which source it was made of
 * (length and time). V8 checks version, flags and length once more and refuses what does not fit; what it refused, or what
 * is not there, is written anew by a process that was started as the launcher starts it. V8 does not look for damage
 * inside: so a file is complete on the disk before it has its name.
 */
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const vm = require("node:vm");

/** Files of `dist` are compiled from what is kept of them, from the next `require` on. */
exports.keep = function keep(dist) {
  const inside = dist + path.sep;
  const kept = path.join(dist, "code-cache", keyOfProcess());
  const fresh = [];
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (source, file, ...rest) {
    if (!file.startsWith(inside)) return compile.call(this, source, file, ...rest);
    const at = path.join(kept, nameOf(file));
    const cachedData = readIfThere(at);
    if (cachedData === undefined && imports(source)) return compile.call(this, source, file, ...rest);
    const script = new vm.Script(Module.wrap(source), {
      filename: file,
      cachedData,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if ((cachedData === undefined || script.cachedDataRejected) && startedAsUsual()) {
      if (fresh.length === 0) process.once("exit", () => write(kept, fresh));
      fresh.push({ at, script });
    }
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, Module.createRequire(file), this, file, path.dirname(file));
  };
};

/** The flags of V8 that the launcher gives; the first depends on the limits of the shell. */
const launcherFlag = /^--(stack|max-semi-space)-size=\d+$/;

function keyOfProcess() {
  const flags = process.execArgv.filter((flag) => launcherFlag.test(flag));
  return [process.version, process.arch, ...flags].join("").replace(/[^\w.-]+/g, "_");
}

/** Whoever has other flags may have made something that others can't use. */
function startedAsUsual() {
  return process.execArgv.every((flag) => launcherFlag.test(flag)) && !process.env.NODE_OPTIONS;
}

/** Whether it imports a module when it runs: Node warns of that in a script that is not of its own making. */
function imports(source) {
  for (let at = source.indexOf("import("); at !== -1; at = source.indexOf("import(", at + 1))
    if (/^[^\w$.`'"]?import\(["']/.test(source.slice(Math.max(0, at - 1), at + 8))) return true;
  return false;
}

function nameOf(file) {
  const { size, mtimeMs } = fs.statSync(file);
  return `${path.basename(file)}-${size}-${Math.floor(mtimeMs)}`;
}

function readIfThere(at) {
  try {
    return fs.readFileSync(at);
  } catch {
    return undefined;
  }
}

/** Where the folder can't be written, every process parses for itself, as if nothing had been kept. */
function write(folder, fresh) {
  try {
    fs.mkdirSync(folder, { recursive: true });
    for (const { at, script } of fresh) {
      const part = `${at}.${process.pid}`;
      fs.writeFileSync(part, script.createCachedData(), { mode: 0o600, flush: true });
      fs.renameSync(part, at);
    }
  } catch {}
}
