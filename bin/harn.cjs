#!/bin/sh
":" //; # The lines up to `exec` are for the shell, the rest is JavaScript (the shell never reaches it, and JavaScript
":" //; # sees strings and comments). A shell is asked because only it can raise the stack limit of the process that
":" //; # Node then becomes: 10,000 nested script calls want more than the usual 8 MB. It costs about 1 ms.
":" //; self=$0; while [ -h "$self" ]; do link=$(readlink "$self"); case $link in /*) self=$link;; *) self=${self%/*}/$link;; esac; done
":" //; if ulimit -s 65500 2>/dev/null; then kb=65500; else ulimit -s "$(ulimit -H -s)" 2>/dev/null; kb=$(ulimit -s); fi
":" //; # Half of Node's young heap (16 MB): no slower (bench/README.md), and streaming readers stay under 100 MB.
":" //; case $kb in unlimited) kb=65500;; esac; exec node --stack-size=$((kb - kb / 8 - 300)) --max-semi-space-size=8 "$self" "$@"
"use strict";
// Node would open its debugger to every process of this user.
process.on("SIGUSR1", function () {});
// Kept to syntax that old versions of Node parse, so that they say themselves that they are too old.
var fits = false;
try {
  require("./needed-node.cjs");
  fits = true;
} catch (error) {
  if (error.code !== "ERR_HARN_NODE") throw error;
  process.stderr.write(error.message + "\n");
  process.exitCode = 1;
}
if (fits) {
  // The compiled form of what is loaded is kept beside it, written by the build or, where that is allowed, by a first run.
  require("./code-cache.cjs").keep(require("node:path").join(__dirname, "../dist"));
  require("../dist/cli.cjs").main(process.argv.slice(2));
}
