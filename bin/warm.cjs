"use strict";
/*
 * `node FLAGS warm.cjs CONTENTS FOLDER`, for `harn build`: starts the program in CONTENTS (a list of names and files, as JSON) as the
 * executable would, and leaves in FOLDER what V8 made of each file of the bundle by then.
 */
const fs = require("node:fs");
const path = require("node:path");
const { loadBundle } = require("./executable.cjs");

const [list, folder] = process.argv.slice(2);
const files = JSON.parse(fs.readFileSync(list, "utf8"));
const read = (name) => (Object.hasOwn(files, name) ? fs.readFileSync(files[name]) : undefined);
const scripts = new Map();
const load = loadBundle(path.join(folder, "root"), read, () => undefined, (name, script) => scripts.set(name, script));

process.once("exit", () => {
  for (const [name, script] of scripts) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, script.createCachedData());
  }
});
load("dist/cli.cjs").mainOfExecutable({ names: () => Object.keys(files), read }, []);
