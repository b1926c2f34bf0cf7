import { describe, expect, it } from 'vitest'
import { cardBytesLimit } from '../../client/src/schemas/file-format.ts'
import { readScenario, ScenarioInvalid } from '../src/scenarios/read-scenario.ts'
import type { Sandbox } from '../src/sandbox.ts'
import { control, startSandbox } from './play.ts'
import { priorAuthorization } from './requests.ts'

const letter = 'The patient needs this drug.\n'
const base64 = (text: string) => Buffer.from(text).toString('base64')

async function start() {
  const { sandbox, create } = await startSandbox()
  await sandbox.listen()
  const id = await create('/prior-authorization', priorAuthorization())
  const add = (to: 'messages' | 'activities', body: object) =>
    control(sandbox, 'post', `/prior-authorization/${id}/${to}`, body)
  return { sandbox, id, add, readFiles: () => readFiles(sandbox, id) }
}

/** Downloads every file of the thread and of the activity log, from the addresses that GET shows. */
async function readFiles(sandbox: Sandbox, id: string) {
  const { url } = await sandbox.listen()
  const headers = { authorization: `Bearer ${await sandbox.issueToken()}` }
  const { data } = await (await fetch(`${url}/prior-authorization/${id}`, { headers })).json()
  const attached = data.message_thread.messages.flatMap((one: { attachments: { url: string }[] }) => one.attachments)
  const faxes = data.activity_log.map((one: { details: { url: string } }) => one.details)
  const files: object[] = []
  for (const { url: address } of [...attached, ...faxes]) {
    const answer = await fetch(address)
    expect(answer.status).toBe(200)
    files.push({
      type: answer.headers.get('content-type'),
      name: /filename="?([^"]*)"?/.exec(answer.headers.get('content-disposition') ?? '')?.[1],
      text: await answer.text(),
    })
  }
  return files
}

const text = 'text/plain; charset=utf-8'

describe('a file that a control attaches', () => {
  it('downloads unchanged, from a message and as a fax', async () => {
    const { add, readFiles: read } = await start()
    const attachments = [
      { file_name: 'letter of need.txt', file_content: base64(letter) },
      { file_name: 'data', content_type: 'application/x-own', file_content: base64('{}') },
    ]
    await add('messages', { content: 'See the letter.', attachments }).expect(200)
    const attachment = { file_name: 'answer.txt', file_content: base64('Approved.') }
    await add('activities', { type: 'received_fax', attachment }).expect(200)
    expect(await read()).toEqual([
      { type: text, name: 'letter of need.txt', text: letter },
      { type: 'application/x-own', name: 'data', text: '{}' },
      { type: text, name: 'answer.txt', text: 'Approved.' },
    ])
  })

  it('has invented content by default', async () => {
    const { add, readFiles: read, id } = await start()
    await add('activities', { type: 'sent_fax', attachment: { file_name: 'form.txt' } }).expect(200)
    expect(await read()).toMatchObject([
      { type: text, name: 'form.txt', text: expect.stringContaining(`Fax of ${id}`) },
    ])
  })

  it('may be just below the size limit of a card', async () => {
    const { add, readFiles: read } = await start()
    const file_content = base64('x'.repeat(cardBytesLimit - 1))
    await add('messages', { content: 'Large.', attachments: [{ file_name: 'large.txt', file_content }] }).expect(200)
    const [file] = await read()
    expect(file).toMatchObject({ text: 'x'.repeat(cardBytesLimit - 1) })
  })

  it.each([
    [
      'of which it is no content',
      'messages',
      { content: 'x', attachments: [{ file_name: 'a.pdf', file_content: 'no Base64' }] },
      { loc: ['body', 'attachments', '0', 'file_content'], msg: 'must be Base64' },
    ],
    [
      'that is too large',
      'messages',
      { content: 'x', attachments: [{ file_name: 'a.pdf', file_content: base64('x'.repeat(cardBytesLimit)) }] },
      { loc: ['body', 'attachments', '0', 'file_content'], msg: 'must have fewer than 4194304 bytes when decoded' },
    ],
    [
      'whose type is none',
      'activities',
      { type: 'sent_fax', attachment: { file_name: 'a.pdf', content_type: 'pdf' } },
      { loc: ['body', 'attachment', 'content_type'], msg: 'must be a media type such as text/plain' },
    ],
    [
      'that has no name',
      'activities',
      { type: 'sent_fax', attachment: { file_name: '..' } },
      { loc: ['body', 'attachment', 'file_name'], msg: 'must be the name of a file' },
    ],
    [
      'of a call',
      'activities',
      { type: 'follow_up_call', attachment: { file_name: 'a.pdf' } },
      { loc: ['body', 'attachment'], msg: 'goes with a fax, not with a call' },
    ],
  ] as const)('is refused %s', async (_what, to, body, fault) => {
    const { add, readFiles: read } = await start()
    const { body: answer } = await add(to, body).expect(422)
    expect(answer.detail).toMatchObject([fault])
    expect(await read()).toEqual([])
  })

  it('works in a scenario, which does not start with an invalid file', async () => {
    const { sandbox } = await startSandbox()
    const scenario = (file_content: string) => ({
      summary: 'A letter comes.',
      steps: [
        { step: 'create', kind: 'prior_authorization', as: 'pa' },
        {
          step: 'message',
          resource: 'pa',
          content: 'See it.',
          attachments: [{ file_name: 'letter.txt', file_content }],
        },
        { step: 'letter', resource: 'pa', type: 'sent_fax', attachment: { file_name: 'fax.txt', file_content } },
      ],
    })
    const { body } = await control(sandbox, 'post', '/scenarios', { scenario: scenario(base64(letter)) }).expect(200)
    expect(await readFiles(sandbox, body.data.ids.pa)).toMatchObject([
      { name: 'letter.txt', text: letter },
      { name: 'fax.txt', text: letter },
    ])
    expect(() => readScenario(scenario('no Base64'))).toThrow(
      new ScenarioInvalid([
        'step 2 (message): attachments.0.file_content: must be Base64',
        'step 3 (letter): attachment.file_content: must be Base64',
      ]),
    )
  })
})
