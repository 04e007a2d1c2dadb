! field_f08.f90 - a Fortran application: a 4-D field, module mpi_f08
! SPDX-License-Identifier: LicenseRef-romio-lustre
!
! q(x, y, z, variable) of double precision lies in one file in Fortran's order,
! cut into blocks along x, y and z. All ranks write it by one collective call
! and read back the block of the next rank, so that no rank compares what it
! wrote itself. Prints and ends as the C programs here do.
program field_f08
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64, int64, error_unit
  implicit none
  integer, parameter :: variables = 5, nmax(4) = [48, 40, 36, variables]
  character(len=1024) :: path
  logical :: writing, reading
  integer :: rank, nproc, grid(3), code
  integer(int64) :: wrong, all_wrong

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc)
  call arguments(code)
  wrong = 0
  if (code == 0) then
     grid = 0
     call MPI_Dims_create(nproc, 3, grid)
     if (rank == 0) print '(a, i0, a)', 'field_f08: ', nproc, &
          ' ranks, MPI-IO, collective, files 1, calls 1'
     if (writing) call transfer_field('write', rank)
     if (reading) call transfer_field('read', mod(rank + 1, nproc))
     call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER8, MPI_SUM, &
          MPI_COMM_WORLD)
     if (all_wrong > 0) code = 3
     if (code == 3 .and. rank == 0) write (error_unit, '(3a, i0, a)') &
          'field_f08: ', trim(path), ': ', all_wrong, ' numbers are wrong'
  end if
  call MPI_Finalize()
  if (code /= 0) stop code, quiet=.true.

contains

  subroutine arguments(code)
    integer, intent(out) :: code
    character(len=1024) :: arg
    integer :: i

    path = ' '
    writing = .false.
    reading = .false.
    code = 0
    do i = 1, command_argument_count()
       call get_command_argument(i, arg)
       select case (arg)
       case ('-w')
          writing = .true.
       case ('-r')
          reading = .true.
       case default
          path = trim(arg) // '/field_f08.dat'
          if (arg(1:1) == '-') code = 2
       end select
    end do
    if (path == ' ') code = 2
    if (code /= 0 .and. rank == 0) write (error_unit, '(a)') &
         'usage: field_f08 [-w] [-r] DIR   (default: both; the file stays)'
    if (.not. (writing .or. reading)) then
       writing = .true.
       reading = .true.
    end if
  end subroutine arguments

  ! The block of a rank: its length and start (from 0) in each dimension.
  subroutine block_of(who, n, start)
    integer, intent(in) :: who
    integer, intent(out) :: n(4), start(4)
    integer :: d, rest, here

    rest = who
    do d = 1, 3
       here = mod(rest, grid(d))
       rest = rest / grid(d)
       start(d) = nmax(d) * here / grid(d)
       n(d) = nmax(d) * (here + 1) / grid(d) - start(d)
    end do
    n(4) = variables
    start(4) = 0
  end subroutine block_of

  pure function value_at(i, j, k, v) result(x)
    integer, intent(in) :: i, j, k, v
    real(real64) :: x

    x = real(i + nmax(1) * (j + nmax(2) * (k + nmax(3) * v)), real64) + 0.5_real64
  end function value_at

  subroutine transfer_field(phase, who)
    character(len=*), intent(in) :: phase
    integer, intent(in) :: who
    real(real64), allocatable :: q(:, :, :, :)
    integer :: n(4), start(4), i, j, k, v
    double precision :: seconds

    call block_of(who, n, start)
    allocate (q(n(1), n(2), n(3), n(4)))
    q = -1
    if (phase == 'write') then
       forall (i = 1:n(1), j = 1:n(2), k = 1:n(3), v = 1:n(4)) &
            q(i, j, k, v) = value_at(start(1) + i - 1, start(2) + j - 1, &
            start(3) + k - 1, v - 1)
    end if
    call move(phase, q, n, start, seconds)
    if (phase == 'read') then
       do v = 1, n(4)
          do k = 1, n(3)
             do j = 1, n(2)
                do i = 1, n(1)
                   if (q(i, j, k, v) /= value_at(start(1) + i - 1, &
                        start(2) + j - 1, start(3) + k - 1, v - 1)) &
                        wrong = wrong + 1
                end do
             end do
          end do
       end do
    end if
    if (rank == 0) print '(a8, f10.4, a, f10.2, a)', phase, seconds, ' s', &
         product(real(nmax, real64)) * 8 / 1048576 / seconds, ' MiB/s'
  end subroutine transfer_field

  ! Open, one collective call, close; the slowest rank's time.
  subroutine move(phase, q, n, start, seconds)
    character(len=*), intent(in) :: phase
    real(real64), intent(inout) :: q(:, :, :, :)
    integer, intent(in) :: n(4), start(4)
    double precision, intent(out) :: seconds
    type(MPI_File) :: fh
    type(MPI_Datatype) :: part
    type(MPI_Status) :: status
    integer :: mode, ierr, got
    double precision :: begin

    mode = MPI_MODE_RDONLY
    if (phase == 'write') mode = ior(MPI_MODE_CREATE, MPI_MODE_WRONLY)
    call MPI_Type_create_subarray(4, nmax, n, start, MPI_ORDER_FORTRAN, &
         MPI_DOUBLE_PRECISION, part)
    call MPI_Type_commit(part)
    call MPI_Barrier(MPI_COMM_WORLD)
    begin = MPI_Wtime()
    call MPI_File_open(MPI_COMM_WORLD, trim(path), mode, MPI_INFO_NULL, fh, ierr)
    call must(ierr, 'open')
    call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, part, &
         'native', MPI_INFO_NULL, ierr)
    call must(ierr, 'set_view')
    if (phase == 'write') then
       call MPI_File_write_all(fh, q, size(q), MPI_DOUBLE_PRECISION, status, ierr)
    else
       call MPI_File_read_all(fh, q, size(q), MPI_DOUBLE_PRECISION, status, ierr)
    end if
    call must(ierr, phase)
    call MPI_File_close(fh, ierr)
    call must(ierr, 'close')
    seconds = MPI_Wtime() - begin
    call MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
         MPI_COMM_WORLD)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, got)
    if (got /= size(q)) wrong = wrong + size(q) - got
    call MPI_Type_free(part)
  end subroutine move

  ! Collective: an error of one rank ends all ranks; none is left waiting.
  subroutine must(ierr, what)
    integer, intent(in) :: ierr
    character(len=*), intent(in) :: what
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length, first

    first = merge(nproc, rank, ierr == MPI_SUCCESS)
    call MPI_Allreduce(MPI_IN_PLACE, first, 1, MPI_INTEGER, MPI_MIN, &
         MPI_COMM_WORLD)
    if (first == nproc) return
    if (rank == first) then
       call MPI_Error_string(ierr, text, length)
       write (error_unit, '(a, i0, 6a)') 'field_f08: rank ', rank, ': ', &
            trim(path), ': ', what, ': ', text(1:length)
    end if
    call MPI_Finalize()
    stop 1, quiet=.true.
  end subroutine must
end program field_f08
