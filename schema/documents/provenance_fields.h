/* The closed list of provenance facts that decide whether two profiles can be compared, with the
 * default action on a difference. A policy may change the action of each field, never the list.
 *
 * X(name, action, kind, what it is). Actions: STRICT = the profiles are incomparable, WARN = said,
 * IGNORE = kept only. Kinds: TEXT; NUMBER, of which "1e15" and "1000000000000000" state the same;
 * HARDWARE, which no policy relaxes: other hardware is another thing, not a slower one.
 * device_type, device_count, host_count and topology come from struct environment, breakdown_mode
 * and warm-up from struct producer; all others are facts of the environment.
 */
#ifndef SCHEMA_DOCUMENTS_PROVENANCE_FIELDS_H
#define SCHEMA_DOCUMENTS_PROVENANCE_FIELDS_H

enum provenance_action { PROVENANCE_STRICT, PROVENANCE_WARN, PROVENANCE_IGNORE };
enum provenance_kind { PROVENANCE_TEXT, PROVENANCE_NUMBER, PROVENANCE_HARDWARE };

#define PROVENANCE_FIELDS(X) \
    X(device_type, STRICT, HARDWARE, "kind of accelerator") \
    X(device_count, STRICT, HARDWARE, "number of devices") \
    X(host_count, STRICT, TEXT, "number of hosts") \
    X(topology, STRICT, TEXT, "mesh or slice topology") \
    X(precision, STRICT, TEXT, "number format of the model") \
    X(batch, STRICT, NUMBER, "global batch size") \
    X(device_batch, STRICT, NUMBER, "batch size of a device") \
    X(sequence, STRICT, NUMBER, "sequence length") \
    X(tokens_per_step, STRICT, NUMBER, "tokens of a step, as stated") \
    X(model_flops_per_step, STRICT, NUMBER, "model flops of a step, as stated") \
    X(model, STRICT, TEXT, "name or kind of the model") \
    X(mesh, STRICT, TEXT, "axes of the mesh, or degrees of parallelism") \
    X(work, STRICT, TEXT, "shapes and operations of ops: another batch, sequence or model") \
    X(breakdown_mode, STRICT, TEXT, "how op time was counted") \
    X(definition_version, STRICT, TEXT, "version of the measures") \
    X(step_method, STRICT, TEXT, "how steps were found") \
    X(profiler_options, WARN, TEXT, "options that slow the run") \
    X(xla_flags, WARN, TEXT, "compiler flags") \
    X(libtpu_init_args, WARN, TEXT, "flags of the TPU's compiler and runtime") \
    X(jax_enable_x64, WARN, TEXT, "64-bit numbers in jax") \
    X(jax_default_matmul_precision, WARN, TEXT, "precision of products in jax") \
    X(jax_version, WARN, TEXT, "jax") \
    X(jaxlib_version, WARN, TEXT, "jaxlib") \
    X(libtpu_version, WARN, TEXT, "TPU runtime") \
    X(cuda_version, WARN, TEXT, "CUDA runtime") \
    X(driver_version, WARN, TEXT, "device driver") \
    X(config_hash, IGNORE, TEXT, "hash of the training configuration")

/* Other names that people and configurations have for a fact: X(fact, name). */
#define PROVENANCE_ALIASES(X) \
    X(batch, batch_size) \
    X(batch, global_batch) \
    X(batch, global_batch_size) \
    X(batch, train_batch_size) \
    X(device_batch, per_device_batch_size) \
    X(device_batch, per_device_train_batch_size) \
    X(sequence, seq_len) \
    X(sequence, seq_length) \
    X(sequence, sequence_length) \
    X(sequence, train_seq_len) \
    X(sequence, max_seq_len) \
    X(sequence, max_seq_length) \
    X(sequence, max_target_length) \
    X(model, model_name) \
    X(model, model_name_or_path) \
    X(mesh, mesh_shape)

#endif
