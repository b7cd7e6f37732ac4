#include "output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(const struct output *o, int stage, const char *what)
{
    fprintf(stderr, "stage%d: %s=%s: %s: %s\n", stage, o->option, o->file, what, strerror(errno));
    return false;
}

// A device or a pipe cannot be renamed: it is written directly. /dev/stdout may be a
// file, and still must not be.
static bool is_special(const char *file)
{
    struct stat st;
    return strncmp(file, "/dev/std", 8) == 0 || strncmp(file, "/dev/fd/", 8) == 0 ||
           (stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

// A new file beside `file`, so that a rename puts it in that one's place. `name`
// must hold 8 characters more than `file`.
static FILE *open_beside(const char *file, char *name)
{
    sprintf(name, "%s.XXXXXX", file);
    const int fd = mkstemp(name);
    const mode_t mask = umask(0);
    umask(mask);
    if (fd >= 0)
        fchmod(fd, 0666 & ~mask);
    return fd >= 0 ? fdopen(fd, "w") : NULL;
}

// Whether `file` can be written: asked before the run, not after it.
static bool is_writable(const char *file)
{
    struct stat st;
    if (is_special(file))
        return access(file, W_OK) == 0;
    if (stat(file, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (lstat(file, &st) == 0 && access(file, W_OK) != 0)
        return false;   // one that others protect, or a link to nowhere
    char name[strlen(file) + 8];
    FILE *f = open_beside(file, name);
    if (f) {
        fclose(f);
        remove(name);
    }
    return f != NULL;
}

bool output_open(struct output *o, int stage)
{
    signal(SIGXFSZ, SIG_IGN);   // a file too large is a write that fails
    if (is_writable(o->file) && (o->stream = open_memstream(&o->text, &o->size)))
        return true;
    return failed(o, stage, "cannot write it");
}

bool output_save(struct output *o, int stage)
{
    bool ok = fclose(o->stream) == 0;
    if (!o->used)
        return ok;
    const bool special = is_special(o->file);
    char *target = special ? NULL : realpath(o->file, NULL);   // through a link, to what it names
    const char *file = target ? target : o->file;
    char name[strlen(file) + 8];
    fflush(stdout);
    FILE *f = special ? fopen(file, "a") : open_beside(file, name);
    if (f) {
        ok = fwrite(o->text, 1, o->size, f) == o->size && ok;
        ok = fclose(f) == 0 && ok;
        ok = ok && (special || rename(name, file) == 0);
    }
    if (!f || !ok) {
        failed(o, stage, "could not be written whole");
        if (f && !special)
            remove(name);
    }
    free(target);
    free(o->text);
    return f && ok;
}
