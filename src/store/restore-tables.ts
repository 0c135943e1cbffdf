// The tables of the gate of restores, column by column.

/** The one row of what a witness outside the store remembers as well; the numbers only grow. */
export interface StoreCountsTable {
  /** Always 1. */
  id: number
  /** Attempts that were opened. */
  admissions: number
  /** Proposals that were erased. */
  erasures: number
}

/** One row a finding that closes the store to admissions until it is acknowledged. Never deleted; acknowledged once. */
export interface RestoresTable {
  /** From 1, without gaps. */
  number: number
  /** `behind`, `changed`, `missing` or `moved`. */
  finding: string
  found_at: number
  /** What the store knew then, and what the witness did. */
  admissions: number
  witnessed: number | null
  /** This and the next two are null until it is acknowledged. */
  acknowledged_at: number | null
  acknowledged_by: string | null
  reason: string | null
}
