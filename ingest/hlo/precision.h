/* In how many bits an op computes with floating point: by the types of its arrays, or its kernel's
 * name. As in xprof one array of 16 bits says it of the op, whatever the others are: what is
 * multiplied in bf16 is added up in f32. Types of 8 and 4 bits count with those of 16.
 */
#ifndef INGEST_HLO_PRECISION_H
#define INGEST_HLO_PRECISION_H

enum precision { PRECISION_UNTOLD, PRECISION_16BIT, PRECISION_32BIT };

/* Of shapes such as "bf16[8,128](f32[8,128])", NULL too; untold where none is of floating point. */
enum precision precision_of_shapes(const char *shapes);

/* By the words that libraries and compilers of C++ have for types: "volta_sgemm_128x64_nn". */
enum precision precision_of_kernel(const char *kernel);

#endif
