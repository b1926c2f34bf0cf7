import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { ChartFile, Ehr } from '../src/ehr.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createTestRun, type TestRun } from '../../../test/support/run-context.ts'
import { startHl7Listener } from '../../../test/support/hl7-listener.ts'
import { samplePriorAuthorization } from '../../../test/support/samples.ts'
import { openHl7 } from './hl7/open-hl7.ts'
import { startMappedChart } from './mapped-chart.ts'

const pa = samplePriorAuthorization()
const message = { id: 'message-1', message: 'See the file.', timestamp: '2026-03-01T12:00:00Z' }
const fileOf = (contentType: string): ChartFile => ({
  key: 'attachment-1',
  kind: 'attachment',
  title: 'Zwitscherling.html',
  contentType,
  content: Buffer.from('Kanarina'),
})

async function openFhir(run: TestRun): Promise<Ehr> {
  const { chart, open } = await startMappedChart()
  onTestFinished(() => chart.close())
  return open(run)
}

async function openMessages(run: TestRun): Promise<Ehr> {
  const listener = await startHl7Listener()
  const system = openHl7(listener.port)
  onTestFinished(async () => {
    await system.close?.()
    await listener.close()
  })
  return system.open(run)
}

it.each([
  ['a file, filed by FHIR', openFhir, (ehr: Ehr, file: ChartFile) => ehr.putFile(pa, file)],
  ['a file of a message, filed by FHIR', openFhir, (ehr: Ehr, file: ChartFile) => ehr.putMessage(pa, message, [file])],
  ['a file, sent by HL7 v2', openMessages, (ehr: Ehr, file: ChartFile) => ehr.putFile(pa, file)],
  [
    'a file of a message, sent by HL7 v2',
    openMessages,
    (ehr: Ehr, file: ChartFile) => ehr.putMessage(pa, message, [file]),
  ],
])('the log warns of %s as text, in none of its words, and of no other', async (_, open, put) => {
  const log = captureLog('debug')
  const ehr = await open(createTestRun({ log: log.log }))
  await put(ehr, fileOf('text/plain'))
  const warnings = () => log.lines().filter(({ msg }) => String(msg).startsWith('file left out'))
  expect(warnings()).toEqual([])
  await put(ehr, fileOf('text/html; name=Kanarina'))
  expect(warnings()).toMatchObject([{ level: 'warn' }])
  expect(log.text()).not.toMatch(/Zwitscherling|Kanarina|html/)
})

it('a text that the chart does not take is read in its charset for the document in its place', async () => {
  const profileOverrides = { DocumentReference: { contentTypes: ['text/rtf'] } }
  const { chart, open } = await startMappedChart({ profileOverrides })
  onTestFinished(() => chart.close())
  const content = await readFile(new URL('../../../test/fixtures/letters/letter-latin1.txt', import.meta.url))
  await open().putFile(pa, { ...fileOf('text/plain; charset=ISO-8859-1'), content })
  const [document] = chart.all('DocumentReference')
  expect(document?.content.map(({ attachment }) => Buffer.from(attachment.data ?? '', 'base64').toString())).toEqual([
    expect.stringContaining('la décision sera communiquée après révision.'),
  ])
})
