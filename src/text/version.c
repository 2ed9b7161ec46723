#include "src/text/version.h"

#include "src/text/json_out.h"

const char *const version_number = SHARDTOP_VERSION;

void version_program_json(struct json *json)
{
    json_open(json, "program", '{');
    json_text(json, "name", "shardtop");
    json_text(json, "version", version_number);
    json_text(json, "commit", version_commit);
    json_close(json, '}');
}

void version_json(struct json *json)
{
    json_number(json, "schema", JSON_SCHEMA);
    version_program_json(json);
}
