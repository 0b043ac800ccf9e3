/* What an export says beside its events: GPUs, names of threads, the host, the clock. */
#include "ingest/nsight/nsight_reading.h"

#include "ops/runtime/text.h"

#include <string.h>

enum { GPUS_MOST = 4096 };

static struct opt_i64 number_at(const struct export_rows *rows, int column, int64_t unit)
{
    int64_t value;
    return export_integer(rows, column, &value) == CELL_VALUE && value > 0 ? some_i64(value / unit)
                                                                           : (struct opt_i64){0};
}

/* A text that stays; NULL where there is none. */
static const char *text_at(struct nsight_reading *reading, const struct export_rows *rows,
                           int column)
{
    const char *text;
    size_t length;
    if (export_text(rows, column, &text, &length) != CELL_VALUE || length == 0)
        return NULL;
    return catalog_text(reading->catalog, nsight_text_keep(reading, text, length));
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

enum { GPU_ID, GPU_NAME, GPU_CLOCK, GPU_CORES, GPU_MEMORY, GPU_BANDWIDTH, GPU_MAJOR, GPU_MINOR };

static const struct export_table gpus_table = {"TARGET_INFO_GPU",
                                               0,
                                               1U << GPU_ID,
                                               {"id", "name", "clockRate", "smCount", "totalMemory",
                                                "memoryBandwidth", "computeMajor", "computeMinor"}};

static bool gpu_take(struct nsight_reading *reading, const struct export_rows *rows, void *context,
                     struct err *err)
{
    enum { HZ_PER_KHZ = 1000 };
    struct nsight_facts *facts = context;
    int64_t id;
    (void)err;
    if (export_integer(rows, GPU_ID, &id) != CELL_VALUE || facts->gpu_count >= GPUS_MOST)
        return true;
    facts->gpus = arena_grow(reading->arena, facts->gpus, facts->gpu_count, &facts->gpu_capacity,
                             sizeof *facts->gpus);
    facts->gpus[facts->gpu_count++] = (struct nsight_gpu){
        .id = id,
        .name = text_at(reading, rows, GPU_NAME),
        .clock_khz = number_at(rows, GPU_CLOCK, HZ_PER_KHZ),
        .cores = number_at(rows, GPU_CORES, 1),
        .memory_bytes = number_at(rows, GPU_MEMORY, 1),
        .bandwidth = number_at(rows, GPU_BANDWIDTH, 1),
        .major = number_at(rows, GPU_MAJOR, 1),
        .minor = number_at(rows, GPU_MINOR, 1),
    };
    return true;
}

enum { CUDA_GPU, CUDA_DEVICE, CUDA_PID };

static const struct export_table cuda_devices_table = {"TARGET_INFO_CUDA_DEVICE",
                                                       0,
                                                       1U << CUDA_GPU | 1U << CUDA_DEVICE |
                                                           1U << CUDA_PID,
                                                       {"gpuId", "cudaId", "pid"}};

/* This table has processes by their plain ids, and rows of events by ids that hold more: it is kept
 * by the plain one, and asked so. */
static bool cuda_device_take(struct nsight_reading *reading, const struct export_rows *rows,
                             void *context, struct err *err)
{
    int64_t gpu, device, pid;
    (void)context;
    (void)err;
    if (export_integer(rows, CUDA_GPU, &gpu) == CELL_VALUE &&
        export_integer(rows, CUDA_DEVICE, &device) == CELL_VALUE &&
        export_integer(rows, CUDA_PID, &pid) == CELL_VALUE)
        nsight_gpu_set(&reading->tracks, pid, device, gpu);
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREAD_NAME, THREAD_ID };

static const struct export_table threads_table = {
    "ThreadNames", 0, 1U << THREAD_NAME | 1U << THREAD_ID, {"nameId", "globalTid"}};

static bool thread_take(struct nsight_reading *reading, const struct export_rows *rows,
                        void *context, struct err *err)
{
    int64_t id, name;
    uint32_t text;
    (void)context;
    if (export_integer(rows, THREAD_ID, &id) != CELL_VALUE ||
        export_integer(rows, THREAD_NAME, &name) != CELL_VALUE)
        return true;
    struct nsight_thread *thread = nsight_thread_of(&reading->tracks, id);
    if (!nsight_text_of_id(reading, name, &text, err))
        return false;
    if (text != reading->unnamed)
        thread->name = catalog_text(reading->catalog, text);
    return true;
}

/* ---- the host -------------------------------------------------------------------------------- */

enum { ENV_NAME, ENV_VALUE };

static const struct export_table system_table = {
    "TARGET_INFO_SYSTEM_ENV", 0, 1U << ENV_NAME | 1U << ENV_VALUE, {"name", "value"}};

static bool system_take(struct nsight_reading *reading, const struct export_rows *rows,
                        void *context, struct err *err)
{
    struct nsight_facts *facts = context;
    const char *name;
    size_t length;
    int64_t number;
    (void)err;
    if (export_text(rows, ENV_NAME, &name, &length) != CELL_VALUE)
        return true;
    if (strcmp(name, "Hostname") == 0)
        facts->host = text_at(reading, rows, ENV_VALUE);
    if (strcmp(name, "CudaDriverVersion") != 0)
        return true;
    const char *value = text_at(reading, rows, ENV_VALUE);
    if (value != NULL && text_parse_i64(value, &number) && number > 0)
        facts->cuda_driver = some_i64(number);
    return true;
}

enum { SESSION_EPOCH };

static const struct export_table session_table = {
    "TARGET_INFO_SESSION_START_TIME", 0, 1U << SESSION_EPOCH, {"utcEpochNs"}};

static bool session_take(struct nsight_reading *reading, const struct export_rows *rows,
                         void *context, struct err *err)
{
    struct nsight_facts *facts = context;
    (void)reading;
    (void)err;
    facts->epoch_ns = number_at(rows, SESSION_EPOCH, 1);
    return true;
}

enum { CAPTURE_NAME, CAPTURE_VALUE };

static const struct export_table capture_table = {
    "META_DATA_CAPTURE", 0, 1U << CAPTURE_NAME | 1U << CAPTURE_VALUE, {"name", "value"}};

/* What launchers tell a process of its rank and of how many there are: torchrun and its like, Open
 * MPI, MPICH, Slurm (of the step; of a batch script it would be what the job may start). */
static const struct {
    const char *rank, *count;
} launchers[NSIGHT_LAUNCHERS] = {{"RANK", "WORLD_SIZE"},
                                 {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                 {"PMI_RANK", "PMI_SIZE"},
                                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

/* The number in `NAME="12"`, where that is the variable's name. */
static bool variable_is(const char *text, const char *name, struct opt_i64 *ret_number)
{
    enum { DIGITS_MOST = 9 };
    const size_t length = strlen(name);
    char number[DIGITS_MOST + 1] = {0};
    if (strncmp(text, name, length) != 0 || text[length] != '=')
        return false;
    const char *digits = text + length + 1 + (text[length + 1] == '"');
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > DIGITS_MOST || (digits[count] != '\0' && digits[count] != '"'))
        return false;
    memcpy(number, digits, count);
    ret_number->set = text_parse_i64(number, &ret_number->value);
    return true;
}

/* The variables of the program that was profiled. */
static bool variable_take(struct nsight_reading *reading, const struct export_rows *rows,
                          void *context, struct err *err)
{
    static const char first[] = "PROCESS_0:ENVIRONMENT_VARIABLE";
    struct nsight_facts *facts = context;
    const char *name, *value;
    size_t length;
    (void)reading;
    (void)err;
    if (export_text(rows, CAPTURE_NAME, &name, &length) != CELL_VALUE || strcmp(name, first) != 0 ||
        export_text(rows, CAPTURE_VALUE, &value, &length) != CELL_VALUE)
        return true;
    for (int i = 0; i < NSIGHT_LAUNCHERS; i++) {
        if (!variable_is(value, launchers[i].rank, &facts->ranks[i]))
            (void)variable_is(value, launchers[i].count, &facts->counts[i]);
    }
    return true;
}

bool nsight_facts_read(struct nsight_reading *reading, struct err *err)
{
    static const struct {
        const struct export_table *table;
        nsight_row_fn *take;
    } tables[] = {{&gpus_table, gpu_take},        {&cuda_devices_table, cuda_device_take},
                  {&threads_table, thread_take},  {&system_table, system_take},
                  {&session_table, session_take}, {&capture_table, variable_take}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (!nsight_rows_read(reading, tables[i].table, tables[i].take, &reading->facts, err))
            return false;
    return true;
}
