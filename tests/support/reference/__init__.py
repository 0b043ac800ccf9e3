"""profile_summary.v1 a second time: XPlane file → document → answers, for tests only.

What: an implementation of profile_summary.v1 (ingest/README.md has its paragraphs), written from
its description alone. Why: stored documents show only what their inputs reach; a second
implementation can be asked about any input. It shares nothing with the program, neither code nor
tables, and is written for likeness to the text: one module per section, no speed, no limits on
memory.
What it does not do: trace JSON, xprof tables, history and bundles, and the members that stepledger
adds.
"""
