export * from "./pages.ts";
export { pagePolicy } from "./policy.ts";
export { ViewerFiles } from "./viewer-files.ts";
