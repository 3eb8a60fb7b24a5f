/**
 * Preloaded into a process of harn (`NODE_OPTIONS=--require …`): Ctrl-C comes while a program is being started, when it runs
 * already and its starter has not been told yet.
 */
const childProcess = require("node:child_process");

const { spawn } = childProcess;
childProcess.spawn = (...args) => {
  const child = spawn(...args);
  process.kill(process.pid, "SIGINT");
  // What looks at signals in the meantime breaks the computation off here.
  const until = Date.now() + 60_000;
  while (Date.now() < until);
  return child;
};
