/* Any bytes as TOML, bare and as a configuration of torchtitan: no crash, no leak, bounded time, lines that exist. */
#include <stdint.h>

#include "src/import/foreign.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/toml.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every node is within the text and counts its children. */
static void check(const struct node *node, int lines, int depth)
{
    size_t count = 0;
    if (node->line < 0 || node->line > lines || depth > NODE_DEPTH_MAX + 1 ||
        (node->kind == NODE_VALUE) != !!node->text)
        abort();
    for (const struct node *child = node->child; child; child = child->next, count++)
        check(child, lines, depth + 1);
    if (count != node->count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct node_limits limits = {4000, 4000, "flatten it", "split it"};
    static importer *const readers[] = {titan_import};
    struct errors errors = {0};
    struct node_parse parse = {.limits = &limits, .file = "fuzz", .errors = &errors};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    int lines = 1;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    struct node *root = toml_parse(text, &parse);
    if (!root != errors_any(&errors))
        abort();
    if (root)
        check(root, lines, 0);
    node_free(root);
    errors_free(&errors);
    if (toml_recognise(text))
        fuzz_importers(readers, 1, text);
    free(text);
    return 0;
}
