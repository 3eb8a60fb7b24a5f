/** Whom a cookie goes to: who may set it for whom, for how long, along which paths (RFC 6265, public suffixes). */
import * as rules from "tough-cookie";
import { describe, expect, it } from "vitest";
import { CookieJar } from "../../../../src/builtins/http/cookie-jar.ts";

const never = (): number => {
  throw new Error("the clock was asked");
};

function jarWith(url: string, ...lines: string[]): CookieJar {
  const jar = new CookieJar(() => rules);
  jar.receive({ url, lines }, never);
  return jar;
}

describe("a cookie jar", () => {
  it.each<[string, string, string, string | undefined]>([
    ["http://shop.co.uk/", "a=1; Domain=co.uk", "http://bank.co.uk/", undefined],
    ["http://me.github.io/", "a=1; Domain=github.io", "http://you.github.io/", undefined],
    ["http://a.com/", "a=1; Domain=com", "http://b.com/", undefined],
    ["http://github.io/", "a=1; Domain=github.io", "http://me.github.io/", undefined],
    ["http://a.shop.co.uk/", "a=1; Domain=.Shop.co.uk", "http://b.shop.co.uk/", "a=1"],
    ["http://a.test/", "a=1; Domain=a.test", "http://sub.a.test/", "a=1"],
    ["http://a.test/", "a=1", "http://sub.a.test/", undefined],
    ["http://a.test/", "a=1; Domain=b.test", "http://b.test/", undefined],
    ["http://localhost:8080/", "a=1; Domain=localhost", "http://localhost:9/", "a=1"],
    ["http://10.0.0.1/", "a=1; Domain=0.0.1", "http://10.0.0.1/", undefined],
    ["http://[::1]/", "a=1; Secure", "http://[::1]/x", "a=1"],
    ["https://a.test/", "a=1; Secure", "http://a.test/", undefined],
    ["http://a.test/", "a=1; Path=/x", "http://a.test/xy", undefined],
    ["http://a.test/x/y", "a=1", "http://a.test/x/z", "a=1"],
    ["http://a.test/", "a=x=y", "http://a.test/", "a=x=y"],
    ["http://a.test/", "nonsense", "http://a.test/", undefined],
  ])("%s sets %s: to %s goes %s", (from, line, to, sent) => {
    expect(jarWith(from, line).header(to, never)).toBe(sent);
  });

  it("asks its caller's clock, and only for cookies with an end", () => {
    const jar = new CookieJar(() => rules);
    const url = "http://a.test/";
    jar.receive({ url, lines: ["a=1; Max-Age=10", "b=2; Expires=Thu, 01 Jan 1970 00:00:20 GMT"] }, () => 0);
    expect(jar.header(url, () => 9_999)).toBe("a=1; b=2");
    expect(jar.header(url, () => 10_000)).toBe("b=2");
    expect(jar.header(url, () => 20_000)).toBeUndefined();
    jar.receive({ url, lines: ["a=1; Max-Age=0"] }, never);
    expect(jar.header(url, () => 0)).toBe("b=2");
  });

  it("keeps 500, the newest", () => {
    const jar = jarWith("http://a.test/", ...Array.from({ length: 501 }, (_, i) => `c${i}=1`));
    const sent = jar.header("http://a.test/", never)?.split("; ");
    expect(sent).toHaveLength(500);
    expect(sent?.[0]).toBe("c1=1");
  });
});
