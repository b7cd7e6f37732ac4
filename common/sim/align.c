// Which lanes of a warp execute an instruction together.
//
// Each lane has left a list of the instructions and basic blocks that it came
// through. Where the 32 lists are equal there is nothing to do. Where they are
// not, the lists are walks through one flow graph, and a GPU lets lanes that took
// different ways wait for each other where the ways meet: behind the `if`, after
// the loop. So the instructions are put into an order in which every edge of the
// graph leads forward, but for the edges back to the head of a loop, and in which
// a loop's body comes before what follows the loop. Then, again and again, the lanes
// whose next edge has the first place in this order go on to the edge's end.
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
    int place;      // in the order, of a lane that is on it
};

struct sim_graph {
    int nodes, edges;
    uint32_t step[MAX_NODES];
    int first_edge[MAX_NODES];
    int number[MAX_NODES];      // of the depth-first search; 0: not visited
    int leaves[MAX_NODES];      // whether a way leads out of the loop, not by its head
    int rank[MAX_NODES];
    int end[MAX_NODES];         // of a loop's head: the rank behind its body
    int at_rank[2 * MAX_NODES + 1];   // the node there; 0: none
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
    g->edge[g->edges] = (struct edge){.to = to, .next = g->first_edge[from]};
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

// Finds the n nodes of the loop that v heads, those that are not placed, from which a way
// leads out of it.
static void find_ways_out(struct sim_graph *g, int v, const int *nodes, int n)
{
    for (int i = 0; i < n; i++)
        g->leaves[nodes[i]] = 0;
    for (int found = 1; found;) {
        found = 0;
        for (int i = n - 1; i >= 0; i--)
            for (int e = g->leaves[nodes[i]] ? 0 : g->first_edge[nodes[i]]; e; e = g->edge[e].next) {
                int w = g->edge[e].to;
                if (w != v && (g->number[w] == PLACED || g->leaves[w]))
                    found = g->leaves[nodes[i]] = 1;
            }
    }
}

// Places v, and whatever can be reached from it and is not placed yet, in front
// of all that is placed. Returns the lowest number that can be reached.
static int visit(struct sim_graph *g, int v)
{
    int head = g->number[v] = ++g->count, loop = 0;
    g->stack[g->height++] = v;
    // What leads out of the loop first: it is placed behind what only leads back. A loop
    // that begins with another has the inner one's body there.
    for (int leaves = 1; leaves >= 0; leaves--)
        for (int e = g->first_edge[v]; e; e = g->edge[e].next) {
            int w = g->edge[e].to;
            if (g->leaves[w] != leaves)
                continue;
            int lowest = g->number[w] ? g->number[w] : visit(g, w);
            if (lowest <= head) {
                head = lowest;
                loop = 1;
            }
        }
    if (head != g->number[v])
        return head;
    g->number[v] = PLACED;
    const int top = g->height;
    while (g->stack[--g->height] != v)
        g->number[g->stack[g->height]] = 0;
    if (loop) {   // v heads a loop: order its body without the edges back to v
        g->end[v] = g->rank_left--;
        find_ways_out(g, v, &g->stack[g->height + 1], top - g->height - 1);
        for (int leaves = 1; leaves >= 0; leaves--)
            for (int e = g->first_edge[v]; e; e = g->edge[e].next)
                if (g->leaves[g->edge[e].to] == leaves && !g->number[g->edge[e].to])
                    visit(g, g->edge[e].to);
    }
    g->at_rank[g->rank_left] = v;
    g->rank[v] = g->rank_left--;
    return head;
}

// The place of an edge from u back to `head`: the lanes on it wait for those that are
// still in the loop's body. But where a loop begins with another, such as a do-while, the
// two have one head, and u may be the end of the inner one: then lanes wait only for
// those that are not yet at the first node behind u that every way out of the loop passes.
static int place_back(const struct sim_graph *g, int u, int head)
{
    int furthest = 0;   // that an edge from a node so far leads to
    for (int rank = g->rank[head]; rank < g->end[head]; rank++) {
        int v = g->at_rank[rank];
        if (v && rank > g->rank[u] && rank >= furthest)
            return 2 * rank - 1;
        for (int e = v ? g->first_edge[v] : 0; e; e = g->edge[e].next)
            if (g->rank[g->edge[e].to] > furthest)
                furthest = g->rank[g->edge[e].to];
    }
    return 2 * g->end[head];
}

static void order(struct sim_graph *g)
{
    memset(g->number, 0, (size_t)g->nodes * sizeof *g->number);
    memset(g->leaves, 0, (size_t)g->nodes * sizeof *g->leaves);
    g->height = g->count = 0;
    g->rank_left = 2 * g->nodes;
    memset(g->at_rank, 0, (size_t)(g->rank_left + 1) * sizeof *g->at_rank);
    visit(g, ROOT);
    for (int u = ROOT; u < g->nodes; u++)
        for (int e = g->first_edge[u]; e; e = g->edge[e].next) {
            int v = g->edge[e].to;
            g->edge[e].place = g->rank[u] < g->rank[v] ? 2 * g->rank[v] : place_back(g, u, v);
        }
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

// The edge that a lane takes next.
static const struct edge *next_edge(const struct sim_graph *g, const struct sim_path *p)
{
    int e = g->first_edge[p->next ? p->steps[p->next - 1] : ROOT];
    while (g->edge[e].to != (int)p->steps[p->next])
        e = g->edge[e].next;
    return &g->edge[e];
}

static void issue_apart(struct sim_graph *g, struct sim_path paths[LANES],
                        void (*issue)(void *, uint32_t, uint32_t), void *context)
{
    for (;;) {
        const struct edge *first = NULL;
        uint32_t lanes = 0;
        for (int i = 0; i < LANES; i++) {
            if (paths[i].next == paths[i].n)
                continue;
            const struct edge *edge = next_edge(g, &paths[i]);
            if (!first || edge->place < first->place) {
                first = edge;
                lanes = 0;
            }
            if (edge->place == first->place && edge->to == first->to)
                lanes |= 1u << i;
        }
        if (lanes == 0)
            return;
        for (int i = 0; i < LANES; i++)
            paths[i].next += lanes >> i & 1;
        issue(context, g->step[first->to], lanes);
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
