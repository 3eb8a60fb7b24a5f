/** Web sockets, both sides, and the log of mocked transports (builtins.md §2.15). */

import { defineBuiltins } from "../../table/index.ts";
import { Dict, List, truthy } from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { addTransportMock, clearTransportMocks, transportCalls } from "../http/transport-mocks.ts";
import {
  socketConnectFields,
  socketMessageFields,
  socketMockFields,
  socketRouteFields,
  socketServerFields,
} from "../rows/http.ts";
import { closeSocket, connectSocket, receiveMessage, sendMessage } from "./websocket-client.ts";
import { acceptSocket, addSocketRoute, closeSocketServer, listenForSockets } from "./websocket-servers.ts";

const outside = { performs: true, suspends: "may", capability: "net" } as const;

export const websockets = defineBuiltins(
  "websockets",
  {
    websocket_mock: {
      doc:
        "Answers connections to URLs that fit a pattern with `*`: by messages (texts, bytes, or dicts as `websocket_receive` " +
        "gives them), or `{messages, echo}`, where what is sent comes back. The same pattern replaces.",
      sig: "(pattern: string, messages: list | dict) -> nil",
      effect: "state",
      example: 'websocket_mock("wss://a.test/*", {echo: true})  // nil',
      fields: { messages: () => socketMockFields },
      run: (task, pattern: Argument, value: Argument) => {
        const listed = value instanceof Dict ? option(value, "messages") : value;
        addTransportMock(task, {
          transport: "websocket",
          pattern: textOf(pattern),
          messages: listed instanceof List ? listed.toArray() : [],
          echo: truthy(option(value, "echo") ?? false),
        });
        return null;
      },
    },
    websocket_connect: {
      ...outside,
      doc:
        "Connects and gives a handle. Options: `headers`, `query`, `auth`, `session`, `protocols`, `timeout_ms` (until the " +
        "connection stands), `proxy`, `tls`, `max_message_bytes` (1 MiB), `send_buffer_messages` (1000), `idle_timeout_ms`.",
      sig: "(url: string, options?: dict) -> string",
      effect: "write",
      traits: ["opens"],
      fields: { options: () => socketConnectFields },
      run: (task, url: Argument, options: Argument) => connectSocket(task, url, options),
    },
    websocket_send: {
      ...outside,
      doc:
        "Sends a text, or bytes as binary; `{type: text | binary | ping | pong | close, code | close_code, reason | close_reason}` says otherwise, " +
        "`base64: true` decodes the text. False when the connection is closed; throws when the send buffer is full or the message too big.",
      sig: "(socket: string | dict, message: any, options?: dict) -> bool",
      effect: "write",
      fields: { options: () => socketMessageFields },
      run: (task, socket: Argument, message: Argument, options: Argument) =>
        sendMessage(task, socket, message, options),
    },
    websocket_receive: {
      ...outside,
      doc:
        '`{type: "text", data}`, `{type: "binary" | "ping" | "pong", data_base64}`, `{type: "close", code, reason}`, ' +
        '`{type: "timeout"}` when nothing came in time (30000 ms), nil when the connection is closed. Pings are answered by themselves.',
      sig: "(socket: string | dict, timeout_ms: int | duration = 30000) -> dict?",
      effect: "read",
      run: (task, socket: Argument, timeout: Argument) => receiveMessage(task, socket, timeout),
    },
    websocket_close: {
      doc: "Closes a connection; false when it was closed.",
      sig: "(socket: string | dict, code: int = 1000, reason?: string) -> bool",
      effect: "state",
      example: 'websocket_close("none")  // false',
      run: (task, socket: Argument, code: Argument, reason: Argument) =>
        closeSocket(task, socket, code, reason),
    },
    transport_mock_calls: {
      doc: "Every mocked connect, send and close: `{transport, operation, handle, url, headers?, message?}`, credentials hidden.",
      sig: "() -> list<dict>",
      effect: "state",
      example: "transport_mock_calls()  // []",
      run: (task) => transportCalls(task),
    },
    transport_mock_clear: {
      doc: "Forgets all mocks of event streams and sockets, and the calls noted.",
      sig: "() -> nil",
      effect: "state",
      example: "transport_mock_clear()  // nil",
      run: (task) => {
        clearTransportMocks(task);
        return null;
      },
    },
    websocket_server: {
      ...outside,
      doc:
        "Listens for web sockets: `{id, addr, url}`. The address is `HOST:PORT` (port 0: any; without a host only this " +
        "machine); `tls` takes a descriptor of `http_server_tls_…`, `path` adds a first route with the other options.",
      sig: '(bind: string | int = "127.0.0.1:0", options?: dict) -> dict',
      effect: "write",
      traits: ["opens"],
      fields: { options: () => socketServerFields },
      run: (task, bind: Argument, options: Argument) => listenForSockets(task, bind, options),
    },
    websocket_route: {
      doc:
        "Lets clients in on a path (`/p/{x}` has parameters). Options: `auth` (a token or `{bearer}`), `max_messages` (then " +
        "the server closes), `max_message_bytes` (1 MiB), `send_buffer_messages` (64; 0: none may be sent), `idle_timeout_ms` " +
        "(30000; 0: never). Other paths and wrong tokens are sent away.",
      sig: "(server: dict, path: string, options?: dict) -> bool",
      effect: "state",
      fields: { options: () => socketRouteFields },
      run: (task, server: Argument, path: Argument, options: Argument) =>
        addSocketRoute(task, server, path, options),
    },
    websocket_accept: {
      ...outside,
      doc:
        'The next client: `{id, path, peer, params, query, headers, remote_addr}`, to be used as a socket; `{type: "timeout"}` ' +
        "when none came within `timeout_ms`, nil when the server is closed.",
      sig: "(server: dict, timeout_ms?: int | duration) -> dict?",
      effect: "read",
      run: (task, server: Argument, timeout: Argument) => acceptSocket(task, server, timeout),
    },
    websocket_server_close: {
      doc: "Closes a server and its connections; false when it was closed.",
      sig: "(server: dict) -> bool",
      effect: "state",
      run: (task, server: Argument) => closeSocketServer(task, server),
    },
  },
  { socket: "a socket, as `websocket_connect` gives it", server: "a server, as `websocket_server` gives it" },
);
