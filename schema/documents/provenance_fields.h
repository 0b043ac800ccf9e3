/* The closed list of provenance facts that decide whether two profiles can be compared, with the
 * default action on a difference. A policy may change the action of each field, never the list.
 *
 * X(name, action, what it is). Actions: STRICT = the profiles are incomparable, WARN = said, IGNORE
 * = kept only. device_type, device_count, host_count and topology come from struct environment,
 * breakdown_mode and warm-up from struct producer; all others are facts of the environment.
 */
#ifndef SCHEMA_DOCUMENTS_PROVENANCE_FIELDS_H
#define SCHEMA_DOCUMENTS_PROVENANCE_FIELDS_H

enum provenance_action { PROVENANCE_STRICT, PROVENANCE_WARN, PROVENANCE_IGNORE };

#define PROVENANCE_FIELDS(X) \
    X(device_type, STRICT, "kind of accelerator") \
    X(device_count, STRICT, "number of devices") \
    X(host_count, STRICT, "number of hosts") \
    X(topology, STRICT, "mesh or slice topology") \
    X(precision, STRICT, "number format of the model") \
    X(batch, STRICT, "global batch size") \
    X(device_batch, STRICT, "batch size of a device") \
    X(sequence, STRICT, "sequence length") \
    X(tokens_per_step, STRICT, "tokens of a step, as stated") \
    X(model_flops_per_step, STRICT, "model flops of a step, as stated") \
    X(model, STRICT, "name or kind of the model") \
    X(mesh, STRICT, "axes of the mesh, or degrees of parallelism") \
    X(work, STRICT, "shapes and operations of ops: another batch, sequence or model") \
    X(breakdown_mode, STRICT, "how op time was counted") \
    X(definition_version, STRICT, "version of the measures") \
    X(step_method, STRICT, "how steps were found") \
    X(profiler_options, WARN, "options that slow the run") \
    X(xla_flags, WARN, "compiler flags") \
    X(libtpu_init_args, WARN, "flags of the TPU's compiler and runtime") \
    X(jax_enable_x64, WARN, "64-bit numbers in jax") \
    X(jax_default_matmul_precision, WARN, "precision of products in jax") \
    X(jax_version, WARN, "jax") \
    X(jaxlib_version, WARN, "jaxlib") \
    X(libtpu_version, WARN, "TPU runtime") \
    X(cuda_version, WARN, "CUDA runtime") \
    X(driver_version, WARN, "device driver") \
    X(config_hash, IGNORE, "hash of the training configuration")

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
