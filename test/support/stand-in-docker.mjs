#!/usr/bin/env node
/**
 * A program `docker` for machines without an engine. A container is a folder below $STAND_IN_DOCKER, its programs run on this
 * machine with the paths of the container led into that folder. It takes the options that evaluations use, and no others; every
 * list of arguments is noted in `log.jsonl`. In scripts that lie in it absolute paths begin with `$BOX`. With a file `down` beside it there is no daemon.
 */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const home = process.env.STAND_IN_DOCKER;
const args = process.argv.slice(2);
appendFileSync(join(home, "log.jsonl"), `${JSON.stringify(args)}\n`);

const fail = (text, status = 1) => {
  process.stderr.write(`${text}\n`);
  process.exit(status);
};
if (existsSync(join(home, "down")))
  fail("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?");

const boxes = join(home, "containers");
const rootOf = (name) => join(boxes, name, "root");
const metaOf = (name) => {
  const path = join(boxes, name, "meta.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
};
const keep = (name, meta) => writeFileSync(join(boxes, name, "meta.json"), JSON.stringify(meta));
const need = (name, running = true) => {
  const meta = metaOf(name);
  if (meta === undefined) fail(`Error response from daemon: No such container: ${name}`);
  if (running && !meta.running) fail(`Error response from daemon: container ${name} is not running`);
  return meta;
};

/** Programs of a container carry its name. */
const killAll = (name) => {
  for (const pid of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`STAND_IN_BOX=${name}`))
        process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
};

/** Flags that take a value, and those that do not; the rest is what they are about. */
const parsed = (valued, plain) => {
  const flags = {};
  let at = 1;
  for (; at < args.length && args[at].startsWith("-") && args[at] !== "-"; at++) {
    const flag = args[at];
    if (plain.includes(flag)) flags[flag] = true;
    else if (valued.includes(flag)) flags[flag] = [...(flags[flag] ?? []), args[++at]];
    else fail(`unknown flag: ${flag}`, 125);
  }
  return { flags, rest: args.slice(at) };
};

const inner = /(^|[\s"'=>])(\/(?:workspace|app|box|tests|logs|solution)(?=$|[\s"'/;]))/g;
const led = (name, word) => word.replaceAll(inner, (_all, before, path) => before + rootOf(name) + path);

const commands = {
  version: () => process.stdout.write("99.0\n"),
  run() {
    const { flags, rest } = parsed(
      ["--name", "--label", "--network", "--cpus", "--memory", "--user", "--entrypoint"],
      ["-d"],
    );
    const [image] = rest;
    const [name] = flags["--name"];
    const made = join(home, "images", image.replaceAll(/[/:]/g, "_"));
    if (!existsSync(made)) fail(`docker: Error response from daemon: pull access denied for ${image}`, 125);
    mkdirSync(rootOf(name), { recursive: true });
    cpSync(made, rootOf(name), { recursive: true });
    const place = join(made, "WORKDIR");
    const workdir = existsSync(place) ? readFileSync(place, "utf8").trim() : "/";
    keep(name, { labels: flags["--label"] ?? [], workdir, running: true });
    process.stdout.write("0123456789abcdef\n");
  },
  exec() {
    const { flags, rest } = parsed(["-e", "--user"], ["-i"]);
    const [name, ...command] = rest;
    const { workdir } = need(name);
    if (command[0] === "chown") return;
    const words = command.map((word) => led(name, word));
    const cwd = join(rootOf(name), workdir);
    mkdirSync(cwd, { recursive: true });
    const env = Object.fromEntries(
      (flags["-e"] ?? []).map((pair) => [
        pair.slice(0, pair.indexOf("=")),
        pair.slice(pair.indexOf("=") + 1),
      ]),
    );
    const { status, stdout } = spawnSync(words[0], words.slice(1), {
      cwd,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        IMAGE: "yes",
        STAND_IN_BOX: name,
        BOX: rootOf(name),
        ...env,
      },
      stdio: [flags["-i"] ? "inherit" : "ignore", "pipe", "inherit"],
      maxBuffer: 1 << 30,
    });
    const text = stdout.includes(rootOf(name))
      ? stdout.toString("utf8").replaceAll(rootOf(name), "") || "/"
      : stdout;
    process.stdout.write(text);
    process.exitCode = status ?? 137;
  },
  cp() {
    const [from, to] = args.slice(1);
    const inBox = (place) => {
      const at = place.indexOf(":");
      const name = place.slice(0, at);
      need(name, false);
      return join(rootOf(name), place.slice(at + 1));
    };
    if (to === "-") {
      const path = inBox(from);
      mkdirSync(path, { recursive: true });
      const tar = spawnSync("tar", ["-C", dirname(path), "-cf", "-", path.slice(dirname(path).length + 1)], {
        maxBuffer: 1 << 30,
      });
      process.stdout.write(tar.stdout);
      process.exitCode = tar.status;
      return;
    }
    cpSync(from.replace(/\/\.$/, ""), inBox(to), { recursive: true, verbatimSymlinks: true });
  },
  rm() {
    for (const name of parsed([], ["-f"]).rest) {
      killAll(name);
      rmSync(join(boxes, name), { recursive: true, force: true });
    }
  },
  ps() {
    const { flags } = parsed(["--filter", "--format"], ["-a"]);
    const wanted = flags["--filter"].map((text) => text.replace(/^label=/, ""));
    for (const name of existsSync(boxes) ? readdirSync(boxes) : [])
      if (wanted.every((label) => metaOf(name)?.labels.includes(label))) process.stdout.write(`${name}\n`);
  },
  stop() {
    const [name] = parsed(["-t"], []).rest;
    const meta = need(name, false);
    killAll(name);
    keep(name, { ...meta, running: false });
  },
  restart() {
    const [name] = parsed(["-t"], []).rest;
    const meta = need(name, false);
    killAll(name);
    keep(name, { ...meta, running: true });
  },
  build() {
    const { flags, rest } = parsed(["-t"], ["-q"]);
    const [folder] = rest;
    if (!existsSync(join(folder, "Dockerfile")))
      fail("ERROR: failed to read dockerfile: open Dockerfile: no such file or directory");
    const made = join(home, "images", flags["-t"][0].replaceAll(/[/:]/g, "_"));
    mkdirSync(made, { recursive: true });
    const place = /^WORKDIR (\S+)$/m.exec(readFileSync(join(folder, "Dockerfile"), "utf8"))?.[1];
    if (place !== undefined) writeFileSync(join(made, "WORKDIR"), place);
  },
};
const command = commands[args[0]];
if (command === undefined) fail(`docker: '${args[0]}' is not a docker command.`);
command();
