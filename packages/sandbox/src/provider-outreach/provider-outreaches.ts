import type { Platform } from '../platform.ts'
import { pathOfFile } from '../files/served-file.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import { refuse } from '../platform/refusal.ts'
import type { Machine } from '../platform/machine.ts'
import { testValues } from '../platform/test-values.ts'
import { createWalk } from '../platform/walk.ts'
import type { InitialOutreach, ProviderOutreachResource } from 'pawl-client/schemas/provider-outreach'
import type { OutreachSequenceRecord, ProviderOutreachRecord } from './record.ts'
import {
  isOver,
  type OutreachCondition,
  type OutreachSequenceState,
  type OutreachState,
  providerOutreachRows,
} from './states.ts'

/** The PA and provider of an outreach. */
export interface OutreachSubject {
  priorAuthorizationId: string
  organization: string
  provider: { fax?: string | undefined; email?: string | undefined; phone?: string | null | undefined }
}

type OutreachChannel = ProviderOutreachResource['channel']

/** Dependencies on other kinds of resources. */
interface Deps {
  /** Called once the outreach of a PA has ended. */
  ended: (priorAuthorizationId: string, isAnswered: boolean) => void
}

/** All operations on provider outreach (beta; supplement, Webhooks). */
export type ProviderOutreaches = ReturnType<typeof createProviderOutreaches>

/** One sequence of attempts per PA, over two channels in parallel. */
export function createProviderOutreaches(platform: Platform, deps: Deps) {
  const { random, clock, emit } = platform
  const shelf = platform.store.shelf<ProviderOutreachRecord>('provider_outreach')
  const sequences = platform.store.shelf<OutreachSequenceRecord>('outreach_sequence')
  const { find } = shelf
  const walk = createWalk({ ...platform, ...shelf, machine: machine() })

  function machine(): Machine<ProviderOutreachRecord, OutreachState, OutreachCondition> {
    return {
      name: 'provider_outreach',
      rows: providerOutreachRows,
      conditions: {
        cannotBeSent: ({ script }) => script.cannotBeSent,
        isAnswered: ({ script }) => script.isAnswered,
      },
      progressOf: (record) => record.progress,
      entered: (record, state) => {
        const { resource, script, id } = record
        resource.state = state
        if (state === 'sent') resource.transmission = transmissionOf(id, script.to, clock.iso())
        const end = isOver(state) ? endOfSequence(record) : undefined
        if (end === undefined) emitSnapshot(record)
        else endSequence(record, end)
      },
    }
  }

  /** Each event of an attempt is later than the one before, so receivers can order them regardless of arrival. */
  function emitSnapshot({ resource, organization }: ProviderOutreachRecord): void {
    const { id, state, outreach_sequence_state, updated_at } = resource
    const isFirst = state === 'created'
    const occurredAt = Math.max(clock.now(), isFirst ? 0 : Date.parse(updated_at) + 1)
    resource.updated_at = new Date(occurredAt).toISOString()
    // Forked, so an event's time does not change the ids of later resources.
    const draw = random.fork(`${id}/${state}/${outreach_sequence_state}`)
    const extra = { event_id: `wh_evt_${draw.id()}`, occurred_at: resource.updated_at }
    emit({ organization, type: 'prior_authorization.provider_outreach_change', resource, extra })
  }

  /** The attempts of a PA, in order of creation. */
  function attemptsOf(priorAuthorizationId: string): ProviderOutreachRecord[] {
    return (sequences.find(priorAuthorizationId)?.attempts ?? []).flatMap((id) => find(id) ?? [])
  }

  /** End state of the sequence after an attempt ended. Undefined if the sequence continues or had already ended. */
  function endOfSequence({ resource }: ProviderOutreachRecord): OutreachSequenceState | undefined {
    if (resource.outreach_sequence_state !== 'in_progress') return undefined
    if (resource.state === 'responded') return 'completed'
    const states = attemptsOf(resource.prior_authorization_id).map((attempt) => attempt.resource.state)
    if (!states.every(isOver)) return undefined
    return states.every((state) => state === 'cancelled') ? 'cancelled' : 'exhausted'
  }

  /** Ends the sequence, in one event with the end of its last attempt. Then cancels the running attempts. */
  function endSequence(last: ProviderOutreachRecord, state: OutreachSequenceState): void {
    const { prior_authorization_id: id } = last.resource
    const attempts = attemptsOf(id)
    for (const attempt of attempts) {
      attempt.resource.outreach_sequence_state = state
      shelf.save(attempt)
    }
    emitSnapshot(last)
    for (const attempt of attempts) if (!isOver(attempt.resource.state)) walk.move(attempt, 'cancelled')
    deps.ended(id, last.resource.state === 'responded')
  }

  function newAttempt(
    { priorAuthorizationId, organization }: OutreachSubject,
    sequenceId: string,
    channel: OutreachChannel,
    to: string,
  ): ProviderOutreachRecord {
    const id = `prov_outreach_${random.letters(20)}`
    const draw = random.fork(id)
    const resource: ProviderOutreachResource = {
      id,
      object: 'provider_outreach',
      outreach_sequence_id: sequenceId,
      outreach_sequence_state: 'in_progress',
      prior_authorization_id: priorAuthorizationId,
      channel,
      state: 'created',
      created_at: clock.iso(),
      updated_at: clock.iso(),
      transmission: null,
    }
    return {
      kind: 'provider_outreach',
      id,
      organization,
      resource,
      script: { to, cannotBeSent: to === testValues.unreachableFax, isAnswered: draw.chance(0.6) },
      progress: { state: 'created', visited: [] },
    }
  }

  return {
    /** Starts a fax, and in parallel an e-mail, or a call if there is no e-mail address. */
    start: (subject: OutreachSubject): InitialOutreach => {
      const { fax = '', email, phone } = subject.provider
      const sequenceId = `prov_outreach_seq_${random.letters(20)}`
      const other: [OutreachChannel, string] = email === undefined ? ['phone', phone ?? 'unknown'] : ['email', email]
      const attempts = [newAttempt(subject, sequenceId, 'fax', fax), newAttempt(subject, sequenceId, ...other)]
      sequences.save({
        kind: 'outreach_sequence',
        id: subject.priorAuthorizationId,
        organization: subject.organization,
        attempts: attempts.map(({ id }) => id),
      })
      for (const attempt of attempts) shelf.save(attempt)
      for (const attempt of attempts) walk.start(attempt)
      return {
        outreach_sequence_id: sequenceId,
        state: 'in_progress',
        attempts: attempts.map(({ resource: { id, channel } }) => ({ id, channel, state: 'created' })),
      }
    },
    /** Cancels the running attempts. */
    stop: (priorAuthorizationId: string): void => {
      for (const attempt of attemptsOf(priorAuthorizationId))
        if (!isOver(attempt.resource.state)) walk.move(attempt, 'cancelled')
    },
    /** The attempts of a PA, in order of creation. */
    list: (priorAuthorizationId: string): ProviderOutreachResource[] =>
      attemptsOf(priorAuthorizationId).map(({ resource }) => resource),
    /** Whether the prescriber's answer is pending. */
    isAsking: (priorAuthorizationId: string): boolean =>
      attemptsOf(priorAuthorizationId)[0]?.resource.outreach_sequence_state === 'in_progress',
    has: (id: string) => find(id) !== undefined,
    /** Moves an attempt on now; returns the new state. */
    push: (id: string, state: string): OutreachState => {
      const record = find(id)
      if (record === undefined) throw refuse('not_found')
      walk.move(record, chooseLegal(record.progress.state, state, walk.legal(record)))
      return record.progress.state
    },
    listAll: () => shelf.list().map(({ resource }) => resource),
    /** Runners of due transitions, by machine name. */
    runners: { provider_outreach: walk.runDue },
  }
}

function transmissionOf(id: string, to: string, sentAt: string) {
  return Object.freeze({
    sent_at: sentAt,
    to,
    content: 'Please supply what the payer asks for.',
    attachments: [
      { file_name: 'request.pdf', url: pathOfFile({ resourceId: id, kind: 'outreach', name: 'request.pdf' }) },
    ],
  })
}
