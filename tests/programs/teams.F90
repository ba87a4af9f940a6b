! A Fortran program whose loop two OpenMP threads share, and whose main thread does a part alone.
!   teams STEPS STEP_S
program teams
   use mpi
   use omp_lib
   implicit none
   integer :: error, rank, step, steps, thread, unit
   double precision :: step_s, begin_s, cpu_s, sum, total
   character(len=64) :: word
   character(len=4096) :: truth

   call get_command_argument(1, word)
   read (word, *) steps
   call get_command_argument(2, word)
   read (word, *) step_s
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call cpu_time(begin_s)
   sum = 0
   do step = 1, steps
      !$omp parallel do schedule(static, 1) reduction(+:sum)
      do thread = 1, 2
         sum = sum + work(step_s/2)
      end do
      sum = sum + work(step_s/4)
   end do
   call cpu_time(cpu_s)
   cpu_s = cpu_s - begin_s
   call MPI_Allreduce(sum, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
   print '(a, i0, a, f0.1)', 'rank ', rank, ': ', total
   call get_environment_variable('TRUTH', truth, status=error)
   if (error == 0) then
      write (word, '(a, i0)') '.', rank
      open (newunit=unit, file=trim(truth)//trim(word))
      write (unit, '(a, i0, a, f20.9, a)') '{"rank": ', rank, ', "cpu_s": ', cpu_s, '}'
      close (unit)
   end if
   call MPI_Finalize(error)

contains

   ! By the processor's clock of this thread, which Fortran does not give: as many turns as take about so long.
   double precision function work(seconds)
      double precision, intent(in) :: seconds
      integer(kind=8) :: turn, turns
      double precision :: x
      turns = int(seconds*4.0d8, kind=8)
      x = 0
      do turn = 1, turns
         x = x + 1.0d0/turn
      end do
      work = anint(x)
   end function work

end program teams
