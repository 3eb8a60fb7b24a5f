/** language.md §1: tokens, strings, comments, and the errors of the lexer. */
import { describe, expect, test } from "vitest";
import { SourceFile } from "../../../src/source/index.ts";
import { tokenize } from "../../../src/syntax/index.ts";
import { errorsOf, tree } from "../../support/syntax-text.ts";

const lex = (text: string) => tokenize(new SourceFile("test.harn", text));
const kinds = (text: string): string =>
  lex(text)
    .tokens.map((token) => token.tokenType.name)
    .join(" ");

describe("strings on one line", () => {
  test.each([
    ['"a\\n\\t\\\\\\"\\$b"', '"a\\n\\t\\\\\\"$b"'],
    ['"\\r\\0"', '"\\r\\u0000"'],
    ['"\\q\\u{41}"', '"\\\\q\\\\u{41}"'],
    ['"$ $x $$"', '"$ $x $$"'],
    ['"\\${x}"', '"${x}"'],
    ['""', '""'],
    ['"é漢😀"', '"é漢😀"'],
    ['r"a\\n${x}"', '"a\\\\n${x}"'],
    ['r#"a"b"#', '"a\\"b"'],
    ['r##"a"#b"##', '"a\\"#b"'],
  ])("%s", (text, wanted) => expect(tree(text)).toBe(wanted));
  test("r is a name elsewhere", () => expect(kinds("r r1 r #")).toBe("Identifier Identifier Identifier"));
});

describe("holes", () => {
  test.each([
    ['"a ${x} b"', '(str "a " x " b")'],
    ['"${x}${y}"', '(str "" x "" y "")'],
    ['"${f("}")}"', '(str "" (f "}") "")'],
    ['"${{a: 1}.a}"', '(str "" {a: 1}.a "")'],
    ['"${"${1}"}"', '(str "" (str "" 1 "") "")'],
    ['"\\t${a + 1}\\n"', '(str "\\t" (+ a 1) "\\n")'],
    ['"${ok ? "y" : "n"}"', '(str "" (? ok "y" "n") "")'],
    ['"""\n  ${\n    x\n  }\n  """', '(str "" x "")'],
  ])("%s", (text, wanted) => expect(tree(text)).toBe(wanted));
  test("tokens in a hole keep their offsets", () => {
    const name = lex('let s = "ab ${value}"').tokens.find((token) => token.image === "value")!;
    expect([name.startOffset, name.endOffset]).toEqual([14, 18]);
  });
});

describe("triple-quoted strings", () => {
  test.each([
    ['"""\n    first\n      second\n    """', "first\n  second"],
    ['"""\n    first\n      second\n"""', "first\n  second"],
    ['"""one"""', "one"],
    ['"""one\n  two"""', "one\n  two"],
    ['"""\n  a\n\n  b\n  """', "a\n\nb"],
    ['"""\n  a\n     \n  b\n"""', "a\n\nb"],
    ['"""\na\n  b\n  """', "a\n  b\n  "],
    ['"""\na\n"""', "a"],
    ['"""\n  a\\n"b" ""\n"""', 'a\\n"b" ""'],
    ['"""\n\ta\n\tb\n"""', "a\nb"],
    ['"""\\${x}"""', "${x}"],
    ['""""""', ""],
    ['"""\r\n  a\r\n  b\r\n  """', "a\nb"],
  ])("%j", (text, wanted) => expect(tree(text)).toBe(JSON.stringify(wanted)));
  test("values are not indented, holes do not make a line blank", () => {
    expect(tree('"""\n    first\n      ${x}\n    last ${y}\n    """')).toBe(
      '(str "first\\n  " x "\\nlast " y "")',
    );
  });
});

describe("numbers and durations", () => {
  test.each([
    ["1.5", "Float"],
    ["1.x", "Int Dot Identifier"],
    ["5ms 3s 5m 2h 1d 1w", "Duration Duration Duration Duration Duration Duration"],
    ["5mins", "Int Identifier"],
    ["5s_", "Int Identifier"],
    ["5sé", "Int Identifier"],
    ["1e5", "Int Identifier"],
    ["0x1", "Int Identifier"],
    ["1...x", "Int Ellipsis Identifier"],
  ])("%s", (text, wanted) => expect(kinds(text)).toBe(wanted));
  test("64-bit integers are exact", () => {
    expect(lex("9223372036854775807").tokens[0]!.value).toBe(9223372036854775807n);
    expect(lex("9007199254740991").tokens[0]!.value).toBe(9007199254740991);
  });
});

describe("identifiers and signs", () => {
  test("letters of any script", () =>
    expect(kinds("größe 变量 _x1 Ωmega x२")).toBe("Identifier ".repeat(5).trim()));
  test("longest sign first", () => {
    expect(kinds("... ?. ?? ?")).toBe("Ellipsis QuestionDot Coalesce Question");
    expect(kinds("|> || | ** *= * == = -> -= - += &")).toBe(
      "PipeArrow OrOr Bar Power StarEq Star EqEq Equals Arrow MinusEq Minus PlusEq Amp",
    );
  });
});

describe("comments", () => {
  test("nest and leave no token", () =>
    expect(kinds("a /* b /* c */ d */ e // f\n/// g\nh")).toBe("Identifier Identifier Newline Identifier"));
  test("are listed with their kind", () => {
    const { comments } = lex("// a\n/* b */\n/// c\n/** d */\n//// e\n/**/\n/*** f */");
    expect(comments.map((comment) => comment.kind)).toEqual([
      "line",
      "block",
      "doc",
      "doc",
      "line",
      "block",
      "block",
    ]);
  });
  test("quotes and brackets inside mean nothing", () => expect(errorsOf('// "( {\n/* "([ */ a')).toEqual([]));
});

describe("brackets", () => {
  test("know their partner and whether an arrow stands directly inside", () => {
    const { tokens } = lex("{ a -> { b } }");
    expect(tokens[0]!.value).toEqual({ close: 6, arrow: true });
    expect(tokens[3]!.value).toEqual({ close: 5, arrow: false });
  });
  test("a stray closer closes nothing", () =>
    expect(lex("( } )").tokens[0]!.value).toEqual({ close: 2, arrow: false }));
});

describe("lexer errors (§1.4, §1.7)", () => {
  test.each([
    ["let c = '", "Unexpected character ''' at 1:9"],
    ["a\n  ~b", "Unexpected character '~' at 2:3"],
    ["😀", "Unexpected character '😀' at 1:1"],
    ["漢 §", "Unexpected character '§' at 1:3"],
    ["\\ x", "Unexpected character '\\' at 1:1"],
    ["\ud800", "Unexpected character '\\u{d800}' at 1:1"],
    ['let s = "abc', "Unterminated string at 1:9"],
    ['"abc\nd"', "Unterminated string at 1:1"],
    ['"abc\\\nd"', "Unterminated string at 1:1"],
    ['"""abc\n\n', "Unterminated string at 1:1"],
    ['r"abc\n"', "Unterminated string at 1:1"],
    ['r#"abc"', "Unterminated string at 1:1"],
    ['"abc ${ f(', "Unterminated string at 1:1"],
    ['"abc ${ x\n}"', "Unterminated string at 1:1"],
    ['"\\', "Unterminated string at 1:1"],
    ["a\n/* b /* c */", "Unterminated block comment at 2:1"],
    [
      "let x = 99999999999999999999",
      "Integer literal `99999999999999999999` is out of range for int (i64) at 1:9",
    ],
    ["9223372036854775808", "Integer literal `9223372036854775808` is out of range for int (i64) at 1:1"],
    ["a\n9007199254740992ms", "Compile error at line 2: duration literal is too large"],
    ['"a ${} b"', "Unexpected character '}' at 1:6"],
    ["ab\0cd\0", "This is not a text file: it contains a NUL byte at 1:3"],
  ])("%j", (text, wanted) => expect(errorsOf(text)[0]).toBe(wanted));
  test("one binary file, one error", () => expect(errorsOf("\0\u0001\0PNG((((")).toHaveLength(1));
  test("a character is reported once", () => expect(errorsOf("'a' 'b'")).toHaveLength(1));
  test("an error does not hide the next", () => {
    expect(errorsOf('let a = "x\nlet b = ~1\n')).toEqual([
      "Unterminated string at 1:9",
      "Unexpected character '~' at 2:9",
    ]);
  });
});
