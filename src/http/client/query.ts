// The queries of lists and events, as the endpoints read them.
import type { EventsInput } from '../../runtime/events.ts'
import type { ListInput } from '../../runtime/list.ts'

/** With its question mark; empty where nothing is asked for. */
export function listQuery({ statuses = [], due, needsPerson, after, ...filters }: ListInput): string {
  const flags = { due: due === true ? 'true' : undefined, needsPerson: needsPerson === true ? 'true' : undefined }
  return query([
    ...statuses.map((status) => ['status', status] as const),
    ...entries({ ...filters, ...flags, cursor: after }),
  ])
}

/** Likewise. */
export function eventsQuery({ after, limit }: EventsInput): string {
  return query(entries({ after, limit }))
}

type Entry = readonly [name: string, value: string]

function entries(values: Readonly<Record<string, string | number | undefined>>): readonly Entry[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  )
}

function query(given: readonly Entry[]): string {
  const search = new URLSearchParams()
  for (const [name, value] of given) search.append(name, value)
  return given.length === 0 ? '' : `?${search.toString()}`
}
