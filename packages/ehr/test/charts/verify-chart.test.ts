import type { Attachment, DocumentReference, FhirResource, Task } from 'fhir/r4.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Message } from '../../../client/src/schemas/prior-authorization.ts'
import type { FoundRecord } from '../../../connector/src/system.ts'
import { isDisorder, type Remembered } from '../../../base/src/system-notes.ts'
import type { ChartProfile, ResourceType } from '../../../../test/support/charts/profile.ts'
import { profiles } from '../../../../test/support/charts/profiles.ts'
import { nameless, namelessCreating } from '../../../../test/support/charts/remembering.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePriorAuthorization,
  sampleTransfer,
} from '../../../../test/support/samples.ts'
import { currentDocuments, ownNameOf, takes } from './chart-reading.ts'
import { connect, type Connection, everythingFiled, identifierBase, token } from './connect.ts'
import { people, populate, prescriberNpi } from './people.ts'

const charts = [...profiles.filter(({ name }) => name !== 'read-only'), nameless, namelessCreating]

let chart: Chart
let connection: Connection
let patientIds: readonly string[]
/** What pawl remembers of each resource, by role. */
let memories: Map<string, Map<string, Remembered>>

afterEach(() => chart.close())

const [person] = people
const patient = { mrn: person.mrn, internal_id: person.internalId, date_of_birth: person.birthDate }
const provider = { npi: prescriberNpi, first_name: 'Pat', last_name: 'Example' }
const insurance = [{ discrete_content: { member_number: 'M-100', payer_name: 'Sample Payer' } }]
const staffTask = { title: 'Act on it', reason: 'review', instructions: 'See what is asked for.' }
const letter = {
  key: 'letter-1',
  kind: 'letter',
  title: 'Letter of the payer',
  contentType: 'text/plain',
  content: Buffer.from('The payer asks for a lab result.'),
} as const

function runOf(resourceId: string, kind: 'prior_authorization' | 'benefit_verification', inDoubt = false) {
  const own = memories.get(resourceId) ?? new Map<string, Remembered>()
  memories.set(resourceId, own)
  const memory = {
    read: async (role: string) => own.get(role),
    write: async (role: string, what: Remembered) => void own.set(role, what),
    note: (role: string, what: Remembered) => void own.set(role, what),
    share: async () => {},
    forget: async (role: string) => void own.delete(role),
  }
  return createTestRun({ resourceId, kind, memory, inDoubt })
}

const pa = (id: string, different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ id, patient, provider, insurance, status: 'awaiting_review', ...different })

/** Brings the chart to the last state of a PA: all kinds of records that pawl writes of one. */
async function writePa(id: string, { inDoubt = false } = {}): Promise<void> {
  const ehr = () => connection.open(runOf(id, 'prior_authorization', inDoubt))
  const transferred = pa(id, { prescription_transfer: sampleTransfer({ status: 'in_progress' }) })
  await ehr().putPriorAuthorization(transferred)
  await ehr().putPrescriptionTransfer(transferred)
  await ehr().openStaffTask(transferred, staffTask)
  await ehr().putMessage(transferred, Message.parse(sampleMessage({ attachments: [] })))
  await ehr().putFile(transferred, letter)
}

async function start(profile: ChartProfile): Promise<void> {
  chart = await startChart(profile, { token })
  ;({ patientIds } = populate(chart))
  connection = connect(chart, everythingFiled)
  memories = new Map()
  await connection
    .open(runOf('pa_req_1', 'prior_authorization'))
    .putPriorAuthorization(pa('pa_req_1', { status: 'created' }))
  early = chart.all('Task', (each) => ownNameOf(each, identifierBase)?.kind === 'prior-authorization')[0]
  for (const id of ['pa_req_1', 'pa_req_2']) await writePa(id)
  const bv = sampleBenefitVerification({ id: 'bv_1', patient, provider, insurance })
  await connection.open(runOf('bv_1', 'benefit_verification')).putBenefitVerification(bv)
}

/** The Task of the PA as it was at the beginning. */
let early: Task | undefined

async function verify(resourceId: string): Promise<FoundRecord[]> {
  const kind = resourceId.startsWith('bv') ? 'benefit_verification' : 'prior_authorization'
  const found = await connection.system.verify?.(memories.get(resourceId) ?? new Map(), runOf(resourceId, kind))
  return found?.records ?? []
}

async function disorders(resourceId = 'pa_req_1'): Promise<string[]> {
  const found = await verify(resourceId)
  return found
    .filter(({ is }) => isDisorder(is))
    .map(({ is, type, id }) => `${is} ${type}/${id}`)
    .toSorted()
}

/** The id of pawl's record of the PA with this kind of name, and its role in memory. */
function own(type: ResourceType, kind: string) {
  const found = [...(memories.get('pa_req_1') ?? [])].find(([role]) => role.startsWith(`${type} ${kind}/`))
  return found && { role: found[0], id: found[1].id }
}

function document() {
  const found = own('DocumentReference', 'prior-authorization')
  const [held] = chart.all('DocumentReference', ({ id }) => id === found?.id)
  return held && { role: found?.role ?? '', held }
}

function task(kind = 'prior-authorization') {
  const found = own('Task', kind)
  const [held] = chart.all('Task', ({ id }) => id === found?.id)
  return held && { role: found?.role ?? '', held }
}

function isNamed(resource: FhirResource, kind: string, value: string): boolean {
  const name = ownNameOf(resource, identifierBase)
  return name?.kind === kind && name.value === value
}

/** Whether the chart shows pawl's identifiers of a type. */
function shows(type: ResourceType): boolean {
  const { drops = [], hides = [] } = chart.profile.types[type] ?? {}
  return ![...drops, ...hides].includes('identifier')
}

const findsByName = (type: ResourceType) =>
  shows(type) && (chart.profile.types[type]?.searchParams.includes('identifier') ?? false)

/** As another system, or a hand, puts a resource there once more. */
function seedCopy(of: FhirResource & { id: string }, different: object = {}): string {
  const { id: _id, ...copy } = structuredClone(of)
  return chart.seed({ ...copy, ...different }).id
}

/** Makes one disorder; resolves with what is to be seen of it, or with `undefined` where the chart cannot have it. */
type Disorder = () => string[] | undefined

/** An attachment without its file. */
function emptied({ data: _data, hash: _hash, size: _size, ...rest }: Attachment): Attachment {
  return rest
}

function changeFile(change: (document: DocumentReference) => void): string[] | undefined {
  const held = document()?.held
  if (held === undefined) return undefined
  chart.edit('DocumentReference', held.id, change)
  return [`changed DocumentReference/${held.id}`]
}

const table: [string, Disorder][] = [
  [
    'a document that was deleted',
    () => {
      const held = document()?.held
      if (held === undefined) return undefined
      chart.remove('DocumentReference', held.id)
      // Where it had replaced an earlier one, that is valid again.
      const before = currentDocuments(chart.all('DocumentReference')).filter(
        (each) => shows('DocumentReference') && isNamed(each, 'prior-authorization', 'pa_req_1'),
      )
      return [`missing DocumentReference/${held.id}`, ...before.map(({ id }) => `orphaned DocumentReference/${id}`)]
    },
  ],
  [
    'a document whose file staff replaced',
    () =>
      changeFile(({ content: [first] }) => {
        const data = Buffer.from('Something else.').toString('base64')
        if (first) first.attachment = { ...emptied(first.attachment), data }
      }),
  ],
  [
    'a document that is there twice, as after a lost answer',
    () => {
      const held = document()?.held
      return held && [`twice DocumentReference/${seedCopy(held, { relatesTo: undefined })}`]
    },
  ],
  [
    'a copy of the document under another patient',
    () => {
      const held = document()?.held
      if (held === undefined) return undefined
      const id = seedCopy(held, { subject: { reference: `Patient/${patientIds[1]}` }, relatesTo: undefined })
      return findsByName('DocumentReference') ? [`orphaned DocumentReference/${id}`] : []
    },
  ],
  [
    'a document that staff marked as entered in error, which is theirs to do',
    () => {
      const held = document()?.held
      if (held === undefined) return undefined
      chart.edit('DocumentReference', held.id, (each) => void (each.status = 'entered-in-error'))
      return []
    },
  ],
  [
    'a document that the memory lost',
    () => {
      const found = document()
      if (found === undefined) return undefined
      memories.get('pa_req_1')?.delete(found.role)
      return shows('DocumentReference') ? [`orphaned DocumentReference/${found.held.id}`] : []
    },
  ],
  [
    'a task that the memory lost',
    () => {
      const found = task()
      if (found === undefined) return undefined
      memories.get('pa_req_1')?.delete(found.role)
      return [`orphaned Task/${found.held.id}`]
    },
  ],
  [
    'the task of an earlier state beside the present one, as after a lost answer',
    () => {
      if (task() === undefined || early === undefined) return undefined
      return [`${shows('Task') ? 'twice' : 'orphaned'} Task/${seedCopy({ ...early, id: '' })}`]
    },
  ],
  [
    'a status that was put back',
    () => {
      const held = task()?.held
      if (held === undefined) return undefined
      chart.edit('Task', held.id, (each) => void (each.status = 'completed'))
      return [`changed Task/${held.id}`]
    },
  ],
  [
    'a staff task that staff closed, which is theirs to do',
    () => {
      const held = task('prior-authorization-staff-task')?.held
      if (held === undefined) return undefined
      chart.edit('Task', held.id, (each) => void (each.status = 'completed'))
      return []
    },
  ],
  [
    "an edit outside of pawl's part",
    () => {
      const held = document()?.held
      const ofTask = task()?.held
      if (held)
        chart.edit('DocumentReference', held.id, (each) => void (each.securityLabel = [{ text: 'Seen by staff' }]))
      if (ofTask) chart.edit('Task', ofTask.id, (each) => void (each.note = [{ text: 'Called the payer.' }]))
      return []
    },
  ],
  [
    'a document whose file was emptied',
    () =>
      changeFile(({ content: [first] }) => {
        if (first) first.attachment = emptied(first.attachment)
      }),
  ],
  [
    'a copy of a document that is not shown itself',
    () => {
      const held = document()?.held
      if (held === undefined) return undefined
      const id = seedCopy(held, { relatesTo: undefined })
      chart.failNext({ method: 'GET', type: 'DocumentReference', status: 403 })
      const unreadable = `unreadable DocumentReference/${held.id}`
      return shows('DocumentReference') ? [`twice DocumentReference/${id}`, unreadable] : [unreadable]
    },
  ],
  [
    'documents that the credentials may no longer read',
    () => {
      chart.refuse('DocumentReference', 403)
      const roles = [...(memories.get('pa_req_1') ?? [])].filter(([role]) => role.startsWith('DocumentReference '))
      return roles.map(([, { id }]) => `unreadable DocumentReference/${id}`).toSorted()
    },
  ],
]

describe.each(charts)('on the chart $name, reading back', (profile) => {
  beforeEach(() => start(profile))

  it('finds every record of a PA and a BV as pawl wrote it, writes nothing, and says no word of a patient', async () => {
    const { length } = chart.writes
    for (const id of ['pa_req_1', 'pa_req_2', 'bv_1']) {
      const found = await verify(id)
      expect(
        found.map(({ is, type, what }) => `${is} ${type} ${what}`).filter((each) => !each.startsWith('same ')),
      ).toEqual([])
      expect(found.length).toBeGreaterThan(0)
      expect(JSON.stringify(found)).not.toMatch(/Testa|Sample|M-100|Exampline/)
    }
    expect(chart.writes).toHaveLength(length)
  })

  it.each(table)('sees %s, invents nothing besides, and mends it or says that it must stay', async (what, make) => {
    const expected = make()
    if (expected === undefined) return
    expect(await disorders()).toEqual(expected.toSorted())
    const isRefused = expected.some((each) => each.startsWith('unreadable'))
    expect((await disorders('pa_req_2')).filter((each) => !isRefused || !each.startsWith('unreadable'))).toEqual([])
    // What is not seen is not mended.
    if (expected.length === 0 || isRefused) return

    const count = () => chart.all('DocumentReference').length + chart.all('Task').length
    const before = count()
    const run = runOf('pa_req_1', 'prior_authorization')
    const left: string[] = []
    for (const record of (await verify('pa_req_1')).filter(({ is }) => isDisorder(is)))
      if ((await connection.system.mend?.(record, run)) === 'left') left.push(`${record.type}/${record.id}`)
    await writePa('pa_req_1', { inDoubt: true })
    expect((await disorders()).map((each) => each.split(' ')[1])).toEqual(left.toSorted())
    expect(await disorders('pa_req_2')).toEqual([])
    // What pawl forgot is known again, and not written once more.
    if (what.includes('the memory lost') && shows('Task')) expect(count()).toBe(before)
    const canUpdate = takes(chart, 'DocumentReference', 'update') && chart.profile.keepsDocuments !== true
    expect(left.filter((each) => canUpdate || each.startsWith('Task/'))).toEqual([])
  })
})
