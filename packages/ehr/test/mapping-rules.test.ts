import type { Task } from 'fhir/r4.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StaffTask } from '../src/ehr.ts'
import { storedTypes } from '../src/fhir/chart-types.ts'
import type { Chart } from '../../../test/support/charts/start-chart.ts'
import { faultsOf } from '../../../test/support/fhir-validators.ts'
import { reviewActionOf } from '../../../test/support/review-action.ts'
import { sampleBenefitVerification, samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'
import { firstWrittenAt, startMappedChart } from './mapped-chart.ts'

let mapped: Awaited<ReturnType<typeof startMappedChart>>
let chart: Chart
beforeEach(async () => {
  mapped = await startMappedChart()
  chart = mapped.chart
})
afterEach(() => chart.close())

const putPa = (different: Record<string, unknown>) =>
  mapped.open().putPriorAuthorization(samplePriorAuthorization(different))
const putBv = (different: Record<string, unknown>) =>
  mapped.open().putBenefitVerification(sampleBenefitVerification(different))

/** The only resource of its type. */
function only<T extends 'Task' | 'Coverage'>(type: T) {
  const [held, ...others] = chart.all(type)
  if (held === undefined || others.length > 0) throw new Error(`The chart has none or several of ${type}.`)
  return held
}

/** Changes the only Task as staff do. */
const edit = (different: Partial<Task>) => chart.edit('Task', only('Task').id, (held) => Object.assign(held, different))

describe('over an earlier state in the chart', () => {
  it.each([
    ['created', 'requested'],
    ['processing', 'in-progress'],
    ['awaiting_review', 'on-hold'],
    ['completed', 'in-progress'],
    ['failed', 'in-progress'],
    ['not_submitted', 'in-progress'],
    ['cancelled', 'in-progress'],
  ])('a PA of unknown status after %s has a Task that is %s, and its determination as it was', async (status, kept) => {
    await putPa({ status })
    const determination = chart.all('ClaimResponse')
    await putPa({ status: 'paused_by_payer' })
    expect(only('Task')).toMatchObject({ status: kept, businessStatus: { text: 'paused_by_payer' } })
    expect(chart.all('ClaimResponse')).toEqual(determination)
  })

  it.each([
    ['cancelled', 'C'],
    ['not_submitted', undefined],
  ])('a determination is withdrawn alike from any: %s', async (status, action) => {
    for (const before of ['processing', 'awaiting_outcome', 'failed']) {
      const id = `pa_req_${before}`
      await putPa({ id, status: before })
      await putPa({ id, status })
    }
    const ends = chart.all('ClaimResponse')
    expect(ends.map(({ status: held, outcome }) => [held, outcome])).toEqual(ends.map(() => ['cancelled', 'queued']))
    expect(ends.map(reviewActionOf)).toEqual([action, action, action])
    const bare = ends.map(({ id: _id, meta: _meta, identifier: _name, request: _request, ...rest }) => rest)
    expect(bare).toEqual([bare[0], bare[0], bare[0]])
    expect(ends.flatMap(faultsOf)).toEqual([])
  })

  it('a determination stays pended by the insurer while people review or answer after the submission', async () => {
    for (const [before, action] of [
      ['processing', undefined],
      ['awaiting_outcome', 'A4'],
    ] as const)
      for (const status of ['processing', 'awaiting_review', 'awaiting_provider_response']) {
        const id = `pa_req_${before}_${status}`
        await putPa({ id, status: before })
        await putPa({ id, status })
        const [held] = chart.all('ClaimResponse', ({ identifier }) => identifier?.[0]?.value === id)
        expect([status, reviewActionOf(held)]).toEqual([status, action])
      }
  })

  it('resources keep the time of their first write; Tasks also have that of the last change', async () => {
    const times = () =>
      storedTypes.flatMap((type) =>
        chart.all(type).map((held) => ({ authoredOn: '', created: '', date: '', lastModified: '', ...held })),
      )
    const write = async (status: string, at: string) => {
      mapped.clock.at = Date.parse(at)
      await putPa({ status })
      await putBv({ status: status === 'processing' ? 'pending' : 'completed' })
      return times().map(({ authoredOn, created, date, lastModified }) => [authoredOn || created || date, lastModified])
    }
    const first = await write('processing', firstWrittenAt)
    expect(first.filter(([at]) => at === firstWrittenAt)).toHaveLength(5)
    const later = '2026-04-01T12:00:00.000Z'
    expect(await write('failed', later)).toEqual(first.map(([at, changed]) => [at, changed === '' ? '' : later]))
    // FHIR refuses a change before the start (inv-1).
    expect(await write('created', '2026-02-01T12:00:00.000Z')).toEqual(first)
  })

  it('a transfer keeps an owner that staff set', async () => {
    const transfer = (status: string) => samplePriorAuthorization({ prescription_transfer: sampleTransfer({ status }) })
    await mapped.open().putPrescriptionTransfer(transfer('in_progress'))
    edit({ owner: { display: 'Nurse Example' } })
    await mapped.open().putPrescriptionTransfer(transfer('completed'))
    expect(only('Task')).toMatchObject({ status: 'completed', owner: { display: 'Nurse Example' } })
  })
})

describe('a Coverage', () => {
  it('is one over all BVs of a patient and member number', async () => {
    await putBv({})
    await putBv({ id: 'bv_2' })
    expect(only('Coverage').identifier?.[0]?.value).toMatch(/^[0-9a-f]{32}$/)
    await putBv({ id: 'bv_3', insurance: [{ discrete_content: { member_number: 'M-200' } }] })
    expect(chart.all('Coverage')).toHaveLength(2)
    chart.seedPatient({ internalId: 'patient-8', birthDate: '1980-01-31', name: 'Prova Muster' })
    await putBv({ id: 'bv_4', patient: { internal_id: 'patient-8' } })
    expect(chart.all('Coverage')).toHaveLength(3)
  })

  it('keeps details of earlier BVs and additions of staff', async () => {
    await putBv({ patient_coverage_type: 'medicaid' })
    chart.edit('Coverage', only('Coverage').id, (held) => {
      held.class = [{ type: { text: 'Tier' }, value: 'Gold' }, ...(held.class ?? [])]
    })
    const insurance = [{ discrete_content: { member_number: 'M-100', rx_bin: '999999', plan_name: 'Sample Plan' } }]
    await putBv({ insurance })
    expect(faultsOf(only('Coverage'))).toEqual([])
    expect(only('Coverage')).toMatchObject({ payor: [{ display: 'Sample Payer' }], type: { text: 'medicaid' } })
    expect(only('Coverage').class?.map(({ value }) => value)).toEqual([
      '999999',
      'PCN1',
      'RXG1',
      'G-1',
      'Sample Plan',
      'Gold',
    ])
  })

  it.each<[found: string | null, status: string]>([
    ['covered', 'active'],
    ['coverage_expired', 'cancelled'],
    ['coverage_not_started', 'draft'],
    ['patient_not_found', 'cancelled'],
    ['patient_not_covered_unspecified', 'cancelled'],
    ['human_unable_to_answer', 'entered-in-error'],
    ['missing_from_transcript', 'entered-in-error'],
    ['unknown', 'entered-in-error'],
    ['a_new_status', 'entered-in-error'],
    [null, 'entered-in-error'],
  ])('of a patient who is %s is %s, if staff called it entered in error', async (found, status) => {
    await putBv({})
    chart.edit('Coverage', only('Coverage').id, (held) => void (held.status = 'entered-in-error'))
    await putBv({ patient_coverage_status: found })
    expect(only('Coverage').status).toBe(status)
  })
})

describe('a staff task', () => {
  const waiting = samplePriorAuthorization({ status: 'awaiting_review' })
  const review: StaffTask = {
    title: 'Review a prior authorization',
    reason: 'awaiting_review',
    instructions: 'Check the questions, then submit.',
    owner: 'Practitioner/12',
  }
  const put = (different: Partial<StaffTask> = {}) => mapped.open().openStaffTask(waiting, { ...review, ...different })
  const note = [{ text: 'Called twice.' }]

  it('keeps status, note and owner of staff, and takes new instructions', async () => {
    await put()
    edit({
      status: 'in-progress',
      businessStatus: { text: 'Called, waiting' },
      owner: { display: 'Nurse Example' },
      note,
    })
    const taken = only('Task')
    await put()
    expect(only('Task')).toEqual(taken)
    await put({ instructions: 'Submit today.' })
    const description = taken.description?.replace(/[^\n]+$/, 'Submit today.')
    expect({ ...only('Task'), meta: taken.meta }).toEqual({ ...taken, description })
  })

  it.each(['completed', 'cancelled', 'rejected', 'failed', 'entered-in-error'] as const)(
    'that staff ended as %s stays as they left it, unless its reason changes',
    async (status) => {
      await put()
      edit({ status })
      const ended = only('Task')
      await put({ instructions: 'Other' })
      await mapped.open().closeStaffTask(waiting, 'cancelled')
      expect(only('Task')).toEqual(ended)
    },
  )

  it.each(['in-progress', 'completed'] as const)(
    'that is %s opens again for another reason, and keeps the notes',
    async (status) => {
      await put()
      edit({ status, note, statusReason: { text: 'Done' } })
      mapped.clock.at = Date.parse('2026-03-09T12:00:00.000Z')
      await put({ title: 'Answer the payer', reason: 'awaiting_provider_response' })
      expect(only('Task')).toMatchObject({
        status: 'requested',
        code: { text: 'Answer the payer' },
        businessStatus: { text: 'awaiting_provider_response' },
        reasonCode: { text: 'awaiting_provider_response' },
        authoredOn: '2026-03-09T12:00:00.000Z',
        note,
      })
      expect(only('Task').statusReason).toBeUndefined()
      expect(faultsOf(only('Task'))).toEqual([])
    },
  )

  it.each(['completed', 'cancelled'] as const)(
    'that pawl ended as %s opens again for the same reason',
    async (ending) => {
      await put()
      const open = only('Task')
      await mapped.open().closeStaffTask(waiting, ending)
      expect(only('Task')).toMatchObject({ status: ending, businessStatus: { text: 'no_longer_needed' } })
      await put()
      expect({ ...only('Task'), meta: open.meta }).toEqual(open)
    },
  )

  it('is recognised by its business status if the chart drops the reason', async () => {
    await put()
    edit({ status: 'in-progress', reasonCode: undefined })
    await put({ instructions: 'Submit today.' })
    expect(only('Task').status).toBe('in-progress')
  })
})
