/** Where the viewer that this program brings lies. */
import { ViewerFiles } from "../../server/index.ts";
import { shippedFolder } from "../program/shipped-folder.ts";

export const viewerFiles = (): ViewerFiles => new ViewerFiles(shippedFolder("dist/viewer"));
