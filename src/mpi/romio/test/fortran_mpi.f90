! fortran_mpi.f90 - subarray write and nonblocking read, module mpi
! SPDX-License-Identifier: LicenseRef-romio-lustre
program fmpi
  use mpi
  implicit none
  integer, parameter :: rows = 12, cols = 10
  integer :: fh, ierr, rank, nproc, ftype, req, cnt, status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: zero = 0
  double precision :: a(rows, cols), b(rows, cols)
  character(len=256) :: path

  call get_command_argument(1, path)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, nproc, ierr)
  call mpi_file_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, &
       MPI_INFO_NULL, fh, ierr)
  call must('open')
  ! one array of rows*nproc x cols, this rank has its band of rows
  call mpi_type_create_subarray(2, [rows * nproc, cols], [rows, cols], &
       [rank * rows, 0], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, ftype, ierr)
  call mpi_type_commit(ftype, ierr)
  call mpi_file_set_view(fh, zero, MPI_DOUBLE_PRECISION, ftype, 'native', &
       MPI_INFO_NULL, ierr)
  call must('set_view')
  call random_number(a)
  a = a + rank
  b = -1
  call mpi_file_write_all(fh, a, rows * cols, MPI_DOUBLE_PRECISION, status, &
       ierr)
  call must('write_all')
  call mpi_file_iread_at_all(fh, zero, b, rows * cols, MPI_DOUBLE_PRECISION, &
       req, ierr)
  call must('iread_at_all')
  call mpi_wait(req, status, ierr)
  call mpi_get_count(status, MPI_DOUBLE_PRECISION, cnt, ierr)
  if (cnt /= rows * cols) call bad('count of iread_at_all')
  if (any(a /= b)) call bad('data')
  call mpi_file_close(fh, ierr)
  call must('close')
  call mpi_type_free(ftype, ierr)
  call mpi_finalize(ierr)

contains

  subroutine must(what)
    character(len=*), intent(in) :: what
    if (ierr /= MPI_SUCCESS) call bad(what)
  end subroutine must

  subroutine bad(what)
    character(len=*), intent(in) :: what
    print *, 'fortran_mpi: wrong: ', what
    call mpi_abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine bad
end program fmpi
