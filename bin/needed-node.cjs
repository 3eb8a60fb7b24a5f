"use strict";
/*
 * Throws where Node is too old: for the launcher, and for programs that import the library, before anything else of it is loaded. Kept to
 * syntax that old versions parse. The version is that of `engines` in package.json.
 */
var need = [22, 22];
var have = process.versions.node.split(".").map(Number);
if (have[0] < need[0] || (have[0] === need[0] && have[1] < need[1])) {
  var error = new Error(
    "harn needs Node " + need.join(".") + " or newer and was started by " + process.version +
      " (" + process.execPath + "): put a newer node first in PATH."
  );
  // Where it was made tells nobody anything.
  error.stack = "Error: " + error.message;
  error.code = "ERR_HARN_NODE";
  throw error;
}
