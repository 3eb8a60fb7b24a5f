/** The address of the database, and what is said of it. */
import { describe, expect, it } from "vitest";
import {
  type DatabasePlace,
  databasePlace,
  errorWords,
  mayPass,
  placeWords,
} from "../../../../src/cluster/journals/connection.ts";

const placeOf = (address: string): DatabasePlace => {
  const place = databasePlace(address);
  if (typeof place === "string") throw new Error(place);
  return place;
};

describe("the address", () => {
  it.each([
    [
      "postgres://u:p%40ss@db.example:6543/jobs?sslmode=verify-full&sslrootcert=/ca.pem",
      {
        host: "db.example",
        port: 6543,
        database: "jobs",
        user: "u",
        password: "p@ss",
        sslMode: "verify-full",
        rootCertificate: "/ca.pem",
      },
    ],
    [
      "postgresql://u@[::1]/x",
      { host: "::1", port: 5432, database: "x", user: "u", password: undefined, sslMode: "prefer" },
    ],
    ["postgres://u@ignored/x?host=/run/postgresql", { host: "/run/postgresql", sslMode: "disable" }],
    [
      "postgres://localhost?user=me&password=it&dbname=here&port=1",
      { user: "me", password: "it", database: "here", port: 1 },
    ],
  ])("%s", (address, wanted) => {
    expect(placeOf(address)).toMatchObject(wanted);
  });

  it.each([
    "mysql://u:secretpw@h/d",
    "postgres://u:secretpw@h:99999/d",
    "postgres://u:secretpw@h/d?sslmode=maybe",
    "postgres://u:secretpw@h/d?what=secretpw",
    "postgres://u:secretpw%zz@h/d",
    "postgres://u:secretpw@h:port/d",
    "",
  ])("that is none says why, and quotes nothing of it: %s", (address) => {
    const why = databasePlace(address);
    expect(why).toEqual(expect.any(String));
    expect(why).not.toContain("secretpw");
  });

  it("is shown without a user", () => {
    expect(placeWords(placeOf("postgres://u:p@db/x"))).toBe("db:5432/x");
    expect(placeWords(placeOf("postgres://u:p@[::1]:7/x"))).toBe("[::1]:7/x");
  });
});

it("no password stands in what the driver said", () => {
  const place = placeOf("postgres://u:a%2Fb%25@h/d");
  expect(errorWords(new Error("no a/b% and a%2Fb%25 here"), place)).toBe("no *** and *** here");
  expect(errorWords({ code: "ECONNREFUSED" }, place)).toBe("ECONNREFUSED");
  expect(errorWords(new Error("said"), placeOf("postgres://u@h/d"))).toBe("said");
});

describe("what may pass by itself", () => {
  const failed = (code: string): Error => Object.assign(new Error("x"), { code });
  it.each([
    "ECONNREFUSED",
    "ECONNRESET",
    "ENOTFOUND",
    "57P01",
    "57P03",
    "53300",
    "53100",
    "08006",
    "40P01",
    "23503",
    "25006",
  ])("%s", (code) => expect(mayPass(failed(code))).toBe(true));
  it.each(["42501", "42P01", "28P01", "3D000", "22021", "CERT_HAS_EXPIRED"])("is not %s", (code) =>
    expect(mayPass(failed(code))).toBe(false),
  );
  it("is a connection that the driver has lost, whatever a job is called", () => {
    expect(mayPass(new Error("Connection terminated unexpectedly"))).toBe(true);
    expect(mayPass(new Error("Query read timeout"))).toBe(true);
    expect(mayPass(new Error("the job timeout of Connection terminated was taken over"))).toBe(false);
    expect(mayPass(undefined)).toBe(false);
  });
});
