/**
 * Servers of the Model Context Protocol as a run sees them: a port, like the others of `ports.ts`. The adapter over the
 * official client is `mcp-client.ts`, loaded by the first connection. Nothing here records anything: callers ask inside
 * an effect.
 */

export type McpJson =
  | null
  | boolean
  | number
  | string
  | readonly McpJson[]
  | { readonly [key: string]: McpJson };
export type McpObject = { readonly [key: string]: McpJson };

/** Where a server is and how to reach it. */
export type McpTarget = {
  /** The revision that is offered first; absent: the newest with a handshake. */ readonly protocolVersion?: string;
} & (
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** On top of the run's own environment. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | {
      readonly transport: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** What the client says of itself to the authorization server, which gives it a token. */
      readonly credentials?: { readonly id: string; readonly secret: string; readonly scopes: string };
    }
);

/** What a server says about itself when a connection opens. */
export interface McpServerFacts {
  readonly name: string;
  readonly version: string;
  readonly protocol_version: string;
  /** "" when it gives none. */
  readonly instructions: string;
  readonly capabilities: McpObject;
}

/** One request, in the protocol's own words. Lists are whole: pages are joined. */
export type McpAsk =
  | { readonly method: "tools/list" }
  | { readonly method: "tools/call"; readonly name: string; readonly arguments: McpObject }
  | { readonly method: "resources/list" }
  | { readonly method: "resources/templates/list" }
  | { readonly method: "resources/read"; readonly uri: string }
  | { readonly method: "prompts/list" }
  | {
      readonly method: "prompts/get";
      readonly name: string;
      readonly arguments: Readonly<Record<string, string>>;
    };

export interface McpWait {
  /** Before each request over HTTP, redirects and those to an authorization server included; throws to refuse it. */
  readonly beforeHop?: (url: string) => void;
  /** Of a connection: what makes its requests over HTTP; the global one unless given. */
  readonly fetch?: typeof fetch;
  readonly timeoutMs: number;
  /** Aborting rejects with the signal's reason and tells the server that the answer is not wanted any more. */
  readonly signal?: AbortSignal;
}

/**
 * What a server may ask of its client, in the protocol's own words. What is absent is not announced, so that no server
 * asks for it.
 */
export interface McpServes {
  /** Full paths of the folders that the server is told about. */
  readonly roots: readonly string[];
  /** `sampling/createMessage`: an answer of a model. */
  sample?(params: McpObject, signal: AbortSignal): Promise<McpObject>;
  /** `elicitation/create`: an answer of a person. */
  elicit?(params: McpObject, signal: AbortSignal): Promise<McpObject>;
}

export interface McpConnection {
  readonly server: McpServerFacts;
  /** False once the server ended the connection or `close` was called. */
  readonly open: boolean;
  /**
   * The result object of the protocol. Rejects with a `HostError`: `ETIMEDOUT` (no answer in time), `ECONNRESET` (the
   * server is gone), `EPROTO` (an answer that is none), `EMCP` (the server answered with an error).
   */
  request(ask: McpAsk, wait: McpWait): Promise<McpObject>;
  /** Ends the connection when nobody asks for anything within so many milliseconds; a request before that keeps it. */
  endAfter(ms: number): void;
  /** Ends the connection, and with it a server that was started for it, politely at first. Never rejects. */
  close(): Promise<void>;
}

export interface McpClients {
  /** Rejects with a `HostError` whose message says what became of the server, with its last words. */
  connect(target: McpTarget, wait: McpWait, serves?: McpServes): Promise<McpConnection>;
}
