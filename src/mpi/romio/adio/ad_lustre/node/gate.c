/* gate.c - which windows of an aggregator its node's ranks may use */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "gate.h"

#include "../sys/atomic.h"

void adl_gate_free(struct adl_gate *gate, struct adl_bell *node, int64_t call,
                   int64_t freed)
{
    if (gate->call != call) {
        gate->ready = freed;
        gate->eof = INT64_MAX;
    }
    adl_atomic_store(&gate->freed, freed);
    adl_atomic_store(&gate->call, call);
    adl_bell_ring(node);
    if (freed < adl_atomic_load(&gate->want))
        return;
    adl_atomic_store(&gate->want, INT64_MAX);
    adl_bell_ring(&gate->bell);
}

void adl_gate_ready(struct adl_gate *gate, struct adl_bell *node, int64_t ready,
                    int64_t eof)
{
    adl_atomic_store(&gate->eof, eof);
    adl_atomic_store(&gate->ready, ready);
    adl_bell_ring(node);
    adl_bell_ring(&gate->bell);
}

/* Reading `call` first: when it is this call's, the rest is at least as new.
 * An aggregator cannot be a call ahead of us, it waits for us at the end. */
static int64_t gate_value(const struct adl_gate *gate, const int64_t *value,
                          int64_t call, int64_t first)
{
    return adl_atomic_load(&gate->call) == call ? adl_atomic_load(value)
                                                : first;
}

int64_t adl_gate_freed(const struct adl_gate *gate, int64_t call, int64_t first)
{
    return gate_value(gate, &gate->freed, call, first);
}

int64_t adl_gate_is_ready(const struct adl_gate *gate, int64_t call,
                          int64_t first)
{
    return gate_value(gate, &gate->ready, call, first);
}

/* Not woken before it is worth it: ranks far ahead would otherwise wake at
 * every window, and keep those that are behind off the cores. */
void adl_gate_want(struct adl_gate *gate, int64_t freed)
{
    adl_atomic_lower(&gate->want, freed);
}

/* The aggregator says that it waits before it looks who is inside, we look
 * whether it waits when we are out: one sees the other. */
static void step_out(struct adl_gate *gate, int slot)
{
    int left = __atomic_sub_fetch(&gate->inside[slot], 1, __ATOMIC_SEQ_CST);

    if (left == 0 && __atomic_load_n(&gate->awaited, __ATOMIC_SEQ_CST))
        adl_bell_ring(&gate->work);
}

/* Entering is visible before we look at `shut`, shutting before the aggregator
 * looks who is inside: one sees the other. */
static int enter_gate(struct adl_gate *gate, const int64_t *below, int64_t call,
                      int slot, int64_t window)
{
    __atomic_add_fetch(&gate->inside[slot], 1, __ATOMIC_SEQ_CST);
    if (window >= gate_value(gate, below, call, INT64_MIN))
        return 1;
    step_out(gate, slot);
    return 0;
}

int adl_gate_enter(struct adl_gate *gate, int64_t call, int slot,
                   int64_t window)
{
    return enter_gate(gate, &gate->shut, call, slot, window);
}

int adl_gate_enter_wish(struct adl_gate *gate, int64_t call, int slot,
                        int64_t window)
{
    return enter_gate(gate, &gate->closed, call, slot, window);
}

void adl_gate_hurry(struct adl_gate *gate, int64_t window)
{
    if (adl_atomic_load(&gate->urgent) >= window)
        return;
    adl_atomic_store(&gate->urgent, window);
    adl_bell_ring(&gate->work);
}

void adl_gate_open(struct adl_gate *gate, int64_t base)
{
    adl_atomic_store(&gate->shut, base);
    adl_atomic_store(&gate->closed, base);
    adl_atomic_store(&gate->urgent, base);
}

void adl_gate_close(struct adl_gate *gate, int64_t window)
{
    adl_atomic_store(&gate->closed, window);
}

void adl_gate_leave(struct adl_gate *gate, int slot, int64_t bytes)
{
    int64_t sum =
        __atomic_add_fetch(&gate->moved[slot], bytes, __ATOMIC_SEQ_CST);

    step_out(gate, slot);
    if (sum >= adl_atomic_load(&gate->expect[slot]))
        adl_bell_ring(&gate->work);
}

void adl_gate_shut(struct adl_gate *gate, int64_t window)
{
    adl_atomic_store(&gate->shut, window);
}

void adl_gate_await_empty(struct adl_gate *gate, int slot)
{
    __atomic_store_n(&gate->awaited, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        uint32_t seen = adl_bell_read(&gate->work);

        if (__atomic_load_n(&gate->inside[slot], __ATOMIC_SEQ_CST) == 0)
            break;
        adl_bell_wait(&gate->work, seen);
    }
    __atomic_store_n(&gate->awaited, 0, __ATOMIC_SEQ_CST);
}
