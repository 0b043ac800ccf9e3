/* Which way data go that an op of a device copies, by what its texts say: one rule for breakdowns
 * of steps, findings, summaries and answers.
 */
#ifndef SCHEMA_DOCUMENTS_COPY_WAY_H
#define SCHEMA_DOCUMENTS_COPY_WAY_H

enum copy_way {
    COPY_ON_DEVICE, /* or between devices; of other words than are known, too */
    COPY_HOST_TO_DEVICE,
    COPY_DEVICE_TO_HOST,
    COPY_INFEED, /* what waits for the host's input, and takes it */
    COPY_WAY_COUNT
};
/* device_to_device host_to_device device_to_host infeed */
extern const char *const copy_way_names[COPY_WAY_COUNT];

/* Of an op that copies, by the names that drivers give copies and by XLA's opcodes and categories;
 * any may be NULL. What only the memories of its arrays tell (`copy-start` to the host's) is the
 * reader's to add. */
enum copy_way copy_way_of(const char *name, const char *opcode, const char *category);

#endif
