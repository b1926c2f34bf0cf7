import { describe, expect, it } from 'vitest'
import type { Ehr } from '../../../src/connectors/ehr/ehr.ts'
import { benefitVerificationNarrative } from '../../../src/connectors/ehr/narrative/benefit-verification-narrative.ts'
import { priorAuthorizationNarrative } from '../../../src/connectors/ehr/narrative/prior-authorization-narrative.ts'
import { renderText } from '../../../src/connectors/ehr/narrative/render-text.ts'
import type { Receipt } from '../../../src/systems/system.ts'
import { type HeldDocument, startHl7Listener } from '../../support/hl7-listener.ts'
import { startRelay } from '../../support/relay.ts'
import { createTestRun } from '../../support/run-context.ts'
import { benefitVerificationCases } from '../charts/benefit-verification-cases.ts'
import { type Act, bringTo, type Case, createAct } from '../charts/drive.ts'
import { isWaiting, priorAuthorizationCases } from '../charts/prior-authorization-cases.ts'
import { mdm, openHl7 } from './open-hl7.ts'
import { readByHl7v2, readByMedplum } from './read-mdm.ts'

/** Documents that must be there in the end: of the PA or BV, of its transfer, messages, files and notes, and of an open staff task. */
function expectedOf(each: Case): number {
  if (each.kind === 'benefit_verification') return 1
  const last = each.snapshots.at(-1) ?? each.snapshots[0]
  const transfer = last.prescription_transfer === undefined ? 0 : 1
  const messages = last.message_thread?.messages ?? []
  const task = isWaiting(last.status) ? 1 : 0
  return 1 + transfer + messages.length + each.files.length + each.notes.length + task
}

/** The words of its document in its last state. */
function linesOf(each: Case): string[] {
  const narrative =
    each.kind === 'benefit_verification'
      ? benefitVerificationNarrative(each.snapshots.at(-1) ?? each.snapshots[0])
      : priorAuthorizationNarrative(each.snapshots.at(-1) ?? each.snapshots[0])
  return renderText(narrative)
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
}

describe.each([false, true])('58 PAs and 9 BVs by HL7 v2 (enhanced: %s)', (isEnhanced) => {
  it('end with every document once, in the right chart, in its newest state, whatever was lost on the way', async () => {
    const listener = await startHl7Listener({ isEnhanced })
    const relay = await startRelay(listener.port)
    const connect = () => openHl7(relay.port, { mdm: { ...mdm, isEnhanced }, timeoutMs: 300 })
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
    for (const [index, each] of cases.entries()) {
      for (const at of each.snapshots.keys()) await bring(system, index, at, disturbed)
      if (index % 20 !== 19) continue
      // A process that was started again, and knows nothing but what it remembered.
      await system.close?.()
      system = connect()
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
    for (const [index, each] of cases.entries()) {
      const id = each.snapshots[0].id
      const own = available.filter(({ number }) => runs[index]?.receipts.some((receipt) => receipt.id === number))
      expect.soft(own, id).toHaveLength(expectedOf(each))
      const newest = own.find(({ message }) => kindOf(message) === each.kind.replace('_', '-'))
      expect.soft(readByMedplum(newest?.message.toString() ?? '').values, id).toEqual(linesOf(each))
      const { patient } = each.snapshots.at(-1) ?? each.snapshots[0]
      expect
        .soft(
          own.every(({ patientNumber }) => patientNumber === patient?.internal_id),
          id,
        )
        .toBe(true)
    }
    expect
      .soft(
        strangers(
          available,
          runs.flatMap(({ receipts }) => receipts),
        ),
      )
      .toEqual([])
    for (const { message } of listener.documents()) {
      const text = message.toString()
      expect(readByHl7v2(text)).toEqual(readByMedplum(text))
    }
    await Promise.all([system.close?.(), restarted.close?.()])
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
