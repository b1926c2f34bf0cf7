import { Router } from 'express'
import type { ListViews } from '@pawl/ledger/views/lists'
import { queryOf, Word } from '@pawl/base/pages/query'
import type { AuditedReading } from './audited-reading.ts'
import { contract } from './contract/contract.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { ResourceCursor, ResourceState } from './contract/resource-contract.ts'
import { Kind, StoryCursor } from './contract/story.ts'
import { MessagePage } from './pages/message.tsx'
import { ResourcePage } from './pages/resource.tsx'
import { retriableOf } from './pages/retry-parked.tsx'
import { FoundPage, ResourcesPage } from './pages/resources.tsx'
import { RevealedPage } from './pages/reveal.tsx'
import { VerifiedPage } from './pages/verified.tsx'
import { addressOfResource } from './pages/words.ts'
import { sendPage } from './render.tsx'
import type { Reveal } from './revealing.ts'
import { invalid } from './serve.ts'
import { serveForm } from './serve-form.tsx'
import type { Verifying } from './verifying.ts'

export interface ResourcePagesDeps {
  ledger: Pick<ListViews, 'listResources'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  read: AuditedReading
  reveal: Reveal
  verifying: Verifying
  /** Whether this process can read a chart back. */
  isVerifiable: boolean
}

/** Rows on one page. */
const pageSize = 50
/** Entries of a story on one page. */
const storySize = 100

/** Pages that list and find resources, tell the story of one, and show its content. */
export function createResourcePages(deps: ResourcePagesDeps): Router {
  const { ledger, handlerNames, read, reveal, verifying, isVerifiable } = deps
  const router = Router()
  router.get('/resources', async (req, res) => {
    const kind = Kind.optional().catch(undefined).parse(req.query.kind)
    const state = ResourceState.optional().catch(undefined).parse(req.query.state)
    const filter = { kind, state }
    const cursor = readCursor(ResourceCursor, req.query.after)
    const { rows, next } = await ledger.listResources(filter, pageSize, cursor)
    const address = next && `/resources${queryOf({ ...filter, after: writeCursor(next) })}`
    sendPage(res, <ResourcesPage filter={filter} resources={rows} next={address} />)
  })

  const nothingFound = { at: '/resources', refused: 'Nothing was found' } as const
  serveForm(router, '/resources/find', nothingFound, async ({ fields, req }) => {
    const value = Word.parse(fields.value)
    if (value === undefined) return '/resources'
    const found = await read.find(req, { value }, pageSize)
    const [only, other] = found.matches
    // An address may hold an id, but never a number typed by a user.
    return only?.by === 'id' && other === undefined ? addressOfResource(only.id) : <FoundPage found={found} />
  })

  router.get('/resources/:id', async (req, res) => {
    const before = readCursor(StoryCursor, req.query.before)
    const story = await read.story(req, req.params.id, { limit: storySize, before })
    if (story === undefined) {
      const message = 'No resource of this id is known here: pawl sync <id> asks the service.'
      return sendPage(res, <MessagePage title="Not known" at="/resources" message={message} />, 404)
    }
    const retriable = retriableOf(story.handlers, handlerNames)
    const isRetried = req.query.retried === 'yes'
    sendPage(res, <ResourcePage {...{ story, retriable, isVerifiable, isRetried }} />)
  })

  router.post('/resources/:id/reveal', (_req, res, next) => {
    res.set('cache-control', 'no-store')
    next()
  })
  const notRead = { at: '/resources', refused: 'The chart was not read' } as const
  serveForm(router, '/resources/:id/verify', notRead, async ({ id, fields, actor }) => (
    <VerifiedPage verified={await verifying(id, { mend: fields.mend === 'yes', actor })} />
  ))
  const nothingShown = { at: '/resources', refused: 'Nothing was shown' } as const
  serveForm(router, '/resources/:id/reveal', nothingShown, async ({ id, fields, actor }) => {
    const asked = contract.reveal.body.safeParse(fields).data
    if (asked === undefined) throw invalid(contract.reveal)
    return <RevealedPage revealed={await reveal(id, { actor, reason: asked.reason, eventId: asked.event })} />
  })
  return router
}
