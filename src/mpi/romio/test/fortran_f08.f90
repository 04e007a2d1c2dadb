! fortran_f08.f90 - views, shared pointer, info and errors, module mpi_f08
! SPDX-License-Identifier: LicenseRef-romio-lustre
program ff08
  use mpi_f08
  implicit none
  integer, parameter :: n = 64
  type(MPI_File) :: fh
  type(MPI_Info) :: info
  type(MPI_Status) :: status
  type(MPI_Request) :: req
  integer :: rank, nproc, ierr, cnt, errclass, slen
  integer :: mine(n), got(n)
  integer(kind=MPI_OFFSET_KIND) :: at, fsize
  logical :: flag
  character(len=256) :: path
  character(len=MPI_MAX_INFO_VAL) :: val
  character(len=MPI_MAX_ERROR_STRING) :: text

  call get_command_argument(1, path)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc)
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'cb_buffer_size', '1048576')
  call MPI_File_open(MPI_COMM_WORLD, trim(path), &
       ior(MPI_MODE_CREATE, MPI_MODE_RDWR), info, fh, ierr)
  if (ierr /= MPI_SUCCESS) call bad('open')
  call MPI_Info_free(info)
  call MPI_File_get_info(fh, info)
  call MPI_Info_get(info, 'cb_buffer_size', MPI_MAX_INFO_VAL, val, flag)
  if (.not. flag .or. val /= '1048576') call bad('info')
  call MPI_Info_free(info)

  mine = rank + 1
  at = int(rank, MPI_OFFSET_KIND) * n * 4
  call MPI_File_iwrite_at(fh, at, mine, n, MPI_INTEGER, req, ierr)
  if (ierr /= MPI_SUCCESS) call bad('iwrite_at')
  call MPI_Wait(req, status)
  call MPI_File_sync(fh)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_read_ordered(fh, got, n * 4, MPI_BYTE, status, ierr)
  if (ierr /= MPI_SUCCESS) call bad('read_ordered')
  call MPI_Get_count(status, MPI_INTEGER, cnt)
  if (cnt /= n) call bad('count of read_ordered')
  if (any(got /= rank + 1)) call bad('data of read_ordered')
  call MPI_File_get_size(fh, fsize)
  if (fsize /= 4 * n * nproc) call bad('size')
  call MPI_File_close(fh)
  if (fh /= MPI_FILE_NULL) call bad('handle after close')

  call MPI_File_open(MPI_COMM_WORLD, trim(path) // '.absent', &
       MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
  call MPI_Error_class(ierr, errclass)
  if (errclass /= MPI_ERR_NO_SUCH_FILE) call bad('error class')
  call MPI_Error_string(ierr, text, slen)
  if (index(text(1:slen), '.absent') == 0) call bad('error text')
  call MPI_Finalize()

contains

  subroutine bad(what)
    character(len=*), intent(in) :: what
    print *, 'fortran_f08: wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine bad
end program ff08
