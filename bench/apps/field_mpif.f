C     field_mpif.f - a Fortran application: a 3-D field, mpif.h
c SPDX-License-Identifier: LicenseRef-romio-lustre
C
C     q(x, y, z) of double precision in one file, dealt to the ranks by
C     mpi_type_create_darray: blocks along y and z, x in turn by 4 planes.
C     Every rank writes its part by one collective call; then the file is
C     read in whole planes, by a contiguous view, and compared.
      program field
      implicit none
      include 'mpif.h'
      integer nx, ny, nz, cyclic
      parameter (nx = 64, ny = 48, nz = 30, cyclic = 4)
      double precision q(nx * ny * nz)
      integer rank, nproc, ierr, i, j, k, n, m, code, part, bytes
      integer sizes(3), distribs(3), dargs(3), grid(3)
      integer coord(3), first, last
      integer wrong, allwrong
      integer (kind=MPI_OFFSET_KIND) disp
      logical dowrite, doread
      character*1024 path, arg
      double precision value

      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, nproc, ierr)
      path = ' '
      dowrite = .false.
      doread = .false.
      do i = 1, command_argument_count()
         call get_command_argument(i, arg)
         if (arg .eq. '-w') then
            dowrite = .true.
         else if (arg .eq. '-r') then
            doread = .true.
         else if (arg(1:1) .ne. '-') then
            path = trim(arg) // '/field_mpif.dat'
         end if
      end do
      if (path .eq. ' ') then
         if (rank .eq. 0) write (0, *)
     $        'usage: field_mpif [-w] [-r] DIR   (default: both)'
         call mpi_finalize(ierr)
         call exit(2)
      end if
      if (rank .eq. 0) print '(a, i0, a)', 'field_mpif: ', nproc,
     $     ' ranks, MPI-IO, collective, files 1, calls 1'
      bytes = 8
      wrong = 0

      if (dowrite .or. .not. doread) then
C        the grid's first dimension varies slowest in a darray
         do i = 1, 3
            grid(i) = 0
            distribs(i) = MPI_DISTRIBUTE_BLOCK
            dargs(i) = MPI_DISTRIBUTE_DFLT_DARG
         end do
         distribs(1) = MPI_DISTRIBUTE_CYCLIC
         dargs(1) = cyclic
         sizes(1) = nx
         sizes(2) = ny
         sizes(3) = nz
         call mpi_dims_create(nproc, 3, grid, ierr)
         call mpi_type_create_darray(nproc, rank, 3, sizes, distribs,
     $        dargs, grid, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION,
     $        part, ierr)
         call mpi_type_commit(part, ierr)
         coord(1) = rank / (grid(2) * grid(3))
         coord(2) = mod(rank / grid(3), grid(2))
         coord(3) = mod(rank, grid(3))
         n = 0
         do k = 0, nz - 1
            if (k / ((nz + grid(3) - 1) / grid(3)) .ne. coord(3)) cycle
            do j = 0, ny - 1
               if (j / ((ny + grid(2) - 1) / grid(2)) .ne. coord(2))
     $              cycle
               do i = 0, nx - 1
                  if (mod(i / cyclic, grid(1)) .ne. coord(1)) cycle
                  n = n + 1
                  q(n) = value(i + nx * (j + ny * k))
               end do
            end do
         end do
         disp = 0
         call move('write', path, q, n, disp, part, nx * ny * nz)
         call mpi_type_free(part, ierr)
      end if

      if (doread .or. .not. dowrite) then
         first = nz * rank / nproc
         last = nz * (rank + 1) / nproc
         n = nx * ny * (last - first)
         disp = first
         disp = disp * nx * ny * bytes
         m = nx * ny * first
         do i = 1, n
            q(i) = -1
         end do
         call move('read', path, q, n, disp, MPI_DOUBLE_PRECISION,
     $        nx * ny * nz)
         do i = 1, n
            if (q(i) .ne. value(m + i - 1)) wrong = wrong + 1
         end do
      end if
      call mpi_allreduce(wrong, allwrong, 1, MPI_INTEGER, MPI_SUM,
     $     MPI_COMM_WORLD, ierr)
      code = 0
      if (allwrong .gt. 0) then
         code = 3
         if (rank .eq. 0) write (0, '(3a, i0, a)') 'field_mpif: ',
     $        trim(path), ': ', allwrong, ' numbers are wrong'
      end if
      call mpi_finalize(ierr)
      call exit(code)
      end

C     what is at a place, counted from 0
      double precision function value(place)
      implicit none
      integer place
      value = place * 2d0 + 1d0
      end

C     open, one collective call, close; prints the slowest rank's time
      subroutine move(phase, path, q, n, disp, view, total)
      implicit none
      include 'mpif.h'
      character*(*) phase, path
      integer n, view, total, fh, ierr, mode, rank
      integer status(MPI_STATUS_SIZE)
      integer (kind=MPI_OFFSET_KIND) disp
      double precision q(*), begin, mine, slowest

      mode = MPI_MODE_RDONLY
      if (phase .eq. 'write') mode = MPI_MODE_CREATE + MPI_MODE_WRONLY
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      begin = mpi_wtime()
      call mpi_file_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, fh,
     $     ierr)
      call must(ierr, path)
      call mpi_file_set_view(fh, disp, MPI_DOUBLE_PRECISION, view,
     $     'native', MPI_INFO_NULL, ierr)
      call must(ierr, path)
      if (phase .eq. 'write') then
         call mpi_file_write_all(fh, q, n, MPI_DOUBLE_PRECISION,
     $        status, ierr)
      else
         call mpi_file_read_all(fh, q, n, MPI_DOUBLE_PRECISION,
     $        status, ierr)
      end if
      call must(ierr, path)
      call mpi_file_close(fh, ierr)
      call must(ierr, path)
      mine = mpi_wtime() - begin
      call mpi_reduce(mine, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX,
     $     0, MPI_COMM_WORLD, ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      if (rank .eq. 0) print '(a8, f10.4, a, f10.2, a)', phase, slowest,
     $     ' s', total * 8d0 / 1048576 / slowest, ' MiB/s'
      end

C     collective: an error of one rank ends all ranks; none is left waiting
      subroutine must(ierr, path)
      implicit none
      include 'mpif.h'
      integer ierr, length, rank, rc, mine, worst
      character*(*) path
      character*(MPI_MAX_ERROR_STRING) text

      call mpi_comm_rank(MPI_COMM_WORLD, rank, rc)
      mine = 0
      if (ierr .ne. MPI_SUCCESS) mine = rank + 1
      call mpi_allreduce(mine, worst, 1, MPI_INTEGER, MPI_MAX,
     $     MPI_COMM_WORLD, rc)
      if (worst .eq. 0) return
      if (worst .eq. rank + 1) then
         call mpi_error_string(ierr, text, length, rc)
         write (0, '(a, i0, 4a)') 'field_mpif: rank ', rank, ': ',
     $        trim(path), ': ', text(1:length)
      end if
      call mpi_finalize(rc)
      call exit(1)
      end
