declare module "gltf-validator" {
  export function validateBytes(bytes: Uint8Array, options?: object): Promise<object>;
}
declare module "draco3dgltf/draco_decoder_gltf_nodejs.js" {
  const create: (options: object) => Promise<unknown>;
  export default create;
}
