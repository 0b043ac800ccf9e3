/* Entries and what they are made of, for the files of history/ only: what is hashed, how rows are
 * written with their hashes, transactions that end with the entries that they owe.
 */
#ifndef HISTORY_CHAIN_CHAIN_H
#define HISTORY_CHAIN_CHAIN_H

#include "history/chain/canonical.h"
#include "history/chain/content.h"
#include "history/chain/copy.h"
#include "history/chain/entries.h"
#include "history/chain/entry_kinds.h"
#include "history/chain/recorded.h"
#include "history/chain/transaction.h"

#endif
