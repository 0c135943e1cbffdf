// The version that receipts name; a test keeps it equal to the package's.

/** The version of this runtime. */
export const VERSION = '0.1.0'
