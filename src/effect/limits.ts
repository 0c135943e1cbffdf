// Every limit of the library, in one table: unbounded input is a fault.

const SECOND_MS = 1_000
const DAY_MS = 24 * 60 * 60 * SECOND_MS
const KIB = 1_024

/**
 * The limits that are enforced, units last. A value over one is refused as `limit_exceeded` with the limit's name,
 * evidence apart, which is thinned but never refused. Spec: policy-and-protection 3, design D15.
 */
export const limits = {
  /** The body of one HTTP request, in which the largest command has room for its envelope; beyond it 413. */
  requestBytes: 512 * KIB,
  commandBytes: 256 * KIB,
  snapshotBytes: 256 * KIB,
  previewBytes: 64 * KIB,
  resultBytes: 64 * KIB,
  factsBytes: 64 * KIB,
  commentCharacters: 2_000,
  reasonTextCharacters: 2_000,
  hostErrorCharacters: 500,
  callMetadataCharacters: 500,
  jsonDepth: 64,
  jsonNodes: 10_000,
  jsonKeysPerObject: 1_000,
  stringBytes: 64 * KIB,
  approvalsPerProposal: 100,
  attemptsPerEffect: 100,
  observationsPerEffect: 10_000,
  /** From here on an observation is stored only if it changes the fold or carries a new fact. */
  observationsKeptFully: 9_000,
  proposalLifetimeMs: 90 * DAY_MS,
  /** So far wall time may move against monotonic time before it is not believed for a while (trace S6). */
  clockJumpMs: 5 * SECOND_MS,
  pageItems: 200,
} as const

/** The name of a limit, as `limit_exceeded` reports it. */
export type LimitName = keyof typeof limits
