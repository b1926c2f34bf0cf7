import type { PaStatusRequest } from 'pawl-client/schemas/pa-status'
import type { Organization } from '../access/organizations.ts'
import type { Platform } from '../platform.ts'
import { readFiles } from '../files/request-files.ts'
import { found, isAskedFor } from './found.ts'
import { checkPush, type PaStatusPush } from './pushed-result.ts'
import type { PaStatusRecord } from './record.ts'
import { type PaStatusCondition, paStatusRows, type PaStatusState } from './states.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import { refuse } from '../platform/refusal.ts'
import type { Machine } from '../platform/machine.ts'
import { refuseByTestValue, testValues } from '../platform/test-values.ts'
import { createWalk } from '../platform/walk.ts'
import type { PriorAuthorizationRecord } from '../prior-authorization/record.ts'

/** All operations on asynchronous PA status checks. Unreleased: announced only, and may change (specification, Endpoint rules; supplement, Other endpoints). */
export type PaStatusChecks = ReturnType<typeof createPaStatusChecks>

/** A check finds the PAs that the organization created here. */
export function createPaStatusChecks(platform: Platform) {
  const { random } = platform
  const shelf = platform.store.shelf<PaStatusRecord>('pa_status')
  const priorAuthorizations = platform.store.shelf<PriorAuthorizationRecord>('prior_authorization')
  const machine: Machine<PaStatusRecord, PaStatusState, PaStatusCondition> = {
    name: 'pa_status',
    rows: paStatusRows,
    conditions: {
      fails: ({ script }) => script.request.patient.internal_id === testValues.failedStatusCheck,
      isInstant: ({ resource }) => resource.effective_processing_method === 'instant',
    },
    progressOf: (record) => record.progress,
    entered: ({ resource, script, organization }, state) => {
      resource.status = state
      const { failure_reason = 'payer_unreachable', prior_authorizations } = script.pushed ?? {}
      if (state === 'failed') resource.failure_reason = failure_reason
      if (state === 'completed')
        resource.prior_authorizations =
          prior_authorizations ??
          priorAuthorizations
            .listOwn(organization)
            .filter((one) => isAskedFor(script.request, one.resource))
            .map((one) => found(one.resource))
    },
  }
  const walk = createWalk({ ...platform, ...shelf, machine })

  return {
    create: async (organization: Organization, request: PaStatusRequest): Promise<PaStatusRecord> => {
      refuseByTestValue('POST /pa-status', request.patient.internal_id)
      await readFiles(request, { cardsOf: 'other' })
      const id = `pa_status_${random.letters(20)}`
      const record: PaStatusRecord = {
        kind: 'pa_status',
        id,
        organization: organization.id,
        resource: {
          id,
          object: 'pa_status',
          status: 'pending',
          failure_reason: null,
          // Payers with pharmacy routing numbers answer electronically.
          effective_processing_method: request.insurance_content?.rx_bin === undefined ? 'standard' : 'instant',
          prior_authorizations: null,
        },
        script: { request },
        progress: { state: 'pending', visited: [] },
      }
      shelf.save(record)
      walk.start(record)
      return record
    },
    getOwn: (id: string, organization: Organization): PaStatusRecord => {
      const record = shelf.findOwn(id, organization.id)
      if (record === undefined) throw refuse('not_found')
      return record
    },
    has: (id: string) => shelf.find(id) !== undefined,
    list: () => shelf.list().map(({ resource }) => resource),
    /** Ends the check now; a given result overrides the found one. Returns the new status; throws `not_found`. */
    push: (id: string, status: string, result: PaStatusPush): PaStatusState => {
      const record = shelf.find(id)
      if (record === undefined) throw refuse('not_found')
      const to = chooseLegal(record.progress.state, status, walk.legal(record))
      checkPush(to, result)
      record.script.pushed = result
      walk.move(record, to)
      return to
    },
    /** Runners of due transitions, by machine name. */
    runners: { pa_status: walk.runDue },
  }
}
