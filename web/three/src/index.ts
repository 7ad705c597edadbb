export { PeltPlugin } from "./plugin.js";
export { PeltSkinnedMesh } from "./mesh.js";
export { PeltSkeleton } from "./skeleton.js";
export { DrivenBone } from "./driven.js";
export { type Method, methods } from "./method.js";
export { readNormals, readPositions, readTangents } from "./readback.js";
export { type MethodRows, RowSkin } from "./row_skin.js";
