/* Training steps: what the readers refuse, who is in which group, what waits for what. */
#include "traffic/training/training.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bough_input input_of(const char *text) {
    bough_input input;
    bough_error error;
    if (bough_input_from("step.txt", text, strlen(text), &input, &error)) fail_msg("%s", error.reason);
    return input;
}

static bough_status read_step(const char *text, uint32_t epoch, training *t, bough_error *error) {
    bough_input input = input_of(text);
    *t = (training){0};
    *error = (bough_error){0};
    bool layers = *text >= 'D' && *text <= 'M'; /* the name of a policy */
    bough_status status = layers ? training_read_simai(&input, &(training_room){0, epoch, 2}, t, error)
                                 : training_read_aicb(&input, epoch, t, error);
    bough_input_fini(&input);
    return status;
}

static bough_schedule *schedule_of(const char *text, uint32_t epoch, uint32_t steps) {
    training t;
    bough_error error;
    bough_schedule *s;
    if (read_step(text, epoch, &t, &error)) fail_msg("%s: %s", error.place, error.reason);
    training_options options = {"ring", 0, steps};
    if (training_schedule(&t, &options, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    arena_fini(&t.memory);
    return s;
}

static void refused(const char *text, uint32_t epoch, const char *place, const char *reason) {
    training t;
    bough_error error;
    bough_schedule *s = NULL;
    training_options options = {"ring", 0, 1};
    bough_status status = read_step(text, epoch, &t, &error);
    if (!status) status = training_schedule(&t, &options, &s, &error);
    if (status != BOUGH_INVALID || !strstr(error.place, place) || !strstr(error.reason, reason))
        fail_msg("status %d, '%s: %s', expected '%s: %s'", status, error.place, error.reason, place, reason);
    assert_null(s);
    arena_fini(&t.memory);
}

#define HEAD "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional\n"
#define ALL4 "[rank0 ~ rank3]\n" HEAD
#define END  "CommType.epoch_end,None,None,0,,None,None,\n"

static void wrong_lists_are_refused(void **state) {
    (void)state;
    refused("", 0, "step.txt", "names no ranks");
    refused(HEAD, 0, "step.txt:1", "line in brackets");
    refused("[all]\n", 0, "step.txt:1", "no ranks; expected");
    refused("[rank1 ~ rank3]\n", 0, "step.txt:1", "start at 1");
    refused("[rank0 ~ rank99999999]\n", 0, "step.txt:1", "beyond 2^24");
    refused("[ s: [rank0, rank2] ]\n", 0, "step.txt:1", "consecutive");
    refused("[ s: [rank0, rank1] ]\n" HEAD "CommType.barrier,all,2,0,,,,\n[ s: [rank2] ]\n", 0, "step.txt:4",
            "1 rank, but the preceding stages have 2");
    refused("[rank0 ~ rank3]\ncomm_type,comm_group,size\n", 0, "step.txt:2",
            "missing column comm_group_size");
    refused(ALL4 "CommType.all_reduce,CommGroup.dp_group,4\n", 0, "step.txt:3", "3 cells");
    refused(ALL4 "CommType.all_reduze,CommGroup.dp_group,4,8,,,,\n", 0, "step.txt:3",
            "did you mean 'all_reduce'");
    refused(ALL4 "CommType.all_reduce,CommGroup.xp_group,4,8,,,,\n", 0, "step.txt:3", "expected tp_group");
    refused(ALL4 "CommType.all_reduce,CommGroup.dp_group,x,8,,,,\n", 0, "step.txt:3", "comm_group_size 'x'");
    refused(ALL4 "CommType.all_reduce,CommGroup.dp_group,4,-8,,,,\n", 0, "step.txt:3", "msg_size '-8'");
    refused(ALL4 "CommType.all_reduce,CommGroup.dp_group,0,8,,,,\n", 0, "step.txt:3", "must have ranks");
    refused(ALL4 "CommType.all_reduce,CommGroup.dp_group,4,8,\"a,,,\n", 0, "step.txt:3",
            "missing closing quote");
    refused(
        ALL4
        "CommType.all_reduce,CommGroup.dp_group,4,8,,,,\nCommType.all_reduce,CommGroup.dp_group,2,8,,,,\n",
        0, "step.txt:4", "2 ranks here and 4 in line 3");
    refused(ALL4 "CommType.all_reduce,CommGroup.dp_group,3,8,,,,\n", 0, "step.txt:3",
            "do not multiply to the 4");
    refused(
        ALL4
        "CommType.all_reduce,CommGroup.tp_group,2,8,,,,\nCommType.all_to_all,CommGroup.ep_group,4,8,,,,\n",
        0, "step.txt:4", "do not divide");
    refused(ALL4 "CommType.broadcast,CommGroup.dp_group,4,8,,,4,\n", 0, "step.txt:3",
            "src 4 in a group of 4");
    refused(ALL4 "CommType.all_reduce,CommGroup.dp_group,4,8,,,,\n", 1, "step.txt:3",
            "epoch 1 does not exist");
    refused(ALL4 "CommType.isend,CommGroup.pp_group,1,8,,,,send_up\n", 0, "step.txt:3",
            "send_next or send_prev");
    refused(ALL4 "CommType.isend,CommGroup.pp_group,1,8,,,,send_next\n", 0, "step.txt:3",
            "stage 0 of 1 has no next stage");
    refused(ALL4 "CommType.isend,CommGroup.tp_group,1,8,,,,send_next\n", 0, "step.txt:3",
            "outside of pp_group");
}

#define STAGE0 "[ pp_stage0: [rank0, rank1] ]\n" HEAD
#define STAGE1 "[ pp_stage1: [rank2, rank3] ]\n" HEAD

static void stages_must_meet(void **state) {
    (void)state;
    refused(STAGE0 "CommType.isend,CommGroup.pp_group,1,8,,,,send_next\n" STAGE1
                   "CommType.barrier,CommGroup.tp_group,2,0,,,,\n",
            0, "step.txt", "stage 0 sends 1 message to the next stage");
    refused(STAGE0 "CommType.all_reduce,CommGroup.pp_group,2,8,,,,\n" STAGE1
                   "CommType.all_reduce,CommGroup.pp_group,2,9,,,,\n",
            0, "step.txt:6", "spans all stages");
    refused(STAGE0 "CommType.all_reduce,CommGroup.pp_group,2,8,,,,\n" STAGE1
                   "CommType.barrier,CommGroup.tp_group,2,0,,,,\n",
            0, "step.txt:3", "stage 1 has another one, or none");
}

/* ---- groups ---- */

static bool talk(const bough_schedule *s, uint32_t from, uint32_t to) {
    for (uint32_t o = s->first[from]; o < s->first[from + 1]; o++)
        if (s->op[o].kind == BOUGH_OP_SEND && s->op[o].peer == to) return true;
    return false;
}

/* Rank r sends to exactly the ranks of the list (ends with -1). */
static void sends_to(const bough_schedule *s, uint32_t r, const int *list) {
    for (uint32_t to = 0; to < s->ranks; to++) {
        bool want = false;
        for (const int *p = list; *p >= 0; p++) want |= (uint32_t)*p == to;
        if (talk(s, r, to) != want) fail_msg("rank %u, %s to %u", r, want ? "does not send" : "sends", to);
    }
}

/* 16 ranks: tensor 2, data 4 (experts 2), pipeline 2; rank = t + 2 (d + 4 p). An alltoall shows all members.
 */
static void groups_are_megatrons(void **state) {
    (void)state;
    static const char stage[] = "CommType.all_reduce,CommGroup.tp_group,2,0,,,,\n"
                                "CommType.all_reduce,CommGroup.dp_group,4,0,,,,\n"
                                "CommType.barrier,CommGroup.ep_group,2,0,,,,\n" END "%s";
    static const struct {
        const char *item;
        int of_5[5], of_14[5];
    } table[] = {
        {"all_to_all,tp_group,2", {4, -1}, {15, -1}},
        {"all_to_all,dp_group,4", {1, 3, 7, -1}, {8, 10, 12, -1}},
        {"all_to_all,ep_group,2", {7, -1}, {12, -1}},
        {"all_to_all,ep_dp_group,2", {1, -1}, {10, -1}},
        {"all_to_all,pp_group,2", {13, -1}, {6, -1}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[4096], part[1024], item[128];
        snprintf(item, sizeof item, "%s,64,,,,\n" END, table[i].item);
        snprintf(part, sizeof part, stage, item);
        /* epoch 0 says the sizes only if it is read: let one epoch have all */
        char *end = strstr(part, END);
        memmove(end, end + strlen(END), strlen(end + strlen(END)) + 1);
        snprintf(text, sizeof text,
                 "[ p0: [rank0, rank1, rank2, rank3, rank4, rank5, rank6, rank7] ]\n" HEAD "%s"
                 "[ p1: [rank8, rank9, rank10, rank11, rank12, rank13, rank14, rank15] ]\n" HEAD "%s",
                 part, part);
        bough_schedule *s = schedule_of(text, 0, 1);
        assert_int_equal(s->ranks, 16);
        bough_schedule_destroy(s);
        training t;
        bough_error error;
        if (read_step(text, 0, &t, &error)) fail_msg("%s: %s", error.place, error.reason);
        assert_true(t.tensor == 2 && t.data == 4 && t.pipeline == 2 && t.expert == 2);
        for (int p = 0; p < 2; p++) { /* only the last item */
            t.stage[p].item[0] = t.stage[p].item[3];
            t.stage[p].count = 1;
        }
        training_options options = {"ring", 0, 1};
        if (training_schedule(&t, &options, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
        sends_to(s, 5, table[i].of_5);
        sends_to(s, 14, table[i].of_14);
        bough_schedule_destroy(s);
        arena_fini(&t.memory);
    }
}

/* ---- order ---- */

static bool waits_for(const bough_schedule *s, uint32_t after, uint32_t before) {
    for (uint64_t f = s->then[before]; f < s->then[before + 1]; f++) {
        uint32_t next = s->follower[f] >> 1;
        if (next == after || waits_for(s, after, next)) return true;
    }
    return false;
}

static uint32_t find(const bough_schedule *s, uint32_t rank, unsigned kind, uint64_t size) {
    for (uint32_t o = s->first[rank]; o < s->first[rank + 1]; o++)
        if (s->op[o].kind == kind && s->op[o].size == size) return o;
    fail_msg("rank %u has no operation of kind %u with %llu", rank, kind, (unsigned long long)size);
    return 0;
}

/* Stage 0 asks for the gradient before it sends on: both are posted at once, or nothing would ever start. */
static void messages_between_stages(void **state) {
    (void)state;
    bough_schedule *s =
        schedule_of("[ p0: [rank0] ]\n" HEAD "CommType.irecv,CommGroup.pp_group,1,7,,,,recv_next\n"
                    "CommType.isend,CommGroup.pp_group,1,8,,,,send_next\n" END "[ p1: [rank1] ]\n" HEAD
                    "CommType.irecv,CommGroup.pp_group,1,8,,,,recv_prev\n"
                    "CommType.isend,CommGroup.pp_group,1,7,,,,send_prev\n" END,
                    0, 2);
    assert_int_equal(s->sends, 4);
    uint32_t recv = find(s, 0, BOUGH_OP_RECV, 7), send = find(s, 0, BOUGH_OP_SEND, 8);
    assert_false(waits_for(s, send, recv) || waits_for(s, recv, send));
    for (uint32_t o = s->first[0] + 2; o < s->first[1]; o++) assert_true(waits_for(s, o, recv)); /* step 2 */
    assert_string_equal(s->labels[s->op[recv].label], "pipeline");
    bough_schedule_destroy(s);
}

#define SIMAI                                                                                                \
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 2 checkpoints: 0 checkpoint_initiates: 0\n"

#define PIPELINE "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 pp: 2 ga: 2 pp_comm: 77.0\n"
#define FIRST    "embedding_layer -1 10 NONE 0 11 NONE 0 12 NONE 0 1\n"
#define LATER    "mlp -1 20 NONE 0 21 NONE 0 22 NONE 0 1\n"

static void wrong_layers_are_refused(void **state) {
    (void)state;
    refused("HYBRID_DRLM 1\n", 4, "step.txt:1",
            "unsupported policy 'HYBRID_DRLM' (did you mean 'HYBRID_DLRM'?)");
    refused("HYBRID_DLRM\n", 4, "step.txt:1", "number of the last layer of the bottom");
    refused("HYBRID_DLRM ep: 1\n", 4, "step.txt:1", "last layer of the bottom 'ep:'");
    refused("HYBRID_DLRM 1\n1\n" LATER, 4, "step.txt:1", "the last layer of the bottom is 1; there are 1");
    refused("MICRO\n2\n" LATER LATER, 4, "step.txt:1", "2 layers; MICRO runs the first one only");
    refused("DATA\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE_EP 8 1\n", 4, "step.txt:3", "unknown collective");
    refused("HYBRID_DATA_MODEL\n1\n" LATER, 5, "step.txt:1", "5 ranks are not a multiple of the 2 of the");
    refused("HYBRID_CUSTOMIZED\n1\n" LATER, 4, "step.txt:3", "the 13th is a policy");
    refused("HYBRID_CUSTOMIZED\n1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1 HYBRID_TRANSFORMER\n", 4, "step.txt:3",
            "no policy of a layer");
    refused("HYBRID_CUSTOMIZED\n2\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1 HYBRID_DATA_MODEL\n"
            "l -1 1 NONE 0 1 NONE 0 1 NONE 0 1 HYBRID_MODEL_DATA\n",
            4, "step.txt:4", "in one file are not supported");
    refused("HYBRID_TRANSFORMER ep: 1\n1\n", 4, "step.txt:1", "model_parallel_NPU_group is missing");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2\n", 4, "step.txt:1", "pp: 2 without ga:");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 1 pp: 2 ga: 1\n", 4, "step.txt:1",
            "pp: 2 without pp_comm:");
    refused(PIPELINE "1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 4, "step.txt:1",
            "0 layers embedding_layer, one for each micro-batch, but ga: 2");
    refused(PIPELINE "3\n" FIRST LATER FIRST, 4, "step.txt:1",
            "the last micro-batch has 1 layer, the others 2");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 1 pp: 2 ga: 1 pp_comm: 1 all_gpus: 3\n1\n" FIRST, 3,
            "step.txt:1", "not a multiple of the tensor groups of 1 in 2 stages");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group:\n", 4, "step.txt:1", "no value");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 checkpoints: 2 3\n", 4, "step.txt:1",
            "1 of 2 checkpoints");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 checkpoints: 1 3\n0\n", 4, "step.txt:1",
            "checkpoint at layer 3; there are 0");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 checkpoint_initiates: 1 0\n1\n" LATER, 4,
            "step.txt:1", "layer 0 initiates forward passes from a checkpoint, but there is none below it");
    refused(SIMAI, 4, "step.txt:1", "number of layers");
    refused(SIMAI "2\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 4, "step.txt:3",
            "1 layer, but the second line gives 2");
    refused(SIMAI "1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0\n", 4, "step.txt:3", "11 fields");
    refused(SIMAI "1\nl -1 1 NONE 0 1 NONE 0 1 NON 0 1\n", 4, "step.txt:3", "did you mean 'NONE'");
    refused(SIMAI "1\nl -1 1 NONE 0 1 ALLTOALL_XP 0 1 NONE 0 1\n", 4, "step.txt:3", "_DP_EP");
    refused(SIMAI "1\nl -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1\n", 4, "step.txt:3", "compute time '1.5'");
    refused(SIMAI "0\n", 1, "step.txt:1", "space for 1");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 5\n0\n", 8, "step.txt:1",
            "not a multiple");
}

static void layers_forward_and_backward(void **state) {
    (void)state;
    /* sizes tell operations apart: rank 0 of 4, tensor {0, 1}, data {0, 2} */
    bough_schedule *s = schedule_of(SIMAI "2\na -1 10 ALLREDUCE 200 11 NONE 0 12 ALLREDUCE 220 13\n"
                                          "b -1 20 NONE 0 21 ALLREDUCE 400 22 REDUCESCATTER 440 23\n",
                                    5, 1);
    assert_int_equal(s->ranks, 4);
    uint32_t f[] = {find(s, 0, BOUGH_OP_CALC, 10),  find(s, 0, BOUGH_OP_SEND, 100),
                    find(s, 0, BOUGH_OP_CALC, 20),  find(s, 0, BOUGH_OP_CALC, 21),
                    find(s, 0, BOUGH_OP_SEND, 200), find(s, 0, BOUGH_OP_CALC, 22),
                    find(s, 0, BOUGH_OP_CALC, 11),  find(s, 0, BOUGH_OP_CALC, 12)};
    for (size_t i = 1; i < sizeof f / sizeof *f; i++) assert_true(waits_for(s, f[i], f[i - 1]));
    assert_int_equal(s->op[f[1]].peer, 1);
    assert_int_equal(s->op[f[4]].peer, 1);
    uint32_t wg = find(s, 0, BOUGH_OP_SEND, 220), update = find(s, 0, BOUGH_OP_CALC, 23),
             later = find(s, 0, BOUGH_OP_SEND, 110), last = find(s, 0, BOUGH_OP_CALC, 13);
    assert_int_equal(s->op[wg].peer, 2);
    assert_true(waits_for(s, wg, f[5]) && waits_for(s, update, wg));
    assert_false(waits_for(s, f[6], wg)); /* goes on aside */
    assert_true(waits_for(s, later, f[7]) && waits_for(s, later, update) && waits_for(s, last, later));
    assert_string_equal(s->labels[s->op[wg].label], "data");
    assert_string_equal(s->labels[s->op[f[1]].label], "tensor");
    assert_string_equal(s->labels[s->op[f[0]].label], "compute");
    bough_schedule_destroy(s);
}

/* The items of a stage: times of computations, messages to and from the next (+) and previous (-) stage. */
static void check_items(const training *t, uint32_t stage, const char *expected) {
    char text[512] = "", word[24];
    for (size_t i = 0; i < t->stage[stage].count; i++) {
        const training_item *item = &t->stage[stage].item[i];
        if (item->what == TRAINING_COMPUTE)
            snprintf(word, sizeof word, "%llu ", (unsigned long long)item->size);
        else
            snprintf(word, sizeof word, "%c%c ", item->what == TRAINING_SEND ? 's' : 'r',
                     item->next ? '+' : '-');
        if (item->what != TRAINING_COMPUTE) assert_int_equal(item->size, 77);
        strncat(text, word, sizeof text - strlen(text) - 1);
    }
    assert_string_equal(text, expected);
}

/* Two stages, two micro-batches: stage 0 is one ahead. norm belongs to the step, optimizer follows the
 * layers. */
static void pipelines_alternate(void **state) {
    (void)state;
    training t;
    bough_error error;
    bough_schedule *s;
    training_options options = {"ring", 0, 1};
    assert_int_equal(read_step(PIPELINE "6\nnorm -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n" FIRST LATER FIRST LATER
                                        "optimizer1 -1 5 NONE 0 6 NONE 0 7 NONE 0 1\n",
                               4, &t, &error),
                     BOUGH_OK);
    assert_int_equal(t.ranks, 4);
    assert_int_equal(t.data, 2);
    check_items(&t, 0, "1 10 20 s+ 10 20 s+ 5 6 7 r+ 21 22 11 12 r+ 21 22 11 12 2 3 ");
    check_items(&t, 1, "1 r- 10 20 5 6 7 21 22 11 12 s- r- 10 20 21 22 11 12 s- 2 3 ");
    assert_int_equal(training_schedule(&t, &options, &s, &error), BOUGH_OK);
    assert_int_equal(s->sends, 8);
    bough_schedule_destroy(s);
    arena_fini(&t.memory);
}

/* Before the backward pass of the third layer the first two go forward again. */
static void checkpoints_go_forward_again(void **state) {
    (void)state;
    training t;
    bough_error error;
    assert_int_equal(read_step("HYBRID_TRANSFORMER model_parallel_NPU_group: 1 checkpoints: 1 0 "
                               "checkpoint_initiates: 1 2 ga: 1\n3\n" FIRST LATER
                               "c -1 30 NONE 0 31 NONE 0 32 NONE 0 1\n",
                               1, &t, &error),
                     BOUGH_OK);
    check_items(&t, 0, "10 20 30 10 20 31 32 21 22 11 12 ");
    arena_fini(&t.memory);
}

#define TWO_LAYERS                                                                                           \
    "2\na -1 10 ALLREDUCE 200 11 ALLREDUCE 240 12 ALLREDUCE 280 13\n"                                        \
    "b -1 20 ALLTOALL 400 21 ALLREDUCE 440 22 ALLREDUCE 480 23\n"

/* The items of the step: computations by their time, collectives by their size and group, waits by their
 * group. */
static void check_order(const char *text, const char *expected) {
    static const char groups[] = "TDPEXA";
    char seen[512] = "", word[32];
    training t;
    bough_error error;
    if (read_step(text, 4, &t, &error)) fail_msg("%s: %s", error.place, error.reason);
    for (size_t i = 0; i < t.stage[0].count; i++) {
        const training_item *item = &t.stage[0].item[i];
        if (item->what == TRAINING_COMPUTE)
            snprintf(word, sizeof word, "%s%llu ", item->stream ? "+" : "", (unsigned long long)item->size);
        else if (item->what == TRAINING_WAIT)
            snprintf(word, sizeof word, "w%c ", groups[item->group]);
        else
            snprintf(word, sizeof word, "%c%llu ", groups[item->group], (unsigned long long)item->size);
        strncat(seen, word, sizeof seen - strlen(seen) - 1);
    }
    assert_string_equal(seen, expected);
    arena_fini(&t.memory);
}

/* As astra-sim/workload/Workload.cc of ASTRA-sim 1.0 goes through its layers. +: an update beside
 * computations. */
static void policies_order_layers(void **state) {
    (void)state;
    check_order("MICRO\n1\na -1 10 NONE 0 11 NONE 0 12 ALLREDUCE 280 13\n", "D280 +13 wD ");
    check_order("DATA\n" TWO_LAYERS, "10 20 22 D480 +23 21 12 D280 +13 wD ");
    check_order("MODEL\n" TWO_LAYERS, "10 T200 wT 20 T400 wT 21 T440 22 wT 11 12 ");
    check_order("HYBRID_DATA_MODEL\n" TWO_LAYERS,
                "10 T200 wT 20 T400 wT 21 T440 22 D480 +23 wT 11 12 D280 +13 wD ");
    check_order("HYBRID_MODEL_DATA\n" TWO_LAYERS,
                "10 T200 wT 20 T400 wT 21 T440 22 D480 +23 wT 11 12 D280 +13 wD ");
    check_order("DISTRIBUTED_INFERENCE\n" TWO_LAYERS, "10 T200 wT 20 T400 wT ");
    check_order("HYBRID_CUSTOMIZED\n2\na -1 10 ALLREDUCE 200 11 NONE 0 12 ALLREDUCE 280 13 DATA\n"
                "b -1 20 ALLREDUCE 400 21 NONE 0 22 ALLREDUCE 480 23 HYBRID_DATA_MODEL\n",
                "10 20 T400 wT 21 22 D480 +23 11 12 A280 +13 wA ");
    check_order("HYBRID_CUSTOMIZED\n1\na -1 10 ALLREDUCE 200 11 NONE 0 12 ALLREDUCE 280 13 MODEL\n",
                "10 A200 wA 11 12 ");
#define DLRM                                                                                                 \
    "3\ne -1 10 ALLTOALL 100 11 ALLTOALL 110 12 NONE 0 1\nb -1 20 NONE 0 21 NONE 0 22 ALLREDUCE 280 1\n"     \
    "t -1 30 NONE 0 31 NONE 0 32 ALLREDUCE 380 1\n"
    check_order("HYBRID_DLRM 1\n" DLRM, "10 A100 20 wA 30 32 D380 +1 31 A110 22 D280 +1 21 12 wA wD ");
    check_order("HYBRID_DLRM_ENHANCED 1\n" DLRM, "10 A100 20 wA 30 32 D380 +1 31 A110 22 D280 +1 21 12 wD ");
}

/* Four ranks, two in the first dimension: it has the model, or the data. */
static void dimensions_are_groups(void **state) {
    (void)state;
    for (int data_first = 0; data_first < 2; data_first++) {
        bough_schedule *s = schedule_of(
            data_first ? "HYBRID_MODEL_DATA\n" TWO_LAYERS : "HYBRID_DATA_MODEL\n" TWO_LAYERS, 4, 1);
        uint32_t model = find(s, 0, BOUGH_OP_SEND, 100), data = find(s, 0, BOUGH_OP_SEND, 240);
        uint32_t weight = find(s, 0, BOUGH_OP_CALC, 22), input = find(s, 0, BOUGH_OP_SEND, 220);
        assert_int_equal(s->op[model].peer, data_first ? 2 : 1);
        assert_int_equal(s->op[data].peer, data_first ? 1 : 2);
        assert_string_equal(s->labels[s->op[data].label], "data");
        assert_true(waits_for(s, data, weight) && waits_for(s, find(s, 0, BOUGH_OP_CALC, 11), input));
        assert_false(waits_for(s, weight, input) || waits_for(s, find(s, 0, BOUGH_OP_CALC, 12), data));
        assert_true(waits_for(s, find(s, 0, BOUGH_OP_CALC, 23), data));
        bough_schedule_destroy(s);
    }
}

/* Listed in the last of three stages, of two ranks each; the first one takes part. */
static void embeddings_are_of_the_ends(void **state) {
    (void)state;
    bough_schedule *s =
        schedule_of("[ p0: [rank0, rank1] ]\n" HEAD "CommType.all_reduce,CommGroup.dp_group,2,10,,,,\n" END
                    "[ p1: [rank2, rank3] ]\n" HEAD END "[ p2: [rank4, rank5] ]\n" HEAD
                    "CommType.all_reduce,CommGroup.embedding_group,2,200,,,,\n" END,
                    0, 1);
    assert_int_equal(s->op[find(s, 1, BOUGH_OP_SEND, 100)].peer, 5);
    assert_int_equal(s->op[find(s, 4, BOUGH_OP_SEND, 100)].peer, 0);
    assert_int_equal(s->first[4] - s->first[2], 0);
    assert_true(waits_for(s, find(s, 1, BOUGH_OP_SEND, 100), find(s, 1, BOUGH_OP_SEND, 5)));
    assert_string_equal(s->labels[s->op[find(s, 4, BOUGH_OP_SEND, 100)].label], "embedding");
    bough_schedule_destroy(s);
    refused(ALL4 "CommType.all_reduce,CommGroup.embedding_group,2,200,,,,\n" END, 0, "step.txt",
            "of the first and the last one of several");
}

/* The real files, where they are. Messages: counted from the lines. */
static void real_steps(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint32_t ranks, tensor, data, pipeline;
        uint64_t sends;
    } table[] = {
        /* 128 allreduces and two of the embedding, 4 small ones over 2 ranks; ... */
        {"llama7b-megatron-tp2-pp1.csv", 128, 2, 64, 1, 0},
        {"gpt13b-megatron-tp8-sp.csv", 128, 8, 16, 1, 0},
        {"llama65b-megatron-tp2-pp8.csv.gz", 128, 2, 8, 8, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[512];
        bough_input input;
        bough_error error = {0};
        training t = {0};
        snprintf(path, sizeof path, "%s/ai/%s", SHARED_DATA, table[i].file);
        if (access(path, R_OK) != 0) skip();
        if (bough_input_read(path, &input, &error)) fail_msg("%s", error.reason);
        if (training_read_aicb(&input, 1, &t, &error)) fail_msg("%s: %s", error.place, error.reason);
        bough_input_fini(&input);
        assert_int_equal(t.ranks, table[i].ranks);
        assert_int_equal(t.tensor, table[i].tensor);
        assert_int_equal(t.data, table[i].data);
        assert_int_equal(t.pipeline, table[i].pipeline);
        training_options options = {"ring", 0, 1};
        bough_schedule *s;
        if (training_schedule(&t, &options, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(s->sends, s->recvs);
        bough_schedule_destroy(s);
        arena_fini(&t.memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_lists_are_refused),    cmocka_unit_test(stages_must_meet),
        cmocka_unit_test(groups_are_megatrons),       cmocka_unit_test(messages_between_stages),
        cmocka_unit_test(policies_order_layers),      cmocka_unit_test(dimensions_are_groups),
        cmocka_unit_test(wrong_layers_are_refused),   cmocka_unit_test(layers_forward_and_backward),
        cmocka_unit_test(pipelines_alternate),        cmocka_unit_test(checkpoints_go_forward_again),
        cmocka_unit_test(embeddings_are_of_the_ends), cmocka_unit_test(real_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
