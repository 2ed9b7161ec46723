/* src/text/version.h - the version of the program and the commit it was built from. */
#pragma once

struct json;

/** The version, as "1.0.0". */
extern const char *const version_number;

/**
 * What `git describe` printed when the program was linked, or the commit of a source archive. NULL in tests and where
 * the source has neither.
 */
extern const char *const version_commit;

/** Writes the members that begin the object of every JSON answer: "schema" and "program". */
void version_json(struct json *json);

/** Writes the member "program": name, version and commit. */
void version_program_json(struct json *json);
