// The entries of a list: which proposals belong there, each opened as far as one line of it says.
import type { ListInput, ListItem } from '../../../runtime/list.ts'
import type { ProposalView } from '../../../runtime/read.ts'
import type { ProposalRuntime } from '../../../runtime/runtime.ts'
import type { Standing } from '../../../runtime/standing.ts'
import { NotFound } from '../../../proposal/errors.ts'
import type { Session } from '../../../proposal/session.ts'
import { type PreviewForm, previewForm } from '../preview/form.ts'
import type { JsonSchema } from '../../../runtime/actions.ts'

/** So many proposals are looked at for a list; a list that ends there says so. */
const LOOKED_AT_MAX = 2_000
const PAGE = 200

/** A proposal in a list, and what the viewer may do with it. */
export interface Found {
  readonly item: ListItem
  readonly standing: Standing
}

/** What was found, and whether there may be more that nobody looked at. */
export interface Search {
  readonly found: readonly Found[]
  readonly isCutShort: boolean
}

/** The proposals that a list is about, through the runtime's own list, so that nothing else can be among them. */
export async function search(
  runtime: ProposalRuntime,
  session: Session,
  filter: ListInput,
  belongs: (found: Found) => boolean,
): Promise<Search> {
  const found: Found[] = []
  let after: string | null = null
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX; lookedAt += PAGE) {
    const page: Awaited<ReturnType<typeof runtime.list>> = await runtime.list(session, {
      ...filter,
      limit: PAGE,
      ...(after === null ? {} : { after }),
    })
    const standings = await Promise.all(page.items.map((item) => standingOf(runtime, session, item)))
    found.push(...standings.flatMap((one) => (one !== null && belongs(one) ? [one] : [])))
    after = page.next
    if (after === null) return { found, isCutShort: false }
  }
  return { found, isCutShort: true }
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
