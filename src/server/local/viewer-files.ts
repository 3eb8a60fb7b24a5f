/** Where the viewer that this program brings lies. */

import { shippedFolder } from "../../host/command/index.ts";
import { ViewerFiles } from "../index.ts";

export const viewerFiles = (): ViewerFiles => new ViewerFiles(shippedFolder("dist/viewer"));
