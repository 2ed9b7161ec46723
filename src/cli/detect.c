#include "src/cli/detect.h"

#include "core/base.h"
#include "src/text/text.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

/* Notes one device: the first gives the name, others of that name count. */
static void add(struct detected *found, const char *name)
{
    char plain[DETECT_NAME_MAX], clean[DETECT_NAME_MAX];
    name += strspn(name, " \t");
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "\r\n"), name);
    text_clean(plain, clean, sizeof clean);
    for (size_t n = strlen(clean); n > 0 && isspace((unsigned char)clean[n - 1]);)
        clean[--n] = '\0';
    if (!found->count)
        snprintf(found->name, sizeof found->name, "%s", clean);
    if (*clean && strcmp(found->name, clean) == 0)
        found->count++;
}

/* A line for each device. */
static void ask_nvidia_smi(struct detected *found)
{
    char line[256];
    FILE *out = popen("nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null </dev/null", "re");
    while (out && fgets(line, sizeof line, out))
        add(found, line);
    if (out && pclose(out) != 0)
        *found = (struct detected){.by = NULL}; /* what it prints then is no name */
}

/* The driver keeps a folder for each device: "Model: \t\t NVIDIA H100 80GB HBM3". */
static void read_proc(struct detected *found)
{
    static const char label[] = "Model:";
    glob_t files = {0};
    char line[256];
    bool is_there = glob("/proc/driver/nvidia/gpus/*/information", 0, NULL, &files) == 0;
    for (size_t i = 0; is_there && i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "re");
        while (file && fgets(line, sizeof line, file))
            if (strncmp(line, label, sizeof label - 1) == 0)
                add(found, line + sizeof label - 1);
        if (file)
            fclose(file);
    }
    globfree(&files);
}

/* "card0,AMD Instinct MI300X,..." below a line of headings. */
static void ask_rocm_smi(struct detected *found)
{
    char line[512];
    FILE *out = popen("rocm-smi --showproductname --csv 2>/dev/null </dev/null", "re");
    while (out && fgets(line, sizeof line, out)) {
        char *name = strchr(line, ',');
        if (strncmp(line, "card", 4) != 0 || !isdigit((unsigned char)line[4]) || !name)
            continue;
        name[1 + strcspn(name + 1, ",\n")] = '\0';
        add(found, name + 1);
    }
    if (out)
        pclose(out);
}

struct detected detect_gpus(void)
{
    static const struct {
        const char *by;
        void (*ask)(struct detected *found);
    } ways[] = {{"nvidia-smi", ask_nvidia_smi}, {"/proc/driver/nvidia", read_proc}, {"rocm-smi", ask_rocm_smi}};
    struct detected found = {.by = NULL};
    for (size_t i = 0; i < LENGTH(ways) && !found.count; i++) {
        ways[i].ask(&found);
        found.by = found.count ? ways[i].by : NULL;
    }
    return found;
}
