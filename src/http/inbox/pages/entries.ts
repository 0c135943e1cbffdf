// The entries of a list: which proposals belong on one page of it, each opened as far as one line of it says.
import type { ListInput, ListItem } from '../../../runtime/list.ts'
import type { ProposalView } from '../../../runtime/read.ts'
import type { ProposalRuntime } from '../../../runtime/runtime.ts'
import type { Standing } from '../../../runtime/standing.ts'
import { MalformedReference, NotFound } from '../../../proposal/errors.ts'
import type { Session } from '../../../proposal/session.ts'
import { type PreviewForm, previewForm } from '../preview/form.ts'
import type { JsonSchema } from '../../../runtime/actions.ts'

/** A page is full when it has so many; as they come in batches of as many, it can have almost twice as many. */
const FULL = 20
/** So many proposals are looked at for one page, however few of them belong there; the next one goes on from there. */
const LOOKED_AT_MAX = 200

/** A proposal in a list, and what the viewer may do with it. */
export interface Found {
  readonly item: ListItem
  readonly standing: Standing
}

/** One page of a list. */
export interface Search {
  readonly found: readonly Found[]
  /** Where the next page begins; null at the end. */
  readonly next: string | null
}

/**
 * The page of a list that begins at `after`, through the runtime's own list, so that nothing else can be among them. A
 * place that is none, or somebody else's, is the beginning.
 */
export async function search(
  runtime: ProposalRuntime,
  session: Session,
  filter: ListInput,
  belongs: (found: Found) => boolean,
): Promise<Search> {
  const found: Found[] = []
  let next = filter.after ?? null
  let lookedAt = 0
  do {
    const page = await pageFrom(runtime, session, filter, next)
    const standings = await Promise.all(page.items.map((item) => standingOf(runtime, session, item)))
    found.push(...standings.flatMap((one) => (one !== null && belongs(one) ? [one] : [])))
    next = page.next
    lookedAt += FULL
  } while (next !== null && found.length < FULL && lookedAt < LOOKED_AT_MAX)
  return { found, next }
}

async function pageFrom(
  runtime: ProposalRuntime,
  session: Session,
  { after: _, ...filter }: ListInput,
  after: string | null,
): ReturnType<ProposalRuntime['list']> {
  try {
    return await runtime.list(session, { ...filter, limit: FULL, ...(after === null ? {} : { after }) })
  } catch (error) {
    if (after === null || !(error instanceof MalformedReference) || error.path !== '/after') throw error
    return runtime.list(session, { ...filter, limit: FULL })
  }
}

// One that was erased since it was listed is no entry any more.
async function standingOf(runtime: ProposalRuntime, session: Session, item: ListItem): Promise<Found | null> {
  try {
    return { item, standing: await runtime.standing(session, item.proposal) }
  } catch (error) {
    if (error instanceof NotFound) return null
    throw error
  }
}

/** A proposal as a line shows it. */
export interface Entry extends Found {
  readonly view: ProposalView
  readonly form: PreviewForm
}

/** Opens what is shown; what is gone by now is left out. */
export async function opened(
  runtime: ProposalRuntime,
  session: Session,
  found: readonly Found[],
): Promise<readonly Entry[]> {
  const schemas = await previewSchemas(runtime, session)
  const entries = await Promise.all(
    found.map(async (one): Promise<Entry | null> => {
      const view = await readIfThere(runtime, session, one.item.proposal)
      if (view === null) return null
      return { ...one, view, form: previewForm(schemas.get(view.action) ?? null, view.preview) }
    }),
  )
  return entries.filter((entry) => entry !== null)
}

/** The schema of each registered action's preview, with what it declares about how it is shown. */
export async function previewSchemas(
  runtime: ProposalRuntime,
  session: Session,
): Promise<ReadonlyMap<string, JsonSchema>> {
  const actions = await runtime.actions(session)
  return new Map(actions.map(({ action, schemas }) => [action, schemas.preview]))
}

async function readIfThere(runtime: ProposalRuntime, session: Session, ref: string): Promise<ProposalView | null> {
  try {
    const view = await runtime.read(session, ref)
    return view.kind === 'proposal' ? view : null
  } catch (error) {
    if (error instanceof NotFound) return null
    throw error
  }
}
