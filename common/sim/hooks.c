// What compiled kernels call: -fsanitize=thread puts a call in front of every
// access to memory, -fsanitize=bounds one behind every index outside its array.
#include "sim_internal.h"

#define ACCESS(kind, size)                                                              \
    void __tsan_##kind##size(void *p);                                                  \
    void __tsan_##kind##size(void *p)                                                   \
    {                                                                                   \
        (void)p;                                                                        \
    }
#define ACCESSES(kind) ACCESS(kind, 1) ACCESS(kind, 2) ACCESS(kind, 4) ACCESS(kind, 8) ACCESS(kind, 16)
ACCESSES(read)
ACCESSES(write)
ACCESSES(unaligned_read)
ACCESSES(unaligned_write)
void __tsan_init(void){}
void __tsan_func_entry(void *p){(void)p;}
void __tsan_func_exit(void){}
void __tsan_read_range(void*p,size_t n){(void)p;(void)n;}
void __tsan_write_range(void*p,size_t n){(void)p;(void)n;}
void __ubsan_handle_out_of_bounds(void*p,unsigned long n){(void)p;(void)n;}
float sim_fmaf(float a,float b,float c){sim_self->fmas++; return __builtin_fmaf(a,b,c);}
int sim_faults(void){return 0;}
void sim_report(FILE*f){(void)f;}
void sim_counters(int on){(void)on;}
void sim_counters_reset(void){}
void sim_counters_get(struct sim_counters *c){*c=(struct sim_counters){0};}
void sim_counters_print(FILE*f){(void)f;}
void sim_trace(FILE*f,unsigned long long b){(void)f;(void)b;}
