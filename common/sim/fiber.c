// Fibers: the stacks of a block's threads, and the switch from one to another.
//
// A switch saves the registers that a C function must keep, on the stack, and
// leaves by an indirect jump: a `ret` would be mispredicted every time.
#include "sim_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "fiber.h"

#if !defined(SIM_UCONTEXT) && defined(__x86_64__)

__asm__(".text\n"
        ".globl sim_switch\n"
        ".type sim_switch, @function\n"
        "sim_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n"
        "    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n"
        "    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    pop %rcx\n"
        "    jmp *%rcx\n"
        ".size sim_switch, .-sim_switch\n");

void *sim_fiber(char *top, void (*entry)(void))
{
    // Seven words to pop; then the stack is as if `entry` had just been called.
    void **sp = (void **)top - 8;
    memset(sp, 0, 8 * sizeof *sp);
    sp[6] = (void *)entry;
    return sp;
}

#elif !defined(SIM_UCONTEXT) && defined(__aarch64__)

__asm__(".text\n"
        ".globl sim_switch\n"
        ".type sim_switch, %function\n"
        "sim_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n   stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n   stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n     stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n   ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n   ldp x29, x16, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n     ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    mov x30, x16\n"
        "    br x16\n"
        ".size sim_switch, .-sim_switch\n");

void *sim_fiber(char *top, void (*entry)(void))
{
    void **sp = (void **)top - 20;
    memset(sp, 0, 20 * sizeof *sp);
    sp[11] = (void *)entry;   // x30
    return sp;
}

#else   // anywhere else, at a hundred times the cost

#include <stdlib.h>
#include <ucontext.h>

// `sp` is then a pointer to a context, which lies at the top of the stack.
void sim_switch(void **save, void *load)
{
    ucontext_t here;
    *save = &here;   // cppcheck-suppress autoVariables; this stack stays while the fiber waits
    swapcontext(&here, load);
}

void *sim_fiber(char *top, void (*entry)(void))
{
    ucontext_t *context = (ucontext_t *)(top - (sizeof *context + 63) / 64 * 64);
    getcontext(context);
    context->uc_stack.ss_sp = top - SIM_STACK + 16384;
    context->uc_stack.ss_size = (size_t)((char *)context - (char *)context->uc_stack.ss_sp);
    context->uc_link = NULL;
    makecontext(context, entry, 0);
    return context;
}

#endif

char *sim_stacks(unsigned n)
{
    size_t bytes = (size_t)n * SIM_STACK_STRIDE;
    char *stacks = mmap(NULL, bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        sim_die("no memory for the stacks of %u threads: %s", n, strerror(errno));
    for (unsigned i = 0; i < n; i++) {
        char *lo = stacks + (size_t)(i + 1) * SIM_STACK_STRIDE - SIM_STACK;
        if (mprotect(lo, SIM_STACK, PROT_READ | PROT_WRITE) != 0)
            sim_die("cannot set up the stacks of %u threads: %s", n, strerror(errno));
    }
    return stacks;
}

void sim_free_stacks(char *stacks, unsigned n)
{
    if (stacks)
        munmap(stacks, (size_t)n * SIM_STACK_STRIDE);
}

char *sim_stack_top(char *stacks, unsigned i)
{
    // Stacks a power of two apart share the same few cache sets: stagger them.
    return stacks + (size_t)(i + 1) * SIM_STACK_STRIDE - i % 32 * 320 - 64;
}
