/**
 * Preloaded into a process of harn (`NODE_OPTIONS=--require …`): it kills itself around the nth piece that it writes to standard
 * output. `KILL_AT_WRITE`: `before 2` is behind the note that it is printed, `after 1` in front of the next note.
 */
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const [when, nth] = (process.env.KILL_AT_WRITE ?? "").split(" ");
const write = fs.writevSync;
let written = 0;

const die = (now) => {
  if (now === when && written === Number(nth)) process.kill(process.pid, "SIGKILL");
};

fs.writevSync = (fd, ...rest) => {
  if (fd !== 1) return write(fd, ...rest);
  written++;
  die("before");
  const count = write(fd, ...rest);
  die("after");
  return count;
};
syncBuiltinESMExports();
