import type { Core } from '../core.ts'
import { refuse } from '../platform/documented-errors.ts'
import type { Machine } from '../platform/machine.ts'
import {
  isOver,
  type OutreachCondition,
  type OutreachSequenceState,
  type OutreachState,
  providerOutreachRows,
} from './states.ts'
import { createWalk } from '../platform/walk.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import type { PriorAuthorizationRecord, ProviderOutreachRecord } from '../records.ts'
import { triggers } from '../platform/triggers.ts'
import type { InitialOutreach, OutreachChannel, ProviderOutreachResource } from './resource.ts'

type Record_ = ProviderOutreachRecord

/** All that can be done with the outreach to prescribers (beta; supplement, Webhooks). */
export type ProviderOutreaches = ReturnType<typeof createProviderOutreaches>

/** Makes the outreach part of the sandbox: a sequence of attempts a PA, over two channels in parallel. */
export function createProviderOutreaches(core: Core) {
  const { store, random, clock, emit } = core
  const find = (id: string) => store.find('provider_outreach', id)
  const walk = createWalk({ ...core, find, save: store.save, machine: machine() })

  function machine(): Machine<Record_, OutreachState, OutreachCondition> {
    return {
      name: 'provider_outreach',
      rows: providerOutreachRows,
      conditions: {
        cannotBeSent: ({ plan }) => plan.cannotBeSent,
        isAnswered: ({ plan }) => plan.isAnswered,
      },
      progressOf: (record) => record.progress,
      entered: (record, state) => {
        const { resource, plan, id } = record
        resource.state = state
        resource.updated_at = clock.iso()
        if (state === 'sent') resource.transmission = transmissionOf(id, plan.to, clock.iso())
        tell(record)
        if (isOver(state)) settle(record)
      },
    }
  }

  function tell({ resource, organization }: Record_): void {
    const { id, state, outreach_sequence_state } = resource
    // Each pair of states is told once, and when it is told must not decide what the next resource is called.
    const draw = random.fork(`${id}/${state}/${outreach_sequence_state}`)
    const extra = { event_id: `wh_evt_${draw.letters(20)}`, occurred_at: clock.iso() }
    emit({ organization, type: 'prior_authorization.provider_outreach_change', resource, extra })
  }

  function sequenceOf({ resource }: Record_): Record_[] {
    const ids = store.find('prior_authorization', resource.prior_authorization_id)?.outreach?.attempts ?? []
    return ids.flatMap((id) => find(id) ?? [])
  }

  /** Ends the sequence once an attempt was answered, or the last one is over; that is told with the attempt which ended it. */
  function settle(last: Record_): void {
    const attempts = sequenceOf(last)
    const isAnswered = last.resource.state === 'responded'
    if (last.resource.outreach_sequence_state !== 'in_progress') return
    if (isAnswered) end(attempts, 'completed')
    else if (attempts.every(({ resource }) => isOver(resource.state)))
      end(attempts, attempts.every(({ resource }) => resource.state === 'cancelled') ? 'cancelled' : 'exhausted')
    else return
    tell(last)
  }

  function end(attempts: Record_[], state: OutreachSequenceState): void {
    for (const attempt of attempts) attempt.resource.outreach_sequence_state = state
    for (const attempt of attempts) {
      if (isOver(attempt.resource.state)) store.save(attempt)
      else walk.move(attempt, 'cancelled')
    }
  }

  function newAttempt(pa: PriorAuthorizationRecord, sequenceId: string, channel: OutreachChannel, to: string): Record_ {
    const id = `prov_outreach_${random.letters(20)}`
    const draw = random.fork(id)
    const resource: ProviderOutreachResource = {
      id,
      object: 'provider_outreach',
      outreach_sequence_id: sequenceId,
      outreach_sequence_state: 'in_progress',
      prior_authorization_id: pa.id,
      channel,
      state: 'created',
      created_at: clock.iso(),
      updated_at: clock.iso(),
      transmission: null,
    }
    return {
      kind: 'provider_outreach',
      id,
      organization: pa.organization,
      resource,
      plan: { to, cannotBeSent: to === triggers.unreachableFax, isAnswered: draw.chance(0.6) },
      progress: { state: 'created', visited: [] },
    }
  }

  return {
    /** Starts a fax, and beside it an e-mail, or a call where no address is known. */
    start: (pa: PriorAuthorizationRecord): InitialOutreach => {
      const { fax = '', email, phone } = pa.resource.provider
      const sequenceId = `prov_outreach_seq_${random.letters(20)}`
      const other: [OutreachChannel, string] = email === undefined ? ['phone', phone ?? 'unknown'] : ['email', email]
      const attempts = [newAttempt(pa, sequenceId, 'fax', fax), newAttempt(pa, sequenceId, ...other)]
      pa.outreach = { sequenceId, attempts: attempts.map(({ id }) => id) }
      store.save(pa)
      for (const attempt of attempts) store.save(attempt)
      for (const attempt of attempts) walk.start(attempt)
      return {
        outreach_sequence_id: sequenceId,
        state: 'in_progress',
        attempts: attempts.map(({ resource: { id, channel, state } }) => ({ id, channel, state })),
      }
    },
    /** Cancels what still runs. */
    stop: ({ outreach }: PriorAuthorizationRecord): void => {
      for (const id of outreach?.attempts ?? []) {
        const attempt = find(id)
        if (attempt !== undefined && !isOver(attempt.resource.state)) walk.move(attempt, 'cancelled')
      }
    },
    /** The attempts of a PA, in order of creation. */
    list: ({ outreach }: PriorAuthorizationRecord): ProviderOutreachResource[] =>
      (outreach?.attempts ?? []).flatMap((id) => find(id)?.resource ?? []),
    has: (id: string) => find(id) !== undefined,
    push: (id: string, state: string): void => {
      const record = find(id)
      if (record === undefined) throw refuse('not_found')
      walk.move(record, chooseLegal(record.progress.state, state, walk.legal(record)))
    },
    /** What the schedule runs, by machine. */
    fire: { provider_outreach: walk.fire },
  }
}

function transmissionOf(id: string, to: string, sentAt: string) {
  return Object.freeze({
    sent_at: sentAt,
    to,
    content: 'Please supply what the payer asks for.',
    attachments: [{ file_name: 'request.pdf', url: `https://files.sandbox.invalid/${id}/request.pdf` }],
  })
}
