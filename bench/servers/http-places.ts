// Where the servers of the comparison are, and who they know.

/** Both apps are on one server, so that they share its process, its socket and its neighbours. */
export const BASES = { countersign: '/countersign', bare: '/bare' } as const

export const TOKENS = { support: 'token-of-support', finance: 'token-of-finance' } as const
