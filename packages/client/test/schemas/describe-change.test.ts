import { describe, expect, it } from 'vitest'
import { describeChange, readCodes } from '../../src/schemas/describe-change.ts'
import { readIdentifiers } from '../../src/schemas/identifiers.ts'

const before = {
  id: 'pa_req_1',
  status: 'awaiting_outcome',
  patient: { first_name: 'Testa', phone: '555-0100' },
  message_thread: { is_resolved: false, messages: [{ id: 'm1', content: 'Hello' }] },
  activity_log: [
    { id: 'a1', details: { url: 'https://x/1?sig=a' } },
    { id: 'a2', details: { notes: 'x' } },
  ],
}

describe('the difference between two snapshots', () => {
  it('names the fields, and shows the values of codes alone', () => {
    const now = {
      ...before,
      status: 'completed',
      outcome: { result: 'Denied', detail: 'Since Testa moved', detail_code: 'plan_exclusion' },
      patient: { first_name: 'Testa', phone: '555-0199' },
      message_thread: {
        is_resolved: true,
        messages: [...before.message_thread.messages, { id: 'm2', content: 'Bye' }],
      },
      activity_log: [before.activity_log[0], { id: 'a2', details: { notes: 'y' } }],
    }
    expect(describeChange(before, now)).toEqual([
      { field: 'status', from: 'awaiting_outcome', to: 'completed' },
      { field: 'outcome.result', to: 'Denied' },
      { field: 'outcome.detail_code', to: 'plan_exclusion' },
      { field: 'message_thread.is_resolved', from: 'false', to: 'true' },
      { field: 'activity_log[].details.notes' },
      { field: 'message_thread.messages[]' },
      { field: 'outcome' },
      { field: 'patient.phone' },
    ])
  })

  it('begins with the codes alone, without one before', () => {
    expect(describeChange(undefined, before)).toEqual([
      { field: 'status', to: 'awaiting_outcome' },
      { field: 'message_thread.is_resolved', to: 'false' },
    ])
  })

  it('is none where addresses were only signed anew', () => {
    const now = structuredClone(before)
    now.activity_log[0] = { id: 'a1', details: { url: 'https://x/1?sig=b' } }
    expect(describeChange(before, now)).toEqual([])
  })

  it('shows neither a text in the place of a code nor a name in the place of a field', () => {
    const now = { ...before, status: 'Testa Sample, born 1980', 'Testa Sample': 1, outcome: { result: 'Testa' } }
    expect(JSON.stringify(describeChange(before, now))).not.toContain('Testa')
    expect(readCodes(now)).toMatchObject({ status: '?', 'outcome.result': '?' })
  })

  it('shows no code and no name that is not documented, even one that looks like it', () => {
    const was = { ...before, sample: 1, patient: { testa: { born: 1980 } } }
    const now = {
      ...before,
      status: 'testa_sample',
      outcome: { result: 'testa', detail_code: 'born_1980' },
      prescription_transfer: { status: 'testa', error_code: 'sample' },
      error: { code: 'Testa', detail_code: 'sample' },
      state: 'testa',
      patient: { testa: { born: 1981 } },
      sample: 2,
    }
    const changes = describeChange(was, now)
    expect(JSON.stringify(changes)).not.toMatch(/testa|sample|born/i)
    expect(changes).toContainEqual({ field: 'outcome.detail_code', to: '?' })
    expect(changes).toContainEqual({ field: 'patient.?.?' })
    expect(changes).toContainEqual({ field: '?' })
  })

  it('is bounded, however much differs and however deep', () => {
    const names = ['patient', 'provider', 'prescription', 'outcome', 'pharmacy', 'note', 'title']
    const filled = (depth: number): unknown =>
      depth === 0 ? 1 : Object.fromEntries(names.map((name) => [name, filled(depth - 1)]))
    const empty = (depth: number): unknown =>
      depth === 0 ? 0 : Object.fromEntries(names.map((name) => [name, empty(depth - 1)]))
    let deep: object = { text: 'x' }
    for (let n = 0; n < 5_000; n += 1) deep = { deep }
    expect(describeChange(empty(3), filled(3))).toHaveLength(40)
    expect(describeChange({ deep: {} }, { deep })).toHaveLength(1)
  })
})

it('a resource is found by the numbers of patient, plan and prescription that it carries', () => {
  const document = {
    patient: { internal_id: 'p-1', mrn: ' M 1 ', first_name: 'Testa' },
    insurance: [{ discrete_content: { member_number: 'A1' }, scanned_content: { member_number: 7 } }, 'odd'],
    ndp_submission: { prescription_message_id: 'rx-1' },
  }
  expect(readIdentifiers(document)).toEqual([
    { field: 'internal_id', value: 'p-1' },
    { field: 'mrn', value: ' M 1 ' },
    { field: 'prescription_message_id', value: 'rx-1' },
    { field: 'member_number', value: 'A1' },
  ])
  expect(readIdentifiers({ patient: { mrn: ' ', internal_id: 'x'.repeat(201) } })).toEqual([])
  expect(readIdentifiers('no object')).toEqual([])
})
