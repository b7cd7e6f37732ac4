// What the program's own ELF symbols say: where the shared arrays are, what they
// are called, and which kernel they belong to.
//
// `static thread_local float As[4]` in a kernel is a TLS symbol _ZZ<kernel>E2As, in
// front of the kernels it is _ZL2As, in a namespace there _ZN1n2AsE.
#include "sim_internal.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct sim_array *sim_arrays;
int sim_narrays;
uintptr_t sim_code;

static const char *image;   // the program's file
static const ElfW(Sym) *symbols;
static size_t nsymbols;
static const char *strings;
static uintptr_t load;       // what is added to the addresses in the file

static const void *map_program(void)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return NULL;
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return p == MAP_FAILED ? NULL : p;
}

static void find_symbol_table(void)
{
    image = map_program();
    if (!image)
        sim_die("cannot read /proc/self/exe: the simulator needs /proc");
    const ElfW(Ehdr) *elf = (const void *)image;
    const ElfW(Shdr) *sections = (const void *)(image + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB) {
            symbols = (const void *)(image + sections[i].sh_offset);
            nsymbols = sections[i].sh_size / sizeof *symbols;
            strings = image + sections[sections[i].sh_link].sh_offset;
        }
}

// Splits the mangled name of a function's local variable: _ZZ <function> E
// <length> <name>, perhaps with an ending _<number> that tells two of one name
// apart. Of a variable outside all functions (_ZL <length> <name>, in a namespace
// _ZN <length> <namespace> ... <length> <name> E) the function is "". Returns the
// name, or NULL if it is no such variable.
static char *local_name(const char *mangled, size_t *function_len, const char **ending)
{
    *function_len = 0;
    *ending = "";
    if (strncmp(mangled, "_ZL", 3) == 0 || strncmp(mangled, "_ZN", 3) == 0) {
        const char *name = NULL, *next = mangled + 2 + (mangled[2] == 'N');
        size_t len = 0;
        while (*next == 'L' || isdigit((unsigned char)*next)) {
            char *digits_end;
            len = strtoul(next + (*next == 'L'), &digits_end, 10);
            name = digits_end;
            if (len == 0 || len > strlen(name))
                return NULL;
            next = name + len;
        }
        return name ? strndup(name, len) : NULL;
    }
    if (strncmp(mangled, "_ZZ", 3) != 0)
        return NULL;
    for (const char *e = strchr(mangled, 'E'); e; e = strchr(e + 1, 'E')) {
        char *name;
        size_t len = strtoul(e + 1, &name, 10);
        if (!isdigit((unsigned char)e[1]) || len == 0 || len > strlen(name) ||
            name[len + strspn(name + len, "_0123456789")] != 0)
            continue;
        *function_len = (size_t)(e - (mangled + 3));
        *ending = name + len;
        return strndup(name, len);
    }
    return NULL;
}

// The load address and the TLS block of the program itself, which dl_iterate_phdr
// names first.
struct program {
    uintptr_t load, start, end, tls;
    size_t tls_size;
};

static int visit_program(struct dl_phdr_info *info, size_t size, void *data)
{
    struct program *program = data;
    (void)size;
    program->load = info->dlpi_addr;
    program->start = UINTPTR_MAX;
    program->tls = (uintptr_t)info->dlpi_tls_data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_TLS)
            program->tls_size = h->p_memsz;
        uintptr_t lo = info->dlpi_addr + h->p_vaddr;
        if (h->p_type == PT_LOAD && lo < program->start)
            program->start = lo;
        if (h->p_type == PT_LOAD && lo + h->p_memsz > program->end)
            program->end = lo + h->p_memsz;
    }
    return 1;
}

static struct program find_program(void)
{
    struct program program = {0};
    dl_iterate_phdr(visit_program, &program);
    return program;
}

int sim_is_program_data(uintptr_t address)
{
    struct program program = find_program();
    return address >= program.start && address < program.end;
}

uintptr_t sim_shared_base(size_t *size)
{
    struct program program = find_program();
    *size = program.tls_size;
    return program.tls;
}

// The record that SIM_SHAPE leaves for the array, if there is one.
static const struct sim_array_shape {
    uint32_t element, dims[3];
} *find_shape(const struct sim_array *array)
{
    char wanted[sizeof "sim_shape_" + strlen(array->name)];
    snprintf(wanted, sizeof wanted, "sim_shape_%s", array->name);
    for (size_t i = 0; i < nsymbols; i++) {
        if (ELF64_ST_TYPE(symbols[i].st_info) != STT_OBJECT)
            continue;
        const char *mangled = strings + symbols[i].st_name;
        const char *ending;
        size_t len;
        if (!strstr(mangled, wanted))
            continue;
        char *name = local_name(mangled, &len, &ending);
        int same = name && strcmp(name, wanted) == 0 && len == array->function_len &&
                   memcmp(mangled + 3, array->function, len) == 0 && strcmp(ending, array->ending) == 0;
        free(name);
        if (same)
            return (const void *)(load + symbols[i].st_value);
    }
    return NULL;
}

static void add_array(const ElfW(Sym) *symbol)
{
    const char *mangled = strings + symbol->st_name;
    const char *ending;
    size_t function_len;
    char *name = local_name(mangled, &function_len, &ending);
    if (!name)
        return;
    struct sim_array *a = &sim_arrays[sim_narrays++];
    *a = (struct sim_array){.name = name, .function = mangled + 3,
                            .function_len = function_len, .ending = ending,
                            .offset = (uint32_t)symbol->st_value,
                            .size = (uint32_t)symbol->st_size, .element = 4};
    const struct sim_array_shape *shape = find_shape(a);
    if (shape) {
        a->element = shape->element;
        memcpy(a->dims, shape->dims, sizeof a->dims);
    }
}

// Of an array of float4 or float2, g++ looks in every thread whether it is initialized,
// though there is nothing to do: in a byte of its own, which is not the kernel's.
static int is_guard(const ElfW(Sym) *symbol)
{
    const char *mangled = strings + symbol->st_name;
    return ELF64_ST_TYPE(symbol->st_info) == STT_TLS &&
           (strncmp(mangled, "_ZGV", 4) == 0 || strcmp(mangled, "__tls_guard") == 0);
}

int sim_is_guard(const struct sim_worker *w, uintptr_t address)
{
    for (size_t i = 0; i < nsymbols; i++)
        if (is_guard(&symbols[i]) && address - w->shared_lo - symbols[i].st_value < symbols[i].st_size)
            return 1;
    return 0;
}

void sim_symbols_init(void)
{
    struct program program = find_program();
    sim_code = program.start;
    load = program.load;
    find_symbol_table();
    if (!symbols)
        sim_die("the program has no symbols: do not strip it");
    size_t n = 0;
    for (size_t i = 0; i < nsymbols; i++)
        n += ELF64_ST_TYPE(symbols[i].st_info) == STT_TLS;
    sim_arrays = calloc(n + 1, sizeof *sim_arrays);
    if (!sim_arrays)
        sim_die("out of memory");
    for (size_t i = 0; i < nsymbols; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_TLS)
            add_array(&symbols[i]);
}

const char *sim_mangled_name(const void *kernel)
{
    uintptr_t value = (uintptr_t)kernel - load;
    for (size_t i = 0; i < nsymbols; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_value == value)
            return strings + symbols[i].st_name;
    return "";
}

// What is declared in front of the kernels is of all of them. An extern "C" kernel is
// <length><name> within the names of its variables.
int sim_owns(const char *name, const struct sim_array *array)
{
    char encoded[strlen(name) + 24];   // with its length in front
    if (array->function_len == 0)
        return 1;
    if (strncmp(name, "_Z", 2) == 0)
        snprintf(encoded, sizeof encoded, "%s", name + 2);
    else
        snprintf(encoded, sizeof encoded, "%zu%s", strlen(name), name);
    return strlen(encoded) == array->function_len &&
           memcmp(encoded, array->function, array->function_len) == 0;
}

uintptr_t sim_file_address(uint32_t place)
{
    return sim_code + place - load;
}
