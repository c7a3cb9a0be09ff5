// Ways out of a sandbox that go by way of the kernel, each tried for real, and what ordinary programs need.
#include "tools/sandbox/system_calls.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text.h"
#include "tools/sandbox/python_sandbox.h"

namespace assay {
namespace {

// What a program printed; nothing if no sandbox can be made here, which is told and asserted elsewhere.
std::string printed(std::string program) {
  EventLoop loop;
  PythonCall call;
  call.program = std::move(program);
  const auto result = loop.run_until_done(run_python(loop, std::move(call)));
  if (!result && result.error().kind == ErrorKind::config) return "no sandbox";
  EXPECT_TRUE(result.has_value()) << result.error().text();
  EXPECT_EQ(text_at(*result, "stderr"), "");
  return text_at(*result, "stdout");
}

// With arguments that would do something, or fail with another error than the filter's.
struct Attempt {
  std::string name;
  long number = 0;
  std::string arguments = {};
};

std::vector<Attempt> attempts() {
  return {
      {"keyctl: own session", SYS_keyctl, "1, None"},
      {"keyctl: read the user's keyring", SYS_keyctl, "11, -4, None, 0"},
      {"keyctl: search", SYS_keyctl, "10, -3, b'user', b'x', 0"},
      {"add_key", SYS_add_key, "b'user', b'x', b'y', 1, -3"},
      {"request_key", SYS_request_key, "b'user', b'x', None, -3"},
      {"io_uring_setup", SYS_io_uring_setup, "4, ctypes.create_string_buffer(120)"},
      {"io_uring_enter", SYS_io_uring_enter, "0, 0, 0, 0, None, 0"},
      {"io_uring_register", SYS_io_uring_register, "0, 0, None, 0"},
      {"ptrace", SYS_ptrace, "0, 0, 0, 0"},
      {"process_vm_readv", SYS_process_vm_readv, "1, None, 0, None, 0, 0"},
      {"process_vm_writev", SYS_process_vm_writev, "1, None, 0, None, 0, 0"},
      {"pidfd_getfd", SYS_pidfd_getfd, "0, 0, 0"},
      {"kcmp", SYS_kcmp, "1, 1, 0, 0, 0"},
      {"mount", SYS_mount, "b'none', b'/tmp', b'tmpfs', 0, None"},
      {"umount2", SYS_umount2, "b'/tmp', 2"},
      {"pivot_root", SYS_pivot_root, "b'/tmp', b'/tmp'"},
      {"chroot", SYS_chroot, "b'/tmp'"},
      {"fsopen", SYS_fsopen, "b'tmpfs', 0"},
      {"fsmount", SYS_fsmount, "0, 0, 0"},
      {"open_tree", SYS_open_tree, "-100, b'/tmp', 1"},
      {"move_mount", SYS_move_mount, "-100, b'/tmp', -100, b'/tmp', 0"},
      {"unshare a user namespace", SYS_unshare, "0x10000000"},
      {"unshare nothing", SYS_unshare, "0"},
      {"clone into a user namespace", SYS_clone, "0x10000000 | 17, None, None, None, 0"},
      {"clone into a network namespace", SYS_clone, "0x40000000 | 17, None, None, None, 0"},
      {"setns", SYS_setns, "0, 0"},
      {"bpf", SYS_bpf, "0, ctypes.create_string_buffer(120), 120"},
      {"perf_event_open", SYS_perf_event_open, "ctypes.create_string_buffer(120), 0, -1, -1, 0"},
      {"userfaultfd", SYS_userfaultfd, "1"},
      {"kexec_load", SYS_kexec_load, "0, 0, None, 0"},
      {"init_module", SYS_init_module, "None, 0, b''"},
      {"finit_module", SYS_finit_module, "0, b'', 0"},
      {"delete_module", SYS_delete_module, "b'x', 0"},
      {"name_to_handle_at", SYS_name_to_handle_at, "-100, b'/tmp', None, None, 0"},
      {"open_by_handle_at", SYS_open_by_handle_at, "-100, None, 0"},
      {"personality", SYS_personality, "0x0040000"},
      {"seccomp", SYS_seccomp, "3, 0, None"},
      {"landlock_create_ruleset", 444, "None, 0, 1"},
      {"memfd_create", SYS_memfd_create, "b'x', 0"},
      {"shmget", SYS_shmget, "0, 4096, 0o1600"},
      {"mq_open", SYS_mq_open, "b'x', 0o102, 0o600, None"},
      {"vmsplice", SYS_vmsplice, "1, None, 0, 0"},
      {"splice", SYS_splice, "0, None, 1, None, 1, 0"},
      {"migrate_pages", SYS_migrate_pages, "0, 0, None, None"},
      {"mbind", SYS_mbind, "None, 0, 0, None, 0, 0"},
      {"quotactl", SYS_quotactl, "0, None, 0, None"},
      {"acct", SYS_acct, "None"},
      {"syslog", SYS_syslog, "3, ctypes.create_string_buffer(120), 120"},
      {"reboot", SYS_reboot, "0, 0, 0, None"},
      {"swapon", SYS_swapon, "b'/tmp/x', 0"},
      {"settimeofday", SYS_settimeofday, "None, None"},
      {"clock_settime", SYS_clock_settime, "0, ctypes.create_string_buffer(120)"},
      {"sethostname", SYS_sethostname, "b'x', 1"},
      {"setuid", SYS_setuid, "0"},
      {"prctl: no dumps", SYS_prctl, "4, 0, 0, 0, 0"},
      {"ioctl: type into the terminal", SYS_ioctl, "0, 0x5412, b'x'"},
      {"fanotify_init", SYS_fanotify_init, "0, 0"},
      {"setxattr", SYS_setxattr, "b'/tmp', b'user.x', b'y', 1, 0"},
      {"mknodat", SYS_mknodat, "-100, b'/tmp/fifo', 0o10600, 0"},
      {"set_mempolicy", SYS_set_mempolicy, "0, None, 0"},
  };
}

TEST(SystemCalls, ThatLeadOutOfTheSandboxAreRefused) {
  std::string program =
      "import ctypes, errno\n"
      "call = ctypes.CDLL(None, use_errno=True).syscall\n"
      "def attempt(name, *arguments):\n"
      "    ctypes.set_errno(0)\n"
      "    done = call(*arguments)\n"
      "    code = errno.errorcode.get(ctypes.get_errno(), 'none')\n"
      "    if done != -1 or code != 'EPERM': print(f'{name}: {done} {code}')\n";
  for (const Attempt& one : attempts())
    program += fmt::format("attempt({:?}, {}, {})\n", one.name, one.number, one.arguments);
  program += "print('all tried')\n";
  const std::string said = printed(program);
  if (said == "no sandbox") return;
  EXPECT_EQ(said, "all tried\n");
}

TEST(SystemCalls, MakeNoSocketsButLocalOnes) {
  std::string program =
      "import socket\n"
      "made = []\n"
      "for family in range(64):\n"
      "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):\n"
      "        try:\n"
      "            socket.socket(family, kind)\n"
      "            made.append(family)\n"
      "        except OSError: pass\n"
      "print(sorted(set(made)))\n"
      "a, b = socket.socketpair()\n"
      "a.send(b'hello'); print(b.recv(5))\n";
  const std::string said = printed(program);
  if (said == "no sandbox") return;
  EXPECT_EQ(said, fmt::format("[{}]\nb'hello'\n", AF_UNIX));
}

TEST(SystemCalls, OfThirtyTwoBitsEndTheProgram) {
#ifdef __x86_64__
  // mov eax, 20 (getpid); int 0x80; ret
  const std::string said = printed(
      "import ctypes, mmap, os\n"
      "pid = os.fork()\n"
      "if pid == 0:\n"
      "    page = mmap.mmap(-1, 4096, prot=7)\n"
      "    page.write(bytes.fromhex('b814000000cd80c3'))\n"
      "    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()\n"
      "    os._exit(0)\n"
      "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n");
  if (said == "no sandbox") return;
  EXPECT_EQ(said, "-31\n") << "SIGSYS";
#endif
}

TEST(SystemCalls, ShowNoKeysOfTheHost) {
  const std::string said = printed(
      "for path in ('/proc/keys', '/proc/key-users'):\n"
      "    try: print(len(open(path).read()))\n"
      "    except OSError: print(0)\n");
  if (said == "no sandbox") return;
  EXPECT_EQ(said, "0\n0\n");
}

TEST(SystemCalls, ThatOrdinaryProgramsMakeAreAllowed) {
  const std::string said = printed(R"(
import asyncio, concurrent.futures, csv, ctypes, datetime, decimal, hashlib, io, json, math, multiprocessing
import os, pathlib, random, re, shutil, signal, sqlite3, statistics, subprocess, tempfile, threading, time, zlib
print(json.dumps({"a": [1, 2]}), list(csv.reader(io.StringIO("a,b"))), math.comb(5, 2))
db = sqlite3.connect('/tmp/x.db')
db.execute('PRAGMA journal_mode=WAL')
db.execute('CREATE TABLE t(a)'); db.execute('INSERT INTO t VALUES (1)'); db.commit()
print(db.execute('SELECT sum(a) FROM t').fetchone())
print(subprocess.run(['sh', '-c', 'echo one | cat'], capture_output=True, text=True).stdout.strip())
results = []
threads = [threading.Thread(target=results.append, args=(i,)) for i in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(results))
with concurrent.futures.ThreadPoolExecutor(2) as pool: print(list(pool.map(abs, [-1, -2])))
async def nap(): await asyncio.sleep(0.001); return 'slept'
print(asyncio.run(nap()))
with multiprocessing.Pool(2) as pool: print(pool.map(math.sqrt, [4.0, 9.0]))
shutil.copy2('/tmp/x.db', '/tmp/y.db'); os.link('/tmp/y.db', '/tmp/z.db'); os.rename('/tmp/z.db', '/tmp/w.db')
with tempfile.TemporaryDirectory() as place: pathlib.Path(place, 'a').write_text('b')
signal.signal(signal.SIGALRM, lambda *_: print('rang')); signal.setitimer(signal.ITIMER_REAL, 0.001); signal.pause()
print(len(os.urandom(4)), os.nice(0) >= 0, time.monotonic() > 0, hashlib.sha256(b'').hexdigest()[:4])
)");
  if (said == "no sandbox") return;
  EXPECT_EQ(said,
            "{\"a\": [1, 2]} [['a', 'b']] 10\n(1,)\none\n[0, 1, 2, 3]\n[1, 2]\nslept\n[2.0, 3.0]\nrang\n"
            "4 True True e3b0\n");
}

}  // namespace
}  // namespace assay
