/* Which rank sits where: Megatron's groups, and arithmetic against groups built by hand. */
#include "tests/check.h"

#include "core/show/link.h"
#include "core/show/ranks.h"

static void grid_of(struct rank_grid *grid, const char *settings)
{
    struct plan plan, resolved;
    check_plan(&plan, settings);
    plan_resolve(&plan, &resolved);
    rank_grid_of(&resolved, grid);
}

/* Groups as text: "0 1|2 3", at most `most` of them. */
static const char *groups_of(const struct rank_grid *grid, enum rank_axis axis, int most)
{
    static char out[1024];
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < rank_group_count(grid, axis) && i < most; i++)
        for (int j = 0; j < grid->size[axis]; j++)
            used += (size_t)snprintf(out + used, sizeof out - used, "%s%d",
                                     j   ? " "
                                     : i ? "|"
                                         : "",
                                     rank_group_first(grid, axis, i) + j * grid->stride[axis]);
    return out;
}

/* Vectors from Megatron-LM core's RankGenerator. */
static void groups_are_those_of_megatron(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        enum rank_axis axis;
        const char *groups;
    } cases[] = {
        {"tp=2 cp=2 dp=2 pp=2", AXIS_TP, "0 1|2 3|4 5|6 7|8 9|10 11|12 13|14 15"},
        {"tp=2 cp=2 dp=2 pp=2", AXIS_CP, "0 2|1 3|4 6|5 7|8 10|9 11|12 14|13 15"},
        {"tp=2 cp=2 dp=2 pp=2", AXIS_DP, "0 4|1 5|2 6|3 7|8 12|9 13|10 14|11 15"},
        {"tp=2 cp=2 dp=2 pp=2", AXIS_PP, "0 8|1 9|2 10|3 11|4 12|5 13|6 14|7 15"},
        {"tp=1 dp=8 pp=2 ep=4 etp=1 num_experts=8", AXIS_EP, "0 1 2 3|4 5 6 7|8 9 10 11|12 13 14 15"},
        {"tp=1 dp=8 pp=2 ep=4 etp=1 num_experts=8", AXIS_EDP, "0 4|1 5|2 6|3 7|8 12|9 13|10 14|11 15"},
        {"tp=2 dp=4 pp=2 ep=2 etp=2 num_experts=8", AXIS_EP, "0 2|1 3|4 6|5 7|8 10|9 11|12 14|13 15"},
        {"tp=2 dp=4 pp=2 ep=2 etp=2 num_experts=8", AXIS_EDP, "0 4|1 5|2 6|3 7|8 12|9 13|10 14|11 15"},
        {"tp=2 dp=4 pp=2", AXIS_DP, "0 2 4 6|1 3 5 7|8 10 12 14|9 11 13 15"},
        {"tp=2 dp=4 pp=2", AXIS_PP, "0 8|1 9|2 10|3 11|4 12|5 13|6 14|7 15"},
        {"tp=2 dp=4 pp=2 order=tp-cp-ep-pp-dp", AXIS_DP, "0 4 8 12|1 5 9 13|2 6 10 14|3 7 11 15"},
        {"tp=2 dp=4 pp=2 order=tp-cp-ep-pp-dp", AXIS_PP, "0 2|1 3|4 6|5 7|8 10|9 11|12 14|13 15"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rank_grid grid;
        grid_of(&grid, cases[i].settings);
        assert_int_equal(grid.world, 16);
        assert_string_equal(groups_of(&grid, cases[i].axis, 16), cases[i].groups);
    }
}

/* Every layout of up to 64 ranks whose sizes are 1, 2, 3, 4 or 8. */
static int for_each_layout(void (*each)(const struct rank_grid *grid, const char *name))
{
    static const int sizes[] = {1, 2, 3, 4, 8};
    int count = 0;
    for (size_t t = 0; t < COUNT(sizes); t++)
        for (size_t c = 0; c < COUNT(sizes); c++)
            for (size_t d = 0; d < COUNT(sizes); d++)
                for (size_t p = 0; p < COUNT(sizes); p++)
                    for (size_t e = 0; e < 4; e++)
                        for (int order = 0; order < 2; order++) {
                            int tp = sizes[t], cp = sizes[c], dp = sizes[d], pp = sizes[p], ep = sizes[e];
                            char text[160];
                            struct rank_grid grid;
                            if (tp * cp * dp * pp > 64 || (tp * cp * dp) % (tp * ep) != 0)
                                continue;
                            snprintf(text, sizeof text,
                                     "tp=%d cp=%d dp=%d pp=%d ep=%d num_experts=24 order=%s gpus_per_node=%d", tp, cp,
                                     dp, pp, ep, order ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp", 1 << (count % 4));
                            grid_of(&grid, text);
                            each(&grid, text);
                            count++;
                        }
    return count;
}

static void check_coordinates(const struct rank_grid *grid, const char *name)
{
    for (int rank = 0; rank < grid->world; rank++) {
        struct rank_place place;
        rank_place_of(grid, rank, &place);
        int back = 0;
        for (int axis = AXIS_TP; axis <= AXIS_PP; axis++) {
            assert_that(place.at[axis] >= 0 && place.at[axis] < grid->size[axis], "%s rank %d", name, rank);
            back += place.at[axis] * grid->stride[axis];
        }
        assert_that(back == rank, "%s: rank %d has coordinates of rank %d", name, rank, back);
        assert_that(place.node * grid->gpus_per_node + place.gpu == rank && place.gpu < grid->gpus_per_node,
                    "%s: place of rank %d", name, rank);
        assert_that(rank_stage(grid, rank) == place.at[AXIS_PP], "%s: stage of rank %d", name, rank);
    }
}

static void ranks_and_coordinates_are_one_to_one(void **state)
{
    (void)state;
    assert_true(for_each_layout(check_coordinates) > 500);
}

static void check_groups(const struct rank_grid *grid, const char *name)
{
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        int seen[64] = {0}, last = -1;
        for (int i = 0; i < rank_group_count(grid, (enum rank_axis)axis); i++) {
            int first = rank_group_first(grid, (enum rank_axis)axis, i);
            assert_that(first > last, "%s %s: group %d begins at %d", name, rank_axis_names[axis], i, first);
            last = first;
            struct rank_place head;
            rank_place_of(grid, first, &head);
            for (int j = 0; j < grid->size[axis]; j++) {
                int rank = first + j * grid->stride[axis];
                assert_that(rank < grid->world, "%s %s: rank %d", name, rank_axis_names[axis], rank);
                seen[rank]++;
                assert_int_equal(rank_group_of(grid, (enum rank_axis)axis, rank), first);
                struct rank_place place;
                rank_place_of(grid, rank, &place);
                assert_int_equal(place.at[axis], j);
                if (axis <= AXIS_PP)
                    for (int other = AXIS_TP; other <= AXIS_PP; other++)
                        assert_true(other == axis || place.at[other] == head.at[other]);
            }
        }
        for (int rank = 0; rank < grid->world; rank++)
            assert_that(seen[rank] == 1, "%s %s: rank %d is in %d groups", name, rank_axis_names[axis], rank,
                        seen[rank]);
    }
}

static void groups_of_an_axis_part_the_ranks(void **state)
{
    (void)state;
    for_each_layout(check_groups);
}

static void check_crossing(const struct rank_grid *grid, const char *name)
{
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        bool crosses = false;
        for (int i = 0; i < rank_group_count(grid, (enum rank_axis)axis); i++) {
            int first = rank_group_first(grid, (enum rank_axis)axis, i);
            int last = first + (grid->size[axis] - 1) * grid->stride[axis];
            crosses |= first / grid->domain != last / grid->domain;
        }
        assert_that(rank_axis_crosses(grid, (enum rank_axis)axis) == crosses, "%s: %s %s", name, rank_axis_names[axis],
                    crosses ? "crosses" : "does not cross");
    }
}

static void an_axis_crosses_when_a_group_spans_domains(void **state)
{
    (void)state;
    for_each_layout(check_crossing);
}

static void check_domains(const struct rank_grid *grid, const char *name)
{
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        int domains = 0, last = -1;
        for (int j = 0; j < grid->size[axis]; j++) {
            int domain = j * grid->stride[axis] / grid->domain;
            domains += domain != last;
            last = domain;
        }
        if (grid->domain % grid->stride[axis] == 0 || grid->stride[axis] % grid->domain == 0)
            assert_that(rank_domains(grid, grid->size[axis], grid->stride[axis]) == domains, "%s %s: %d domains", name,
                        rank_axis_names[axis], domains);
    }
}

static void groups_touch_as_many_domains_as_counted(void **state)
{
    (void)state;
    for_each_layout(check_domains);
}

/* Numbers are whole in any room: fewer of them are written instead. */
static void members_are_written_where_they_have_room(void **state)
{
    static const struct {
        const char *settings;
        enum rank_axis axis;
        int rank, room;
        const char *text;
    } cases[] = {{"tp=8 pp=4 nodes=8", AXIS_TP, 37, 40, "32-39"},
                 {"tp=8 pp=4 nodes=8", AXIS_PP, 37, 40, "5 21 37 53"},
                 {"tp=8 pp=4 nodes=8", AXIS_PP, 37, 9, "5 .. 53"},
                 {"tp=8 pp=16 nodes=2048", AXIS_PP, 4133, 40, "37 1061 2085 .. 15397 (step 1024)"},
                 {"tp=8 pp=16 nodes=2048", AXIS_PP, 4133, 32, "37 1061 2085 .. 15397"},
                 {"tp=8 pp=16 nodes=2048", AXIS_PP, 4133, 20, "37 1061 .. 15397"},
                 {"tp=8 pp=16 nodes=2048", AXIS_PP, 4133, 12, "37 .. 15397"}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rank_grid grid;
        char text[64], settings[64];
        snprintf(settings, sizeof settings, "%s gpus_per_node=8", cases[i].settings);
        grid_of(&grid, settings);
        ranks_write(&grid, cases[i].axis, cases[i].rank, cases[i].room, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

/* The link is named as in the GPU's file, unless the plan sets a rate of PCIe. */
static void links_are_named_by_the_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *link;
        double own_gb_s, gb_s;
        const char *shown;
    } cases[] = {{"NVLink4", 450, 450, "NVLink4"}, {"PCIe5", 64, 64, "PCIe5"},
                 {"RoCE 21 x 200 Gb", 525, 525, "RoCE 21 x 200 Gb"},
                 {"NVLink4", 450, 32, "PCIe"},     {"NVLink4", 450, 200, "NVLink4"},
                 {"", NAN, 450, "in node"},      {"", NAN, 32, "PCIe"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        plan_clear(&plan);
        plan.value[PARAM_hardware_intra_node_gb_s] = cases[i].gb_s;
        plan.gpu.intra_node_gb_s = cases[i].own_gb_s;
        snprintf(plan.gpu.link, sizeof plan.gpu.link, "%s", cases[i].link);
        assert_string_equal(link_inside(&plan), cases[i].shown);
    }
}

/* Sizes that do not go together: whatever is counted along an axis stays within the largest grid. */
static void sizes_that_break_rules_stay_within_a_grid(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_parallel_cp, PARAM_parallel_dp, PARAM_parallel_pp,
                                      PARAM_parallel_ep, PARAM_parallel_etp, PARAM_parallel_order};
    struct check_random random = {27};
    for (int i = 0; i < 2000; i++) {
        struct plan plan;
        struct rank_grid grid;
        check_plan(&plan, "tp=1");
        plan_resolve(&plan, &plan);
        for (size_t k = 0; k < COUNT(keys); k++)
            plan.value[keys[k]] = fmin(ldexp(1, check_below(&random, 21)) - check_below(&random, 2),
                                       param_rows[keys[k]].max);
        rank_grid_of(&plan, &grid);
        for (int axis = 0; axis < AXIS_COUNT; axis++) {
            assert_true(grid.size[axis] >= 1 && grid.stride[axis] >= 1);
            assert_true((long long)grid.size[axis] * grid.stride[axis] <= GRID_RANKS_MAX);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_those_of_megatron),
        cmocka_unit_test(ranks_and_coordinates_are_one_to_one),
        cmocka_unit_test(groups_of_an_axis_part_the_ranks),
        cmocka_unit_test(an_axis_crosses_when_a_group_spans_domains),
        cmocka_unit_test(members_are_written_where_they_have_room),
        cmocka_unit_test(links_are_named_by_the_gpu),
        cmocka_unit_test(groups_touch_as_many_domains_as_counted),
        cmocka_unit_test(sizes_that_break_rules_stay_within_a_grid),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL) != 0;
}
