/* Threads that keep to a schedule, for C11 with POSIX threads. This file is all of the runtime: include it before any other header.
 *
 * It is the twin of `runtime.rs`: schedules, names and what they mean are the same, and so is how it works; what it is for is at the
 * head of the crate `litmoscope-runtime`. Swaps of schedules are only there, and what led to where a monitor complains.
 *
 *     lm_thread self = lm_begin(runtime, 0);
 *     while (lm_before(&self)) {
 *         atomic_store(&x, 1);
 *         if (!lm_after(&self, 7)) break;
 *     }
 *     lm_leave(&self);
 *
 * Functions that return a bool return false if the run is over: then the thread leaves.
 */
#ifndef LITMOSCOPE_RUNTIME_H
#define LITMOSCOPE_RUNTIME_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Schedules, as they are written down ---- */

/* An event of a section: whose it is, what it does, and the events that have to be over before, by where they stand in the section. */
typedef struct {
    uint32_t thread;
    uint32_t transition;
    const uint32_t *after;
    uint32_t after_count;
} lm_event;

/* A section, with the nodes between which it is. It has at least one event. */
typedef struct {
    uint32_t from;
    uint32_t to;
    const lm_event *events;
    uint32_t event_count;
} lm_edge;

/* A program schedule. All edges that leave a node begin with an event of the same thread, whose transition picks one of them. */
typedef struct {
    uint32_t threads;
    uint32_t nodes;
    uint32_t start;
    const lm_edge *edges;
    uint32_t edge_count;
} lm_schedule;

/* Why a run is over. */
typedef enum { LM_RUNS, LM_STOPPED, LM_LEFT, LM_STUCK, LM_NOT_PERMITTED, LM_NOT_HELD } lm_ended;

/* ---- Schedules, as they are kept to ---- */

enum { LM_MAX_THREADS = 65535, LM_MAX_EVENTS = 65535, LM_SLOT_BITS = 24, LM_MAX_SLOTS = 1 << 24, LM_WHY = 1024 };
enum { LM_SPINS = 200, LM_SPINS_ON_FEW_CORES = 10, LM_YIELDS = 256 };

/* An event of another thread that has to be over: the thread has done so many of the section's. */
typedef struct {
    uint32_t thread;
    uint32_t count;
} lm_wait;

/* An event, as its thread sees it. */
typedef struct {
    uint32_t transition;
    uint32_t waits, waits_end;
    /* Whether others wait for it, or for the section's end. If not, they are not told: each time they are costs a cache line. */
    bool is_awaited;
} lm_step;

typedef struct {
    uint32_t first, end;
} lm_span;

/* The edges that leave a node, in a list of all. */
typedef struct {
    uint32_t chooser;
    lm_span edges;
} lm_node;

typedef struct {
    _Alignas(128) _Atomic uint64_t value;
} lm_padded;

/* What of a thread only those see who look how things stand. Its state: a kind in eight bits, a thread that it waits for in 16, and how
 * often this changed. */
typedef struct {
    _Alignas(128) _Atomic uint64_t rounds;
    _Atomic uint64_t state;
    _Atomic uint64_t detail;
} lm_side;

enum { LM_OUTSIDE, LM_RUNNING, LM_FOR_EVENT, LM_FOR_BRANCH, LM_FOR_LOCK, LM_FOR_CHANGE, LM_GONE };

/* What a thread waits for. Only what this thread does can end it; at a change, what any does. */
typedef struct {
    int kind;
    uint32_t thread;
    uint64_t detail;
} lm_on;

/* Looks at each event as it happens: the sections that may be under way, and how many of each thread's events in them are over. */
typedef struct {
    _Alignas(128) atomic_bool is_busy;
    uint32_t *sections;
    uint32_t section_count;
    uint32_t *counts;
} lm_monitor;

/* What all threads of a run share. */
typedef struct {
    const lm_schedule *schedule;
    bool is_free;
    bool is_free_behind; /* The same behind the schedule's end. */
    int spins;
    uint32_t lock_count;
    lm_node *nodes;
    uint32_t *leaving;
    lm_span *spans; /* For each edge and each thread, its steps. */
    lm_step *steps;
    lm_wait *waits;
    lm_padded *stage; /* The section under way, in 40 bits, and its slot: an edge, or behind all edges the start. */
    lm_padded *progress;
    lm_side *sides;
    lm_padded *locks;
    lm_monitor *monitor;
    atomic_bool is_over;
    pthread_mutex_t mutex;
    lm_ended ended;
    char why[LM_WHY];
} lm_runtime;

/* A thread's own part. */
typedef struct {
    lm_runtime *runtime;
    uint32_t number;
    uint64_t section;
    uint32_t slot;
    uint32_t first, step, end;
    bool is_choosing;
    bool tries_again;
    bool is_free;
    uint64_t count; /* How many events it has done, if it is free. */
    uint64_t seen;
    uint64_t rounds;
} lm_thread;

static inline uint64_t lm_progress(uint64_t section, uint64_t count) { return section << 16 | count; }
static inline uint64_t lm_stage(uint64_t section, uint64_t slot) { return section << LM_SLOT_BITS | slot; }

static inline void *lm_room(size_t count, size_t size) {
    if (count == 0) count = 1;
    if (count > SIZE_MAX / size) return NULL;
    void *room = aligned_alloc(128, (count * size + 127) / 128 * 128);
    if (room) memset(room, 0, (count * size + 127) / 128 * 128);
    return room;
}

/* Adds an edge's events. Returns what is wrong with it. */
static inline const char *lm_section(lm_runtime *runtime, uint32_t edge, uint32_t *steps, uint32_t *waits) {
    const lm_schedule *schedule = runtime->schedule;
    const lm_edge *section = &schedule->edges[edge];
    const uint32_t threads = schedule->threads, events = section->event_count;
    const char *wrong = NULL;
    if (section->from >= schedule->nodes || section->to >= schedule->nodes) return "an edge is at a node that there is not";
    if (events == 0) return "an edge has no event";
    /* For each event, how many events of each thread are over when it is. */
    uint32_t *clocks = lm_room((size_t)events * threads, sizeof *clocks);
    uint32_t *last = lm_room(threads, sizeof *last);
    if (!clocks || !last) wrong = "there is not enough memory";
    for (uint32_t number = 0; !wrong && number < events; number++) {
        const lm_event *event = &section->events[number];
        if (event->thread >= threads) wrong = "an event is of a thread that there is not";
        for (uint32_t i = 0; !wrong && i < event->after_count; i++)
            if (event->after[i] >= number) wrong = "an event comes after one that does not stand before it";
    }
    for (uint32_t thread = 0; !wrong && thread < threads; thread++) {
        lm_span *span = &runtime->spans[(size_t)edge * threads + thread];
        span->first = *steps;
        for (uint32_t number = 0; number < events; number++)
            if (section->events[number].thread == thread) runtime->steps[(*steps)++].transition = section->events[number].transition;
        span->end = *steps;
        if (span->end - span->first > LM_MAX_EVENTS) wrong = "an edge has more than 65535 events of one thread";
    }
    for (uint32_t number = 0; !wrong && number < events; number++) {
        const lm_event *event = &section->events[number];
        uint32_t *clock = &clocks[(size_t)number * threads];
        if (last[event->thread]) memcpy(clock, &clocks[(size_t)(last[event->thread] - 1) * threads], threads * sizeof *clock);
        last[event->thread] = number + 1;
        lm_step *step = &runtime->steps[runtime->spans[(size_t)edge * threads + event->thread].first + clock[event->thread]];
        step->waits = *waits;
        /* The last one first: what comes before an event that is waited for need not be waited for. */
        for (uint32_t bound = number;;) {
            uint32_t other = 0;
            bool is_found = false;
            for (uint32_t i = 0; i < event->after_count; i++)
                if (event->after[i] < bound && (!is_found || event->after[i] > other)) other = event->after[i], is_found = true;
            if (!is_found) break;
            bound = other;
            const uint32_t thread = section->events[other].thread, *over = &clocks[(size_t)other * threads];
            if (clock[thread] >= over[thread]) continue;
            runtime->waits[(*waits)++] = (lm_wait){thread, over[thread]};
            runtime->steps[runtime->spans[(size_t)edge * threads + thread].first + over[thread] - 1].is_awaited = true;
            for (uint32_t i = 0; i < threads; i++)
                if (clock[i] < over[i]) clock[i] = over[i];
        }
        step->waits_end = *waits;
        clock[event->thread]++;
    }
    for (uint32_t thread = 0; !wrong && thread < threads; thread++) {
        const lm_span span = runtime->spans[(size_t)edge * threads + thread];
        if (span.first < span.end) runtime->steps[span.end - 1].is_awaited = true;
    }
    free(clocks);
    free(last);
    return wrong;
}

static inline const char *lm_plan(lm_runtime *runtime) {
    const lm_schedule *schedule = runtime->schedule;
    uint32_t steps = 0, waits = 0, leaving = 0;
    for (uint32_t edge = 0; edge < schedule->edge_count; edge++) {
        const char *wrong = lm_section(runtime, edge, &steps, &waits);
        if (wrong) return wrong;
    }
    for (uint32_t node = 0; node < schedule->nodes; node++) {
        lm_node *place = &runtime->nodes[node];
        place->edges.first = leaving;
        for (uint32_t edge = 0; edge < schedule->edge_count; edge++) {
            const lm_event *begins = schedule->edges[edge].events;
            if (schedule->edges[edge].from != node) continue;
            for (uint32_t i = place->edges.first; i < leaving; i++) {
                const lm_event *other = schedule->edges[runtime->leaving[i]].events;
                if (other->thread != begins->thread) return "edges leave one node and begin with different threads";
                if (other->transition == begins->transition) return "edges leave one node and begin with the same transition";
            }
            place->chooser = begins->thread;
            runtime->leaving[leaving++] = edge;
        }
        place->edges.end = leaving;
    }
    return NULL;
}

static inline void lm_free(lm_runtime *runtime) {
    if (!runtime) return;
    free(runtime->nodes);
    free(runtime->leaving);
    free(runtime->spans);
    free(runtime->steps);
    free(runtime->waits);
    free(runtime->stage);
    free(runtime->progress);
    free(runtime->sides);
    free(runtime->locks);
    if (runtime->monitor) {
        free(runtime->monitor->sections);
        free(runtime->monitor->counts);
        free(runtime->monitor);
    }
    pthread_mutex_destroy(&runtime->mutex);
    free(runtime);
}

/* A runtime with so many locks. If it is free, threads do what they want, and wait for nothing but locks. The schedule has to live as
 * long. If it is no schedule, there is no runtime, and *wrong says why. */
static inline lm_runtime *lm_new(const lm_schedule *schedule, uint32_t locks, bool is_free, const char **wrong) {
    const char *ignored;
    if (!wrong) wrong = &ignored;
    size_t events = 0, waits = 0;
    *wrong = NULL;
    if (schedule->threads == 0 || schedule->threads > LM_MAX_THREADS) *wrong = "there have to be 1 to 65535 threads";
    if ((uint64_t)schedule->nodes + schedule->edge_count > LM_MAX_SLOTS) *wrong = "there are more than 16777216 nodes and edges";
    if (schedule->start >= schedule->nodes) *wrong = "there is no such node as the start";
    if (*wrong) return NULL;
    for (uint32_t edge = 0; edge < schedule->edge_count; edge++) {
        events += schedule->edges[edge].event_count;
        for (uint32_t i = 0; i < schedule->edges[edge].event_count; i++) waits += schedule->edges[edge].events[i].after_count;
    }
    *wrong = "there is not enough memory";
    if (events > UINT32_MAX || waits > UINT32_MAX) return NULL;
    lm_runtime *runtime = lm_room(1, sizeof *runtime);
    if (!runtime) return NULL;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    runtime->schedule = schedule;
    runtime->is_free = is_free;
    runtime->spins = cores <= 1 ? 0 : cores < (long)schedule->threads ? LM_SPINS_ON_FEW_CORES : LM_SPINS;
    runtime->lock_count = locks;
    runtime->nodes = lm_room(schedule->nodes, sizeof *runtime->nodes);
    runtime->leaving = lm_room(schedule->edge_count, sizeof *runtime->leaving);
    runtime->spans = lm_room((size_t)schedule->edge_count * schedule->threads, sizeof *runtime->spans);
    runtime->steps = lm_room(events, sizeof *runtime->steps);
    runtime->waits = lm_room(waits, sizeof *runtime->waits);
    runtime->stage = lm_room(1, sizeof *runtime->stage);
    runtime->progress = lm_room(schedule->threads, sizeof *runtime->progress);
    runtime->sides = lm_room(schedule->threads, sizeof *runtime->sides);
    runtime->locks = lm_room(locks, sizeof *runtime->locks);
    pthread_mutex_init(&runtime->mutex, NULL);
    const bool has_room = runtime->nodes && runtime->leaving && runtime->spans && runtime->steps && runtime->waits && runtime->stage &&
                          runtime->progress && runtime->sides && runtime->locks;
    if (has_room) *wrong = lm_plan(runtime);
    if (*wrong) {
        lm_free(runtime);
        return NULL;
    }
    atomic_store(&runtime->stage->value, lm_stage(0, (uint64_t)schedule->edge_count + schedule->start));
    return runtime;
}

/* ---- How things stand, and why a run is over ---- */

/* Ends the run, if nothing has before. */
static inline bool lm_end(lm_runtime *runtime, lm_ended how, const char *why) {
    pthread_mutex_lock(&runtime->mutex);
    if (runtime->ended == LM_RUNS) {
        runtime->ended = how;
        snprintf(runtime->why, sizeof runtime->why, "%s", why);
    }
    atomic_store(&runtime->is_over, true);
    pthread_mutex_unlock(&runtime->mutex);
    return false;
}

/* Ends the run: each thread is told so at its next event, or where it waits. */
static inline void lm_stop(lm_runtime *runtime) { lm_end(runtime, LM_STOPPED, "stopped"); }

/* Why the run is over, if it is. */
static inline lm_ended lm_how(lm_runtime *runtime) {
    pthread_mutex_lock(&runtime->mutex);
    const lm_ended ended = runtime->ended;
    pthread_mutex_unlock(&runtime->mutex);
    return ended;
}

/* The same in words, which stay as they are once the run is over. */
static inline const char *lm_why(lm_runtime *runtime) { return lm_how(runtime) == LM_RUNS ? "it runs" : runtime->why; }

/* How many useful rounds a thread has done. */
static inline uint64_t lm_rounds(lm_runtime *runtime, uint32_t number) { return atomic_load(&runtime->sides[number].rounds); }

/* The sum of all progress. No progress becomes less, so it is the same only if nothing happened. */
static inline uint64_t lm_sum(lm_runtime *runtime) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < runtime->schedule->threads; i++) sum += atomic_load(&runtime->progress[i].value);
    return sum;
}

static inline bool lm_is_over_for(lm_runtime *runtime, lm_on on) {
    switch (on.kind) {
    case LM_FOR_EVENT: return atomic_load(&runtime->progress[on.thread].value) >= on.detail;
    case LM_FOR_BRANCH: return atomic_load(&runtime->stage->value) != on.detail;
    case LM_FOR_LOCK: return atomic_load(&runtime->locks[on.detail].value) == 0;
    default: return lm_sum(runtime) != on.detail;
    }
}

/* Whether all threads have left. Ends the run if threads are stuck: if nobody who could end their wait can go on. There is no clock in
 * it. All states are read twice: who was found in one and the same wait both times waited in between, when all that is waited for was
 * looked at. */
static inline bool lm_look(lm_runtime *runtime) {
    const uint32_t threads = runtime->schedule->threads;
    lm_on *on = lm_room(threads, sizeof *on);
    uint64_t *states = lm_room(threads, sizeof *states);
    bool *is_stuck = lm_room(threads, sizeof *is_stuck), has_left = true, is_any = false;
    char why[LM_WHY];
    size_t length = (size_t)snprintf(why, sizeof why, "stuck:");
    if (!on || !states || !is_stuck || atomic_load(&runtime->is_over)) goto end;
    for (uint32_t i = 0; i < threads; i++) states[i] = atomic_load(&runtime->sides[i].state);
    for (uint32_t i = 0; i < threads; i++) {
        on[i] = (lm_on){(int)(states[i] & 0xff), (uint32_t)(states[i] >> 8 & 0xffff), atomic_load(&runtime->sides[i].detail)};
        const bool waits = on[i].kind >= LM_FOR_EVENT && on[i].kind <= LM_FOR_CHANGE;
        /* Whatever was read, if the thread goes on meanwhile. */
        const bool is_there = on[i].kind != LM_FOR_LOCK || on[i].detail < runtime->lock_count;
        is_stuck[i] = on[i].kind == LM_GONE || (waits && is_there && !lm_is_over_for(runtime, on[i]));
        if (is_stuck[i] && on[i].kind == LM_FOR_LOCK) {
            const uint64_t holder = atomic_load(&runtime->locks[on[i].detail].value);
            is_stuck[i] = holder != 0;
            on[i].thread = (uint32_t)holder - 1;
        }
    }
    for (uint32_t i = 0; i < threads; i++) {
        if (states[i] != atomic_load(&runtime->sides[i].state)) is_stuck[i] = false;
        has_left = has_left && on[i].kind == LM_GONE;
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = 0; i < threads; i++) {
            if (!is_stuck[i] || on[i].kind == LM_GONE) continue;
            bool goes_on = on[i].kind != LM_FOR_CHANGE && !is_stuck[on[i].thread];
            for (uint32_t other = 0; on[i].kind == LM_FOR_CHANGE && other < threads; other++) goes_on |= other != i && !is_stuck[other];
            if (goes_on) is_stuck[i] = false, changes = true;
        }
    }
    for (uint32_t i = 0; i < threads; i++) {
        char state[120] = "runs";
        is_any = is_any || (is_stuck[i] && on[i].kind != LM_GONE);
        if (on[i].kind == LM_GONE) snprintf(state, sizeof state, "has left");
        if (on[i].kind == LM_OUTSIDE) snprintf(state, sizeof state, "has not begun");
        if (is_stuck[i] && on[i].kind == LM_FOR_EVENT)
            snprintf(state, sizeof state, "waits for event %u of T%u in section %llu", (unsigned)(on[i].detail & 0xffff), on[i].thread + 1,
                     (unsigned long long)(on[i].detail >> 16));
        if (is_stuck[i] && on[i].kind == LM_FOR_BRANCH) snprintf(state, sizeof state, "waits for the branch of T%u", on[i].thread + 1);
        if (is_stuck[i] && on[i].kind == LM_FOR_LOCK)
            snprintf(state, sizeof state, "waits for lock %u, which T%u holds", (unsigned)on[i].detail, on[i].thread + 1);
        if (is_stuck[i] && on[i].kind == LM_FOR_CHANGE) snprintf(state, sizeof state, "waits for anything to happen");
        if (length < sizeof why)
            length += (size_t)snprintf(why + length, sizeof why - length, "%s T%u %s", i == 0 ? "" : ";", i + 1, state);
    }
    if (is_any) lm_end(runtime, LM_STUCK, why);
end:
    has_left = has_left && on && states && is_stuck && !atomic_load(&runtime->is_over);
    free(on);
    free(states);
    free(is_stuck);
    return has_left;
}

/* Lets threads run for so many seconds, and then ends the run. Returns why it was over, which may be sooner. */
static inline lm_ended lm_run_for(lm_runtime *runtime, double seconds) {
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        if (lm_look(runtime)) lm_end(runtime, LM_LEFT, "all threads have left");
        clock_gettime(CLOCK_MONOTONIC, &now);
        const double passed = (double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec);
        if (!(passed < seconds)) lm_stop(runtime);
        const lm_ended ended = lm_how(runtime);
        if (ended != LM_RUNS) return ended;
        const double left = seconds - passed < 0.002 ? seconds - passed : 0.002;
        nanosleep(&(struct timespec){0, (long)(left * 1e9)}, NULL);
    }
}

/* Says what a thread does. */
static inline void lm_publish(lm_runtime *runtime, uint32_t number, lm_on on) {
    lm_side *side = &runtime->sides[number];
    atomic_store(&side->detail, on.detail);
    const uint64_t version = atomic_load_explicit(&side->state, memory_order_relaxed) >> 24;
    atomic_store(&side->state, (version + 1) << 24 | (uint64_t)on.thread << 8 | (uint64_t)on.kind);
}

/* ---- What each thread does ---- */

/* A thread's own part, which each has once. Threads are numbered from 0 on. */
static inline lm_thread lm_begin(lm_runtime *runtime, uint32_t number) {
    const uint32_t slot = runtime->schedule->edge_count + runtime->schedule->start;
    lm_publish(runtime, number, (lm_on){LM_RUNNING, 0, 0});
    return (lm_thread){.runtime = runtime, .number = number, .slot = slot, .is_free = runtime->is_free};
}

/* Tells others how far the thread is. */
static inline void lm_tell(lm_thread *self) {
    const uint64_t count = self->step - self->first;
    if (!self->is_free && count > 0)
        atomic_store(&self->runtime->progress[self->number].value, lm_progress(self->section, count));
}

/* Says that the thread has left: who waits for it is stuck. */
static inline void lm_leave(lm_thread *self) {
    lm_tell(self);
    lm_publish(self->runtime, self->number, (lm_on){LM_GONE, 0, 0});
}

/* Tells the processor that a thread spins. */
static inline void lm_spin(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

static inline bool lm_wait_for(lm_thread *self, lm_on on) {
    lm_runtime *runtime = self->runtime;
    for (int i = 0; i < runtime->spins; i++) {
        if (lm_is_over_for(runtime, on)) return true;
        lm_spin();
    }
    lm_publish(runtime, self->number, on);
    bool result = true;
    for (uint32_t yields = 1; !lm_is_over_for(runtime, on); yields++) {
        if (atomic_load(&runtime->is_over)) {
            result = false;
            break;
        }
        sched_yield();
        /* At first it looks sooner whether some are stuck: where others want the cores, each time may take milliseconds. */
        if (yields % LM_YIELDS == 0 || (yields > 2 && (yields & (yields - 1)) == 0)) lm_look(runtime);
    }
    lm_publish(runtime, self->number, (lm_on){LM_RUNNING, 0, 0});
    return result;
}

static inline bool lm_wait_for_event(lm_thread *self, uint32_t thread, uint32_t count) {
    const uint64_t progress = lm_progress(self->section, count);
    if (atomic_load(&self->runtime->progress[thread].value) >= progress) return true;
    lm_tell(self);
    return lm_wait_for(self, (lm_on){LM_FOR_EVENT, thread, progress});
}

/* Ends the run since the thread did what is not permitted. */
static inline bool lm_depart(lm_thread *self, const char *did, uint32_t transition, uint32_t permitted, const char *more) {
    char why[LM_WHY];
    snprintf(why, sizeof why, "not permitted: T%u %s %u, where the schedule permits it %u%s", self->number + 1, did, transition, permitted,
             more);
    return lm_end(self->runtime, LM_NOT_PERMITTED, why);
}

/* Waits until the thread has an event in the section under way, or may pick the next section by one. */
static inline bool lm_enter(lm_thread *self) {
    lm_runtime *runtime = self->runtime;
    const lm_schedule *schedule = runtime->schedule;
    const uint32_t edges = schedule->edge_count, threads = schedule->threads;
    self->is_choosing = false;
    for (;;) {
        uint64_t now = atomic_load(&runtime->stage->value);
        if (now != lm_stage(self->section, self->slot)) {
            /* All bits of the section, of which the stage has the lower ones. */
            self->section += ((now >> LM_SLOT_BITS) - self->section) & (UINT64_MAX >> LM_SLOT_BITS);
            self->slot = (uint32_t)(now & (LM_MAX_SLOTS - 1));
            const lm_span span = runtime->spans[(size_t)self->slot * threads + self->number];
            self->first = self->step = span.first;
            self->end = span.end;
            if (self->step < self->end) return true;
            continue;
        }
        const lm_node *node = &runtime->nodes[self->slot < edges ? schedule->edges[self->slot].to : self->slot - edges];
        const uint32_t ways = node->edges.end - node->edges.first;
        if (ways == 0 && !runtime->is_free_behind) {
            char why[120];
            snprintf(why, sizeof why, "not permitted: T%u wants to go on, where the schedule permits it nothing", self->number + 1);
            return lm_end(runtime, LM_NOT_PERMITTED, why);
        }
        if (ways > 1 && node->chooser != self->number) {
            if (!lm_wait_for(self, (lm_on){LM_FOR_BRANCH, node->chooser, now})) return false;
            continue;
        }
        for (uint32_t thread = 0; self->slot < edges && thread < threads; thread++) {
            const lm_span span = runtime->spans[(size_t)self->slot * threads + thread];
            if (span.first < span.end && !lm_wait_for_event(self, thread, span.end - span.first)) return false;
        }
        if (ways == 0) {
            /* What it counts from now on is more than all it has told others. */
            self->count = atomic_load(&runtime->progress[self->number].value);
            return self->is_free = true;
        }
        if (ways > 1) return self->is_choosing = true;
        /* Who comes second finds it done. */
        atomic_compare_exchange_strong(&runtime->stage->value, &now, lm_stage(self->section + 1, runtime->leaving[node->edges.first]));
    }
}

/* ---- A monitor ---- */

/* Lets the monitor wait for the sections that leave a node. */
static inline void lm_expect(lm_runtime *runtime, uint32_t node) {
    lm_monitor *monitor = runtime->monitor;
    const lm_span leaving = runtime->nodes[node].edges;
    monitor->section_count = leaving.end - leaving.first;
    memcpy(monitor->sections, runtime->leaving + leaving.first, monitor->section_count * sizeof *monitor->sections);
    memset(monitor->counts, 0, runtime->schedule->threads * sizeof *monitor->counts);
}

/* Has each event looked at as it happens: the first one that the schedule does not permit ends the run. One thread at a time is then
 * between lm_before and lm_after. False if there is not enough memory. */
static inline bool lm_watch(lm_runtime *runtime) {
    lm_monitor *monitor = lm_room(1, sizeof *monitor);
    if (!monitor) return false;
    runtime->monitor = monitor;
    monitor->sections = lm_room(runtime->schedule->edge_count, sizeof *monitor->sections);
    monitor->counts = lm_room(runtime->schedule->threads, sizeof *monitor->counts);
    if (!monitor->sections || !monitor->counts) return false;
    lm_expect(runtime, runtime->schedule->start);
    return true;
}

/* Lets a thread be the one whose event happens. None happens behind the one that ended the run. */
static inline bool lm_alone(lm_runtime *runtime) {
    if (!runtime->monitor) return true;
    for (int tries = 0; atomic_exchange(&runtime->monitor->is_busy, true); tries++) {
        if (atomic_load(&runtime->is_over)) return false;
        if (tries < runtime->spins) lm_spin();
        else sched_yield();
    }
    if (!atomic_load(&runtime->is_over)) return true;
    atomic_store(&runtime->monitor->is_busy, false);
    return false;
}

static inline void lm_not_alone(lm_runtime *runtime) {
    if (runtime->monitor) atomic_store(&runtime->monitor->is_busy, false);
}

/* Whether an event is permitted. Goes on by it, if it is; else ends the run. */
static inline bool lm_record(lm_thread *self, uint32_t transition) {
    lm_runtime *runtime = self->runtime;
    lm_monitor *monitor = runtime->monitor;
    const uint32_t threads = runtime->schedule->threads;
    if (!monitor || (runtime->is_free_behind && monitor->section_count == 0)) return true;
    uint32_t left = 0;
    for (uint32_t i = 0; i < monitor->section_count; i++) {
        const uint32_t edge = monitor->sections[i];
        const lm_span span = runtime->spans[(size_t)edge * threads + self->number];
        const uint32_t number = span.first + monitor->counts[self->number];
        bool is_permitted = number < span.end && runtime->steps[number].transition == transition;
        for (uint32_t wait = is_permitted ? runtime->steps[number].waits : 0; is_permitted && wait < runtime->steps[number].waits_end; wait++)
            is_permitted = monitor->counts[runtime->waits[wait].thread] >= runtime->waits[wait].count;
        if (is_permitted) monitor->sections[left++] = edge;
    }
    if (left == 0) {
        char why[120];
        snprintf(why, sizeof why, "not permitted: T%u took transition %u", self->number + 1, transition);
        return lm_end(runtime, LM_NOT_PERMITTED, why);
    }
    monitor->section_count = left;
    monitor->counts[self->number]++;
    bool is_over = true;
    for (uint32_t thread = 0; thread < threads; thread++) {
        const lm_span span = runtime->spans[(size_t)monitor->sections[0] * threads + thread];
        is_over = is_over && monitor->counts[thread] == span.end - span.first;
    }
    /* A section that is over has its first event, by which it differs from all others. */
    if (is_over) lm_expect(runtime, runtime->schedule->edges[monitor->sections[0]].to);
    return true;
}

/* ---- What each thread does, at each event ---- */

/* Waits until the thread may do its next shared access. The access follows, and then lm_after. */
static inline bool lm_before(lm_thread *self) {
    lm_runtime *runtime = self->runtime;
    if (atomic_load(&runtime->is_over)) return false;
    if (!self->is_free) {
        if (self->step == self->end && !lm_enter(self)) return false;
        if (!self->is_choosing && !self->is_free) {
            const lm_step *step = &runtime->steps[self->step];
            for (uint32_t i = step->waits; i < step->waits_end; i++)
                if (!lm_wait_for_event(self, runtime->waits[i].thread, runtime->waits[i].count)) return false;
        }
    }
    if (!lm_alone(runtime)) return false;
    if (self->tries_again) self->seen = lm_sum(runtime);
    return true;
}

static inline bool lm_go_on(lm_thread *self, uint32_t transition) {
    lm_runtime *runtime = self->runtime;
    if (!lm_record(self, transition)) return false;
    if (self->is_free) {
        /* It is not seen before the access is. */
        atomic_store_explicit(&runtime->progress[self->number].value, ++self->count, memory_order_release);
        return true;
    }
    if (!self->is_choosing) {
        const lm_step *step = &runtime->steps[self->step];
        if (step->transition != transition) return lm_depart(self, "took transition", transition, step->transition, "");
        self->step++;
        if (step->is_awaited) lm_tell(self);
        return true;
    }
    const uint32_t edges = runtime->schedule->edge_count;
    const lm_node *node = &runtime->nodes[self->slot < edges ? runtime->schedule->edges[self->slot].to : self->slot - edges];
    for (uint32_t i = node->edges.first; i < node->edges.end; i++) {
        const uint32_t edge = runtime->leaving[i];
        if (runtime->schedule->edges[edge].events->transition != transition) continue;
        const lm_span span = runtime->spans[(size_t)edge * runtime->schedule->threads + self->number];
        self->is_choosing = false;
        self->section++;
        self->slot = edge;
        self->first = span.first;
        self->step = span.first + 1;
        self->end = span.end;
        /* Others are let into the section when its first event is over. */
        lm_tell(self);
        atomic_store(&runtime->stage->value, lm_stage(self->section, edge));
        return true;
    }
    const uint32_t first = runtime->schedule->edges[runtime->leaving[node->edges.first]].events->transition;
    return lm_depart(self, "took transition", transition, first, " or what begins another edge");
}

/* Says that the access is over, and which transition it was. If the thread has the branch, this picks the section. */
static inline bool lm_after(lm_thread *self, uint32_t transition) {
    self->tries_again = false;
    const bool goes_on = lm_go_on(self, transition);
    lm_not_alone(self->runtime);
    return goes_on;
}

/* Says, instead of lm_after, that nothing has happened. */
static inline void lm_nothing(lm_thread *self) { lm_not_alone(self->runtime); }

/* Says, instead of lm_after, that the access was not possible yet, and waits until any thread has done something. Then the thread may try
 * again. */
static inline bool lm_not_yet(lm_thread *self) {
    const bool has_seen = self->tries_again;
    /* At the first time it tries once more: what happened before this try is not known. */
    self->tries_again = true;
    lm_tell(self);
    lm_not_alone(self->runtime);
    return !has_seen || lm_wait_for(self, (lm_on){LM_FOR_CHANGE, 0, self->seen});
}

/* Takes a lock of the runtime, as one event. */
static inline bool lm_lock(lm_thread *self, uint32_t lock, uint32_t transition) {
    while (lm_before(self)) {
        uint64_t nobody = 0;
        if (atomic_compare_exchange_strong(&self->runtime->locks[lock].value, &nobody, (uint64_t)self->number + 1))
            return lm_after(self, transition);
        lm_not_alone(self->runtime);
        lm_tell(self);
        if (!lm_wait_for(self, (lm_on){LM_FOR_LOCK, 0, lock})) return false;
    }
    return false;
}

/* Takes a lock of the runtime, and that is no event: what the schedule implies, so that it is only needed without one. */
static inline bool lm_acquire(lm_thread *self, uint32_t lock) {
    while (!atomic_load(&self->runtime->is_over)) {
        uint64_t nobody = 0;
        if (atomic_compare_exchange_strong(&self->runtime->locks[lock].value, &nobody, (uint64_t)self->number + 1)) return true;
        lm_tell(self);
        if (!lm_wait_for(self, (lm_on){LM_FOR_LOCK, 0, lock})) return false;
    }
    return false;
}

/* Frees a lock that the thread holds, and that is no event. */
static inline bool lm_release(lm_thread *self, uint32_t lock) {
    uint64_t holder = (uint64_t)self->number + 1;
    if (atomic_compare_exchange_strong(&self->runtime->locks[lock].value, &holder, 0)) return true;
    char why[120];
    snprintf(why, sizeof why, "T%u frees lock %u, which it does not hold", self->number + 1, lock);
    return lm_end(self->runtime, LM_NOT_HELD, why);
}

/* Frees a lock that the thread holds, as one event. */
static inline bool lm_unlock(lm_thread *self, uint32_t lock, uint32_t transition) {
    if (!lm_before(self)) return false;
    if (lm_release(self, lock)) return lm_after(self, transition);
    lm_not_alone(self->runtime);
    return false;
}

/* Counts a useful round. */
static inline void lm_round(lm_thread *self) {
    atomic_store_explicit(&self->runtime->sides[self->number].rounds, ++self->rounds, memory_order_relaxed);
}

#endif
