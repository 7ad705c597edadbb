import { WebIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import { MeshoptDecoder } from "meshoptimizer";

const compressions = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/** Draco and meshopt decoded, everything else as it was. */
export async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  const { default: draco } = await import("draco3dgltf/draco_decoder_gltf_nodejs.js");
  const { default: wasm } = await import("draco3dgltf/draco_decoder_gltf.wasm?url");
  const io = new WebIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
    "meshopt.decoder": MeshoptDecoder,
    "draco3d.decoder": await draco({ locateFile: () => wasm }),
  });
  const document = await io.readBinary(bytes);
  for (const extension of document.getRoot().listExtensionsUsed())
    if (compressions.includes(extension.extensionName)) extension.dispose();
  return io.writeBinary(document);
}
