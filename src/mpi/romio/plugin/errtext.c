/* errtext.c - error codes that carry a text
 *
 * MPICH keeps a ring of messages for its error codes, which the plug-in cannot
 * reach. The plug-in has a second ring of its own. Its error codes are
 *
 *     bit 29      19 18       8  7  6     0
 *         | number | 11 ones  | 0 | class |
 *
 * MPICH's MPI_Error_class looks at the class bits only. Bits 8 to 18 are
 * MPICH's index of a generic message, which is never as large as 2047, so they
 * mark our codes. Open MPI numbers its codes from 0 up, and the program's after
 * them. The number finds the text in the ring. A code that came from another
 * rank, or is too old, has no text here; then the text is that of its class.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define CLASS_MASK 0x7f
#define MARK (0x7ff << 8)
#define NUMBER_SHIFT 19
#define NUMBER_MASK 0x7ff
#define SLOTS 128

struct slot {
    unsigned number;
    char text[480];
};

static struct {
    pthread_mutex_t mutex;
    unsigned last;
    struct slot slot[SLOTS];
} ring = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Names that ROMIO gives its messages -> words. */
static const struct {
    const char *key;
    const char *words;
} catalogue[] = {
    {"**allocmem", "out of memory"},
    {"**arg", "invalid argument"},
    {"**commnotintra", "an intracommunicator is needed"},
    {"**commnull", "null communicator"},
    {"**datarepextent", "the data representation needs an extent function"},
    {"**datarepname", "invalid name of a data representation"},
    {"**datarepused", "data representation already registered"},
    {"**drconvnotsupported", "data representation conversion not supported"},
    {"**dtypenull", "null datatype"},
    {"**fileaccess", "access denied to file"},
    {"**fileamodediff", "access modes differ between ranks"},
    {"**fileamodeone",
     "exactly one of MODE_RDONLY, MODE_WRONLY, MODE_RDWR is needed"},
    {"**fileamoderead", "MODE_CREATE or MODE_EXCL together with MODE_RDONLY"},
    {"**fileamodeseq", "MODE_SEQUENTIAL together with MODE_RDWR"},
    {"**fileexist", "file exists"},
    {"**filename", "invalid file name"},
    {"**filenamedir", "invalid path or directory of file"},
    {"**filenamelong", "file name too long"},
    {"**filenoexist", "file does not exist:"},
    {"**filenospace", "not enough space for file"},
    {"**fileopunsupported", "operation not supported on this file"},
    {"**filequota", "quota exceeded for file"},
    {"**flag", "invalid flag"},
    {"**info", "invalid info"},
    {"**initialized", "MPI is not initialized, or already finalized"},
    {"**io", "I/O error:"},
    {"**ioRMWrdwr", "read-modify-write needs a file opened with MODE_RDWR"},
    {"**ioagnomatch", "no aggregator matches cb_config_list"},
    {"**ioamodeseq", "not possible with MODE_SEQUENTIAL"},
    {"**iobadcount", "invalid count"},
    {"**iobaddisp", "invalid displacement"},
    {"**iobadfh", "invalid file handle"},
    {"**iobadoffset", "invalid offset"},
    {"**iobadoverlap", "file type overlaps itself in a file open for writing"},
    {"**iobadsize", "invalid size"},
    {"**iobadwhence", "invalid whence"},
    {"**iodatarepnomem", "out of memory for a data representation"},
    {"**iodispifseq", "MPI_DISPLACEMENT_CURRENT is only for MODE_SEQUENTIAL"},
    {"**ioetype", "only whole etypes can be accessed"},
    {"**iofiletype", "file type is not made of etypes"},
    {"**iofstypeunsupported", "file system type not supported"},
    {"**ioneedrd", "file is not open for reading"},
    {"**ionegoffset", "negative offset"},
    {"**iopreallocrdwr", "preallocation needs a file open for writing"},
    {"**iordonly", "file is read-only"},
    {"**iorsrc", "ReadStridedColl failed on some rank"},
    {"**iosequnsupported", "MODE_SEQUENTIAL not supported"},
    {"**iosharedfailed", "shared file pointer failed"},
    {"**iosharedunsupported", "shared file pointers not supported here"},
    {"**iosplitcoll", "only one split collective at a time"},
    {"**iosplitcollnone", "no split collective was begun"},
    {"**iowronly", "file is write-only"},
    {"**iowsrc", "a collective call failed on some rank"},
    {"**iowswc", "file type is contiguous but the access is not"},
    {"**mpi_grequest_complete", "cannot complete a request"},
    {"**nomem2", "out of memory"},
    {"**notsame", "arguments differ between ranks:"},
    {"**nullptr", "null pointer"},
    {"**oremote_fail", "open failed on another rank"},
    {"**request", "invalid request"},
    {"**unsupporteddatarep", "data representation not supported"},
};

static const char *words_of(const char *key, size_t len)
{
    for (size_t i = 0; i < sizeof(catalogue) / sizeof(catalogue[0]); i++)
        if (strlen(catalogue[i].key) == len &&
            !memcmp(catalogue[i].key, key, len))
            return catalogue[i].words;
    return NULL;
}

/* "**key rest" -> "words rest"; an unknown key stays, without its stars. */
static void put_in_words(const char *msg, char *out, size_t size)
{
    size_t len = strcspn(msg, " ");
    const char *words = words_of(msg, len);

    if (words)
        snprintf(out, size, "%s%s", words, msg + len);
    else
        snprintf(out, size, "%s", msg + strspn(msg, "*"));
}

int plugin_errtext_add(int errclass, const char *text)
{
    unsigned number;
    struct slot *s;

    pthread_mutex_lock(&ring.mutex);
    number = ring.last = ring.last % NUMBER_MASK + 1;
    s = &ring.slot[number % SLOTS];
    s->number = number;
    snprintf(s->text, sizeof(s->text), "%s", text);
    pthread_mutex_unlock(&ring.mutex);
    return (errclass & CLASS_MASK) | MARK | (int)(number << NUMBER_SHIFT);
}

/* Ours, whether or not its text is here. */
static int is_ours(int code)
{
    return (code & MARK) == MARK && ((unsigned)code >> 30) == 0;
}

int plugin_errtext_class(int code, int *errclass)
{
    if (!is_ours(code))
        return 0;
    *errclass = code & CLASS_MASK;
    return 1;
}

const char *plugin_errtext_get(int code, char *buf, int len)
{
    unsigned number = ((unsigned)code >> NUMBER_SHIFT) & NUMBER_MASK;
    const char *found = NULL;
    struct slot *s = &ring.slot[number % SLOTS];

    if (!is_ours(code))
        return NULL;
    pthread_mutex_lock(&ring.mutex);
    if (number != 0 && s->number == number) {
        snprintf(buf, len, "%s", s->text);
        found = buf;
    }
    pthread_mutex_unlock(&ring.mutex);
    return found;
}

/* ROMIO's one place where error codes are made. A message without a class of
 * its own keeps the class of the error it reports. */
int MPIR_Err_create_code_valist(int lastcode, int fatal, const char fcname[],
                                int line, int errclass, const char generic[],
                                const char specific[], va_list ap)
{
    char msg[400], words[400], text[480];

    (void)fatal;
    if (specific)
        vsnprintf(msg, sizeof(msg), specific, ap);
    else
        snprintf(msg, sizeof(msg), "%s", generic ? generic : "");
    put_in_words(msg, words, sizeof(words));
    snprintf(text, sizeof(text), "%s (%s, line %d)", words, fcname, line);
    if (errclass == MPI_ERR_OTHER && lastcode != MPI_SUCCESS)
        PMPI_Error_class(lastcode, &errclass);
    return plugin_errtext_add(errclass, text);
}

int MPIR_Err_is_fatal(int code)
{
    (void)code;
    return 0;
}

PLUGIN_PUBLIC int PMPI_Error_string(int code, char *string, int *len)
{
    static int (*next)(int, char *, int *);
    char detail[480], errclass[MPI_MAX_ERROR_STRING];
    int n, rc;

    if (!next)
        next = plugin_next("PMPI_Error_string");
    if (!is_ours(code))
        return next(code, string, len);
    if (!plugin_errtext_get(code, detail, sizeof(detail)))
        return next(code & CLASS_MASK, string, len);
    rc = next(code & CLASS_MASK, errclass, &n);
    if (rc != MPI_SUCCESS)
        return rc;
    *len = snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", errclass, detail);
    if (*len >= MPI_MAX_ERROR_STRING)
        *len = MPI_MAX_ERROR_STRING - 1;
    return MPI_SUCCESS;
}
int MPI_Error_string(int code, char *string, int *len)
    PLUGIN_WEAK(PMPI_Error_string);

void MPIR_Err_get_string(int code, char *string, int len,
                         MPIR_Err_get_class_string_func_t unused)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    (void)unused;
    if (PMPI_Error_string(code, text, &n) != MPI_SUCCESS)
        snprintf(text, sizeof(text), "error code %d", code);
    snprintf(string, len, "%s", text);
}
