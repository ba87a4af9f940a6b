! A unit without a name, read again and again, and left open at the end: it prints what it read.
program io_scratch
  implicit none
  integer, parameter :: words = 8192, records = 64
  real(8) :: record(words), total
  integer :: unit, pass, number
  open (newunit=unit, status='scratch', form='unformatted', access='sequential')
  do number = 1, records
    record = number
    write (unit) record
  end do
  total = 0
  do pass = 1, 3
    rewind (unit)
    do number = 1, records
      read (unit) record
      total = total + sum(record)
    end do
  end do
  print '(f0.0)', total / words
end program io_scratch
