/** How a server's connections are secured, as descriptors, and the headers that go with them (builtins.md §2.15). */

import { HostError } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { defineBuiltins } from "../../../table/index.ts";
import { Dict, display, List, thrown, type Value } from "../../../values/index.ts";
import { type Argument, attempt, hostPath, option, optionsOf, textOf } from "../../arguments.ts";
import { tlsEdgeFields } from "../../rows/http.ts";

function hstsOptions(caller: string, options: Argument): Record<string, Value> {
  const read = optionsOf(caller, options, tlsEdgeFields);
  return {
    hsts: true,
    hsts_max_age_seconds: Math.max(0, read.hstsMaxAgeSeconds),
    hsts_include_subdomains: read.hstsIncludeSubdomains,
    hsts_preload: read.hstsPreload,
  };
}

function pemFiles(task: Task, cert: Argument, key: Argument, options: Argument): Value {
  const { files } = task.runtime.host;
  const found = (what: string, path: Argument): string => {
    const full = hostPath(task, path);
    const info = attempt(`http_server_tls_pem: ${what} ${textOf(path)}`, () => files.stat(full));
    if (textOf(path) !== "" && info?.kind === "file") return textOf(path);
    throw thrown(`http_server_tls_pem: ${what} not found: ${textOf(path)}`);
  };
  return Dict.of({
    mode: "pem",
    scheme: "https",
    terminate_tls: true,
    cert_path: found("certificate", cert),
    key_path: found("private key", key),
    ...hstsOptions("http_server_tls_pem", options),
  });
}

function selfSigned(task: Task, value: Argument): Value {
  const listed = value instanceof List ? value.toArray().map((host) => display(host)) : [textOf(value)];
  const named = listed.filter((host) => host !== "" && host !== "nil");
  const hosts = named.length > 0 ? named : ["localhost", "127.0.0.1"];
  const { crypto, clock } = task.runtime.host;
  try {
    const { certPem, keyPem } = crypto.selfSigned(hosts, clock.now());
    return Dict.of({
      mode: "self_signed_dev",
      scheme: "https",
      terminate_tls: true,
      hosts: new List(hosts),
      cert_pem: certPem,
      key_pem: keyPem,
      hsts: false,
    });
  } catch (error) {
    throw error instanceof HostError ? thrown(`http_server_tls_self_signed_dev: ${error.message}`) : error;
  }
}

function securityHeaders(tls: Argument): Value {
  const mode = textOf(option(tls, "mode"));
  if ((mode !== "edge" && mode !== "pem") || option(tls, "hsts") === false) return new Dict();
  const read = optionsOf("http_server_security_headers", tls, tlsEdgeFields);
  const age = read.hstsMaxAgeSeconds;
  const all = read.hstsIncludeSubdomains ? "; includeSubDomains" : "";
  const preload = read.hstsPreload ? "; preload" : "";
  return Dict.of({ "strict-transport-security": `max-age=${age}${all}${preload}` });
}

export const httpServerTls = defineBuiltins(
  "http_server_tls",
  {
    http_server_tls_plain: {
      doc: "Describes a server without TLS.",
      sig: "() -> dict",
      effect: "pure",
      example: "http_server_tls_plain()  // {hsts: false, mode: plain, scheme: http, terminate_tls: false}",
      run: () => Dict.of({ mode: "plain", scheme: "http", terminate_tls: false, hsts: false }),
    },
    http_server_tls_edge: {
      doc:
        "Describes a server whose TLS ends before it, at a proxy. Options: `hsts_max_age_seconds` (31536000), " +
        "`hsts_include_subdomains`, `hsts_preload`.",
      sig: "(options?: dict) -> dict",
      effect: "pure",
      example: "http_server_tls_edge({hsts_max_age_seconds: 60}).scheme  // https",
      fields: { options: () => tlsEdgeFields },
      run: (_task, options: Argument) =>
        Dict.of({
          mode: "edge",
          scheme: "https",
          terminate_tls: false,
          ...hstsOptions("http_server_tls_edge", options),
        }),
    },
    http_server_tls_pem: {
      doc: "Describes a server with a certificate and a key in PEM files, which must exist. Options as for `http_server_tls_edge`.",
      sig: "(cert_path: string, key_path: string, options?: dict) -> dict",
      effect: "read",
      capability: "fs.read",
      fields: { options: () => tlsEdgeFields },
      run: (task, cert: Argument, key: Argument, options: Argument) => pemFiles(task, cert, key, options),
    },
    http_server_tls_self_signed_dev: {
      doc: "A new certificate that signs itself, for development: `{cert_pem, key_pem, hosts, …}`. Default hosts: `localhost` and `127.0.0.1`.",
      sig: "(hosts?: list<string>) -> dict",
      effect: "observe",
      example: 'http_server_tls_self_signed_dev(["localhost"]).mode  // self_signed_dev',
      run: (task, hosts: Argument) => selfSigned(task, hosts),
    },
    http_server_security_headers: {
      doc: "The headers that go with a TLS descriptor: `strict-transport-security` for edge and pem, else none.",
      sig: "(tls: dict) -> dict",
      effect: "pure",
      example:
        "http_server_security_headers(http_server_tls_edge({hsts_max_age_seconds: 60}))  // {strict-transport-security: max-age=60}",
      run: (_task, tls: Argument) => securityHeaders(tls),
    },
  },
  { tls: "what `http_server_tls_*` gives" },
);
