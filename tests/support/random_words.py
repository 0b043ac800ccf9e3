"""Words for random profiles: names, paths and texts that the rules of the summary look for.

What: lists, and a class that joins words of them with a given random.Random. Words that a rule
matches stand beside words that nearly match. Used by random_profile.py and profile_mutations.py.
"""

PLANE_NAMES = (
    "/device:TPU:0", "/device:TPU:1", "/device:TPU:0", "/device:GPU:0", "/device:GPU:1",
    "/host:CPU", "/host:CPU", "/host:metadata", "/host:", "/device:", "/device:CUSTOM:Megascale",
    "/Device:TPU:2", "Task Environment", "#Chips", "")
LINE_NAMES = (
    "XLA Ops", "XLA Ops", "XLA Ops", "Async XLA Ops", "Steps", "Steps", "XLA Modules",
    "Stream #13(Compute,MemcpyD2D)", "Stream #14(NcclAllReduce)", "Stream #", "stream #1",
    "XLA TraceMe", "Framework Name Scope", "TensorFlow Name Scope", "TensorFlow Ops", "python",
    "tf_Compute/1105654971", "xla ops", "XLA Ops ", "steps", "")
OP_NAMES = (
    "fusion", "loop_fusion", "exponential_reduce_fusion", "convolution", "custom-call", "copy",
    "copy-start", "copy-done", "Copy", "copy-thing", "dynamic-update-slice", "convert_element_type",
    "iota", "constant", "bitcast", "get-tuple-element", "parameter", "tuple", "after-all", "Tuple",
    "all-reduce", "all-reduce-start", "all_gather", "AllGather", "reduce-scatter", "ReduceScatter",
    "all-to-all", "alltoall", "collective-permute", "async-collective-done", "collective",
    "transpose_permute", "psum", "send", "recv-done", "ncclDevKernel_AllReduce_Sum_bf16",
    "semaphore-wait", "dependency-wait", "barrier-cores", "Donation Holds", "acquire", "idle",
    "blocked", "sleep", "await_x", "send wait", "infeed", "outfeed", "while", "MemcpyH2D", "train",
    "splash_mha_fwd", "splash_attention", "flash_attention", "fused_attention_bwd",
    "linear_softmax_cross_entropy_loss", "softmax_cross_entropy", "xent", "jit_train_step",
    "jit_f=>block=>attention", "a=>b", "Runtime::Execute::Wait", "tsl::Thread::Run",
    "xla_modules", "PjRt::call", "=>", "::", "x => launch => y")
OP_NUMBERS = ("", "", ".1", ".2", ".12", ".3.4", ".", ".1a", "(7)")
OP_PREFIXES = ("", "", "", "", "", "", "%", "%%", " ", "% ")
ODD_TEXTS = (
    "ſleep.1", "s\u017fend", "na\u212a", "bloc\u212aed", "wa\u0131t", "\u0130dle", "all-GATHER",
    "fu\u017fion.7", "copy.\u0663", "copy\u00a0", "\u2003copy.4\u2003", "\x1ccopy\x1f", "a\nb",
    "copy\n", "fusion\n.3", "x\x85", "tuple\t", "\u00e9t\u00e9", "\U0001f600.2", "co\u0301py",
    "\u200bcopy", "na\u00efve.\u0967\u0968", "%", "%.1", " ", ".", ".5", "\"quoted\\\"", "\x7f",
    "\x01", "PERMUTE", "\u03a3.1", "a\u2028b", "copy\u00e9", "\u00e9copy", "_copy", "copy_",
    "fusion.x.1", "fusion.x", "-copy-", "5copy", "Copy.", "get-tuple-element.1 ", "xent\u0130",
    "\u00b2copy.\u00b2", "x.\U0001d7ce", "\u2160copy",
    "copy.1\u200b", "\u00a0%copy.1", "%\u2028copy", "copy(x)")
STEP_NAMES = ("{}", "{}", "{}", "{}", " {} ", "+{}", "0{}", "{}_0", "-{}", "step {}", "{}.0",
              "\u0661{}", "\u00a0{}", "{}__1", "_{}", "0x{}", "{}\x1f", "")

PATH_PARTS = (
    "jit(train_step)", "jvp(Model)", "transpose(jvp(Block))", "jit(jit(f))", "vmap(g)", "pjit(h)",
    "named_call(n)", "remat(checkpoint(z))", "jit()", "jit( )", "jit(jvp())", "jit", "remat", "jvp",
    "checkpoint", "while", "body", "attention", "mlp", "layer_0", "dot_general", "dot_general:",
    ":add:", "::", "dynamic_donated_jit.step", "dynamic_donated.", "dynamic_donated", "xla",
    "XLA Ops", "pallas_call", "shard_map", "call", "Execute!", "launch", "tpu_thing", "xla_x",
    "pjrt_y", "my_thunk", "runtime_z", "stream_executor.q", "a=>b", "c", "", " ", "jit(a)(b)",
    "jit(a)b", "JIT(a)", "jit(a\nb)", "jit(xla)", "jit(:k:)", "jit( k )", "copy", "Copy", "copy(x)",
    "COPY(y)", " copy", "fusion", "xjit(a)", "jit (a)", "\u00e9", "--", "__call__",
    "jit(transpose)", "jit( jit(a))", "jit( remat )", "vmap(\tjit(:q:) )", "pjit( jvp(:))",
    "jit(dynamic_donated.w)", "\u212aall", "xla\u00e9", "la\u0131nch", "TPU_\u0130")
SHAPES = (
    "f32[8,128]", "bf16[8,128]{1,0}", "bf16[2,4,64,128]", "f32[2,4,64,64]", "u32[]", "s32[ 4 , 5 ]",
    "pred[7]", "F32[3]", "f16[0,4]", "s8[-2,3]", "u8[16]", "f64[9]", "xbf16[5]", "bf16[,]",
    "f32[a,b]", "f32[2,\u0663]", "bf16[8,<=16]", "c64[2]", "s32[1000000,1000000,1000000]", "f32[1",
    "bf16[2,2\n,2]", "u\u017f8[3]", "\u017f32[6]", "bf16[1,2,0,4]", "pred[1,1,1,1,9]")
OPCODES = ("fusion", "custom-call", "all-reduce", "dot.3", "copy", "f_(", "\u00e9op", "")
ODD_PATHS = ("XlaModule:", " XlaModule ", "XlaModule::", "XlaModule", "XlaModule: ", "", ":", "/",
             " : ", "XlaModule:x")
SOURCES = ("model.py:12", "train.py", "", "a/b.py", "model.py:12")


MARKER_NAMES = ("iota", "constant", "copy-start", "copy-done", "tuple", "after-all", "fusion",
                "copy")
FEW_NAMES, FEW_PARTS, FEW_SHAPES = (2, 4, 9), (2, 3, 5, 8), (2, 5)


def some_of(random, values, sizes):
    """All the values, or so few that they repeat, tie and meet."""
    if random.random() < 0.4:
        return values
    return random.sample(values, min(len(values), random.choice(sizes)))


class Words:
    """The words of one plane: a choice of those above."""

    def __init__(self, random):
        self.random = random
        self.odd_share = random.choice((0.0, 0.1))
        self.names = MARKER_NAMES
        if random.random() < 0.8:
            self.names = some_of(random, OP_NAMES, FEW_NAMES)
        self.parts = some_of(random, PATH_PARTS, FEW_PARTS)
        self.shapes = some_of(random, SHAPES, FEW_SHAPES)

    def op_name(self):
        pick = self.random.choice
        if self.random.random() < self.odd_share:
            return pick(ODD_TEXTS)
        return pick(OP_PREFIXES) + pick(self.names) + pick(OP_NUMBERS)

    def tf_op(self):
        if self.random.random() < self.odd_share:
            return self.random.choice(ODD_PATHS)
        return "/".join(self.random.choices(self.parts, k=self.random.randint(1, 7)))

    def shape_list(self, least, most):
        return ", ".join(self.random.choices(self.shapes, k=self.random.randint(least, most)))

    def long_name(self):
        """The text of an instruction: a tuple, one result, no result, or none of these."""
        pick = self.random.choice
        operands = f"{pick(OPCODES)}({self.shape_list(0, 4)})"
        gap = pick((" ", "", "\n", "\u00a0"))
        form = self.random.random()
        if form < 0.35:
            return f"%{self.op_name()} ={gap}({self.shape_list(0, 4)}) {operands}"
        if form < 0.7:
            return f"%{self.op_name()} ={gap}{pick(self.shapes)} {operands}"
        if form < 0.9:
            return self.shape_list(0, 12)
        return pick(("", "no shape", "= (", "=f32[2", operands))

    def source(self):
        return self.random.choice(SOURCES)

    def step_name(self, number):
        plain = self.random.random() < 0.7
        return ("{}" if plain else self.random.choice(STEP_NAMES)).format(number)
