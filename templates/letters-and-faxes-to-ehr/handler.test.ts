import { expect, it } from 'vitest'
import { FileExpired, FileTooLarge } from '#pawl'
import { type ChartFile, type ChartNote, type Ehr, EhrWriteFailed, type UnfiledFile } from '@pawl/ehr'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { createPlayedFiles } from '../../test/support/played-files.ts'
import { systemOf } from '../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.activity_log_updated'
const at = '2026-03-02T10:00:00Z'
const urlOf = (id: string) => `https://files.example/${id}.pdf`
const fax = (id: string, type = 'received_fax') => ({ id, type, created_at: at, details: { url: urlOf(id) } })
const withLog = (...activity_log: object[]) => samplePriorAuthorization({ activity_log })

/** Files, and a chart that remembers what it was given and throws what the test says. */
function createStand() {
  const filed: ChartFile[] = []
  const notes: ChartNote[] = []
  const told: UnfiledFile[] = []
  const refusals = new Map<string, Error>()
  const port: Pick<Ehr, 'putFile' | 'putNote' | 'tellOfFile'> = {
    async putFile(_subject, file) {
      const refusal = refusals.get(file.key)
      if (refusal !== undefined) throw refusal
      filed.push(file)
    },
    async putNote(_subject, note) {
      notes.push(note)
    },
    async tellOfFile(_subject, file) {
      told.push(file)
    },
  }
  // The handler calls nothing else.
  return { ...createPlayedFiles(), ehr: systemOf(port as Ehr), filed, notes, told, refusals }
}

it('files each fax with its title, its date and what its bytes are', async () => {
  const stand = createStand()
  await handler.handle(handlerContext(event, withLog(fax('a', 'sent_fax'), fax('b')), stand))
  const common = { at, contentType: 'application/pdf' }
  expect(stand.filed).toEqual([
    { ...common, key: 'a', kind: 'fax_sent', title: 'Fax sent to the payer', content: Buffer.from(urlOf('a')) },
    {
      ...common,
      key: 'b',
      kind: 'fax_received',
      title: 'Fax received from the payer',
      content: Buffer.from(urlOf('b')),
    },
  ])
})

it('files each fax once in the chart as pawl ships it, however often it runs', async () => {
  const stand = { ...createHandlerStand(), api: createPlayedFiles().api }
  const pa = withLog(fax('a'), { id: 'c', type: 'follow_up_call', created_at: at, details: { notes: 'On hold.' } })
  await handler.handle(handlerContext(event, pa, stand))
  expect(stand.ehr.resources('DocumentReference').map(({ description }) => description)).toEqual([
    'Fax received from the payer, Exampline 10 mg tablet, prior authorization pa_req_1',
    'Call to the payer, Exampline 10 mg tablet, prior authorization pa_req_1',
  ])
  const { writes } = stand.ehr
  await handler.handle(handlerContext(event, pa, stand))
  expect(stand.ehr.writes).toBe(writes)
})

it('downloads only what it has not filed before, and a fax whose file came later', async () => {
  const stand = createStand()
  const previous = withLog(fax('a'), { ...fax('b'), details: {} })
  await handler.handle(handlerContext(event, withLog(fax('a'), fax('b'), fax('c')), { ...stand, previous }))
  expect(stand.downloads).toEqual([urlOf('b'), urlOf('c')])
})

it('notes a call that has something to say, and passes over what it does not know', async () => {
  const stand = createStand()
  const call = (id: string, details: object) => ({ id, type: 'follow_up_call', created_at: at, details })
  const pa = withLog(
    call('a', { notes: 'The payer asks for patience.', recording_url: null }),
    call('b', { notes: '' }),
    call('c', {}),
    { ...fax('d'), type: 'sent_pigeon' },
    { id: 'e' },
    {},
  )
  await handler.handle(handlerContext(event, pa, stand))
  expect(stand.notes).toEqual([
    { key: 'a', kind: 'contact', title: 'Call to the payer', text: 'The payer asks for patience.', at },
  ])
  expect([stand.filed, stand.downloads]).toEqual([[], []])
})

it('leaves out what is too large or of a type that the chart does not take, tells staff, and logs no name', async () => {
  const stand = createStand()
  stand.failures.set(urlOf('huge'), new FileTooLarge(1))
  const refused = { resourceType: 'DocumentReference', resourceId: 'pa_req_1', reason: 'status 415', status: 415 }
  stand.refusals.set('odd', new EhrWriteFailed({ ...refused, retry: 'never', isOutage: false }))
  const said: unknown[] = []
  const log = { debug() {}, info() {}, warn: (...line: unknown[]) => void said.push(line), error() {} }
  await handler.handle(handlerContext(event, withLog(fax('huge'), fax('odd'), fax('a')), { ...stand, log }))
  expect(stand.filed.map(({ key }) => key)).toEqual(['a'])
  // Of the one that it refuses, the chart's connector tells.
  expect(stand.told).toEqual([{ key: 'huge', kind: 'fax_received', title: 'Fax received from the payer', at }])
  expect(said).toHaveLength(2)
  expect(JSON.stringify(said)).not.toMatch(/files\.example|huge/)
})

it('files the others when one fails, and then fails itself', async () => {
  const stand = createStand()
  stand.failures.set(urlOf('a'), new FileExpired(403))
  const run = handler.handle(handlerContext(event, withLog(fax('a'), fax('b')), stand))
  await expect(run).rejects.toBeInstanceOf(FileExpired)
  expect(stand.filed.map(({ key }) => key)).toEqual(['b'])
})
