"""A real Slurm on this machine for tests: munged, slurmctld and two nodes, on free ports of the loopback interface.

    with SlurmCluster() as cluster:
        subprocess.run([...], env=cluster.environment)

Everything lives in a temporary folder and ends with the `with` block. Runs as any user; daemons run as that user.
"""
import atexit
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

CONFIGURATION = """\
ClusterName=pelt
SlurmdParameters=config_overrides
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=2
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
SlurmdSpoolDir={folder}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=4
KillWait=1
MinJobAge=300
MaxArraySize=101
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 RealMemory=16000
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 RealMemory=16000
PartitionName=film Nodes=node1,node2 Default=YES State=UP OverSubscribe=NO
"""


def missing_programs():
    return [program for program in PROGRAMS if not shutil.which(program, path=PATH)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def process_numbers():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def texts_of(pid, file):
    """The texts of /proc/PID/FILE; none if the process is gone."""
    try:
        return set(pathlib.Path(f"/proc/{pid}/{file}").read_text(errors="replace").split("\0"))
    except OSError:
        return set()


def parent_of(pid):
    status = " ".join(texts_of(pid, "stat"))
    return int(status.rpartition(")")[2].split()[1]) if status else 0


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class SlurmCluster:
    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pelt-slurm-"))
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.daemons = {}
        atexit.register(self.stop)
        try:
            self._start()
        except BaseException:
            self.show_logs()
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def _start(self):
        # munged refuses folders that others may write to; /tmp itself is fine, as it is sticky.
        munge = self.folder / "munge"
        munge.mkdir(mode=0o755)
        self.folder.chmod(0o755)
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._daemon(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={munge}/socket",
            f"--pid-file={munge}/pid",
            f"--log-file={munge}/log",
            f"--seed-file={munge}/seed",
        )
        self._wait(lambda: (munge / "socket").exists(), "munged")
        (self.folder / "state").mkdir()
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=self.folder, ports=free_ports(3)
            )
        )
        self._daemon("slurmctld", "-D")
        for node in ("node1", "node2"):
            self.start_node(node)
        self._wait(lambda: self.run("sinfo", "-h", "-o", "%T %D").stdout.strip() == "idle 2", "the nodes")

    def _daemon(self, program, *arguments, name=None):
        log = open(self.folder / f"{name or program}.out", "wb")
        # A group of its own, so that what it starts can be ended with it.
        self.daemons[name or program] = subprocess.Popen(
            [shutil.which(program, path=PATH), *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def _wait(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"{what} did not start within {seconds} s")
            time.sleep(0.1)

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True)

    def start_node(self, node):
        (self.folder / f"spool-{node}").mkdir(exist_ok=True)
        self._daemon("slurmd", "-D", "-N", node, name=node)

    def kill_node(self, node):
        """The machine is gone: its daemon and everything that it started."""
        daemon = self.daemons.pop(node)
        victims = [daemon.pid]
        parents = {pid: parent_of(pid) for pid in process_numbers()}
        for victim in victims:
            victims += [pid for pid, parent in parents.items() if parent == victim]
        for pid in victims:
            kill(pid)
        daemon.wait()

    def processes(self, node=None, word=None):
        """Processes of this cluster; of the tasks on one of its nodes; with that word on their command line."""
        settings = {f"SLURM_CONF={self.folder}/slurm.conf"} | ({f"SLURMD_NODENAME={node}"} if node else set())
        found = []
        for pid in process_numbers():
            environment, words = texts_of(pid, "environ"), texts_of(pid, "cmdline")
            if pid != os.getpid() and settings <= environment and (not word or word in words):
                found.append(pid)
        return found

    def show_logs(self):
        for log in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out"), *self.folder.glob("munge/log")]):
            print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")

    def stop(self):
        if not self.folder.exists():
            return
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()
        self.daemons = {}
        for pid in self.processes():
            kill(pid)
        shutil.rmtree(self.folder, ignore_errors=True)
