// Starts the example: a business system in a process of its own, on a file beside the database, and the actions that use it.
import { startBusinessSystem, type BusinessSystem } from '../../../testing/business-system/start.ts'
import type { AnyAction } from '../../../proposal/action.ts'
import { Unavailable } from '../../errors.ts'
import { InvoicePaymentAction } from './invoice-payment-action.ts'
import { RefundAction } from './refund-action.ts'

const PORT_MAX = 65_535

/** The example, while it runs. */
export interface Example {
  readonly actions: readonly AnyAction[]
  readonly business: BusinessSystem
}

/**
 * Starts it. The business system listens on loopback, on the port after the server's own if that is free, so that its
 * address outlives a restart. @throws Unavailable
 */
export async function startExample(file: string, { serverPort }: { readonly serverPort: number }): Promise<Example> {
  const business = await started(file, serverPort === 0 || serverPort === PORT_MAX ? 0 : serverPort + 1)
  return { business, actions: [new RefundAction(business.url), new InvoicePaymentAction(business.url)] }
}

async function started(file: string, port: number): Promise<BusinessSystem> {
  try {
    return await startBusinessSystem({ file, port })
  } catch (cause) {
    // If it is not for the port, it fails once more.
    if (port !== 0) return started(file, 0)
    throw new Unavailable(cause instanceof Error ? cause.message : 'The example business system did not start.', {
      cause,
    })
  }
}
