import { Router } from 'express'
import { z } from 'zod'
import type { Log } from '@pawl/base/log'
import type { Drift } from 'pawl-client/events/drift-seen'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Memories } from '@pawl/ledger/hot/memory'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import type { Repairs } from '@pawl/ledger/upkeep/create-repairs'
import type { Views } from '@pawl/ledger/views/create-views'
import type { Alerts } from './alerts/alerts.ts'
import { createAskPages } from './ask-pages.tsx'
import { createAuditPages } from './audit-pages.tsx'
import type { AuditedReading } from './audited-reading.ts'
import { assets } from './console-assets.ts'
import type { Discard } from './discard.ts'
import { createErasePages } from './erase-pages.tsx'
import type { Erasing } from './erasure.ts'
import { createHandlerPages } from './handler-pages.tsx'
import { createHelpPages } from './help-pages.tsx'
import { createHistoryPages } from './history-pages.tsx'
import { createListPages } from './list-pages.tsx'
import { createReadOverview, type OverviewDeps } from './overview-reading.ts'
import { Overview, OverviewPage } from './pages/overview.tsx'
import { SettingsPage, type SettingSource } from './pages/settings.tsx'
import { createParkedPages } from './parked-pages.tsx'
import { createPausePages } from './pause-pages.tsx'
import type { Pausing } from './pausing.ts'
import type { Probe } from './probing.ts'
import { createReadResult } from './read-result.ts'
import { sendPage } from './render.tsx'
import { createReportPages } from './report-pages.tsx'
import { createResourcePages } from './resource-pages.tsx'
import type { AmendFaultOf, Retry } from './retrying.ts'
import type { Reveal } from './revealing.ts'
import type { Team } from './staff/team.ts'
import { createStartPages } from './start-pages.tsx'
import type { Starting } from './starting.ts'
import type { Syncing } from './sync-now.ts'
import type { Verifying, VerifyingDeps } from './verifying.ts'
import { isAboutUnheard } from './verdict/missed-cases.ts'
import { createWorkQueuePages } from './work-queue-pages.tsx'

export interface PagesDeps extends OverviewDeps {
  ledger: Views & Pauses & AuditTrail & Pick<Memories, 'readMemory'> & Pick<Repairs, 'endLeftOutFile'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  amendFaultOf: AmendFaultOf
  retry: Retry
  discard: Discard
  pausing: Pausing
  probe: Probe
  starting: Starting
  settings: readonly SettingSource[]
  /** Names and codes that this process received and pawl does not know. */
  readDrift: () => readonly Drift[]
  alerts: Pick<Alerts, 'read' | 'list' | 'last' | 'test'>
  read: AuditedReading
  reveal: Reveal
  syncing: Syncing
  verifying: Verifying
  verifier?: VerifyingDeps['verifier']
  erasing: Erasing
  /** STAFF_TEAMS. */
  teams: readonly Team[]
  log: Log
  /** Aborts when the process stops. */
  stopping: AbortSignal
  now?: () => number
}

const NamedQuery = z.object({ named: z.coerce.number().int().min(1).optional().catch(undefined) })

/** Makes the pages, rendered on the server, without patient data. Lists are read by index, a page at a time. */
export function createPages(deps: PagesDeps): Router {
  const { ledger, handlerNames, retry, discard, pausing, probe, alerts, read, reveal, syncing, stopping } = deps
  const { settings, vitals, readBreakers, readAway, verifying, verifier } = deps
  const now = deps.now ?? Date.now
  const readOverview = createReadOverview(deps)
  const readDue = async () => (await readOverview()).counts?.due
  const readResult = createReadResult({ targets: pausing.targets, readBreakers })
  const readMissing = async () => (await readOverview({ isAnew: true })).verdict.find(isAboutUnheard)

  const router = Router()
  router.use(assets.createRoutes('/assets'))
  router.get('/', async (req, res) => {
    const reading = await readOverview({ isAnew: Object.keys(req.query).length > 0 })
    const { named } = NamedQuery.parse(req.query)
    sendPage(res, <OverviewPage reading={reading} named={named} {...readResult(req.query)} />)
  })
  router.get('/live', async (req, res) =>
    sendPage(res, <Overview reading={await readOverview()} named={NamedQuery.parse(req.query).named} />),
  )
  router.use(
    createParkedPages({ ledger, handlerNames, amendFaultOf: deps.amendFaultOf, retry, discard, readAway, alerts, now }),
  )
  router.use(createWorkQueuePages({ ledger, teams: deps.teams, log: deps.log, now }))
  router.use(createHandlerPages({ ledger, handlerNames, vitals, readBreakers, readAway, probe, readResult, now }))
  router.use(createPausePages({ ledger, readDue, pausing, syncing, now }))
  router.use(
    createResourcePages({ ledger, handlerNames, read, reveal, verifying, isVerifiable: verifier !== undefined }),
  )
  router.use(createListPages({ ledger, handlerNames, alerts, now }))
  router.use(createStartPages({ starting: deps.starting }))
  router.use(createHistoryPages({ ledger, alerts, now }))
  router.use(createAskPages({ ledger, syncing, readMissing, now }))
  router.use(createHelpPages())
  router.use(createErasePages({ erasing: deps.erasing }))
  router.use(createAuditPages({ ledger }))
  router.use(createReportPages({ ledger, stopping, now }))
  router.get('/settings', (_req, res) => sendPage(res, <SettingsPage settings={settings} drift={deps.readDrift()} />))
  return router
}
