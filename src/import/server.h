/*
 * src/import/server.h - commands and configurations of serving engines: `vllm serve`, vLLM's api_server,
 * `python -m sglang.launch_server`, `trtllm-serve`; flags by vLLM 017e9f44, SGLang 60d36e7b, TensorRT-LLM 0004396.
 */
#pragma once

#include "src/import/recognise.h"
#include "src/text/text.h"

struct shell_script;
struct shell_word;

/** The word that names a server among those of a command; `count` when there is none. */
size_t server_find(const struct shell_word *word, size_t count);

/** Reads the command of a server, whose name is word `at`, into settings; `file` is for messages. */
void server_read(const struct shell_word *word, size_t count, size_t at, const char *file, struct import *out,
                 struct errors *errors);

/** What --command counts: the trainings of a script, and behind them the servers that it starts. */
struct server_choice {
    size_t trains;      /* of the importer, which adds them first */
    size_t all;
    size_t wanted;      /* the server to read, from 1; 0: a training, or nothing */
    struct buffer list; /* "1 line 40, 2 line 58" */
};

/** Counts a command that stands at a line. */
void server_count(struct server_choice *choice, int line);

/** Adds a script's servers, says what commands there are where none was chosen, and tells which server is wanted. */
void server_choose(const struct shell_script *script, struct server_choice *choice, const char *file,
                   struct import *out, struct errors *errors);

/** Reads the server that is wanted; false where it is none. */
bool server_read_wanted(const struct shell_script *script, const struct server_choice *choice, const char *file,
                        struct import *out, struct errors *errors);

/** The names of a flag of an engine without dashes, separated by blanks, by one of them; NULL where it is none. */
const char *server_flag_names(int engine, const char *name);

/** Settings of a server one by one, by the names of its flags. */
struct server_reader;

/** Begins to read the settings of an engine (enum engine); `file` is for messages. */
struct server_reader *server_reader_open(int engine, const char *file, struct import *out, struct errors *errors);

/** Takes a setting: `max_model_len` or `max-model-len`, "" for a flag alone. */
void server_reader_take(struct server_reader *reader, const char *name, const char *text, int line);

/** Adds what no flag tells, and releases the reader. */
void server_reader_close(struct server_reader *reader);

/** The command that an image starts where its container gives arguments alone; NULL for other images. */
const char *server_of_image(const char *image);

/** Sets serve.engine_version from the tag of an image such as `vllm/vllm-openai:v0.11.0`. */
void server_take_image(const char *image, struct import *out);

/** A file of flags without dashes, as `vllm serve --config` takes it, or TensorRT-LLM's settings. */
importer server_import;

/** An srt-slurm recipe: settings of its prefill and decode workers, or of aggregated workers. */
importer srt_slurm_import;
