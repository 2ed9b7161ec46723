#include "src/cli/docs/completion.h"

#include "core/base.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <string.h>

/* Each shell asks the program itself (src/cli/docs/complete.h); here stands only how a shell is told. */

static const char bash[] =
    "# bash completion for shardtop; load it with: source <(shardtop completion bash)\n"
    "_shardtop() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words current word cut\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "    current=${words[${#words[@]}-1]}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r word; do\n"
    "        if [[ $word == :files ]]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- \"$current\")\n"
    "        else\n"
    "            COMPREPLY+=(\"${word%%$'\\t'*}\")\n"
    "        fi\n"
    "    done < <(shardtop completion words -- \"${words[@]:1}\" 2>/dev/null </dev/null)\n"
    "    [[ ${COMPREPLY[0]} == *[=.] ]] && compopt -o nospace 2>/dev/null\n"
    "    if [[ $current == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then # bash has cut the word there\n"
    "        cut=${current%\"${current##*[=:]}\"}\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
    "    fi\n"
    "}\n"
    "complete -F _shardtop shardtop\n";

static const char zsh[] =
    "#compdef shardtop\n"
    "# zsh completion for shardtop; save it as _shardtop in a folder of $fpath\n"
    "_shardtop() {\n"
    "    local word\n"
    "    local -a whole begun\n"
    "    while IFS= read -r word; do\n"
    "        case $word in\n"
    "        :files) _files ;;\n"
    "        *[=.] | *=$'\\t'*) begun+=(\"${word%%$'\\t'*}\") ;;\n"
    "        *$'\\t'*) whole+=(\"${${word%%$'\\t'*}//:/\\\\:}:${word#*$'\\t'}\") ;;\n"
    "        *) whole+=(\"${word//:/\\\\:}\") ;;\n"
    "        esac\n"
    "    done < <(shardtop completion words -- \"${(@)words[2,CURRENT]}\" 2>/dev/null </dev/null)\n"
    "    (( $#begun )) && compadd -S '' -- $begun\n"
    "    (( $#whole )) && _describe shardtop whole\n"
    "}\n"
    "_shardtop \"$@\"\n";

static const char fish[] =
    "# fish completion for shardtop; load it with: shardtop completion fish | source\n"
    "function __shardtop_words\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for word in (shardtop completion words -- $words[2..-1] 2>/dev/null </dev/null)\n"
    "        if test \"$word\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            echo $word\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c shardtop -f -a '(__shardtop_words)'\n";

int completion_write(struct buffer *out, const char *shell, struct errors *errors)
{
    static const struct {
        const char *name, *script;
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < LENGTH(shells); i++)
        if (strcmp(shell, shells[i].name) == 0) {
            buffer_puts(out, shells[i].script);
            return 0;
        }
    errors_add(errors, "shardtop", 0, "completion", "'%.40s' is not a shell known here; use bash, zsh or fish", shell);
    return -1;
}
