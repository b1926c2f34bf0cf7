import { describe, expect, it } from 'vitest'
import type { Ehr } from '../../src/ehr.ts'
import { benefitVerificationNarrative } from '../../src/narrative/benefit-verification-narrative.ts'
import { priorAuthorizationNarrative } from '../../src/narrative/prior-authorization-narrative.ts'
import { aboutSubject } from '../../src/narrative/file-title.ts'
import { renderText } from '../../src/narrative/render-text.ts'
import type { Receipt } from '../../../connector/src/system.ts'
import { readOnly } from '../../../../test/support/charts/read-only.ts'
import { internalIdSystem, mrnSystem, startChart } from '../../../../test/support/charts/start-chart.ts'
import { type HeldDocument, startHl7Listener } from '../../../../test/support/hl7-listener.ts'
import { startRelay } from '../../../../test/support/relay.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { benefitVerificationCases } from '../charts/benefit-verification-cases.ts'
import { type Act, bringTo, type Case, createAct } from '../charts/drive.ts'
import { people } from '../charts/people.ts'
import { isWaiting, priorAuthorizationCases } from '../charts/prior-authorization-cases.ts'
import { openBySettings } from './open-hl7.ts'
import { readByMedplum, readers } from './read-mdm.ts'

/** Documents that must be there in the end beside that of the PA or BV: the kind, and lines of it or else a file with its type. By default neither messages nor transfers are sent. */
function otherDocumentsOf(each: Case, states: 'every' | 'results'): (readonly [kind: string, ...content: string[]])[] {
  if (each.kind === 'benefit_verification') return []
  const isEvery = states === 'every'
  const { status, prescription, prescription_transfer, message_thread } = each.snapshots.at(-1) ?? each.snapshots[0]
  const drug = `Drug: ${prescription?.drug_name} 10 mg, quantity 56, 28 days' supply`
  return [
    ...(prescription_transfer === undefined || !isEvery ? [] : [['prescription-transfer', drug] as const]),
    ...((isEvery ? message_thread?.messages : undefined) ?? []).map(({ content = '', attachments = [] }) => {
      return ['message', content, drug, ...attachments.map(({ file_name }) => `Attachment: ${file_name}`)] as const
    }),
    ...(isWaiting(status)
      ? [
          [
            'staff-task',
            aboutSubject(each.snapshots[0], 'To do: Act on a prior authorization'),
            'See what is asked for.',
            drug,
          ] as const,
        ]
      : []),
    ...each.files.map(({ kind, contentType, content }) => {
      return [kind.replace(/_.*/, ''), contentType, Buffer.from(content).toString('base64')] as const
    }),
    ...each.notes.map(({ title, text }) => ['note', aboutSubject(each.snapshots[0], title), text] as const),
  ]
}

/** Indices of the cases in whose middle staff merge the patient's record into another one, or delete it and enter the patient again. */
const mergedIn = 22
const enteredAgainIn = 23

/** The words of its document in its last state. */
function linesOf(each: Case, states: 'every' | 'results'): string[] {
  const narrative =
    each.kind === 'benefit_verification'
      ? benefitVerificationNarrative(each.snapshots.at(-1) ?? each.snapshots[0])
      : priorAuthorizationNarrative(each.snapshots.at(-1) ?? each.snapshots[0], states)
  return renderText(narrative)
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
}

/** Whether nothing follows its last snapshot. */
function hasEnded({ snapshots }: Case): boolean {
  const { status } = snapshots.at(-1) ?? snapshots[0]
  return ['completed', 'failed', 'not_submitted', 'cancelled'].includes(status)
}

describe.each([
  { way: 'alone', isEnhanced: false, states: 'results' },
  { way: 'beside FHIR', isEnhanced: true, states: 'every' },
] as const)('58 PAs and 9 BVs by HL7 v2 ($way, enhanced: $isEnhanced, $states)', ({ way, isEnhanced, states }) => {
  it('end with every document once, in the right chart, in its newest state, despite losses on the way', async () => {
    const listener = await startHl7Listener({ isEnhanced })
    const relay = await startRelay(listener.port)
    const chart = way === 'alone' ? undefined : await startChart(readOnly)
    const connect = () =>
      openBySettings({
        EHR_URL: `mllp://127.0.0.1:${relay.port}`,
        HL7_ACK_MODE: isEnhanced ? 'enhanced' : 'original',
        HL7_ACK_TIMEOUT_MS: '300',
        // The defaults.
        ...(states === 'results' && {
          EHR_FILED_STATES: states,
          EHR_FILED_BENEFITS: states,
          EHR_FILED_MESSAGES: 'none',
        }),
        ...(chart !== undefined && {
          FHIR_BASE_URL: chart.url,
          FHIR_PATIENT_SYSTEM: internalIdSystem,
          HL7_PATIENT_SYSTEM: mrnSystem,
        }),
      })
    /** By person: the number under which the listener has the patient, and the id of the chart's record. */
    const numbers: string[] = people.map(({ mrn, internalId }) => (chart === undefined ? internalId : mrn))
    const patientIds = people.map((person) => chart?.seedPatient(person) ?? '')

    /** As staff merge a record into another one, or delete it and enter the patient again. */
    function moveRecord(person: number, isMerged: boolean): void {
      const [sample = people[0]] = people.slice(person)
      const [former = '', formerId = ''] = [numbers[person], patientIds[person]]
      // Without FHIR, a patient who was entered again has the number of the service as before.
      const number = isMerged || chart !== undefined ? `${former}-again` : former
      const id = chart?.seedPatient({ ...sample, mrn: number })
      if (isMerged) {
        listener.mergePatient(former, number)
        chart?.edit('Patient', formerId, (held) => {
          held.active = false
          held.link = [{ type: 'replaced-by', other: { reference: `Patient/${id}` } }]
        })
      } else {
        listener.removePatient(former)
        chart?.remove('Patient', formerId)
      }
      numbers[person] = number
    }

    const cases: Case[] = [...priorAuthorizationCases(), ...benefitVerificationCases()]
    const runs = cases.map(({ kind, snapshots: [{ id }] }) => createTestRun({ resourceId: id, kind }))
    const parked: string[] = []
    const act = createAct(parked)
    let works = 0

    /** Every seventh piece of work loses its answer or its message, or is refused for now. */
    const disturbed: Act = async (work) => {
      works += 1
      const trouble = works % 7 === 0 ? (works / 7) % 4 : -1
      if (trouble === 0) relay.fail('lost_answer')
      if (trouble === 1) relay.fail('cut')
      if (trouble === 2) listener.answer(() => 'nothing', { isStored: works % 2 === 0 })
      if (trouble === 3) listener.answer(() => ({ code: 'AE', more: ['ERR|||206^locked^HL70357|E'] }))
      if (trouble !== -1) await work().catch(() => {})
      relay.fail()
      listener.answer()
      await act(work)
    }
    const bring = async (system: { open(run: (typeof runs)[number]): Ehr }, index: number, at: number, how: Act) => {
      const [each, run] = [cases[index], runs[index]]
      if (each !== undefined && run !== undefined) await bringTo(system.open(run), each, at, how)
    }

    let system = connect()
    /** A process that was started again, and knows nothing but what it remembered. */
    async function restart(): Promise<void> {
      await system.close?.()
      system = connect()
    }
    for (const [index, each] of cases.entries()) {
      for (const at of each.snapshots.keys()) {
        if (at === 1 && (index === mergedIn || index === enteredAgainIn)) {
          moveRecord(each.person, index === mergedIn)
          // The runs of one process share a look at a patient's record for some seconds.
          await restart()
        }
        await bring(system, index, at, disturbed)
      }
      if (index % 20 === 19) await restart()
    }
    const sent = listener.received.length
    const restarted = connect()
    for (const [index, each] of cases.entries()) await bring(restarted, index, each.snapshots.length - 1, act)

    const available = listener.documents().filter(({ status }) => status === 'available')
    // oxlint-disable-next-line no-console -- the table is what the run is for
    console.table({ messages: sent, documents: available.length, parked: parked.length })
    expect.soft(parked).toEqual([])
    expect.soft(listener.received.slice(sent)).toEqual([])
    expect.soft(duplicates(available)).toEqual([])
    const isOf = (index: number) => (document: HeldDocument) =>
      runs[index]?.receipts.some(({ id }) => id === document.number) === true
    for (const [index, each] of cases.entries()) {
      const id = each.snapshots[0].id
      const own = available.filter(isOf(index))
      if (index < enteredAgainIn && each.person === cases[enteredAgainIn]?.person) {
        // They went with the record, and nothing changed since.
        expect.soft(own, id).toEqual([])
        continue
      }
      const others = otherDocumentsOf(each, states)
      const isSent = states === 'every' || hasEnded(each)
      const held = own.map(({ message }) => readByMedplum(message.toString()))
      expect.soft(held, id).toHaveLength((isSent ? 1 : 0) + others.length)
      const newest = held.find(({ kind }) => kind === each.kind.replace('_', '-'))
      expect.soft(newest?.values, id).toEqual(isSent ? linesOf(each, states) : undefined)
      for (const [kind, ...content] of others) {
        const said = held.filter((read) => read.kind === kind).map((read) => [read.contentType, ...read.values])
        expect.soft(said, id).toContainEqual(expect.arrayContaining(content))
      }
      expect
        .soft(new Set(own.map(({ patientNumber }) => patientNumber)), id)
        .toEqual(new Set(own.length === 0 ? [] : [numbers[each.person]]))
    }
    const [before, ...after] = listener
      .documents()
      .filter(isOf(mergedIn))
      .map(({ message }) => readByMedplum(message.toString()).patientNumber)
    // FHIR alone shows at once that a record is another one now.
    expect.soft(new Set(after)).toEqual(new Set([chart === undefined ? before : `${before}-again`]))
    expect
      .soft(
        strangers(
          available,
          runs.flatMap(({ receipts }) => receipts),
        ),
      )
      .toEqual([])
    for (const text of listener.received.map(String)) {
      for (const read of readers) expect(read(text)).toEqual(readByMedplum(text))
    }
    await Promise.all([system.close?.(), restarted.close?.()])
    await chart?.close()
    await relay.close()
    await listener.close()
  }, 120_000)
})

/** Documents of the same words for the same patient, which a clinician would see twice. Notes and messages of other PAs may say the same. */
function duplicates(available: readonly HeldDocument[]): string[] {
  const words = available
    .filter(({ message }) => ['prior-authorization', 'benefit-verification'].includes(kindOf(message)))
    .map(({ patientNumber, message }) => `${patientNumber} ${message.getAllSegments('OBX').map(String).join('\n')}`)
    .map((text) => text.replaceAll(/\d{14}\+0000/g, ''))
  return words.filter((text, at) => words.indexOf(text) !== at)
}

/** OBX-3.4. */
function kindOf(message: HeldDocument['message']): string {
  return message.getSegment('OBX')?.getComponent(3, 4) ?? ''
}

function strangers(available: readonly HeldDocument[], receipts: readonly Receipt[]): string[] {
  const known = new Set(receipts.map(({ id }) => id))
  return available.map(({ number }) => number).filter((number) => !known.has(number))
}
