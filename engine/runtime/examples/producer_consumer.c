/* The runtime by hand, in C: a producer and a consumer with a buffer behind a lock, first under a schedule, then without one.
 *
 *     cc -std=c11 -O2 -pthread -I engine/runtime/src engine/runtime/examples/producer_consumer.c -o target/producer_consumer
 *     target/producer_consumer 2
 *
 * It is what `producer_consumer.rs` is in Rust.
 */
#include "runtime.h"

enum { ROOM = 5, PRODUCER = 0, CONSUMER = 1, BUFFER = 0 };
enum { LOCK, FIND, FIND_NOTHING, MOVE, UNLOCK };

static const uint32_t behind_unlock[] = {3};
static const lm_event events[] = {
    {PRODUCER, LOCK, NULL, 0}, {PRODUCER, FIND, NULL, 0}, {PRODUCER, MOVE, NULL, 0}, {PRODUCER, UNLOCK, NULL, 0},
    /* The lock is free behind event 3. All else follows from the order of each thread. */
    {CONSUMER, LOCK, behind_unlock, 1}, {CONSUMER, FIND, NULL, 0}, {CONSUMER, MOVE, NULL, 0}, {CONSUMER, UNLOCK, NULL, 0},
};
static const lm_edge edges[] = {{0, 0, events, 8}};
static const lm_schedule schedule = {2, 1, 0, edges, 1};

static lm_runtime *runtime;
static atomic_ulong count;
static atomic_ulong values[ROOM];
static atomic_bool is_wrong;

static void *produce(void *unused) {
    lm_thread self = lm_begin(runtime, PRODUCER);
    for (unsigned long next = 0; lm_lock(&self, BUFFER, LOCK);) {
        if (!lm_before(&self)) break;
        const bool has_room = atomic_load(&count) < ROOM;
        if (!lm_after(&self, has_room ? FIND : FIND_NOTHING)) break;
        if (has_room) {
            if (!lm_before(&self)) break;
            atomic_store(&values[next % ROOM], next);
            next++;
            atomic_fetch_add(&count, 1);
            if (!lm_after(&self, MOVE)) break;
            lm_round(&self);
        }
        if (!lm_unlock(&self, BUFFER, UNLOCK)) break;
    }
    lm_leave(&self);
    return unused;
}

static void *consume(void *unused) {
    lm_thread self = lm_begin(runtime, CONSUMER);
    for (unsigned long next = 0; lm_lock(&self, BUFFER, LOCK);) {
        if (!lm_before(&self)) break;
        const bool has_value = atomic_load(&count) > 0;
        if (!lm_after(&self, has_value ? FIND : FIND_NOTHING)) break;
        if (has_value) {
            if (!lm_before(&self)) break;
            if (atomic_load(&values[next % ROOM]) != next) atomic_store(&is_wrong, true);
            next++;
            atomic_fetch_sub(&count, 1);
            if (!lm_after(&self, MOVE)) break;
            lm_round(&self);
        }
        if (!lm_unlock(&self, BUFFER, UNLOCK)) break;
    }
    lm_leave(&self);
    return unused;
}

static bool run(const char *name, bool is_free, double seconds) {
    const char *wrong;
    pthread_t threads[2];
    runtime = lm_new(&schedule, 1, is_free, &wrong);
    if (!runtime) {
        fprintf(stderr, "%s\n", wrong);
        return false;
    }
    atomic_store(&count, 0);
    if (pthread_create(&threads[0], NULL, produce, NULL) || pthread_create(&threads[1], NULL, consume, NULL)) exit(EXIT_FAILURE);
    const lm_ended ended = lm_run_for(runtime, seconds);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%s: %llu useful rounds of the producer, %llu of the consumer; %s\n", name, (unsigned long long)lm_rounds(runtime, PRODUCER),
           (unsigned long long)lm_rounds(runtime, CONSUMER), lm_why(runtime));
    lm_free(runtime);
    return ended == LM_STOPPED && !atomic_load(&is_wrong);
}

int main(int argc, char **argv) {
    char *end = "";
    const double seconds = argc > 1 ? strtod(argv[1], &end) : 0.2;
    if (*end || !(seconds >= 0)) {
        fprintf(stderr, "usage: producer_consumer [SECONDS]\n");
        return EXIT_FAILURE;
    }
    const bool constrained = run("under the schedule", false, seconds);
    const bool unconstrained = run("unconstrained", true, seconds);
    return constrained && unconstrained ? EXIT_SUCCESS : EXIT_FAILURE;
}
