// Which lanes of a warp execute an instruction together.
//
// Each lane has left a list of the instructions and basic blocks that it came
// through. Where the 32 lists are equal there is nothing to do. Where they are
// not, the lists are walks through one flow graph, and a GPU lets lanes that took
// different ways wait for each other where the ways meet: behind the `if`, after
// the loop. So the instructions are put into an order in which every edge of the
// graph leads forward, but for the edges back to the head of a loop, and in which
// a loop's body comes before what follows the loop. A lane on an edge back is placed
// at the loop's end: there it waits for those that are still in the body. Then, again
// and again, the first instruction in this order that any lane has next is issued for
// all lanes that have it next.
//
// The order is Bourdoncle's weak topological order (Efficient chaotic iteration
// strategies with widenings, 1993, figure 4).
#include "align.h"

#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"

enum { LANES = 32, MAX_NODES = 1 << 13, SLOTS = 2 * MAX_NODES, MAX_EDGES = 4 * MAX_NODES,
       PLACED = INT32_MAX };

struct edge {
    int to, next;   // next edge from the same node; 0: none
};

struct sim_graph {
    int nodes, edges;
    uint32_t step[MAX_NODES];
    int first_edge[MAX_NODES];
    int number[MAX_NODES];      // of the depth-first search; 0: not visited
    int rank[MAX_NODES];
    int end[MAX_NODES];         // of a loop's head: the rank of the edges back to it
    int stack[MAX_NODES], height;
    int count, rank_left;
    struct edge edge[MAX_EDGES];
    uint16_t slot[SLOTS];       // hash table from steps to nodes; 0: free
};

// ---------------------------------------------------------------- the graph

static int node_of(struct sim_graph *g, uint32_t step)
{
    uint32_t at = step * 2654435761u % SLOTS;
    while (g->slot[at] && g->step[g->slot[at]] != step)
        at = (at + 1) % SLOTS;
    if (!g->slot[at]) {
        if (g->nodes == MAX_NODES)
            sim_die("a kernel with more than %d basic blocks and accesses", MAX_NODES - 2);
        g->slot[at] = (uint16_t)g->nodes;
        g->step[g->nodes] = step;
        g->first_edge[g->nodes++] = 0;
    }
    return g->slot[at];
}

static void add_edge(struct sim_graph *g, int from, int to)
{
    for (int e = g->first_edge[from]; e; e = g->edge[e].next)
        if (g->edge[e].to == to)
            return;
    if (g->edges == MAX_EDGES)
        sim_die("a kernel with more than %d ways between basic blocks", MAX_EDGES);
    g->edge[g->edges] = (struct edge){to, g->first_edge[from]};
    g->first_edge[from] = g->edges++;
}

enum { ROOT = 1 };   // node 0 stands for none

// From here on a step in a list is the number of its node.
static void build(struct sim_graph *g, struct sim_path paths[LANES])
{
    memset(g->slot, 0, sizeof g->slot);
    g->nodes = ROOT + 1;
    g->edges = 1;
    g->first_edge[ROOT] = 0;
    for (int i = 0; i < LANES; i++) {
        int from = ROOT;
        for (uint32_t j = 0; j < paths[i].n; j++) {
            int to = node_of(g, paths[i].steps[j]);
            paths[i].steps[j] = (uint32_t)to;
            add_edge(g, from, to);
            from = to;
        }
    }
}

// ---------------------------------------------------------------- the order

// Places v, and whatever can be reached from it and is not placed yet, in front
// of all that is placed. Returns the lowest number that can be reached.
static int visit(struct sim_graph *g, int v)
{
    int head = g->number[v] = ++g->count, loop = 0;
    g->stack[g->height++] = v;
    for (int e = g->first_edge[v]; e; e = g->edge[e].next) {
        int w = g->edge[e].to;
        int lowest = g->number[w] ? g->number[w] : visit(g, w);
        if (lowest <= head) {
            head = lowest;
            loop = 1;
        }
    }
    if (head != g->number[v])
        return head;
    g->number[v] = PLACED;
    int w = g->stack[--g->height];
    if (loop) {   // v heads a loop: order its body without the edges back to v
        g->end[v] = g->rank_left--;
        for (; w != v; w = g->stack[--g->height])
            g->number[w] = 0;
        for (int e = g->first_edge[v]; e; e = g->edge[e].next)
            if (!g->number[g->edge[e].to])
                visit(g, g->edge[e].to);
    }
    g->rank[v] = g->rank_left--;
    return head;
}

static void order(struct sim_graph *g)
{
    memset(g->number, 0, (size_t)g->nodes * sizeof *g->number);
    g->height = g->count = 0;
    g->rank_left = 2 * g->nodes;
    visit(g, ROOT);
}

// ------------------------------------------------------------------ the warp

static int same_path(const struct sim_path *p, const struct sim_path *q)
{
    return p->n == q->n && memcmp(p->steps, q->steps, p->n * sizeof *p->steps) == 0;
}

// The lanes that did anything, if all of them did the same; else 0.
static uint32_t all_together(const struct sim_path paths[LANES])
{
    const struct sim_path *first = NULL;
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++) {
        if (paths[i].n == 0)
            continue;
        first = first ? first : &paths[i];
        if (!same_path(first, &paths[i]))
            return 0;
        lanes |= 1u << i;
    }
    return lanes;
}

// Where the lane is in the order, if `node` is what it has next.
static int place_of(const struct sim_graph *g, const struct sim_path *p, uint32_t node)
{
    int from = p->next ? g->rank[p->steps[p->next - 1]] : 0;
    return from < g->rank[node] ? g->rank[node] : g->end[node];
}

static void issue_apart(struct sim_graph *g, struct sim_path paths[LANES],
                        void (*issue)(void *, uint32_t, uint32_t), void *context)
{
    for (;;) {
        int first = INT32_MAX;
        uint32_t node = 0, lanes = 0;
        for (int i = 0; i < LANES; i++) {
            if (paths[i].next == paths[i].n)
                continue;
            uint32_t next = paths[i].steps[paths[i].next];
            int place = place_of(g, &paths[i], next);
            if (place < first) {
                first = place;
                node = next;
                lanes = 0;
            }
            if (place == first)
                lanes |= 1u << i;
        }
        if (lanes == 0)
            return;
        for (int i = 0; i < LANES; i++)
            paths[i].next += lanes >> i & 1;
        issue(context, g->step[node], lanes);
    }
}

struct sim_graph *sim_new_graph(void)
{
    struct sim_graph *g = malloc(sizeof *g);
    if (!g)
        sim_die("out of memory");
    return g;
}

void sim_align(struct sim_graph *g, struct sim_path paths[LANES],
               void (*issue)(void *context, uint32_t step, uint32_t lanes), void *context)
{
    uint32_t lanes = all_together(paths);
    if (lanes) {
        const struct sim_path *path = &paths[__builtin_ctz(lanes)];
        for (uint32_t j = 0; j < path->n; j++)
            issue(context, path->steps[j], lanes);
        return;
    }
    build(g, paths);
    order(g);
    issue_apart(g, paths, issue, context);
}
