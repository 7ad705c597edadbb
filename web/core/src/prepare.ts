// What a poser prepares for handles, made by one instance of the library for another.
import { loadBytes } from "./create.js";
import type { CallOptions, Instance } from "./instance.js";
import type { PrepareRequest } from "./verb_worker.js";

export function prepareSent(instance: Instance, request: PrepareRequest, options: CallOptions): Uint8Array {
  const { module } = instance,
    character = loadBytes(instance, request.bytes, undefined, {});
  try {
    return instance.long(options, (call) =>
      instance.scoped((scope) => {
        const [bytes, size] = [scope.slot(), scope.slot()],
          [named, handles] = [scope.string(request.options), scope.string(request.handles)];
        instance.check(module._pelt_web_prepare(character, named, handles, call, bytes, size));
        const begin = scope.take(bytes);
        return module.HEAPU8.slice(begin, begin + scope.filled(size));
      }),
    );
  } finally {
    module._pelt_character_free(character);
  }
}
