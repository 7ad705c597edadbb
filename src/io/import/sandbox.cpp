// Gives up all rights of the process but those that decoding needs.
#include <pelt/io/import.h>

#if defined(__linux__) && !defined(PELT_SANITIZED) && (defined(__x86_64__) || defined(__aarch64__))
#define PELT_HAS_SANDBOX
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>
#endif

namespace pelt::io {

#ifdef PELT_HAS_SANDBOX

namespace {

#ifdef __x86_64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

/// Memory, clocks, locks between threads, and reading and writing open descriptors.
constexpr long kAllowed[] = {
    SYS_read,           SYS_write,        SYS_readv,           SYS_writev, SYS_recvfrom,
    SYS_sendto,         SYS_close,        SYS_lseek,           SYS_ppoll,  SYS_brk,
    SYS_munmap,         SYS_mremap,       SYS_madvise,         SYS_futex,  SYS_sched_yield,
    SYS_clock_gettime,  SYS_getrandom,    SYS_getpid,          SYS_gettid, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit,   SYS_exit_group,
#ifdef SYS_poll
    SYS_poll,
#endif
};

/// The filter is a program of the kernel's packet filter, over the number and the arguments of each call.
class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
        loadNumber();
    }
    void allow(long call) {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    /// If the low half of an argument has none of the bits.
    void allowWithout(long call, std::size_t argument, std::uint32_t bits) {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
        loadArgument(argument);
        add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        add(BPF_RET | BPF_K, kRefuse);
    }
    void allowOnly(long call, std::size_t argument, std::uint32_t value) {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
        loadArgument(argument);
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        add(BPF_RET | BPF_K, kRefuse);
    }
    bool install() {
        add(BPF_RET | BPF_K, kRefuse);
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

private:
    void add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
        code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
    }
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
    void loadNumber() { load(offsetof(seccomp_data, nr)); }
    void loadArgument(std::size_t argument) {  // its low half: both machines are little-endian
        load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
    }
    std::vector<sock_filter> code_;
};

}  // namespace

bool enterSandbox() {
    Filter filter;
    for (const long call : kAllowed) filter.allow(call);
    filter.allowWithout(SYS_mmap, 2, PROT_EXEC);
    filter.allowWithout(SYS_mprotect, 2, PROT_EXEC);
    filter.allowOnly(SYS_tgkill, 0, static_cast<std::uint32_t>(::getpid()));  // abort() sends itself a signal
    return filter.install();
}

#else

bool enterSandbox() { return false; }

#endif

}  // namespace pelt::io
