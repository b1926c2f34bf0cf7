import { setTimeout as sleep } from 'node:timers/promises'
import type { SendingFault } from '@pawl/sandbox/platform/chaos-settings'
import { Refusal } from '@pawl/sandbox/platform/refusal'
import { isTerminal } from 'pawl-client/schemas/kinds'
import type { Cast } from './cast.ts'
import { mixedFindings } from './mixed-findings.ts'
import { benefitVerificationRequest, callNotes, messageText, priorAuthorizationRequest } from './canary-people.ts'
import type { Sent, Step } from './steps.ts'
import { postDelivery, strangeBody } from './strange-delivery.ts'
import { withUnknownValues } from './truth-book.ts'
import type { World } from './world.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const lateMs = 150
/** How long to wait for the first fault, and for how long faults then continue. */
const maxAwaitMs = 1_500
const amidMs = 600
const lookMs = 20

/** Takes one step; resolves with false if it is impossible. */
export async function applyStep(step: Step, world: World, cast: Cast): Promise<boolean> {
  const { sandbox, api, truth, chart, lines } = world
  const { controls } = sandbox
  const paOf = (at: number) => cast.priorAuthorizations[at]

  switch (step.do) {
    case 'create_pa': {
      const appealed = step.appeals === undefined ? undefined : paOf(step.appeals)
      // Only an ended PA can be appealed.
      if (step.appeals !== undefined && statusOf(appealed) !== 'completed') return false
      const count = cast.priorAuthorizations.length
      const { id } = await api.createPriorAuthorization(priorAuthorizationRequest(step, count, appealed))
      cast.priorAuthorizations.push(id)
      cast.patients.set(id, step.patient ?? 0)
      if (step.sparse === true) truth.makeSparse(id)
      const { triggered_benefit_verification_id: triggered } = shownPa(id) ?? {}
      if (triggered != null) {
        cast.benefitVerifications.push(triggered)
        cast.patients.set(triggered, step.patient ?? 0)
        cast.verifying.set(id, triggered)
      }
      if (appealed !== undefined) cast.appeals.set(id, appealed)
      for (const attempt of controls.outreach(id)) {
        cast.outreaches.push(attempt.id)
        cast.prescriberOf.set(attempt.id, id)
        cast.patients.set(attempt.id, step.patient ?? 0)
      }
      return true
    }
    case 'create_bv': {
      const { id } = await api.createBenefitVerification(benefitVerificationRequest(step))
      cast.benefitVerifications.push(id)
      cast.patients.set(id, step.patient ?? 0)
      return true
    }
    case 'move_pa':
      return change(paOf(step.pa), step.sent, (id) => {
        const { result, code } = step
        const outcome = result && { result, ...(code && { detail_code: code }) }
        controls.push(id, step.to, outcome && { outcome })
        truth.makeKnown(id)
        if (step.unknown === true) {
          truth.makeUnknown(id, 'outcome')
          cast.unknownIds.add(id)
        }
      })
    case 'move_bv':
      return change(cast.benefitVerifications[step.bv], step.sent, (id) => {
        if (step.unknown === true) {
          truth.makeUnknown(id, undefined)
          cast.unknownIds.add(id)
        }
        if (step.to === 'cancelled') controls.cancel(id)
        else controls.push(id, step.to, resultOf(step, id))
      })
    case 'move_transfer':
      return change(paOf(step.pa), step.sent, (id) => {
        controls.pushTransfer(id, step.to, step.to === 'error' && step.code ? { errorCode: step.code } : {})
        truth.makeKnown(id, 'transfer')
      })
    case 'move_outreach':
      return change(cast.outreaches[step.outreach], step.sent, (id) => {
        if (step.sent === 'with_unknown_status') cast.unknownIds.add(id)
        controls.push(id, step.to)
      })
    case 'message':
      return change(paOf(step.pa), step.sent, (id) => {
        for (let left = step.count ?? 1; left > 0; left -= 1) {
          cast.messages += 1
          cast.textOwners.set(cast.messages, id)
          const names = Array.from({ length: step.attachments ?? 0 }, (_, at) => ({
            fileName: `file-${cast.messages}-${at}.pdf`,
          }))
          const isResolution = step.resolves === true && left === 1
          controls.addMessage(id, { content: messageText(cast.messages), attachments: names, isResolution })
        }
      })
    case 'activity':
      return change(paOf(step.pa), step.sent, (id) => {
        cast.messages += 1
        cast.textOwners.set(cast.messages, id)
        const { type } = step
        controls.addActivity(id, { type, ...(type === 'follow_up_call' && { notes: callNotes(cast.messages) }) })
      })
    case 'benefits_check':
      return change(paOf(step.pa), step.sent, (id) =>
        controls.pushBenefitsCheck(id, {
          response: {
            ...(step.needless === true && needless),
            ...(step.cost !== undefined && { prior_auth_required: true, alternatives: [], patient_cost: step.cost }),
          },
        }),
      )
    case 'redeliver': {
      const newest = newestOf(paOf(step.pa))
      if (newest !== undefined) controls.redeliver(newest.id)
      return newest !== undefined
    }
    case 'redeliver_stale':
      return change(paOf(step.pa), undefined, (id) => void controls.redeliverStale(id))
    case 'forge': {
      const body = strangeBody(world, paOf(step.pa), (pa) => pa)
      if (body === undefined) return false
      cast.strange.push({ what: 'wrong secret', status: await postDelivery(world, body, `not ${world.webhookSecret}`) })
      return true
    }
    case 'expire_files': {
      const id = paOf(step.pa)
      if (id !== undefined) truth.expireFiles(id)
      return id !== undefined
    }
    case 'leave_out': {
      const id = paOf(step.pa)
      if (id !== undefined) truth.makeSparse(id)
      return id !== undefined
    }
    case 'answer_unknown_values': {
      const id = paOf(step.pa)
      const body = strangeBody(world, id, (pa) => withUnknownValues(pa, step.where))
      if (id === undefined || body === undefined) return false
      truth.makeUnknown(id, step.where)
      cast.unknownIds.add(id)
      cast.strange.push({ what: 'unknown values', status: await postDelivery(world, body, world.webhookSecret) })
      return true
    }
    case 'answer_known_values':
      return answerOtherwise(paOf(step.pa), (id) => truth.makeKnown(id))
    case 'correct_outcome':
      return change(paOf(step.pa), step.sent, (id) => {
        const { result, code: detail_code, days } = step
        const last = days === undefined ? undefined : new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
        const outcome = { result, detail_code, ...(last !== undefined && { authorization_expiration: last }) }
        controls.push(id, statusOf(id) ?? '', { outcome })
      })
    case 'hold_back_faxes':
      return answerOtherwise(paOf(step.pa), (id) => truth.holdBackFaxes(id, step.isOver !== true))
    case 'fail':
      lines[step.system].fail(step.fault, step.times, {
        handler: step.handler,
        isWrite: step.writes,
        after: step.after,
        spares: step.spares === undefined ? undefined : paOf(step.spares),
      })
      return true
    case 'heal':
      for (const line of Object.values(lines)) line.heal()
      return true
    case 'answer_search_carelessly':
      chart.searchCarelessly()
      return true
    case 'staff_edit': {
      const id = paOf(step.pa)
      if (id === undefined) return false
      const kind = step.task === 'staff' ? 'prior-authorization-staff-task' : 'prior-authorization'
      if (step.when === 'now') return chart.editNow(kind, id)
      chart.editBeforeNextWrite(kind, id)
      return true
    }
    case 'staff_complete': {
      const id = paOf(step.pa)
      return id !== undefined && chart.completeTasks(id)
    }
    case 'set_clock':
      cast.clockChanges += 1
      await world.setClock(world.clockOffsetMs + step.minutes * minuteMs)
      return true
    case 'meet_faults':
      await untilFaultsMet()
      return true
    case 'restart':
      await world.restart('stopped')
      return true
    case 'kill':
      await world.restart('killed')
      return true
    case 'settle':
      return world.quiet()
  }

  /** Waits until requests have met faults for a while, or until no request meets one in time. */
  async function untilFaultsMet(): Promise<void> {
    const met = () => Object.values(lines).reduce((sum, line) => sum + line.faultsMet, 0)
    const before = met()
    for (let waitedMs = 0; waitedMs < maxAwaitMs && met() === before; waitedMs += lookMs) await sleep(lookMs)
    await sleep(amidMs)
  }

  /** Changes the service's answer about the PA and sends its webhook. */
  async function answerOtherwise(id: string | undefined, alter: (id: string) => void): Promise<boolean> {
    if (id === undefined) return false
    alter(id)
    const body = strangeBody(world, id, () => truth.priorAuthorizations().find((pa) => pa.id === id) ?? {})
    if (body === undefined) return false
    cast.strange.push({ what: 'unknown values', status: await postDelivery(world, body, world.webhookSecret) })
    return true
  }

  /** The result with which a BV ends. */
  function resultOf({ to, case: found, coverage, mixed, error }: Extract<Step, { do: 'move_bv' }>, id: string) {
    if (to !== 'completed') return { ...(error && { error: { code: error } }) }
    const { drugs = [] } = sandbox.truth().benefit_verifications.find((each) => each.id === id) ?? {}
    return {
      ...(found && { case: found }),
      ...(coverage && { patient_coverage_status: coverage }),
      ...(mixed !== undefined && { drugs: mixedFindings(drugs.length, mixed) }),
    }
  }

  function newestOf(id: string | undefined) {
    return id === undefined ? undefined : controls.deliveries({ resourceId: id }).at(-1)
  }

  /** Changes a resource at the service and sends its webhook as `sent` says; false if the service refuses. */
  async function change(id: string | undefined, sent: Sent | undefined, act: (id: string) => void): Promise<boolean> {
    if (id === undefined) return false
    const way = sent === 'dropped' && !(await mayBeDropped(id, step)) ? undefined : sent
    const before = newestOf(id)
    try {
      controls.setChaos({ sending: way === undefined ? {} : { [chaosOf[way]]: 1 } })
      act(id)
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    } finally {
      controls.setChaos('off')
    }
    const newest = newestOf(id)
    if (way === 'dropped') cast.dropped.add(id)
    if (way === 'late' && newest !== undefined && newest !== before) controls.redeliver(newest.id, { afterMs: lateMs })
    return true
  }

  /** pawl polls neither unknown nor ended resources, so a lost webhook about them stays lost. A sync makes up for it while a transfer continues after the end. */
  async function mayBeDropped(id: string, { do: what }: Step): Promise<boolean> {
    const truths = sandbox.truth()
    const pa = truths.prior_authorizations.find((each) => each.id === id)
    const isSettled =
      pa === undefined
        ? isTerminal('benefit_verification', statusOfBv(id))
        : isTerminal('prior_authorization', pa.status)
    if (isSettled && what !== 'move_transfer') return false
    const known = await world.readAdmin(`/api/resources/${id}`).catch(() => '"not_found"')
    return !known.includes('"not_found"')
  }

  function shownPa(id: string | undefined) {
    return sandbox.truth().prior_authorizations.find((each) => each.id === id)
  }

  function statusOf(id: string | undefined): string | undefined {
    return shownPa(id)?.status
  }

  function statusOfBv(id: string): string {
    return sandbox.truth().benefit_verifications.find((each) => each.id === id)?.status ?? ''
  }
}

const needless = { patient_cost: '$0.00', prior_auth_required: false, alternatives: [] }

const chaosOf: Record<Sent, SendingFault> = {
  twice: 'duplicate',
  // Dropped, then redelivered.
  late: 'drop',
  dropped: 'drop',
  with_unknown_type: 'unknown_event_type',
  with_unknown_status: 'unknown_status',
  with_extra_fields: 'extra_fields',
}
