! The same calls through one of the three Fortran bindings: -DUSE_MPIF_H, -DUSE_MPI or -DUSE_MPI_F08.
! Fortran's preprocessor replaces arguments inside quotes, so COUNTED names the call it makes.
#define COUNTED(routine) call tally("routine"); call routine
#ifdef USE_MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS_OF_CALL type(MPI_Status)
#define SOURCE_OF(status) status%MPI_SOURCE
#else
#define HANDLE(kind) integer
#define STATUS_OF_CALL integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(status) status(MPI_SOURCE)
#endif

program fortran
#if defined(USE_MPI_F08)
   use mpi_f08
#elif defined(USE_MPI)
   use mpi
#endif
   use, intrinsic :: iso_c_binding
   implicit none
#if defined(USE_MPIF_H)
   include 'mpif.h'
#endif

   interface
      subroutine tally_call(name, bytes) bind(C)
         import :: c_char, c_long
         character(kind=c_char), intent(in) :: name(*)
         integer(c_long), value :: bytes
      end subroutine
      subroutine tally_result(result, bytes) bind(C)
         import :: c_ptr, c_size_t
         type(c_ptr), value :: result
         integer(c_size_t), value :: bytes
      end subroutine
      subroutine tally_print_checksum(rank) bind(C)
         import :: c_int
         integer(c_int), value :: rank
      end subroutine
      subroutine tally_write(rank) bind(C)
         import :: c_int
         integer(c_int), value :: rank
      end subroutine
   end interface

   integer, parameter :: each = 40, most = 16
   double precision, target, save :: outgoing(each*most), incoming(each*most)
   integer :: rank, ranks, next, previous, ierror

   COUNTED(MPI_Init)(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   next = mod(rank + 1, ranks)
   previous = mod(rank + ranks - 1, ranks)
   call point_to_point()
   call collectives()
   call communicators()
   call one_sided()
   COUNTED(MPI_Finalize)(ierror)
   call tally_print_checksum(rank)
   call tally_write(rank)

contains

   subroutine tally(name)
      character(*), intent(in) :: name
      call tally_call(name//c_null_char, -1_c_long)
   end subroutine

   subroutine fill(seed)
      double precision, intent(in) :: seed
      integer :: i
      do i = 1, size(outgoing)
         outgoing(i) = seed + 100*rank + i/7d0
      end do
      incoming = -1
   end subroutine

   subroutine keep()
      call tally_result(c_loc(incoming), int(8*size(incoming), c_size_t))
   end subroutine

   subroutine point_to_point()
      STATUS_OF_CALL :: status
#ifdef USE_MPI_F08
      type(MPI_Status) :: statuses(2)
#else
      integer :: statuses(MPI_STATUS_SIZE, 2)
#endif
      HANDLE(MPI_Request) :: requests(2)
      integer, target :: source
      integer :: index, guard
      logical :: done

      call fill(1d0)
      if (rank /= 0) then
         COUNTED(MPI_Recv)(incoming, each, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, status, ierror)
      end if
      COUNTED(MPI_Send)(outgoing, each, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, ierror)
      if (rank == 0) then
         COUNTED(MPI_Recv)(incoming, each, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, status, ierror)
      end if
      source = SOURCE_OF(status)
      call tally_result(c_loc(source), 4_c_size_t)
      call keep()

      call fill(2d0)
      COUNTED(MPI_Sendrecv)(outgoing, each, MPI_DOUBLE_PRECISION, next, 2, incoming, each, MPI_DOUBLE_PRECISION, &
                            previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call keep()

      ! Statuses that are asked for must be true, next to what lies behind them in memory.
      call fill(3d0)
      guard = 4711
      COUNTED(MPI_Irecv)(incoming, each, MPI_DOUBLE_PRECISION, previous, 3, MPI_COMM_WORLD, requests(1), ierror)
      COUNTED(MPI_Isend)(outgoing, each, MPI_DOUBLE_PRECISION, next, 3, MPI_COMM_WORLD, requests(2), ierror)
      COUNTED(MPI_Waitall)(2, requests, statuses, ierror)
#ifdef USE_MPI_F08
      source = statuses(1)%MPI_SOURCE
#else
      source = statuses(MPI_SOURCE, 1)
#endif
      if (guard /= 4711 .or. source /= previous) stop 9
      call keep()

      call fill(4d0)
      COUNTED(MPI_Irecv)(incoming, each, MPI_DOUBLE_PRECISION, previous, 4, MPI_COMM_WORLD, requests(1), ierror)
      COUNTED(MPI_Isend)(outgoing, each, MPI_DOUBLE_PRECISION, next, 4, MPI_COMM_WORLD, requests(2), ierror)
      COUNTED(MPI_Waitany)(2, requests, index, MPI_STATUS_IGNORE, ierror)
      COUNTED(MPI_Waitall)(2, requests, MPI_STATUSES_IGNORE, ierror)
      call keep()

      call fill(5d0)
      COUNTED(MPI_Isend)(outgoing, each, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, requests(1), ierror)
      COUNTED(MPI_Probe)(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status, ierror)
      COUNTED(MPI_Recv)(incoming, each, MPI_DOUBLE_PRECISION, SOURCE_OF(status), 5, MPI_COMM_WORLD, status, ierror)
      done = .false.
      do while (.not. done)
         COUNTED(MPI_Test)(requests(1), done, MPI_STATUS_IGNORE, ierror)
      end do
      COUNTED(MPI_Iprobe)(previous, 9999, MPI_COMM_WORLD, done, MPI_STATUS_IGNORE, ierror)
      call keep()
   end subroutine

   subroutine collectives()
      HANDLE(MPI_Request) :: request
      integer :: counts(most), displacements(most), i

      COUNTED(MPI_Barrier)(MPI_COMM_WORLD, ierror)
      call fill(6d0)
      COUNTED(MPI_Allreduce)(outgoing, incoming, each, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
      COUNTED(MPI_Allreduce)(MPI_IN_PLACE, incoming, each, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
      call keep()
      COUNTED(MPI_Bcast)(incoming, each, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
      COUNTED(MPI_Reduce)(outgoing, incoming, each, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
      call keep()
      COUNTED(MPI_Gather)(outgoing, each, MPI_DOUBLE_PRECISION, incoming, each, MPI_DOUBLE_PRECISION, 0, &
                          MPI_COMM_WORLD, ierror)
      COUNTED(MPI_Allgather)(outgoing, each, MPI_DOUBLE_PRECISION, incoming, each, MPI_DOUBLE_PRECISION, &
                             MPI_COMM_WORLD, ierror)
      call keep()
      COUNTED(MPI_Alltoall)(outgoing, each, MPI_DOUBLE_PRECISION, incoming, each, MPI_DOUBLE_PRECISION, &
                            MPI_COMM_WORLD, ierror)
      call keep()
      do i = 1, ranks
         counts(i) = 3
         displacements(i) = 3*(i - 1)
      end do
      COUNTED(MPI_Alltoallv)(outgoing, counts, displacements, MPI_DOUBLE_PRECISION, incoming, counts, displacements, &
                             MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
      call keep()
      COUNTED(MPI_Iallreduce)(outgoing, incoming, each, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, request, ierror)
      COUNTED(MPI_Wait)(request, MPI_STATUS_IGNORE, ierror)
      call keep()
   end subroutine

   subroutine communicators()
      HANDLE(MPI_Comm) :: copy, part, ring
      integer :: shape(1)
      logical :: periodic(1)

      COUNTED(MPI_Comm_dup)(MPI_COMM_WORLD, copy, ierror)
      COUNTED(MPI_Comm_split)(copy, mod(rank, 2), rank, part, ierror)
      COUNTED(MPI_Allreduce)(outgoing, incoming, each, MPI_DOUBLE_PRECISION, MPI_SUM, part, ierror)
      call keep()
      shape = ranks
      periodic = .true.
      COUNTED(MPI_Cart_create)(copy, 1, shape, periodic, .false., ring, ierror)
      COUNTED(MPI_Neighbor_alltoall)(outgoing, 5, MPI_DOUBLE_PRECISION, incoming, 5, MPI_DOUBLE_PRECISION, ring, ierror)
      call keep()
      COUNTED(MPI_Comm_free)(ring, ierror)
      COUNTED(MPI_Comm_free)(part, ierror)
      COUNTED(MPI_Comm_free)(copy, ierror)
   end subroutine

   subroutine one_sided()
      HANDLE(MPI_Win) :: window
      integer(MPI_ADDRESS_KIND) :: bytes, start

      bytes = 8*size(incoming)
      start = 0
      call fill(7d0)
      COUNTED(MPI_Win_create)(incoming, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
      COUNTED(MPI_Win_fence)(0, window, ierror)
      COUNTED(MPI_Put)(outgoing, each, MPI_DOUBLE_PRECISION, next, start, each, MPI_DOUBLE_PRECISION, window, ierror)
      COUNTED(MPI_Win_fence)(0, window, ierror)
      call keep()
      COUNTED(MPI_Win_free)(window, ierror)
   end subroutine
end program
