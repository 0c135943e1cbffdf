// What the process that strace watches and whoever reads the trace both know.

/** What may be traced: the runtime, and the two limit loops on SQLite. */
export const TRACED = ['countersign', 'serial', 'group'] as const
export type Traced = (typeof TRACED)[number]

/** Files that are looked for before and after what is counted. */
export const MARKS = { begin: '/countersign-bench-begin', end: '/countersign-bench-end' } as const
