#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "batch/plan/plan.h"

namespace pelt::batch {

/// A file that an item read, and how to see cheaply that it is still the same.
struct InputFile {
    std::string path;
    std::uint64_t size = 0;
    std::int64_t modified = 0;  ///< nanoseconds
    std::string hash;
};

/// What is kept of an item when it has ended.
struct Record {
    std::string key;  ///< hash of arguments, version and the bytes of the inputs
    std::string run;  ///< the run that did it
    std::string id, status;
    int exit_code = 0, attempts = 0;
    double seconds = 0, cpu_seconds = 0;
    std::uint64_t peak_bytes = 0;
    Json json;  ///< the verb's report, or null
    std::string error, node;
    std::int64_t hashed = 0;  ///< when the inputs were looked at; nanoseconds
    std::vector<InputFile> inputs;
    std::vector<std::string> outputs;

    bool done() const { return status == "done"; }
    /// Trying again would give the same.
    bool isFinal() const { return done() || status == "bad_input" || status == "gate"; }
};

/// A record as the text of its file, and back: nothing if the text is of another version, or damaged.
std::string textOf(const Record& record);
std::optional<Record> recordFromText(const std::string& text);

/// The right to work on an item, held until it is destroyed or the process ends, however it ends. Children inherit the
/// descriptor: while one that outlived its parent still runs, the item stays claimed.
class Claim {
public:
    explicit Claim(int descriptor) : descriptor_(descriptor) {}
    ~Claim();
    Claim(Claim&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Claim& operator=(Claim&&) = delete;
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// STATE: a folder that several runs on several machines may use at the same time.
///   items/ab/abcd….json   one record per item, by the hash of its id; replaced atomically
///   claims                an empty file; a lock on the byte that the id hashes to is a claim
///   files/  pictures/     what chains write between their steps, pictures of the gallery
///   slurm/  report.jsonl
class State {
public:
    /// Makes the folder. Throws Error (system) if it cannot be written.
    explicit State(std::filesystem::path folder);

    const std::filesystem::path& folder() const { return folder_; }
    /// Nothing if there is no record, or none that can be read: the item is then done again.
    std::optional<Record> read(const std::string& id) const;
    void write(const Record& record) const;
    /// Nothing if another process works on the item. Throws Error (system) where the file system has no locks.
    std::optional<Claim> claim(const std::string& id) const;

private:
    std::filesystem::path recordPath(const std::string& id) const;

    std::filesystem::path folder_;
};

/// A record of an item that was not run.
Record skippedRecord(const Item& item, const std::string& why);

/// The object of report.jsonl.
Json reportLine(const Record& record);

}  // namespace pelt::batch
