/*
 * src/import/other.c - settings of an unknown trainer. No key is exact: what a name's words say
 * (src/import/unknown.def) is assumed, and the framework is `other`, whose ranges are wide.
 */
#include "core/base.h"
#include "src/import/foreign.h"
#include "src/import/foreign_read.h"
#include "src/import/import.h"

#include <ctype.h>
#include <string.h>

/* Last parts of paths that name the model, the surest first. */
static const char *const model_names[] = {
    "model_name_or_path", "pretrained_model_name_or_path", "base_model",  "base_model_name_or_path", "model_path",
    "model_name",         "model_id",                      "hf_model_id", "hf_checkpoint",           "pretrain",
    "model",              "name",                          "path",        "load",                    "model_type"};

/* True where the value at a path may be a model's name: `model.name`, but not `dataset.name` or `optimizer.model`. */
static bool is_model(const struct tree_value *value, const char *name)
{
    const char *dot = strrchr(value->path, '.'), *last = dot ? dot + 1 : value->path;
    bool is_vague = strcmp(name, "name") == 0 || strcmp(name, "path") == 0 || strcmp(name, "load") == 0;
    bool is_in_model = strncmp(value->path, "model.", 6) == 0 || strncmp(value->path, "models.", 7) == 0 ||
                       strstr(value->path, ".model.") ||
                       strncmp(value->path, "actor.", 6) == 0;
    bool has_letter = false;
    for (const char *p = value->text; *p && strncmp(value->text, "${", 2) != 0; p++)
        has_letter |= isalpha((unsigned char)*p) != 0;
    return !value->is_null && strcmp(last, name) == 0 && has_letter && (!is_vague || is_in_model);
}

static void take_model(struct foreign *im)
{
    for (size_t k = 0; k < LENGTH(model_names); k++)
        for (size_t i = 0; i < im->tree.count; i++)
            if (is_model(&im->tree.item[i], model_names[k])) {
                foreign_set(im, "model", im->tree.item[i].text, im->tree.item[i].path);
                im->tree.item[i].is_used = true;
                return;
            }
}

static void take_other(struct foreign *im)
{
    const char *program = foreign_text(im, "program");
    import_ask(im->out, "framework.name",
               &(struct asked){*program ? program : "trainer", "other", im->tree.file, 0, "--framework NAME", false});
    take_model(im);
}

static const struct foreign_format other = {NULL, 0, NULL, 0, foreign_nothing, foreign_nothing, take_other};
FOREIGN_READER(other_import, other)
