/* What to set so that a verdict is possible: of the frameworks people use, the settings that decide
 * it. Facts about their defaults are those of their own guides (JAX, Levanter, MaxText). */
#include "ops/flow/collect/collect.h"
#include "ops/cli/help/help.h"

static const char in_general[] =
    "A verdict compares runs. A run is one execution of the job, and its captures are samples\n"
    "of it: ten steps of each of three runs say more than a thousand steps of one.\n\n"
    "  baseline   6 runs or more on the baseline branch, ingested as they come: from 6 on the\n"
    "             noise is known\n"
    "  candidate  3 runs or more (where runs vary by 1 %, one fails a loss of 3 % one time in\n"
    "             six, three three times in four, five nine times in ten)\n"
    "  steps      10 or more in each capture after the first few; 1 to 5 are judged too, as\n"
    "             noisier samples. Steps that compile or warm up are left out by name\n"
    "  hosts      the files of all processes: a slow host decides the step time\n"
    "  equal      the same capture settings on both sides: tracing slows some steps more\n\n"
    "Code that did not change passes when there are runs enough to say so, and else is\n"
    "inconclusive, which blocks with --strict. Where runs vary by 1 %, of 100 such gates pass:\n\n"
    "  past runs     with 1    3    5    8   12 runs of the candidate\n"
    "  6                 31   45   52   61   66\n"
    "  8                 39   49   64   74   79\n"
    "  12                36   59   80   84   89\n"
    "  20                33   69   81   94   93\n"
    "  30                35   71   87   92   97\n\n"
    "Nearly all others are inconclusive. So --strict wants 12 past runs and\n"
    "5 of the candidate, or 8 pairs of runs in turns (90 pass without any past).\n\n"
    "Best of all, run both sides in turns: what drifts or differs between machines then hits\n"
    "both alike, and no history is needed to trust it:\n\n"
    "  stepledger interleave --workload W --rounds 8 --commit NEW --baseline-commit OLD \\\n"
    "      -- ./train.sh old/ -- ./train.sh new/\n\n"
    "Each command finds an empty folder in STEPLEDGER_CAPTURE_DIR for its profiler.\n"
    "Runs that took turns without it: gate --paired --baseline R1 --baseline R2 ... C1 C2 ...\n\n";

static const char frameworks[] =
    "JAX\n"
    "  Compile and warm up first, then capture several steps, each marked and waited for:\n\n"
    "    step(x).block_until_ready()\n"
    "    jax.profiler.start_trace(logdir)\n"
    "    for i in range(10):\n"
    "        with jax.profiler.StepTraceAnnotation(\"train\", step_num=i):\n"
    "            x = step(x)\n"
    "            x.block_until_ready()\n"
    "    jax.profiler.stop_trace()\n\n"
    "  Unmarked steps are found by the program that runs on the devices. Shapes that change\n"
    "  compile inside a step. jax.named_scope makes ops tellable.\n"
    "    stepledger ingest --run RUN LOGDIR\n\n"
    "Levanter\n"
    "    --trainer.profiler true --trainer.profiler_start_step 5\n"
    "    --trainer.profiler_num_steps 50 --trainer.profiler_perfetto_link false\n"
    "  (defaults: step 5, 100 steps.) Each process writes below <log_dir>/<run_id>/profiler on\n"
    "  its own node and only the first uploads its part: bring the others too, or queue each\n"
    "  from its node with the same --run. Profile options: host_tracer_level 1,\n"
    "  python_tracer_level 0, enable_hlo_proto true; leave device_tracer_level unset, since\n"
    "  with 0 there are no ops and the host's steps alone are judged. Recipes of two steps\n"
    "  (start 3, num 2) show names; a verdict wants 10 or more. Of two steps the one wait\n"
    "  between them is judged; of one step none is, and stalls between steps stay unseen.\n"
    "    stepledger ingest --run RUN_ID <log_dir>/<run_id>/profiler\n\n"
    "MaxText\n"
    "    profiler=xplane skip_first_n_steps_for_profiler=5 profiler_steps=10\n"
    "  (defaults: no profiler, skip 1, 5 steps: short, and its first steps warm up.) For a\n"
    "  benchmark dataset_type=synthetic reuse_example_batch=1, so that input is no noise.\n"
    "  Flags are in LIBTPU_INIT_ARGS, which profiles do not hold: see below.\n"
    "    stepledger ingest --run RUN <output>/tensorboard\n\n"
    "GPU\n"
    "  The same calls. XLA_FLAGS=--xla_gpu_enable_command_buffer='' makes names readable and\n"
    "  slows the run: on both sides or on none, and on none for a throughput comparison. Fix\n"
    "  clocks and power limits where you may.\n\n"
    "Nsight Systems (MaxText profiler=nsys, PyTorch, anything on CUDA)\n"
    "  nsys profile --trace=cuda,nvtx --cuda-graph-trace=node COMMAND, then\n"
    "  nsys export --type sqlite REPORT.nsys-rep (done for you where nsys is on the PATH).\n"
    "  Steps are NVTX ranges named train 12, step 12, Iteration 12 and the like, those that\n"
    "  --step-range names, else the runs of XLA's main program. Nothing else is guessed.\n"
    "    stepledger ingest --run RUN REPORT.sqlite\n\n"
    "Traces (Chrome's JSON, of JAX, TensorFlow and PyTorch)\n"
    "  perfetto_trace.json.gz and *.trace.json(.gz) are read where no XPlane file lies by\n"
    "  them, with steps, ops and devices as far as they tell: prefer XPlane, which has types\n"
    "  of devices and programs and is not cut at a million events. PyTorch: a schedule with\n"
    "  prof.step(), which marks the steps (ProfilerStep#N), and tensorboard_trace_handler.\n"
    "    stepledger ingest --run RUN <log_dir>\n\n";

static const char around_it[] =
    "What profiles do not say\n"
    "  On the job's hosts, with the job's environment, and then --env-file env.json:\n\n"
    "    stepledger capture-env > env.json\n\n"
    "  --env here instead when `ingest` itself runs beside the job; never on a runner that only\n"
    "  gates, whose flags are not the job's. --config-file FILE (YAML or JSON) keeps the hash\n"
    "  of the job's configuration and the batch, sequence, model and mesh in it, --wandb-run\n"
    "  ENTITY/PROJECT/RUN what W&B knows of it. Kernels of a GPU tell no shapes: without these\n"
    "  facts (or --meta batch=N --meta sequence=N) a larger batch looks like a slower step.\n"
    "  Commit and branch come from --commit and --branch, else these, else the git of --repo\n"
    "  DIR, else the variables of a CI system (origin_from_ci = no leaves those out), never\n"
    "  from the current directory. Each fact keeps its source, and sources that disagree are\n"
    "  named.\n"
    "  Runs of one commit are pooled as one candidate where the commit was given: by an option,\n"
    "  W&B, or a CI system's variable, here or where `capture-env` ran. A commit that only the\n"
    "  git of a folder tells names the profiles and pools nothing.\n"
    "  The run is --run, else the W&B run of --wandb-run, else what the scheduler (Slurm, PBS,\n"
    "  LSF, Flux) calls the job, else WANDB_RUN_ID: all captures of one job are one run, those\n"
    "  after a restart by Slurm another.\n\n"
    "Variables that are kept, and no other (of a CI system also commit and branch)\n";

void help_capture(struct arena *arena, struct text *out)
{
    static const struct {
        const char *variable, *help;
    } rows[] = {
#define VARIABLE_ROW(variable, fact, help) {#variable, help},
        CAPTURE_VARIABLES(VARIABLE_ROW)
#undef VARIABLE_ROW
    };
    (void)arena;
    text_add(out, in_general);
    text_add(out, frameworks);
    text_add(out, around_it);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        text_addf(out, "  %-34s %s\n", rows[i].variable, rows[i].help);
}
