/**
 * Addresses of this machine and its network, tried through the research agent's own `web_fetch`: by number in every spelling, by
 * names that resolve to them, by redirects of a server of the open net. The open net is an address of documentation on the loopback
 * interface of a network namespace, so that nothing of it is simulated.
 */
// suite: processes
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnvironment } from "../support/command-environment.ts";
import { launcher } from "../support/project.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder("web-fetch");
const open = "93.184.216.34";
const inside = "10.1.2.3";
const metadata = "169.254.169.254";

const names = `127.0.0.1 localhost loop.example
${open} open.example
${inside} inside.example
${metadata} metadata.example
::1 six.example
::ffff:${metadata} mapped.example
`;

/** Answers at each address: who got there is noted. */
const server = `import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
createServer((asked, answer) => {
  appendFileSync("asked", asked.socket.localAddress + " " + asked.url + "\\n");
  const to = new URL(asked.url, "http://x").searchParams.get("to");
  if (to !== null) answer.writeHead(302, { location: to }).end();
  else answer.writeHead(200, { "content-type": "text/plain" }).end("needle");
}).listen(80, "::", () => appendFileSync("ready", "."));
`;

const script = `import { research_tools } from "std/research/agent"
let tools = research_tools({yolo_mode: true}, {folder: cwd(), code: false})
for url in argv {
  let [one] = agent_dispatch_tool_batch([{name: "web_fetch", arguments: {url: url}}], tools)
  println("\${one.status} \${regex_replace_all("\\\\s+", " ", one.rendered_result ?? one.error ?? "")}")
}
`;

/** Runs a command where the open net is an address of this machine's loopback interface. */
const inNamespace = (line: string, args: readonly string[] = []) =>
  spawnSync(
    "unshare",
    [
      "-rnm",
      "sh",
      "-c",
      `ip link set lo up && for a in ${open} ${inside} ${metadata}; do ip addr add $a/32 dev lo || exit 9; done && mount --bind hosts /etc/hosts && ${line}`,
      launcher,
      ...args,
    ],
    { cwd: folder, env: cleanEnvironment(), encoding: "utf8", timeout: 300_000 },
  );

writeFileSync(join(folder, "hosts"), names);
const canTry = inNamespace("true").status === 0;

test.skipIf(!canTry)(
  "nothing inside is reached, by no spelling, name or redirect; what is outside is",
  () => {
    writeFileSync(join(folder, "server.mjs"), server);
    writeFileSync(join(folder, "fetch.harn"), script);
    const targets = [
      "http://127.0.0.1/",
      "http://localhost/",
      "http://loop.example/",
      "http://[::1]/",
      "http://six.example/",
      "http://0/",
      "http://2130706433/",
      `http://${inside}/`,
      "http://inside.example/",
      `http://${metadata}/latest/meta-data/`,
      "http://metadata.example/latest/meta-data/",
      "http://0251.0376.0251.0376/",
      "http://0xa9fea9fe/",
      `http://[::ffff:${metadata}]/`,
      "http://[::ffff:a9fe:a9fe]/",
      "http://mapped.example/",
      "http://user:word@127.0.0.1/",
      "http://127.0.0.1/paper.pdf",
      "http://metadata.example/paper.pdf",
    ];
    const redirects = targets.map((to) => `http://open.example/go?to=${encodeURIComponent(to)}`);
    const twice = `http://open.example/a?to=${encodeURIComponent(redirects[0] ?? "")}`;
    const outside = ["http://open.example/", `http://open.example/go?to=${encodeURIComponent("/page")}`];
    const done = inNamespace(
      `{ node server.mjs & p=$!; while [ ! -e ready ]; do sleep 0.1; done; "$0" run fetch.harn -- "$@"; s=$?; cat asked >&2; kill $p; exit $s; }`,
      [...targets, ...redirects, twice, ...outside],
    );
    const lines = done.stdout.trim().split("\n");
    const expected = [...targets, ...redirects, twice].map(() => "error");
    expect(
      lines.map((line) => line.split(" ")[0]),
      done.stdout + done.stderr,
    ).toEqual([...expected, ...outside.map(() => "ok")]);
    for (const line of lines.slice(0, expected.length)) {
      expect(line).toContain("private_addresses");
      expect(line).not.toContain("needle");
    }
    for (const line of lines.slice(expected.length)) expect(line).toContain("needle");
    // Who was asked: the open net alone.
    const asked = done.stderr.split("\n").filter((line) => /^[\d.:a-f]+ \//.test(line));
    expect(new Set(asked.map((line) => line.split(" ")[0]))).toEqual(new Set([`::ffff:${open}`]));
  },
);
