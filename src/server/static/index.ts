export { embeddedJson, type ReportOf, reportHtml, viewerPages } from "./pages.ts";
export { pagePolicy, reportPolicy } from "./policy.ts";
export { ViewerFiles } from "./viewer-files.ts";
