// The job's file descriptors, as the sampler sees them.
//
// Where two threads share a table of descriptors, the kernel counts references at each system call on a file: 25 to 50
// ns more for each lseek, read and write. A program of one thread would pay that for our sampler. So the sampler has a
// table of its own, and borrows a descriptor of the job's for as long as it looks at it (pidfd_getfd(2), Linux 5.6;
// where that is not allowed, in some containers, they share).
#pragma once

namespace clearway::recorder {

// For the sampler, before it looks at anything.
void leave_descriptor_table();

// Whether this thread has left it: what it opens is not the job's.
bool has_own_descriptors();

class JobDescriptor {
public:
    explicit JobDescriptor(int fd);
    ~JobDescriptor();
    JobDescriptor(const JobDescriptor&) = delete;
    JobDescriptor& operator=(const JobDescriptor&) = delete;
    int get() const { return fd_; }  // -1 where the job has none of this number

private:
    int fd_;
    bool borrowed_;
};

}  // namespace clearway::recorder
