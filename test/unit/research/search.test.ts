/** The adapters of std/research/search against a server that speaks each service's format, well and badly. */
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("research-search");

const searxng = {
  results: [
    {
      title: "Wind <em>power</em>",
      url: "https://a.test/1",
      content: "On\n wind.",
      publishedDate: "2024-01-02",
      engine: "x",
    },
    { title: "No address", content: "dropped" },
  ],
};
const brave = {
  web: {
    results: [{ title: "Wind", url: "https://a.test/2", description: "On wind.", page_age: "2024-01-03" }],
  },
};
const tavily = { results: [{ title: "Wind", url: "https://a.test/3", content: "On wind.", score: 0.9 }] };
const crossref = {
  message: {
    items: [
      {
        DOI: "10.1/x",
        title: ["Wind in theory"],
        author: [{ given: "Ada", family: "Doe" }],
        "container-title": ["Journal of Air"],
        abstract: "<jats:p>It blows.</jats:p>",
        issued: { "date-parts": [[2020, 5]] },
      },
      { URL: "https://a.test/no-doi", title: [], issued: { "date-parts": [[null]] } },
    ],
  },
};
const atom = (entries: string): string =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>q</title>${entries}</feed>`;
const entry = (n: number): string =>
  `<entry><id>http://arxiv.org/abs/${n}</id><title>Wind\n ${n}</title><summary>It blows.</summary><published>2021-02-03T00:00:00Z</published><author><name>Ada Doe</name></author><author><name>B</name></author></entry>`;

const good: Readonly<Record<string, string>> = {
  searxng: JSON.stringify(searxng),
  brave: JSON.stringify(brave),
  tavily: JSON.stringify(tavily),
  crossref: JSON.stringify(crossref),
  arxiv: atom(entry(1) + entry(2)),
};
const empty: Readonly<Record<string, string>> = {
  searxng: '{"results":[]}',
  brave: "{}",
  tavily: '{"results":null}',
  crossref: '{"message":{"items":[]}}',
  arxiv: atom(""),
};

const asked: { path: string; method: string; headers: IncomingMessage["headers"]; body: string }[] = [];
const served = new Map<string, number>();
let server: Server;
let base = "";

/** `/CASE/PROVIDER/…` */
function answer(incoming: IncomingMessage, outgoing: ServerResponse, body: string): void {
  const [, kind = "", provider = ""] = (incoming.url ?? "").split("/");
  const key = `${kind}/${provider}`;
  const times = (served.get(key) ?? 0) + 1;
  served.set(key, times);
  asked.push({ path: incoming.url ?? "", method: incoming.method ?? "", headers: incoming.headers, body });
  const say = (status: number, text: string, headers = {}): void =>
    void outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  if (kind === "good") say(200, good[provider] ?? "");
  else if (kind === "empty") say(200, empty[provider] ?? "");
  else if (kind === "malformed") say(200, '<html>{"results": [');
  else if (kind === "odd") say(200, provider === "arxiv" ? "<feed/>" : "[1, 2]");
  else if (kind === "limited") say(429, "slow down", { "retry-after": "0" });
  else if (kind === "once") times === 1 ? say(503, "busy") : say(200, good[provider] ?? "");
  else if (kind === "refused") say(401, "<b>no</b> such key");
  else if (kind === "cut") outgoing.destroy();
  else say(404, "?");
}

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => answer(incoming, outgoing, Buffer.concat(parts).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function run(program: string): Promise<string[]> {
  const file = join(folder, "search.harn");
  writeFileSync(file, `import { search_provider } from "std/research/search"\n${program}`);
  const child = startHarn(["run", "--no-record", file], { cwd: folder });
  const { stdout, stderr } = await child.ended;
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

const ask = (kind: string, provider: string, more = ""): string => `
let r_${kind} = search_provider("${provider}", {base_url: "${base}/${kind}/${provider}", api_key: "k", retry_ms: 1}).search("wind power"${more})
println("${kind}: \${json_stringify(r_${kind})}")`;

const kinds = ["good", "empty", "malformed", "odd", "limited", "once", "refused", "cut"];

test.each(Object.keys(good))("%s", async (provider) => {
  asked.length = 0;
  served.clear();
  const lines = await run(kinds.map((kind) => ask(kind, provider)).join("\n"));
  const said = new Map(
    lines.map((line) => {
      const at = line.indexOf(": ");
      return [
        line.slice(0, at),
        JSON.parse(line.slice(at + 2)) as { ok: boolean; results: unknown[]; error: string },
      ];
    }),
  );
  expect(said.get("good")).toMatchSnapshot();
  expect(said.get("once")).toEqual(said.get("good"));
  expect(said.get("empty")).toEqual({ ok: true, results: [], error: null });
  for (const kind of ["malformed", "odd", "limited", "refused", "cut"]) {
    expect(said.get(kind), kind).toMatchObject({ ok: false, results: [] });
    expect(said.get(kind)?.error, kind).toMatch(new RegExp(`^${provider}: `));
  }
  expect(said.get("limited")?.error).toContain("429");
  expect(said.get("refused")?.error).toContain("401: no such key");
  // One further try on 429 and 5xx, none on other answers.
  expect(served.get(`limited/${provider}`)).toBe(2);
  expect(served.get(`once/${provider}`)).toBe(2);
  expect(served.get(`refused/${provider}`)).toBe(1);
  const [first] = asked;
  expect(`${first?.path} ${first?.body}`).toMatch(/wind(\+|%20| )power/);
  if (provider === "brave") expect(first?.headers["x-subscription-token"]).toBe("k");
  if (provider === "tavily") expect(first?.headers.authorization).toBe("Bearer k");
});
