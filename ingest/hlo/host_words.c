/* See host_words.h. The names are those of JAX, PJRT and TensorFlow; a name that none of them knows
 * says nothing. */
#include "ingest/hlo/host_words.h"

#include "ops/runtime/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* JAX's Python function, with and without the tracer of Python; TensorFlow's. */
static const char *const compile_names[] = {"backend_compile", "backend_compile_and_load",
                                            "XlaCompile"};
/* TfrtTpuCompiler::Compile, PjRtStreamExecutorClient::CompileAndLoad, PJRT_Client_Compile … */
static const char *const compile_endings[] = {"::Compile", "::CompileAndLoad", "_Client_Compile"};
/* PjitFunction(train_step); a tf.function's name follows the other. */
static const struct {
    const char *text;
    enum host_word word;
} call_beginnings[] = {{"PjitFunction(", HOST_WORD_CALL},
                       {"EagerExecute: __inference_", HOST_WORD_EAGER_CALL}};
/* Of JAX's Python; and PJRT's, by their endings. */
static const char *const wait_names[] = {"block_until_ready", "np.asarray(jax.Array)"};
static const char *const wait_endings[] = {"BlockUntilReady", "BlockHostUntilReady", "::Await",
                                           "::AwaitReady"};

/* The function of `$file.py:12 function`; the name itself when no tracer of Python wrote it. */
static const char *function_of(const char *name)
{
    const char *blank = name[0] == '$' ? strchr(name, ' ') : NULL;
    return blank == NULL ? name : blank + 1;
}

static bool is_any(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, names[i]) == 0)
            return true;
    }
    return false;
}

static bool ends_with_any(const char *text, const char *const *endings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_ends_with(text, endings[i]))
            return true;
    }
    return false;
}

enum host_word host_word_of(const char *name)
{
    const char *function = function_of(name);
    if (is_any(function, compile_names, COUNT_OF(compile_names)) ||
        ends_with_any(function, compile_endings, COUNT_OF(compile_endings)))
        return HOST_WORD_COMPILE;
    if (is_any(function, wait_names, COUNT_OF(wait_names)) ||
        ends_with_any(function, wait_endings, COUNT_OF(wait_endings)))
        return HOST_WORD_WAIT;
    for (size_t i = 0; i < COUNT_OF(call_beginnings); i++) {
        if (strncmp(name, call_beginnings[i].text, strlen(call_beginnings[i].text)) == 0)
            return call_beginnings[i].word;
    }
    return HOST_WORD_NONE;
}
