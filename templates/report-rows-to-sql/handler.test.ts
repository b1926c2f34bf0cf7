import { expect, it } from 'vitest'
import {
  aBenefitVerification,
  aPriorAuthorization,
  approved,
  expectIdempotent,
  runHandler,
  type RunOptions,
} from '#pawl/testing'
import handler from './handler.ts'
import type { ReportRow } from './report-row.ts'
import type { Reports } from './report-table.ts'

/** A table in memory. */
function start() {
  const rows = new Map<string, ReportRow>()
  const reports: Reports = { putRow: async (row) => void rows.set(row.id, row) }
  // The compiler cannot see what the integration of a fork lists.
  return { rows, systems: { reports } as RunOptions['systems'] }
}

const to = aPriorAuthorization({ status: 'completed', outcome: approved() })

it('keeps one row for a PA through all its statuses', async () => {
  const { rows, systems } = start()
  const first = await runHandler(handler, { to: aPriorAuthorization({ status: 'awaiting_review' }), systems })
  expect([...rows.values()]).toMatchObject([{ status: 'awaiting_review', has_ended: false, result: null }])
  await runHandler(handler, { to, after: first, systems })
  expect([...rows.values()]).toMatchObject([
    { kind: 'prior_authorization', status: 'completed', has_ended: true, result: 'Approved', detail_code: 'approval' },
  ])
})

it('counts the drugs of a BV', async () => {
  const { rows, systems } = start()
  await runHandler(handler, { to: aBenefitVerification({ status: 'completed' }), systems })
  expect([...rows.values()]).toMatchObject([
    { kind: 'benefit_verification', has_ended: true, drugs: expect.any(Number), is_appeal: null },
  ])
})

it('writes nothing of the patient, and none of the service’s sentences or ids', async () => {
  const { rows, systems } = start()
  await runHandler(handler, { to, systems })
  await runHandler(handler, {
    to: { ...to, id: 'pa_req_2', status: 'undocumented: Testa, who is 45 years old.' },
    systems,
  })
  const written = JSON.stringify([...rows.values()])
  const { first_name, last_name, internal_id } = to.patient ?? {}
  for (const word of [
    to.id,
    first_name,
    last_name,
    internal_id,
    to.prescription?.drug_name,
    to.outcome?.detail,
    'Testa',
  ])
    expect(written).not.toContain(word ?? 'Testa')
})

it('may run again, and may fail anywhere', () =>
  expectIdempotent(handler, () => ({ to, systems: start().systems, repeatable: ['reports.putRow'] })))

it('parks where the table is not listed', async () => {
  await expect(runHandler(handler, { to })).rejects.toMatchObject({ code: 'system_not_listed', retry: 'never' })
})
