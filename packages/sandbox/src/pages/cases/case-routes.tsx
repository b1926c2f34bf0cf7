import { stampOf } from '@pawl/base/stamp'
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import { transferErrorCodes } from 'pawl-client/schemas/outcome'
import { ncpdpId } from 'pawl-client/schemas/text'
import type { Controls } from '../../controls.ts'
import { baseOf, type SignedFiles } from '../../files/signed-files.ts'
import { wayTo } from '../../platform/next-steps.ts'
import { Refusal } from '../../platform/refusal.ts'
import { compact } from '../../platform/wire.ts'
import { statusOf } from '../../prior-authorization/pa-verdict.ts'
import { queryOf, Word } from '@pawl/base/pages/query'
import { check, open, optionalText, readForm, text } from '../read-form.ts'
import { addressOfCase } from './addresses.ts'
import { caseKindNames, caseKinds } from '../../cases/case-kinds.ts'
import { CasePage } from './case-page.tsx'
import { CasesPage } from './cases-page.tsx'
import { PushForm, pushOf, readOutcome } from './push-form.ts'
import { type CaseReader, type CaseRecord, unknownCase } from '../../cases/read-cases.ts'
import {
  asPriorAuthorization,
  type CasePart,
  caseParts,
  partsOf,
  ruleAgainstCase,
} from '../../cases/read-case-story.ts'

const pageSize = 50
/** Max deliveries on the page of a case. */
const deliveriesShown = 50

const CasesQuery = z.object({
  kind: z.enum(caseKindNames).optional().catch(undefined),
  status: Word,
  after: Word,
})

const TransferForm = z.object({
  state: text,
  error_code: open(z.enum(transferErrorCodes)),
  pharmacy_ncpdp_id: open(ncpdpId),
})
const MessageForm = z.object({
  content: text,
  direction: z.enum(['sent', 'received']).optional(),
  sent_by_name: optionalText,
  attachment: optionalText,
  is_resolution: check,
})
const ActivityForm = z.object({ type: z.enum(['sent_fax', 'received_fax', 'follow_up_call']), notes: optionalText })

const EndForm = z.object({ outcome: text })

/** State of the case or part as the page showed it. */
const ShownForm = z.object({ was: optionalText })
const LateQuery = z.object({ of: z.enum(caseParts), was: z.string().regex(/^\w{1,50}$/) })

/** List and pages of cases, with their forms. */
export function caseRoutes(deps: { controls: Controls; cases: CaseReader; files: Pick<SignedFiles, 'sign'> }): Router {
  const { controls, cases, files } = deps
  const router = Router()

  router.get('/pages/cases', (req, res) => {
    const { after, ...filter } = CasesQuery.parse(req.query)
    const address = `/_sandbox/pages/cases${queryOf({ ...filter, after })}`
    sendHtml(res, <CasesPage filter={filter} page={cases.page(filter, pageSize, after)} address={address} />)
  })

  router.get('/pages/cases/:id', (req, res) => {
    const record = find(req.params.id)
    const deliveries = controls.deliveries({ resourceId: record.id }).toReversed().slice(0, deliveriesShown)
    const json = {
      text: JSON.stringify(files.sign(record.resource, baseOf(req)), null, 2),
      stamp: stampOf(record.resource),
    }
    sendHtml(
      res,
      <CasePage
        record={record}
        story={controls.story(record.id)}
        deliveries={deliveries}
        related={relatedTo(record)}
        json={json}
        late={LateQuery.safeParse(req.query).data}
      />,
    )
  })

  /** Takes a step, then shows the case. Reports a step that came too late because the case moved after the page loaded. */
  function step(req: Request<{ id: string }>, res: Response, of: CasePart, take: (record: CaseRecord) => void): void {
    const record = find(req.params.id)
    const { was } = readForm(ShownForm, req)
    const isOutrun = was !== undefined && partsOf(record)[of]?.state !== was
    try {
      take(record)
    } catch (error) {
      if (!(error instanceof Refusal) || error.httpStatus !== 409 || !isOutrun) throw error
      res.redirect(303, `${addressOfCase(record.id)}${queryOf({ of, was })}`)
      return
    }
    res.redirect(303, addressOfCase(record.id))
  }

  router.post('/pages/cases/:id/push', (req, res) => {
    const { status, ...given } = readForm(PushForm, req)
    step(req, res, 'case', (record) => {
      controls.push(record.id, status, pushOf(given, record, controls.readClock().now))
    })
  })

  router.post('/pages/cases/:id/end', (req, res) => {
    const outcome = readOutcome(readForm(EndForm, req).outcome)
    step(req, res, 'case', (record) => {
      const { id, kind, progress } = record
      const rows = caseKinds[kind].rows.filter((row) => ruleAgainstCase(record, row) === undefined)
      const way = wayTo(rows, progress.state, statusOf(outcome)) ?? [statusOf(outcome)]
      for (const status of way) controls.push(id, status, status === statusOf(outcome) ? { outcome } : {})
    })
  })

  router.post('/pages/cases/:id/review', (req, res) => {
    step(req, res, 'case', ({ id }) => {
      controls.review(id)
    })
  })

  router.post('/pages/cases/:id/transfer', (req, res) => {
    const { state, error_code: errorCode, pharmacy_ncpdp_id: pharmacyNcpdpId } = readForm(TransferForm, req)
    step(req, res, 'transfer', ({ id }) => {
      controls.pushTransfer(id, state, compact({ errorCode, pharmacyNcpdpId }))
    })
  })

  router.post('/pages/cases/:id/benefits-check', (req, res) => {
    step(req, res, 'benefits_check', ({ id }) => {
      controls.pushBenefitsCheck(id)
    })
  })

  router.post('/pages/cases/:id/messages', (req, res) => {
    const { content, direction, sent_by_name, attachment, is_resolution } = readForm(MessageForm, req)
    controls.addMessage(
      req.params.id,
      compact({
        content,
        direction,
        sentByName: sent_by_name,
        isResolution: is_resolution,
        attachments: attachment === undefined ? undefined : [{ fileName: attachment }],
      }),
    )
    res.redirect(303, addressOfCase(req.params.id))
  })

  router.post('/pages/cases/:id/activities', (req, res) => {
    controls.addActivity(req.params.id, compact(readForm(ActivityForm, req)))
    res.redirect(303, addressOfCase(req.params.id))
  })

  function find(id: string): CaseRecord {
    const record = cases.find(id)
    if (record !== undefined) return record
    throw unknownCase(id)
  }

  function relatedTo(record: CaseRecord): CaseRecord[] {
    const priorAuthorization = asPriorAuthorization(record)
    const { triggered_benefit_verification_id: verification = null } = priorAuthorization?.resource ?? {}
    const outreach = priorAuthorization === undefined ? [] : controls.outreach(record.id)
    const ids = [...(verification === null ? [] : [verification]), ...outreach.map(({ id }) => id)]
    return ids.flatMap((id) => cases.find(id) ?? [])
  }

  return router
}
