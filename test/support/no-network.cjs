/** Preloaded into a process of harn (`NODE_OPTIONS=--require …`): whatever opens a socket or looks up a name fails. */
const dns = require("node:dns");
const net = require("node:net");
const { syncBuiltinESMExports } = require("node:module");

const refuse = () => {
  throw new Error("this process was to have no network, and asked for it");
};

net.Socket.prototype.connect = refuse;
dns.lookup = refuse;
dns.promises.lookup = refuse;
syncBuiltinESMExports();
