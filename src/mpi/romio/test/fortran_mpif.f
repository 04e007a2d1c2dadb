C     fortran_mpif.f - collective write and read from Fortran 77, mpif.h
c SPDX-License-Identifier: LicenseRef-romio-lustre
      program fmpif
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 500)
      integer buf(n), got(n), fh, ierr, rank, nproc, i, cnt, cls, slen
      integer status(MPI_STATUS_SIZE), ftype, handler, called
      integer (kind=MPI_OFFSET_KIND) disp, fsize
      character*256 path
      character*(MPI_MAX_ERROR_STRING) text
      common /seen/ called
      external onerr

      call getarg(1, path)
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, nproc, ierr)
      call mpi_file_open(MPI_COMM_WORLD, path,
     $     MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
      if (ierr .ne. MPI_SUCCESS) call bad('open')

C     round-robin integers: rank, rank + nproc, ...
      call mpi_type_vector(n, 1, nproc, MPI_INTEGER, ftype, ierr)
      call mpi_type_commit(ftype, ierr)
      disp = rank * 4
      call mpi_file_set_view(fh, disp, MPI_INTEGER, ftype, 'native',
     $     MPI_INFO_NULL, ierr)
      if (ierr .ne. MPI_SUCCESS) call bad('set_view')
      do i = 1, n
         buf(i) = (i - 1) * nproc + rank
         got(i) = -1
      end do
      call mpi_file_write_all(fh, buf, n, MPI_INTEGER, status, ierr)
      if (ierr .ne. MPI_SUCCESS) call bad('write_all')
      call mpi_get_count(status, MPI_INTEGER, cnt, ierr)
      if (cnt .ne. n) call bad('count of write_all')
      disp = 0
      call mpi_file_seek(fh, disp, MPI_SEEK_SET, ierr)
      call mpi_file_read_all(fh, got, n, MPI_INTEGER, status, ierr)
      if (ierr .ne. MPI_SUCCESS) call bad('read_all')
      do i = 1, n
         if (got(i) .ne. buf(i)) call bad('data')
      end do
      call mpi_file_get_size(fh, fsize, ierr)
      if (fsize .ne. 4 * n * nproc) call bad('size')
      call mpi_file_close(fh, ierr)
      if (fh .ne. MPI_FILE_NULL) call bad('handle after close')
      call mpi_type_free(ftype, ierr)

C     an error: class, text, and a handler written in Fortran
      path = trim(path) // '.absent'
      call mpi_file_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY,
     $     MPI_INFO_NULL, fh, ierr)
      call mpi_error_class(ierr, cls, i)
      if (cls .ne. MPI_ERR_NO_SUCH_FILE) call bad('error class')
      call mpi_error_string(ierr, text, slen, i)
      if (index(text(1:slen), '.absent') .eq. 0) call bad('error text')
      called = 0
      call mpi_file_create_errhandler(onerr, handler, ierr)
      call mpi_file_set_errhandler(MPI_FILE_NULL, handler, ierr)
      call mpi_file_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY,
     $     MPI_INFO_NULL, fh, ierr)
      if (called .ne. 1) call bad('error handler')
      call mpi_file_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN,
     $     ierr)
      call mpi_errhandler_free(handler, ierr)
      call mpi_finalize(ierr)
      end

      subroutine onerr(fh, code)
      implicit none
      include 'mpif.h'
      integer fh, code, called, cls, ierr
      common /seen/ called
      call mpi_error_class(code, cls, ierr)
      if (cls .eq. MPI_ERR_NO_SUCH_FILE) called = called + 1
      end

      subroutine bad(what)
      implicit none
      include 'mpif.h'
      character*(*) what
      integer ierr
      print *, 'fortran_mpif: wrong: ', what
      call mpi_abort(MPI_COMM_WORLD, 1, ierr)
      end
