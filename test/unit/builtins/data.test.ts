/** Collections, JSON, queries, CSV, bytes, encodings, URLs, templates: builtins.md §2.9, §2.10, §2.12, §2.19. */
import { describe, expect, it } from "vitest";
import { Bytes, SetValue } from "../../../src/values/index.ts";
import { machine } from "../../support/builtin-call.ts";
import { createMemoryHost } from "../../support/memory-host.ts";

type Case = readonly [call: readonly [string, ...unknown[]], shown: string];
const hex = (text: string): Bytes => new Bytes(Uint8Array.from(Buffer.from(text, "hex")));

/** The call as a test name; values that JSON has not show as what they hold. */
function title(call: readonly unknown[]): string {
  return JSON.stringify(call, (_key, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}

function cases(heading: string, all: readonly Case[]): void {
  describe(heading, () => {
    const named = all.map(([call, shown]) => [title(call), call, shown] as const);
    it.each(named)("%s", (_title, [name, ...args], shown) => {
      expect(machine().show(name, ...args)).toBe(shown);
    });
  });
}

cases("collections", [
  [["keys", [1]], "[]"],
  [["chunk", [1, 2, 3], 0], "[[1], [2], [3]]"],
  [["chunk", "x", 2], '! chunk: first argument: expected list, got string "x"'],
  [["window", [1, 2], 3], "[]"],
  [["group_by", [1]], "! group_by: callback: expected closure, got nil"],
  [["group_by", [1], 5], "! group_by: callback: expected closure, got int 5"],
  [["set", [1, 2], new SetValue([2, 3]), "ab", null], "set(1, 2, 3, ab, nil)"],
  [["set_add", [1], 1], "! set_add: set: expected set, got list"],
  [["set_union", 1, 2], "! set_union: a: expected set, got int 1"],
  [["set_is_disjoint", 1, 2], "true"],
  [["set_is_subset", 1, 2], "false"],
  [["iter", 5], "! Type error: iter: value of type int is not iterable"],
  [["iter", null], "! Type error: iter: value of type nil is not iterable"],
]);

cases("JSON", [
  [["json_parse", "[1, 2.0, 9223372036854775807]"], "[1, 2.0, 9223372036854775807]"],
  [["json_extract", 'x ```json\n{"a": 1}\n``` y'], "{a: 1}"],
  [["json_extract", 'see ```{"a": 2}```'], "{a: 2}"],
  [["json_extract", 'answer: [{"a": 1}] ok'], "{a: 1}"],
  [["json_extract", 'say "{" then [1, "]"]'], "[1, ]]"],
  [["json_extract", '{"a": "}"}', "a"], "}"],
  [["json_extract", '{"a": 1}', "b"], "! json_extract: key 'b' not found"],
  [["json_extract", "[1]", "b"], "! json_extract: parsed value is not a dict, cannot extract key"],
  [["json_pointer", { "a/b": { "~": 1 } }, "/a~1b/~0"], "1"],
  [["json_pointer", { a: [1] }, "/a/5"], "nil"],
  [
    ["json_pointer", {}, "a"],
    '! json_pointer: pointer: expected empty, or a text that begins with "/", got string "a"',
  ],
  [["json_pointer_set", { a: [1] }, "/a/1", 2], "{a: [1, 2]}"],
  [["json_pointer_set", { a: [1] }, "/a/7", 2], "{a: [1]}"],
  [["json_pointer_set", { a: 1 }, "/b/c", 2], "{a: 1}"],
  [["json_pointer_set", { a: 1 }, "", 2], "2"],
  [["json_pointer_delete", { a: [1, 2] }, "/a/0"], "{a: [2]}"],
  [["json_pointer_delete", { a: 1 }, ""], "nil"],
]);

describe("bad JSON", () => {
  it("is refused with a place", () => {
    expect(machine().show("json_parse", "{x")).toMatch(/^! JSON parse error: .* at line 1 column 2$/);
    expect(machine().show("json_extract", "no json here")).toMatch(/^! json_extract: failed to parse JSON: /);
  });
});

cases("queries", [
  [["jq", { a: { b: [1, 2, 3] } }, ".a.b[1:]"], "[[2, 3]]"],
  [["jq", { a: 1, b: 2 }, ".a, .b"], "[1, 2]"],
  [["jq", [{ n: 1 }, { n: 2 }], "map(.n)"], "[[1, 2]]"],
  [["jq", [{ n: 1 }, { n: 2 }], ".[] | {n, twice: .n}"], "[{n: 1, twice: 1}, {n: 2, twice: 2}]"],
  [["jq", { a: [1, { b: 2 }] }, ".."], "[{a: [1, {b: 2}]}, [1, {b: 2}], 1, {b: 2}, 2]"],
  [["jq", 5, ".a"], "[nil]"],
  [["jq", 5, ".[]"], "[]"],
  [["jq", { a: 1 }, "map(.x)"], "[[]]"],
  [["jq", { b: 1, a: [] }, "keys, type, (.a | length)"], "[[a, b], object, 0]"],
  [["jq", { a: 1 }, "not (.a == 2) and .a < 2"], "[true]"],
  [["jq", { "x y": 1 }, '.["x y"]'], "[1]"],
  [["jq_first", [], ".[]"], "nil"],
  [["jq", 1, "nope"], "! jq: unknown identifier 'nope'"],
  [["jq", 1, ". )"], "! jq: unexpected input near ')'"],
  [["jq", 1, ". |"], "! jq: expected expression near ''"],
]);

cases("CSV", [
  [["csv_parse", 'a,"b ""q"", c"\r\n\n1\n'], '[[a, b "q", c], [1]]'],
  [["csv_parse", "a;b\n1;2;3\n4", { headers: true, delimiter: ";" }], "[{a: 1, b: 2}, {a: 4, b: }]"],
  [["csv_stringify", [[1, null, 'a"b']]], '1,nil,"a""b"\n'],
  [["csv_stringify", [{ b: 1 }, { a: 2 }], { headers: true }], "a,b\n,1\n2,\n"],
  [["csv_stringify", 5], "! csv_stringify: expected a list of rows"],
  [["csv_stringify", [5]], "! csv_stringify: rows: expected dicts, or lists of cells, got int 5"],
  [["csv_stringify", [[1], { a: 1 }]], "! csv_stringify: mixed list/dict rows are not supported"],
]);

cases("YAML and TOML", [
  [["yaml_parse", ""], "nil"],
  [["yaml_parse", "a: 1\nb: 2.0\nc: [x, ~, true]\n1: y"], "{1: y, a: 1, b: 2.0, c: [x, nil, true]}"],
  [["yaml_parse", "9223372036854775807"], "9223372036854775807"],
  // A large map is compared by a set of its keys.
  [
    ["yaml_parse", "- a: 1\n  b: 2\n  a: 3"],
    "! YAML parse error: Map keys must be unique at line 3, column 3",
  ],
  [["yaml_parse", "x: {1: q, 0x1: q}"], "! YAML parse error: Map keys must be unique at line 1, column 11"],
  [["yaml_parse", "__proto__: {a: 1}"], "{__proto__: {a: 1}}"],
  [["yaml_stringify", { b: "x: y", a: [], c: null }], 'a: []\nb: "x: y"\nc: null\n'],
  [["yaml_stringify", "text"], "text\n"],
  [
    ["toml_parse", "d = 1979-05-27T07:32:00Z\n__proto__ = 1"],
    "{__proto__: 1, d: {$__toml_private_datetime: 1979-05-27T07:32:00Z}}",
  ],
  [["toml_stringify", 5], "! toml_stringify: unsupported i64 type"],
  [["toml_stringify", { a: null }], "! toml_stringify: unsupported unit type"],
  [["toml_stringify", {}], ""],
]);

describe("bad YAML and TOML", () => {
  it("says where it is wrong", () => {
    expect(machine().show("yaml_parse", "a: [1")).toMatch(/^! YAML parse error: .+ at line 1, column \d+$/);
    expect(machine().show("yaml_parse", "a: 1\n---\nb: 2")).toMatch(/^! YAML parse error: /);
    expect(machine().show("toml_parse", "a = ")).toMatch(/^! TOML parse error: .+ at line 1 column \d+$/);
  });
  it("can't name itself into gigabytes", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (const [to, from] of ["ba", "cb", "dc", "ed", "fe"])
      lines.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]`);
    expect(machine().show("yaml_parse", lines.join("\n"))).toMatch(
      /^! YAML parse error: Excessive alias count/,
    );
  });
});

cases("bytes and encodings", [
  [["bytes_to_hex", "x"], "! Runtime error: bytes_to_hex: expected bytes at argument 1, got string"],
  [["bytes_from_hex", "0z"], "! Runtime error: bytes_from_hex: Invalid character 'z' at position 1"],
  [["bytes_from_hex", "z"], "! Runtime error: bytes_from_hex: Odd number of digits"],
  [["bytes_slice", hex("0102"), 1], "! Runtime error: bytes_slice: missing argument 3"],
  [["bytes_slice", hex("010203"), -5, 2], 'b"0102"'],
  [["bytes_to_string", hex("ff")], "! Runtime error: bytes_to_string: invalid utf-8 sequence in 1 bytes"],
  [["base64_encode", "a"], "YQ=="],
  [["base64_encode", hex("00")], "AA=="],
  [["base64_decode", "YQ"], "! Runtime error: base64 decode error: Invalid padding"],
  [["base64_decode", "Y!=="], "! Runtime error: base64 decode error: Invalid symbol 33, offset 1."],
  [["base64_decode", ""], ""],
  [["base64url_encode", hex("fbff")], "-_8"],
  [["base32_encode", "foobar"], "MZXW6YTBOI======"],
  [["base32_decode", "MZXW6YTBOI======"], "foobar"],
  [["hex_decode", "xyz"], "! Runtime error: hex decode error: Odd number of digits"],
  [["sha256", ""], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  [["sha256", hex("616263")], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [["blake3", "abc"], "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"],
  [["blake3", hex("")], "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"],
  [["constant_time_eq", "ab", "a"], "false"],
]);

describe("BLAKE3 over many chunks", () => {
  // From the published test vectors: the input is 0, 1, …, 250, 0, 1, …
  it.each([
    [1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"],
    [1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"],
    [3072, "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2"],
    [31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"],
  ])("%i bytes", (size, expected) => {
    const input = Uint8Array.from({ length: size }, (_, i) => i % 251);
    expect(machine().show("blake3", new Bytes(input))).toBe(expected);
  });
});

cases("URLs", [
  [["url_encode", "a b/ü~"], "a%20b%2F%C3%BC~"],
  [["url_decode", "%E4%BD%A0+%2"], "你 %2"],
  [["url_parse", "/x"], "! url_parse: relative URL without a base"],
  [
    ["url_parse", "https://u:p%20w@ex.de:443?q=1#f"],
    "{fragment: f, host: ex.de, password: p w, path: /, port: nil, query: q=1, scheme: https, username: u}",
  ],
  [["url_build", { host: "a" }], "! url_build: 'scheme' is required"],
  [["url_build", { scheme: "http", host: "" }], "! url_build: empty host"],
  [
    ["url_build", { scheme: "http", host: "a.de", port: 81, path: "/x y", fragment: "f" }],
    "http://a.de:81/x%20y#f",
  ],
  [
    ["query_parse", "?a=1&a=b+c&d&=x"],
    "[{key: a, value: 1}, {key: a, value: b c}, {key: d, value: }, {key: , value: x}]",
  ],
  [["query_stringify", [1]], "! query_stringify: pairs: expected a {key, value} dict, got int 1"],
  [["query_stringify", 1], "! query_stringify: expected a list of {key, value} dicts"],
]);

const bindings = { name: "Ada", xs: [1, 2], d: { k: "v" }, blank: "  ", html: "*a*" };
cases(
  "templates",
  (
    [
      ["{{ name }} {{name}} {{ nobody }} {{ d.k }} {{ d.none }}", "Ada Ada {{nobody}} v "],
      ["{{ true }}{{ nobody | upper }}", "{{true}}"],
      ['{{ xs[-1] }} {{ d["k"] }} {{ xs[9] }}', "2 v "],
      ["{{ if blank }}yes{{ elif xs }}list{{ else }}no{{ end }}", "list"],
      ["{{ for x in xs }}{{ loop.index }}:{{ x }}{{ if not loop.last }}, {{ end }}{{ end }}", "1:1, 2:2"],
      ["{{ for k, v in d }}{{ k }}={{ v }}{{ end }}{{ for x in none }}{{ else }}none{{ end }}", "k=vnone"],
      ["a {{- name -}}  \n b", "aAda b"],
      ["{{# gone #}}{{ raw }}{{ x }}{{ endraw }}", "{{ x }}"],
      ['{{ name | lower | capitalize }} {{ xs | join: "+" }} {{ none | default: "d" }}', "Ada 1+2 d"],
      [
        '{{ d | json }} {{ xs | length }} {{ html | escape_md }} {{ name | replace: "A", "O" }}',
        '{"k":"v"} 2 \\*a\\* Oda',
      ],
      ['{{ "a\\nb" | indent: 2 }}|{{ "a\\nb" | indent: 2, true }}', "a\n  b|  a\n  b"],
      ['{{ name == "Ada" and 1 < 2 or false }} {{ "a" < 1 }} {{ none || name }}', "true false Ada"],
      ["{{ name | nope }}", "! at 1:1: unknown filter `nope`"],
      ["\n {{ name | join }}", "! at 2:2: filter `join` got wrong number of arguments"],
      ["{{ name | join: 1 }}", "! at 1:1: `join` requires a list (got string)"],
      ["{{ 5 | length }}", "! at 1:1: `length` not defined for int"],
      ["{{ for x in 5 }}{{ end }}", "! at 1:1: cannot iterate over int — expected list, dict, set, or range"],
      ["{{ name", "! at 1:1: unterminated directive"],
      ["{{# name", "! at 1:1: unterminated comment"],
      ["{{ raw }}", "! at 1:1: unterminated `{{ raw }}` block"],
      ["{{ if x }}", "! at 1:1: `{{ if }}` missing matching `{{ end }}`"],
      ["{{ if x }}{{ else }}", "! at 1:11: `{{ else }}` missing matching `{{ end }}`"],
      ["{{ for x in y }}", "! at 1:1: `{{ for }}` missing matching `{{ end }}`"],
      ["{{ end }}", "! at 1:1: unexpected `{{ end }}`"],
      ["{{ }}", "! at 1:1: expected expression"],
      ["{{ if }}{{ end }}", "! at 1:1: expected expression"],
      ["{{ a + b }}", "! at 1:1: unexpected character `+` in expression"],
      ["{{ a = b }}", "! at 1:1: unexpected `=` (use `==`)"],
      ["{{ a | }}", "! at 1:1: expected filter name after `|`"],
      ["{{ for x xs }}{{ end }}", "! at 1:1: expected `in` in for-loop"],
      ["{{ include 5 }}", "! at 1:1: include path must be a string (got int)"],
    ] as const
  ).map(([template, shown]): Case => [["render_string", template, bindings], shown]),
);

describe("template files", () => {
  const files = {
    "/work/main.prompt": 'Hi {{ name }}: {{ include "parts/a.prompt" with { x: 1 } }}',
    "/work/parts/a.prompt": '{{ name }}{{ x }}{{ include "b.prompt" }}',
    "/work/parts/b.prompt": "b",
    "/work/loop.prompt": '{{ include "loop.prompt" }}',
    "/work/bad.prompt": "ok\n{{ x | nope }}",
  };
  const on = () => machine(createMemoryHost({ files }));

  it("include others relative to themselves", () => {
    expect(on().show("render", "main.prompt", { name: "Ada" })).toBe("Hi Ada: Ada1b");
  });
  it("say where they are wrong", () => {
    expect(on().show("render", "none.prompt")).toBe(
      "! Failed to read template /work/none.prompt: no such file or folder",
    );
    expect(on().show("render", "bad.prompt")).toBe("! /work/bad.prompt at 2:1: unknown filter `nope`");
    expect(on().show("render", "loop.prompt")).toBe(
      "! /work/loop.prompt at 1:1: circular include detected: /work/loop.prompt → /work/loop.prompt",
    );
    expect(on().show("render_string", '{{ include "none" }}')).toBe(
      "! at 1:1: failed to read included template none: no such file or folder",
    );
    expect(on().show("render", "@/x")).toBe(
      "! package-root prompt path '@/x' has no project root: no harn.toml found above /work",
    );
  });
  it("find project and asset roots", () => {
    const project = {
      ...files,
      "/work/harn.toml": '[package]\nname = "x"\n[asset_roots]\np = "parts"\n',
      "/work/x.prompt": "X",
    };
    const run = machine(createMemoryHost({ files: project }));
    expect(run.show("render", "@/x.prompt")).toBe("X");
    expect(run.show("render", "@p/b.prompt")).toBe("b");
    expect(run.show("render", "@/../x")).toBe("! package-root prompt path '@/../x' must not contain '..'");
  });
});

describe("keys that JavaScript treats specially are plain data", () => {
  const key = "__proto__";
  const json = '{"__proto__": {"a": 1}, "constructor": 2, "toString": 3}';
  it("in JSON, pointers and queries", () => {
    const run = machine();
    const value = run.call("json_parse", json);
    expect(run.show("json_stringify", value)).toBe('{"__proto__":{"a":1},"constructor":2,"toString":3}');
    expect(run.show("json_pointer", value, "/__proto__/a")).toBe("1");
    expect(run.show("json_pointer", run.call("json_parse", "{}"), "/__proto__")).toBe("nil");
    expect(run.show("json_pointer_set", run.call("json_parse", "{}"), "/__proto__", 5)).toBe(
      "{__proto__: 5}",
    );
    expect(run.show("jq", value, ".constructor")).toBe("[2]");
    expect(run.show("jq", run.call("json_parse", "{}"), ".constructor, .__proto__")).toBe("[nil, nil]");
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
  it("in CSV, templates, formats and groups", () => {
    const run = machine();
    expect(run.show("csv_parse", "__proto__,b\n1,2", { headers: true })).toBe("[{__proto__: 1, b: 2}]");
    expect(run.show("render_string", "{{ constructor }}|{{ d.__proto__ }}", { d: {} })).toBe(
      "{{constructor}}|",
    );
    expect(run.show("format", "{constructor} {__proto__}", {})).toBe("{constructor} {__proto__}");
    expect(run.show("env", key)).toBe("nil");
    expect(run.show("dict_from_pairs", [[key, 1]])).toBe("{__proto__: 1}");
    expect(run.show("uuid_v5", "constructor", "x")).toMatch(/^! uuid_v5: namespace: expected a UUID/);
    expect(run.show("color", "x", "constructor")).toBe("x");
    expect(run.show("host_call", "__proto__.constructor")).toBe(
      "! host_call: unsupported operation __proto__.constructor",
    );
  });
});
