import { expect, it } from 'vitest'
import { FileExpired, FileTooLarge } from '#pawl'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { createPlayedFiles } from '../../test/support/played-files.ts'
import { sampleMessage, samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

it('adds only the messages that are new since it last succeeded', async () => {
  const stand = { ...createHandlerStand(), ...createPlayedFiles() }
  const previous = samplePriorAuthorization({ message_thread: { messages: [sampleMessage()] } })
  const messages = [sampleMessage(), sampleMessage({ id: 'msg_2' })]
  const now = samplePriorAuthorization({ message_thread: { messages } })
  await handler.handle(handlerContext('prior_authorization.message', now, { ...stand, previous }))
  expect(stand.ehr.resources('Communication').map(({ identifier }) => identifier?.[0]?.value)).toEqual([
    'pa_req_1/msg_2',
  ])
})

const urlOf = (name: string) => `https://files.example/${name}`
const attachment = (name: string) => ({ id: `att_${name}`, file_name: `${name}.pdf`, url: urlOf(name) })
const withFiles = (...names: string[]) =>
  samplePriorAuthorization({ message_thread: { messages: [sampleMessage({ attachments: names.map(attachment) })] } })
const pointersOf = (stand: ReturnType<typeof createHandlerStand>) =>
  stand.ehr
    .resources('Communication')
    .map(({ payload }) => payload?.filter((each) => each.contentReference).length ?? 0)
/** Files alone: the PA has a document of its own. */
const filedIn = (stand: ReturnType<typeof createHandlerStand>) =>
  stand.ehr
    .resources('DocumentReference')
    .flatMap(({ content }) => /^Attachment: (.*\.pdf), /.exec(content[0]?.attachment.title ?? '')?.[1] ?? [])

it('files what came with a message beside it', async () => {
  const stand = { ...createHandlerStand(), ...createPlayedFiles() }
  await handler.handle(handlerContext('prior_authorization.message', withFiles('form', 'scan'), stand))
  expect(filedIn(stand)).toEqual(['form.pdf', 'scan.pdf'])
  expect(pointersOf(stand)).toEqual([2])
})

it('writes a message whose file cannot be had without it, and adds the file once it can', async () => {
  const stand = { ...createHandlerStand(), ...createPlayedFiles() }
  const pa = withFiles('gone', 'form')
  stand.failures.set(urlOf('gone'), new FileExpired(403))
  const run = () => handler.handle(handlerContext('prior_authorization.message', pa, stand))
  await expect(run()).rejects.toBeInstanceOf(FileExpired)
  expect([filedIn(stand), pointersOf(stand)]).toEqual([['form.pdf'], [1]])
  stand.failures.clear()
  await run()
  expect([filedIn(stand), pointersOf(stand)]).toEqual([['form.pdf', 'gone.pdf'], [2]])
  const { writes } = stand.ehr
  await run()
  expect(stand.ehr.writes).toBe(writes)
})

it('leaves out a file that the chart cannot hold, and tells staff', async () => {
  const stand = { ...createHandlerStand(), ...createPlayedFiles() }
  stand.failures.set(urlOf('huge'), new FileTooLarge(1))
  await handler.handle(handlerContext('prior_authorization.message', withFiles('huge', 'form'), stand))
  expect([filedIn(stand), pointersOf(stand)]).toEqual([['form.pdf'], [1]])
  expect(stand.ehr.resources('Task')).toMatchObject([{ code: { text: 'Look at a file that the chart cannot hold' } }])
})
