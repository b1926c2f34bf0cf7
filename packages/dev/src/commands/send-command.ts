import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { ConfigInvalid, PawlError } from '@pawl/base/errors'
import { readDeliveryTarget } from '../../../../src/settings/read-for-commands.ts'
import { isUsableId } from 'pawl-client/events/resource-name'
import { type DeliveryAnswer, postDelivery } from './post-delivery.ts'
import { jsonOption, type Print, printJson } from '@pawl/console/commands/output'
import { readNumber } from '@pawl/console/commands/read-number'

const help = `
Prints each response to a delivery that it signs with the newest of WEBHOOK_SECRETS, as the service does, and sends to this pawl or to --to. The body is the file: a whole envelope, or its data alone. --set changes fields of data, such as --set id=pa_req_1 --set patient.first_name=Testa; a JSON value is parsed. With --times the same delivery is sent repeatedly, like retries of the service.

A delivery is only a hint: pawl then reads the resource from the service, so a delivery with an unknown id is retried and parks after some minutes; "pawl discard" removes it. Never send data of real patients.

Exits with 0 when every answer is 2xx; 1 when one is not, none comes, or the file cannot be used; 2 for wrong options or settings.`

class DeliveryUnusable extends PawlError {
  readonly code = 'delivery_unusable'
}

interface Options {
  file?: string
  set: [path: string, value: unknown][]
  times: number
  to?: string
  json?: boolean
}

/** Adds `send`, which sends a custom signed delivery. */
export function addSendCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('send')
    .description('send a signed delivery with a body of your own')
    .argument('<event_type>', 'such as prior_authorization.status_change')
    .option('--file <file>', 'JSON: an envelope, or its data')
    .option('--set <path=value>', 'a field of data; may be repeated', readField, [])
    .option('--times <count>', 'how often to send it', readNumber(1, 9_999), 1)
    .option('--to <url>', 'where to (default: POST /webhooks of this pawl)', readUrl)
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async (eventType: string, { file, set, times, to, json = false }: Options) => {
      const { url, secret } = readDeliveryTarget(process.env)
      if (secret === undefined) throw new ConfigInvalid('Set WEBHOOK_SECRETS: its newest secret signs the delivery.')
      const body = JSON.stringify(await readEnvelope(eventType, file, set))
      const answers: DeliveryAnswer[] = []
      for (let n = 0; n < times; n += 1) {
        answers.push(await postDelivery(to ?? url, body, { secret }))
      }
      if (json) printJson(print, { answers })
      else for (const { status, body } of answers) print(`${status ?? 'no answer'}  ${JSON.stringify(body)}`)
      if (answers.some(({ status = 0 }) => status < 200 || status > 299)) process.exitCode = 1
    })
}

async function readEnvelope(eventType: string, file: string | undefined, fields: Options['set']): Promise<object> {
  const given = file === undefined ? {} : await readJson(file)
  const inner = typeof given.data === 'object' && given.data !== null ? given.data : undefined
  const isEnvelope = inner !== undefined
  const data: Record<string, unknown> = { ...(inner ?? given) }
  for (const [path, value] of fields) setField(data, path.split('.'), value)
  if (typeof data.id !== 'string' || !isUsableId(data.id))
    throw new DeliveryUnusable(
      'The data has no usable id: give --set id=pa_req_…, or a file that has one, of at most 128 letters, digits and _ . : ~ -',
    )
  return {
    title: 'Sent by hand',
    description: 'Sent with pawl send',
    ...(isEnvelope && given),
    event_type: eventType,
    data,
  }
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new DeliveryUnusable(`${file} cannot be read.`)
  })
  try {
    const json: unknown = JSON.parse(text)
    // The condition proves an object.
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>
  } catch {
    // The parser's message quotes the body.
  }
  throw new DeliveryUnusable(`${file} holds no JSON object.`)
}

function setField(data: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    data[name] = value
    return
  }
  const before = data[name]
  const inner: Record<string, unknown> = { ...(typeof before === 'object' ? before : {}) }
  setField(inner, rest, value)
  data[name] = inner
}

function readField(text: string, others: Options['set']): Options['set'] {
  const [, path, value = ''] = /^([\w-]+(?:\.[\w-]+)*)=([^]*)$/.exec(text) ?? []
  if (path === undefined || path.split('.').includes('__proto__'))
    throw new InvalidArgumentError('Give path=value, such as patient.first_name=Testa.')
  try {
    return [...others, [path, JSON.parse(value) as unknown]]
  } catch {
    return [...others, [path, value]]
  }
}

export function readUrl(text: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text)) throw new InvalidArgumentError('Give an http or https address.')
  return text
}
