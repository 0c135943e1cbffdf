// What the business system does not know: a command about it is refused, and a proposal about it has drifted.
import { PreparationRefused } from '../../../proposal/errors.ts'
import { BusinessSystemError } from '../../../testing/business-system/exchange.ts'

const NOT_FOUND = 404

/** What was read; a command about something unknown is refused. @throws PreparationRefused, and what the read throws */
export async function orRefused<Thing>(reading: Promise<Thing>): Promise<Thing> {
  try {
    return await reading
  } catch (error) {
    throw isUnknown(error) ? new PreparationRefused(error.code) : error
  }
}

/** What was read; null for something that is gone. @throws what the read throws otherwise */
export async function ifKnown<Thing>(reading: Promise<Thing>): Promise<Thing | null> {
  try {
    return await reading
  } catch (error) {
    if (isUnknown(error)) return null
    throw error
  }
}

function isUnknown(error: unknown): error is BusinessSystemError {
  return error instanceof BusinessSystemError && error.status === NOT_FOUND
}
