/**
 * Loaded in front of a process (`NODE_OPTIONS=--require`): kills it at a transaction that writes events, by number. The folder
 * HARN_TEST_COMMITS has `orders.json`, `{at, when}`: the transaction, counted over all processes from 1, and whether it is
 * `before` or `after` it is committed. Each is counted by a byte of the file `commits`.
 */
const { closeSync, fstatSync, openSync, readFileSync, writeSync } = require("node:fs");
const { join } = require("node:path");
const { DatabaseSync, StatementSync } = require("node:sqlite");

const folder = process.env.HARN_TEST_COMMITS;

function counted() {
  const file = openSync(join(folder, "commits"), "a");
  try {
    writeSync(file, ".");
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function die() {
  process.kill(process.pid, "SIGKILL");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

if (folder !== undefined) {
  let hasEvents = false;
  const { run } = StatementSync.prototype;
  StatementSync.prototype.run = function (...values) {
    const { sourceSQL: sql } = this;
    if (sql.startsWith("INSERT INTO event (")) hasEvents = true;
    const isTheirs = hasEvents && sql === "COMMIT";
    if (sql === "COMMIT") hasEvents = false;
    if (!isTheirs) return run.apply(this, values);
    const { at, when } = JSON.parse(readFileSync(join(folder, "orders.json"), "utf8"));
    const isIt = counted() === at;
    if (isIt && when === "before") die();
    const done = run.apply(this, values);
    if (isIt) die();
    return done;
  };
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === "ROLLBACK") hasEvents = false;
    return exec.call(this, sql);
  };
}
