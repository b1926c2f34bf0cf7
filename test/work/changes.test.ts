import { describe, expect, it } from 'vitest'
import { computeChanges } from '../../src/work/changes.ts'
import { PriorAuthorization as Schema } from '../../packages/client/src/schemas/prior-authorization.ts'

const pa = (fields: object = {}) => Schema.parse({ id: 'pa_req_1', status: 'processing', ...fields })
const changesOf = (now: object, before?: object) =>
  computeChanges('prior_authorization', pa(now), before === undefined ? undefined : pa(before))

describe('the changes that a handler sees', () => {
  it('include everything before its first success', () => {
    const changes = changesOf({ message_thread: { messages: [{ id: 'm1' }] } })
    expect(changes).toMatchObject({ isFirst: true, status: { from: undefined, to: 'processing' } })
    expect(changes.newMessages).toHaveLength(1)
  })

  it('are empty without a difference', () => {
    const same = { outcome: { result: 'Pending' }, activity_log: [{ id: 'a', type: 'sent_fax' }] }
    expect(changesOf(same, same)).toEqual({
      isFirst: false,
      status: undefined,
      outcome: undefined,
      prescriptionTransfer: undefined,
      newMessages: [],
      newTransferAttempts: [],
      newConfirmationAttempts: [],
      newActivity: [],
    })
  })

  it('are empty if only addresses were signed anew', () => {
    const signed = (signature: string) => {
      const url = `https://files.example/receipt.pdf?signature=${signature}`
      return {
        outcome: { result: 'Approved', letter: { url } },
        prescription_transfer: { status: 'completed', receipt_url: url },
        activity_log: [{ type: 'sent_fax', created_at: '2026-01-01T00:00:00Z', details: { url } }],
      }
    }
    expect(changesOf(signed('b'), signed('a'))).toMatchObject({
      outcome: undefined,
      prescriptionTransfer: undefined,
      newActivity: [],
    })
    const [fax] = signed('b').activity_log
    const other = { ...fax, details: { url: 'https://files.example/other.pdf?signature=b' } }
    expect(changesOf({ activity_log: [fax, other] }, signed('a')).newActivity).toHaveLength(1)
  })

  it('distinguish messages by id, and attempts, which have none, by their whole content', () => {
    const attempt = { timestamp: '2026-01-01T00:00:00Z', pharmacy_ncpdp_id: '0123456' }
    const later = { ...attempt, timestamp: '2026-01-02T00:00:00Z' }
    const changes = changesOf(
      {
        message_thread: { messages: [{ id: 'm1', content: 'edited' }, { id: 'm2' }] },
        prescription_transfer: { status: 'in_progress', transfer_attempts: [attempt, later] },
      },
      {
        message_thread: { messages: [{ id: 'm1', content: 'first' }] },
        prescription_transfer: { status: 'in_progress', transfer_attempts: [attempt] },
      },
    )
    expect(changes.newMessages.map(({ id }) => id)).toEqual(['m2'])
    expect(changes.newTransferAttempts).toEqual([later])
    expect(changes.status).toBeUndefined()
  })

  it('survive fields of an unexpected shape', () => {
    const changes = changesOf({ message_thread: 'gone', activity_log: [7, { id: 'a' }], outcome: ['?'] })
    expect(changes.newActivity).toEqual([{ id: 'a' }])
    expect(changes.outcome).toBeUndefined()
  })
})
