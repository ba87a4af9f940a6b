! Collectives through one of the three Fortran bindings, -DUSE_MPIF_H, -DUSE_MPI or -DUSE_MPI_F08, whose results the
! program knows beforehand.
#ifdef USE_MPI_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

program fortran
#if defined(USE_MPI_F08)
   use mpi_f08
#elif defined(USE_MPI)
   use mpi
#endif
   implicit none
#if defined(USE_MPIF_H)
   include 'mpif.h'
#endif

   integer, parameter :: most = 16, each = 30
   integer, save :: outgoing(each*most), incoming(each*most)
   integer, save :: counts(most), places(most), byte_places(most)
   HANDLE(MPI_Datatype), save :: types(most)
   HANDLE(MPI_Datatype) :: pairs
   integer :: rank, ranks, turn, ierror

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   call MPI_Type_vector(each/2, 1, 1, MPI_INTEGER, pairs, ierror)
   call MPI_Type_commit(pairs, ierror)
   counts = each
   places = [(each*(turn - 1), turn=1, most)]
   byte_places = 4*places
   types = MPI_INTEGER
   do turn = 1, 12
      call prepare()
      call MPI_Alltoall(outgoing, each, MPI_INTEGER, incoming, each, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call expect_exchanged('MPI_Alltoall')
      call prepare()
      incoming = outgoing
      call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, incoming, each, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call expect_exchanged('MPI_Alltoall in place')
      call prepare()
      call MPI_Alltoall(outgoing, 2, pairs, incoming, each, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call expect_exchanged('MPI_Alltoall of a derived type')
      call prepare()
      call MPI_Alltoallv(outgoing, counts, places, MPI_INTEGER, incoming, counts, places, MPI_INTEGER, &
                         MPI_COMM_WORLD, ierror)
      call expect_exchanged('MPI_Alltoallv')
#ifndef WITHOUT_ALLTOALLW
      call prepare()
      call MPI_Alltoallw(outgoing, counts, byte_places, types, incoming, counts, byte_places, types, &
                         MPI_COMM_WORLD, ierror)
      call expect_exchanged('MPI_Alltoallw')
#endif
      call prepare()
      call MPI_Allgather(outgoing, each, MPI_INTEGER, incoming, each, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call expect_gathered('MPI_Allgather')
      call prepare()
      incoming(rank*each + 1:(rank + 1)*each) = outgoing(1:each)
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, incoming, each, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call expect_gathered('MPI_Allgather in place')
      call prepare()
      call MPI_Allgatherv(outgoing, each, MPI_INTEGER, incoming, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call expect_gathered('MPI_Allgatherv')
   end do
   call MPI_Type_free(pairs, ierror)
   if (rank == 0) print '(a)', 'all calls agree'
   call MPI_Finalize(ierror)

contains

   integer function number(from, to, i)
      integer, intent(in) :: from, to, i
      number = ((turn*most + from)*most + to)*each + i
   end function

   subroutine prepare()
      integer :: to, i
      do to = 0, ranks - 1
         do i = 1, each
            outgoing(to*each + i) = number(rank, to, i)
         end do
      end do
      incoming = -1
   end subroutine

   subroutine expect_exchanged(what)
      character(*), intent(in) :: what
      integer :: from, i
      do from = 0, ranks - 1
         do i = 1, each
            if (incoming(from*each + i) /= number(from, rank, i)) call fail(what)
         end do
      end do
   end subroutine

   subroutine expect_gathered(what)
      character(*), intent(in) :: what
      integer :: from, i
      do from = 0, ranks - 1
         do i = 1, each
            if (incoming(from*each + i) /= number(from, 0, i)) call fail(what)
         end do
      end do
   end subroutine

   subroutine fail(what)
      character(*), intent(in) :: what
      print '(2a)', 'other numbers received: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
   end subroutine
end program
