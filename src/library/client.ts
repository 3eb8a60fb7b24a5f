/** `harn/client`: a client of `harn serve` for programs and pages; it needs nothing but `fetch`. */
export * from "../server/client.ts";
