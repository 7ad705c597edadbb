// The folder that keeps what is done, shared by all processes of a run.
#include "batch/run/state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "batch/run/sha256.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json recordJson(const Record& record) {
    Json inputs = Json::array();
    for (const InputFile& input : record.inputs) inputs.push_back({input.path, input.size, input.modified, input.hash});
    return {{"key", record.key}, {"run", record.run},         {"hashed", record.hashed},
            {"inputs", inputs},  {"outputs", record.outputs}, {"report", reportLine(record)}};
}

/// Of a damaged file a number may be anything: json would convert it without a word.
template <class T>
T wholeNumber(const Json& value) {
    const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<std::uint64_t>())
                      : value.is_number_integer() ? std::in_range<T>(value.get<std::int64_t>())
                                                  : false;
    if (!fits) throw std::out_of_range("a number of a record");
    return value.get<T>();
}

Record recordFromJson(const Json& object) {
    Record record;
    record.key = object.at("key");
    record.run = object.at("run");
    record.hashed = wholeNumber<std::int64_t>(object.at("hashed"));
    for (const Json& input : object.at("inputs"))
        record.inputs.push_back({input.at(0), wholeNumber<std::uint64_t>(input.at(1)),
                                 wholeNumber<std::int64_t>(input.at(2)), input.at(3)});
    record.outputs = object.at("outputs").get<std::vector<std::string>>();
    const Json& line = object.at("report");
    const auto text = [&line](const char* key) {
        return line.at(key).is_null() ? "" : line.at(key).get<std::string>();
    };
    record.id = text("id");
    record.status = text("status");
    record.exit_code = line.at("exit_code").is_null() ? 0 : wholeNumber<int>(line.at("exit_code"));
    record.seconds = line.at("seconds");
    record.cpu_seconds = line.at("cpu_seconds");
    record.peak_bytes = wholeNumber<std::uint64_t>(line.at("peak_bytes"));
    record.json = line.at("json");
    record.error = text("error");
    record.node = text("node");
    record.attempts = wholeNumber<int>(line.at("attempts"));
    return record;
}

}  // namespace

std::optional<Record> recordFromText(const std::string& text) {
    const Json object = Json::parse(text, nullptr, false);
    try {
        return recordFromJson(object);
    } catch (const Json::exception&) {  // of another version, or damaged
    } catch (const std::out_of_range&) {
    }
    return {};
}

std::string textOf(const Record& record) {
    return recordJson(record).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Claim::~Claim() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

State::State(fs::path folder) : folder_(std::move(folder)) {
    std::error_code fault;
    fs::create_directories(folder_ / "items", fault);
    if (fault) throw Error::system({folder_.string()}, fmt::format("cannot be made: {}", fault.message()));
}

fs::path State::recordPath(const std::string& id) const {
    const std::string name = sha256(id).substr(0, 32);
    return folder_ / "items" / name.substr(0, 2) / (name + ".json");
}

std::optional<Record> State::read(const std::string& id) const {
    std::ifstream file(recordPath(id), std::ios::binary);
    if (!file) return {};
    std::ostringstream text;
    text << file.rdbuf();
    std::optional<Record> record = recordFromText(text.str());
    return record && record->id == id ? record : std::nullopt;
}

void State::write(const Record& record) const {
    const fs::path path = recordPath(record.id);
    std::error_code fault;
    fs::create_directory(path.parent_path(), fault);
    io::AtomicFile file(path);
    file.write(textOf(record));
    file.commit();
}

std::optional<Claim> State::claim(const std::string& id) const {
    const int descriptor = ::open((folder_ / "claims").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) throw Error::system({folder_.string()}, fmt::format("cannot write: {}", std::strerror(errno)));
    Claim claim(descriptor);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = off_t(std::stoull(sha256(id).substr(0, 15), nullptr, 16));  // 60 bits: any offset can be locked
    lock.l_len = 1;
    if (::fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return claim;
    if (errno == EAGAIN || errno == EACCES) return {};
    throw Error::system(
        {folder_.string()},
        fmt::format("its file system has no locks ({}); choose a --state on one that has them", std::strerror(errno)));
}

Record skippedRecord(const Item& item, const std::string& why) {
    Record record;
    record.id = item.id;
    record.status = "skipped";
    record.error = why;
    return record;
}

Json reportLine(const Record& record) {
    return {{"id", record.id},
            {"status", record.status},
            {"exit_code", record.attempts > 0 ? Json(record.exit_code) : Json()},
            {"seconds", record.seconds},
            {"cpu_seconds", record.cpu_seconds},
            {"peak_bytes", record.peak_bytes},
            {"json", record.json},
            {"error", orNull(record.error)},
            {"node", orNull(record.node)},
            {"attempts", record.attempts}};
}

}  // namespace pelt::batch
