/*
 * src/plan/embed.c - build-time program: writes the files named on its command line as C data, so that the release
 * binary needs no files beside it. Output: `embedded_files[]`, sorted as given, and `embedded_file_count`.
 */
#include <stdio.h>
#include <stdlib.h>

static int embed(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    printf("    {\"%s\",\n     \"", path);
    int c;
    size_t size = 0;
    while ((c = fgetc(file)) != EOF) {
        size++;
        if (c == '\n')
            printf("\\n\"\n     \"");
        else if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20 || c > 0x7e || c == '?')
            printf("\\%03o", c);
        else
            putchar(c);
    }
    printf("\", %zu},\n", size);
    int failed = ferror(file);
    return fclose(file) != 0 || failed ? -1 : 0;
}

int main(int argc, char **argv)
{
    printf("#include \"src/plan/embedded.h\"\n\nconst struct embedded_file embedded_files[] = {\n");
    for (int i = 1; i < argc; i++)
        if (embed(argv[i]) != 0)
            return EXIT_FAILURE;
    printf("};\nconst size_t embedded_file_count = %d;\n", argc - 1);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
