import { Router } from 'express'
import type { Upkeep } from '@pawl/ledger/upkeep/create-upkeep'
import type { AuditedReading } from './audited-reading.ts'
import { contract } from './contract/contract.ts'
import type { Discard } from './discard.ts'
import type { Erasing } from './erasure.ts'
import type { Probe } from './probing.ts'
import type { Retry } from './retrying.ts'
import type { Reveal } from './revealing.ts'
import { refusal, serve } from './serve.ts'
import type { Starting } from './starting.ts'
import type { Syncing } from './sync-now.ts'
import type { Verifying } from './verifying.ts'

/** The acts that routes and forms share. */
export interface ActRoutesDeps {
  ledger: Pick<Upkeep, 'wipe'>
  read: AuditedReading
  retry: Retry
  discard: Discard
  probe: Probe
  syncing: Syncing
  starting: Starting
  erasing: Erasing
  reveal: Reveal
  verifying: Verifying
}

/** Max matches of a search. */
const maxMatches = 50

/** Routes of the acts that the pages' forms run as well. A searched number, as a patient's number, is sent in the body, since addresses are logged, and never returned. */
export function createActRoutes(deps: ActRoutesDeps): Router {
  const { ledger, read, retry, discard, probe, syncing, starting, erasing, reveal, verifying } = deps
  const router = Router()
  router.post([contract.reveal.path, contract.draftRequest.path], (_req, res, next) => {
    res.set('cache-control', 'no-store')
    next()
  })
  serve(router, contract.find, ({ body, req }) => read.find(req, body, maxMatches))
  serve(router, contract.story, async ({ id, query, req }) => {
    const story = await read.story(req, id, query)
    if (story !== undefined) return story
    throw refusal('unknown_resource', 'No resource of this id is known here: `pawl sync <id>` asks the service.')
  })
  serve(router, contract.reveal, ({ id, body: { reason, event }, actor }) =>
    reveal(id, { actor, reason, eventId: event }),
  )
  serve(router, contract.verify, ({ id, body: { mend }, actor }) => verifying(id, { mend, actor }))
  serve(router, contract.retry, ({ body, actor }) => retry(body, actor))
  serve(router, contract.discard, ({ body, actor }) => discard(body, actor))
  serve(router, contract.probe, async ({ body: { system }, actor }) => ({ resources: await probe(system, { actor }) }))
  serve(router, contract.sync, async ({ body, actor }) => ({ resources: await syncing.sync(body, actor) }))
  serve(router, contract.reconcile, async ({ body, actor }) => {
    const since = Date.parse(body.since)
    if (since > Date.now()) throw refusal('bad_request', 'since is in the future: send a moment in the past.')
    return { resources: await syncing.reconcile(since, actor) }
  })
  serve(router, contract.cancelReconcile, async ({ actor }) => ({ resources: await syncing.cancel(actor) }))
  serve(router, contract.draftRequest, async ({ body, actor }) => {
    const { draft, ...shown } = await starting.draft(body, actor)
    return { ...draft, ...shown }
  })
  serve(router, contract.startRequest, async ({ body, actor }) => ({ id: await starting.start(body, actor) }))
  serve(router, contract.findPatient, ({ body: { internal_id: patient, cursor, reason }, actor }) =>
    erasing(patient, { actor, reason }).find(cursor),
  )
  serve(router, contract.erasePatient, ({ body: { internal_id: patient, reason, ...part }, actor }) =>
    erasing(patient, { actor, reason }).erase(part),
  )
  serve(router, contract.wipe, async () => ({ isWiped: (await ledger.wipe()) === 'wiped' }))
  return router
}
