// What the kernel says of this host and of this process, without privilege.
//
// Everything network is read in the calling process's own network namespace, through /proc/net and ioctls:
// /sys/class/net shows the namespace of whoever mounted it.
//
// Facts of the host file (text; absent where the kernel does not tell):
//   host.cores                        processors online
//   host.memory_bytes                 MemTotal
//   host.kernel                       release
//   host.model                        processor's model name
//   host.virtual                      "yes" where a hypervisor is reported
//   topology.sockets, .cores, .cores_per_socket, .threads_per_core
//   topology.siblings.<n>             hardware threads of each core, "0,64 1,65", where cores have several
//   cpufreq.highest_khz.<n>           of each kind of processors, where there are several (more than a tenth apart):
//                                     "0-15:5200000 16-23:3900000"
//   numa.<node>.cpus (list), .memory_bytes, .distances   of each node that has memory
//   cpufreq.cpuinfo_min_freq_khz, .cpuinfo_max_freq_khz, .scaling_max_freq_khz, .scaling_governor   of processor 0
//   mount.<n>                         "type mount-point source" of each file system that can hold a job's files
//   tcp.congestion_control            default algorithm
//   tcp.rmem_max, tcp.wmem_max        net.core.*: largest socket buffer a program may ask for, bytes
//   tcp.rmem, tcp.wmem                net.ipv4.tcp_*: min default max, bytes
//   tcp.rto_min_us                    shortest retransmission timeout, where the kernel has the setting
//   tcp.ecn, tcp.mtu_probing, tcp.slow_start_after_idle, tcp.sack, tcp.window_scaling, tcp.timestamps
//   memory.page_fault_ns              what touching a fresh page and giving it back takes
//   shm.size_bytes, .free_bytes       of the file system on /dev/shm, before MPI_Init
//   net.<if>.speed_mbit, .duplex      as negotiated
//   net.<if>.supported_mbit           the fastest that the card could do
//   net.<if>.shaped_bytes_per_s       a token-bucket filter's rate, where the host has one on the interface
//   net.<if>.driver                   "e1000e", "veth"
//   net.<if>.mtu
//   net.<if>.addresses                space-separated
//   net.<if>.networks                 "10.77.0.0/16", one an address
//   net.<if>.pause_autoneg, .rx_pause, .tx_pause   Ethernet flow control: on or off
//   batch.<NAME>                      variables of a batch system; see batch.cpp
//   other_jobs.in                     the folder of Slurm's control groups, where these tell of other jobs on this host
//   rdma.<device>.<port>.mbit, .layer active ports of /sys/class/infiniband; layer: InfiniBand or Ethernet
//
// Counters of the host file (first and newest value):
//   net.<if>.rx_bytes, .tx_bytes, .rx_packets, .tx_packets, .rx_dropped, .tx_dropped, .rx_errors, .tx_errors
//   net.<if>.<name>                   the driver's statistics whose name contains "pause"
//   tcp.OutSegs, tcp.InSegs, tcp.RetransSegs, tcp.InErrs     of /proc/net/snmp
//   tcpext.TCPTimeouts, .TCPLossProbes, …                    of /proc/net/netstat, see kTcpExt in tcp.cpp
//   cpu.user_ms, .system_ms, .idle_ms, .iowait_ms, .steal_ms, .softirq_ms   summed over processors
//   launcher.<pid>.cpu_ms             of the job's launcher and its daemons above the first process of the host
//   other_jobs.<job>.cpu_ms           of the processes of another job of Slurm's on this host
//   cpu.package_throttles, .package_throttled_ms   of the socket of processor 0, for its heat: how often, how long
//   cpufreq.current_khz               of processor 0
//   cpufreq.sum_khz, .samples         of all samples of it since the first
//   memory.available_bytes, memory.dirty_bytes, swap.used_bytes
//   memory.oom_kills                  processes that the kernel killed for want of memory, of anybody on this machine
//   memory.swapped_in_pages, .swapped_out_pages
//   pressure.cpu_us, pressure.io_us, pressure.memory_us      PSI: time in which some task waited
//
// Facts of the rank file:
//   process.program, .command_line (shell-quoted), .cwd, .nodename, .cgroup
//   process.comm                      its short name in the kernel as it began; under QEMU that of QEMU
//   process.cpus_allowed              processors that it might use as it began (list)
//   process.allocator                 the file of the malloc that it calls, where that is not the C library's
//   process.user_namespace            "user:[4026531837]"; ranks in two of them cannot read each other's memory
//   process.stdout                    path, when standard output is a regular file
//   process.stdout_to                 else what it leads to: "/dev/pts/3", "pipe:[4711]"
//   openmp.default_schedule           a loop of the program is divided as OMP_SCHEDULE says; without it so: "static" by
//                                     LLVM's and Intel's runtimes, "dynamic" by GCC's
//   process.limit_locked_bytes, .limit_stack_bytes, .limit_open_files
//   process.cgroup_cpus               processors that the control group grants: "1.500"
//   process.cgroup_cpus_at            the folder of the level that grants no more: /sys/fs/cgroup/cpu/jobs/42
//   process.cgroup_memory_bytes       that the control group grants
//   process.cgroup_memory_high_bytes  beyond which it slows its processes down (version 2)
//   process.cgroup_memory_at          the folder of the level that sets the lower of the two
//   process.cgroup_cpuset             processors that the control group may use at all (list)
//   process.launcher_cpus             that the nearest of the job's launcher's processes above it may use (list)
//   environment.<NAME>                variables that decide about speed, at most 64; see environment.cpp
//
// Counters of the rank file:
//   process.rss_bytes, .peak_rss_bytes, .threads (without ours)
//   process.cpu_all_threads_ns, .run_delay_all_threads_ns (threads alive at the sample)
//   process.main_system_ms            CPU time that the kernel took for the main thread
//   process.children_cpu_ns           of programs that it started, and waited for
//   process.voluntary_switches, .involuntary_switches, .major_faults, .minor_faults
//   process.mapped_bytes              by calls of mmap from outside the C library
//   process.migrations                of the main thread, from one processor to another
//   process.read_bytes, .write_bytes  that reached the block layer
//   process.sampled_pages_near, .sampled_pages_far   of up to 256 of its pages: those on the memory node of the
//                                     processor that the main thread ran on last, and those on others
//   process.own_cpus_busy_ms          of the processors that it may use, where these are not all of the machine's
//   process.cgroup_throttled_us       for which the control group was stopped on each processor, summed: it had used up
//                                     what it is granted; at the level that grants least
//   process.cgroup_periods            of the limit, 100 ms each as a rule
//   process.cgroup_throttled_periods  those in which it was stopped
//   process.cgroup_memory_hits        how often the control group had no memory left, and had to take some back
//   process.cgroup_memory_stalled_us  in which one of the control group's processes waited for memory (version 2)
//   process.cgroup_oom_kills          processes of the control group that the kernel killed for want of memory
#pragma once

#include "recorder/threads/thread_uses.hpp"

namespace clearway::recorder {

void describe_host();
void sample_host();

void describe_process();
void sample_process(Names names = Names::kNowAndThen);

}  // namespace clearway::recorder
