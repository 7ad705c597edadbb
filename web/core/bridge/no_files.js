// A page has no files: opening one fails with "does not exist". (Emscripten's own stand-ins claim success.)
const noSuchFile = {};
for (const name of [
  "open",
  "openat",
  "fcntl64",
  "stat64",
  "lstat64",
  "fstat64",
  "fstatat64",
  "faccessat",
  "readlink",
  "getcwd",
  "getdents64",
  "mkdir",
  "rmdir",
  "rename",
  "unlink",
  "unlinkat",
  "chmod",
  "chown32",
  "fchmod",
  "fchown32",
  "utimensat",
])
  noSuchFile["__syscall_" + name] = function () {
    return -44;
  }; // ENOENT, as WASI numbers it
mergeInto(LibraryManager.library, noSuchFile);
