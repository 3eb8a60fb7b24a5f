export { viewerPages } from "./pages.ts";
export { pagePolicy, reportPolicy } from "./policy.ts";
export { embeddedJson, type ReportOf, reportHtml } from "./report.ts";
export { ViewerFiles } from "./viewer-files.ts";
