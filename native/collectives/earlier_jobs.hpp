// What earlier jobs of this user found on this cluster, so that a short job need not find it out again: a flow table
// (table.hpp) in $CLEARWAY_FLOW_MEMORY, or else the user's cache directory. It is where a trial begins and no more; a
// job whose network has changed finds that out as any other would.
//
// One file for hosts of like names, an MPI and network cards. Rank 0 of a communicator reads it and tells the others,
// so nodes need not see the same files. Rank 0 of the job writes it, in MPI_Finalize. Nothing is said where that fails.
#pragma once

#include <string>

#include "collectives/table.hpp"

namespace clearway::collectives {

// The lines for so many ranks and hosts, as text without a title; empty where there are none. The file is read at the
// first call.
std::string remembered_lines(std::uint32_t ranks, std::uint32_t hosts);

// To be written at the end; takes the place of what an earlier job said of the same operation and shape.
void remember(const TableLine& line);

// To be called once, before MPI_Finalize.
void write_memory();

// Lines of `old`, without those that `found` says anew, and `found` behind them; of too many the last ones.
std::vector<TableLine> merged(const std::vector<TableLine>& old, const std::vector<TableLine>& found);

// Host names without their digits: "node017" and "node4" are of one cluster.
std::string cluster_name(std::string_view host);

}  // namespace clearway::collectives
