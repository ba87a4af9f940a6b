#include "simulator/command/options.hpp"

#include <concepts>
#include <string_view>

namespace clearway::simulator {

namespace {

using command_line::Option;
using command_line::Parsed;

constexpr std::string_view kHead =
    "usage: clearway-simulate [OPTIONS]\n"
    "\n"
    "Simulates calls of a collective operation, or a job, packet by packet, and prints what happened as JSON.\n"
    "`clearway predict` shows the same as tables. The same options print the same bytes.\n"
    "\n";

std::string with_default(std::string_view meaning, std::uint64_t value) {
    if (value == kUnlimited) return std::string(meaning);
    return std::string(meaning).append(" (default ").append(std::to_string(value)).append(")");
}

template <std::unsigned_integral Number>
Option number(std::string_view name, Number& value, std::string_view meaning) {
    return {name, "N", with_default(meaning, value), command_line::number(value)};
}

Option yes_or_no(std::string_view name, bool& value, std::string_view meaning) {
    const auto take = [&value](std::string_view text) {
        std::uint64_t number = 0;
        if (!command_line::to_number(text, number)) return false;
        value = number != 0;
        return true;
    };
    return {name, "N", with_default(meaning, value ? 1 : 0), take};
}

std::vector<Option> options_of(ScenarioOptions& scenario, JobOptions& job) {
    using command_line::numbers;
    using command_line::text;
    return {
        {"--operation", "NAME", "alltoall (default), allgather", text(scenario.operation)},
        {"--candidate", "TEXT", "ALGORITHM[+GATE[:WINDOW]][,chunk:BYTES] (default ordered)", text(scenario.candidate)},
        {"--script", "FILE", "simulate a job instead: what its ranks do (clearway docs workloads)", text(job.script)},
        {"--run", "DIR", "write a Run of it, as if it had been recorded", text(job.run)},
        {"--alltoall", "TEXT", "candidate for its MPI_Alltoall (default ordered)", text(job.alltoall)},
        {"--alltoallv", "TEXT", "candidate for its MPI_Alltoallv (default: as its MPI_Alltoall)", text(job.alltoallv)},
        {"--allgather", "TEXT", "candidate for its MPI_Allgather(v) (default ring)", text(job.allgather)},
        {"--bcast", "TEXT", "candidate for its MPI_Bcast (default: as --collectives says)", text(job.bcast)},
        {"--reduce", "TEXT", "candidate for its MPI_Reduce (likewise)", text(job.reduce)},
        {"--allreduce", "TEXT", "candidate for its MPI_Allreduce (likewise)", text(job.allreduce)},
        {"--collectives", "NAME", "MPI whose algorithms the other operations use: mpich (default), openmpi",
         text(job.collectives)},
        {"--barrier-above", "N", "use no barriers for blocks up to this many bytes (default 0)",
         text(job.barrier_above)},
        {"--places", "H,H,...", "host of each rank of the job (default: hosts are filled in order)", text(job.places)},
        number("--bytes", scenario.block_bytes, "bytes from each rank to each other"),
        number("--hosts", scenario.hosts, "number of hosts"),
        number("--ranks-per-host", scenario.ranks_per_host, "ranks on each host"),
        number("--calls", scenario.calls, "number of calls, one after another on the same connections"),
        number("--pause-ns", scenario.pause_ns, "pause between calls"),
        {"--meeting", "NAME",
         "barrier before each call, which ranks then time themselves: none (default), dissemination, doubling, linear",
         text(scenario.meeting)},
        yes_or_no(
            "--gather-first", scenario.gathers_first,
            "1: each rank begins the next call when its own has ended; before the barrier, they exchange its time"),
        number("--seed", scenario.seed, "seed of the random numbers"),
        number("--rate-bps", scenario.link.rate_bps, "speed of each link, in each direction"),
        number("--latency-ns", scenario.link.latency_ns,
               "latency of each link; a packet through a switch takes two links"),
        number("--buffer-bytes", scenario.buffer_bytes, "buffer of each switch port; 0: deep"),
        number("--burst-bytes", scenario.link.burst_bytes, "bytes that an idle link passes at once (tbf)"),
        number("--mark-bytes", scenario.link.mark_bytes, "mark packets when more bytes wait at a port (ECN)"),
        number("--mark-all-bytes", scenario.link.mark_all_bytes,
               "with --mark-bytes: up to so much, a share of them is marked; 0: all"),
        number("--mark-ppm", scenario.mark_ppm, "that share there, of a million packets (RED)"),
        number("--shared-bytes", scenario.shared_bytes, "one buffer for all ports, with dynamic thresholds"),
        number("--shared-percent", scenario.shared_percent, "part of the free shared buffer that one port may use"),
        number("--crossover", scenario.is_crossover, "1: two hosts and a cable"),
        number("--leaf-hosts", scenario.leaf_hosts, "hosts on each leaf switch; 0: no leaf switches"),
        number("--spines", scenario.spines, "spine switches; each leaf has an uplink to each"),
        number("--fat-tree-ports", scenario.fat_tree_ports, "ports of each switch of a fat tree; 0: no fat tree"),
        number("--router-hosts", scenario.dragonfly.hosts_a_router,
               "hosts on each router of a dragonfly; 0: no dragonfly"),
        number("--group-routers", scenario.dragonfly.routers_a_group, "routers in each group of a dragonfly"),
        number("--router-links", scenario.dragonfly.links_a_router, "links of each router to other groups"),
        number("--uplink-bps", scenario.uplink_bps, "speed of links between switches"),
        number("--uplink-latency-ns", scenario.uplink_latency_ns, "latency of each uplink"),
        number("--uplink-buffer-bytes", scenario.uplink_buffer_bytes, "buffer of each uplink; 0: deep"),
        yes_or_no("--arrivals-first", scenario.arrivals_first,
                  "1: if one packet arrives as another leaves a queue, the arrival counts first"),
        yes_or_no("--cut-through", scenario.cuts_through, "1: switches forward a packet when its head has arrived"),
        number("--header-bytes", scenario.framing.header_bytes, "IP and TCP headers"),
        number("--frame-bytes", scenario.framing.frame_bytes,
               "Ethernet header and checksum of each packet, counted in buffers"),
        number("--least-frame-bytes", scenario.framing.least_frame_bytes, "shortest frame"),
        number("--gap-bytes", scenario.framing.gap_bytes, "preamble and gap of each frame, only on the wire"),
        number("--segment-bytes", scenario.tcp.segment_bytes, "payload of a full packet"),
        number("--initial-window", scenario.tcp.initial_window, "TCP's initial window, in segments"),
        number("--send-buffer-bytes", scenario.tcp.send_buffer_bytes,
               "send buffer of each connection; 0: it grows with the window"),
        number("--receive-buffer-bytes", scenario.tcp.receive_buffer_bytes, "receive buffer of each connection"),
        number("--least-timeout-ns", scenario.tcp.least_timeout_ns, "TCP's minimum RTO"),
        number("--tick-ns", scenario.tcp.tick_ns, "tick of the kernel's timers; 0: exact timers"),
        yes_or_no("--own-ticks", scenario.tcp.own_ticks,
                  "1: timers expire with a tick, and hosts tick at different moments"),
        number("--delayed-ack-ns", scenario.tcp.delayed_ack_ns, "longest delay of an acknowledgement"),
        number("--ack-segments", scenario.tcp.ack_segments,
               "segments acknowledged together; 0: as Linux does, more than one full segment"),
        number("--quick-acks", scenario.tcp.quick_acks, "segments that a new connection acknowledges at once"),
        number("--card-queue-bytes", scenario.tcp.card_queue_bytes,
               "most kernel memory of a connection queued at its card; 0: no limit"),
        number("--pace-bytes-per-s", scenario.tcp.most_bytes_per_s, "pacing rate of each connection; 0: no pacing"),
        yes_or_no("--restart-after-idle", scenario.tcp.restarts_after_idle, "1: slow start after an idle time"),
        yes_or_no("--counts-acks", scenario.tcp.counts_acks,
                  "1: the window grows by a segment for each acknowledgement, as Linux's did before 3.13"),
        yes_or_no("--forward-acks", scenario.tcp.forward_acks,
                  "1: FACK: a gap three segments before the last one reported is a loss"),
        yes_or_no("--probe-tails", scenario.tcp.probes_tails,
                  "1: tail loss probes and RACK, as Linux since 2013 and 2017"),
        yes_or_no("--hystart", scenario.tcp.has_hystart,
                  "1: CUBIC's slow start ends before it loses packets (HyStart)"),
        yes_or_no("--ecn", scenario.tcp.has_ecn, "1: TCP reacts to ECN marks"),
        number("--mtu-bytes", scenario.rdma.mtu_bytes, "RDMA: payload of a full packet; 0: hosts have TCP"),
        number("--rdma-header-bytes", scenario.rdma_header_bytes, "RDMA: headers and checksums of each packet"),
        yes_or_no("--dcqcn", scenario.rdma.has_dcqcn, "RDMA: 1: marks lower the rate of a queue pair (DCQCN)"),
        number("--notification-ns", scenario.rdma.dcqcn.notification_ns,
               "DCQCN: shortest time between two notifications (CNP) of a queue pair"),
        number("--alpha-ns", scenario.rdma.dcqcn.alpha_ns, "DCQCN: alpha falls after so long without a notification"),
        number("--inverse-gain", scenario.rdma.dcqcn.inverse_gain, "DCQCN: 1/g of alpha's moving average"),
        number("--increase-ns", scenario.rdma.dcqcn.increase_ns, "DCQCN: the timer that raises the rate"),
        number("--increase-bytes", scenario.rdma.dcqcn.increase_bytes, "DCQCN: the byte counter that raises the rate"),
        number("--additive-bps", scenario.rdma.dcqcn.additive_bps, "DCQCN: step of the additive increase"),
        number("--hyper-bps", scenario.rdma.dcqcn.hyper_bps, "DCQCN: step of the hyper increase"),
        number("--least-bps", scenario.rdma.dcqcn.least_bps, "DCQCN: lowest rate of a queue pair"),
        number("--eager-bytes", scenario.mpi.eager_bytes, "eager limit: longer messages wait for their receive"),
        yes_or_no("--confirm-bodies", scenario.mpi.confirms_bodies,
                  "1: such a message ends with a confirmation and the answer to it (UCX over TCP)"),
        yes_or_no("--asks-first", scenario.mpi.asks_first,
                  "1: a rank that begins a call sends its own requests before it grants those that wait (LAM)"),
        yes_or_no("--look-twice", scenario.mpi.looks_twice,
                  "1: a rank that has read a message goes on when it has looked in vain for another (Open MPI), where "
                  "cores are shared and looks take time"),
        number("--message-header-bytes", scenario.mpi.header_bytes, "MPI's header before each message"),
        number("--message-ns", scenario.mpi.message_ns, "CPU time of each message sent or received"),
        number("--kilobyte-ns", scenario.mpi.kilobyte_ns, "CPU time of each 1,000 bytes"),
        number("--memory-latency-ns", scenario.mpi.memory_latency_ns, "latency inside a host"),
        number("--memory-kilobyte-ns", scenario.mpi.memory_kilobyte_ns, "CPU time of each 1,000 bytes inside a host"),
        number("--skew-ns", scenario.noise.skew_ns, "ranks start a call up to this much late"),
        number("--noise-period-ns", scenario.noise.period_ns,
               "mean time between two interruptions of a core (OS noise); 0: none"),
        number("--noise-detour-ns", scenario.noise.detour_ns, "mean length of such an interruption"),
        number("--wakeup-ns", scenario.noise.wakeup_ns, "mean time until a waiting rank notices a message"),
        number("--shared-cores", scenario.noise.cores, "cores that all ranks share; 0: each rank has its own"),
        yes_or_no("--bound", scenario.noise.is_bound, "1: each rank keeps to one of them, in turn"),
        number("--packet-ns", scenario.noise.packet_ns,
               "CPU time of the kernel for each packet, where cores are shared"),
        number("--wake-ns", scenario.noise.wake_ns, "CPU time of waking a rank that waits, where cores are shared"),
        number("--switch-ns", scenario.noise.switch_ns,
               "besides, where the core has worked for another rank meanwhile"),
        number("--poll-ns", scenario.noise.poll_ns,
               "CPU time of a waiting rank's look that finds nothing, where cores are shared; 0: it does not look"),
        number("--patience-ns", scenario.noise.patience_ns, "between two such looks"),
        number("--timer-ns", scenario.noise.timer_ns,
               "CPU time of the kernel for each packet that has to wait for a link, where cores are shared"),
        number("--relay-ns", scenario.noise.relay_ns,
               "CPU time of the program that passes all packets through a switch, for each; 0: there is none"),
        yes_or_no("--share-computing", scenario.noise.shares_computing,
                  "1: computing uses those cores; 0: its times already include the waiting"),
        {"--sub-switches", "S,S,...", "the sub-switch that each host is plugged into, numbered from 0",
         numbers(scenario.sub_switch_of_host, 0U, 0xFFFFU)},
        {"--uplinks-bps", "R,R,...", "uplink speed of each sub-switch, if they differ", numbers(scenario.uplinks_bps)},
        {"--uplink-buffers-bytes", "B,B,...", "uplink buffer of each sub-switch, if they differ",
         numbers(scenario.uplink_buffers_bytes)},
        {"--flow-control", "NAME", "off (default), pause, pfc: full ports stop their senders; credits: as InfiniBand",
         text(scenario.flow_control)},
        yes_or_no("--stop-switches", scenario.stops_switches, "1: ports stop other switches as well; 0: only hosts"),
        {"--congestion", "NAME", "cubic (default), reno, dctcp", text(scenario.congestion)},
        {"--timeout-rule", "NAME", "linux (default): SRTT + minimum; rfc6298: the larger of both",
         text(scenario.timeout_rule)},
    };
}

}  // namespace

Parsed parse_options(char** arguments, Request& request) {
    ScenarioOptions options;
    const command_line::Program program{.name = "clearway-simulate",
                                        .complains_as = "error",
                                        .head = kHead,
                                        .column = 26,
                                        .options = options_of(options, request.job),
                                        .take_word = {}};
    if (const Parsed parsed = parse(arguments, program); parsed != Parsed::run) return parsed;
    std::string fault = make_scenario(options, request.scenario);
    if (fault.empty() && !request.job.script.empty()) {
        JobScenario& made = request.made_job.emplace(JobScenario{request.scenario, {}, {}, {}});
        fault = make_job(request.job, ranks_on(request.scenario.problem.placement, 0), made);
    }
    return fault.empty() ? Parsed::run : complain(program, fault);
}

}  // namespace clearway::simulator
