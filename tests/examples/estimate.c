/*
 * estimate.c - libshardtop from C: the memory and time of one model over tensor-parallel sizes.
 *
 *     cc estimate.c $(pkg-config --cflags --libs shardtop) -o estimate && ./estimate
 */
#include <shardtop.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    struct shardtop *shardtop = shardtop_open();
    int status = 0;
    for (int tp = 1; tp <= 8; tp *= 2) {
        char request[200];
        snprintf(request, sizeof request,
                 "{\"id\": %d, \"plan\": {\"model\": \"llama3-8b\", \"nodes\": 1, \"tp\": %d}, \"want\": "
                 "[\"memory.verdict\", \"time.iteration_s\"]}", tp, tp);
        const char *answer = shardtop_ask(shardtop, request);
        puts(answer);
        if (strstr(answer, "\"error\""))
            status = 1;
    }
    shardtop_close(shardtop);
    return status;
}
