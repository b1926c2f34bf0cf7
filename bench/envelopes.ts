import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

/** The secret that every server of a benchmark verifies with. */
export const secret = 'a-secret-for-benchmarks-of-at-least-32-characters'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = encode({ alg: 'HS256', typ: 'JWT' })
const sentence = 'The plan asked for the chart notes of the last visit and the result of the step therapy. '

const prefix = 'pa_req_'
const idKey = Buffer.alloc(16, 'ids of the bench')

/** The id of the benchmarks' PA number `n`: the same in every run, and as scattered as random ones. */
export function resourceIdOf(n: number): string {
  const block = Buffer.alloc(16)
  block.writeUInt32BE(n)
  const cipher = createCipheriv('aes-128-ecb', idKey, null).setAutoPadding(false)
  return `${prefix}${cipher.update(block, undefined, 'hex')}`
}

/** The number of the PA with this id; NaN for any other id. */
export function numberOf(resourceId: string): number {
  const hex = /^pa_req_([0-9a-f]{32})$/.exec(resourceId)?.[1]
  if (hex === undefined) return NaN
  const decipher = createDecipheriv('aes-128-ecb', idKey, null).setAutoPadding(false)
  return decipher.update(Buffer.from(hex, 'hex')).readUInt32BE()
}

/** A state of a PA. */
export interface State {
  /** The PA's number. */
  pa: number
  /** Differs with every envelope of the PA, in an address that is signed anew each time: what the PA says stays the same. */
  version: number
  status?: string
  /** In its thread. */
  messages?: number
}

/** A PA as the API answers it and as its webhook carries it, 5 to 6 KB. Everybody in it is invented. */
export function priorAuthorization({ pa, version, status = 'awaiting_outcome', messages = 4 }: State) {
  const id = resourceIdOf(pa)
  return {
    id,
    object: 'prior_authorization',
    status,
    url: `https://service.invalid/prior-authorization/${id}?signature=${version}`,
    outcome: { result: status === 'completed' ? 'Approved' : 'Pending', detail: null, detail_code: null },
    patient: {
      internal_id: `patient-${pa}`,
      first_name: 'Testa',
      last_name: `Sample${pa}`,
      gender: 'not_specified',
      date_of_birth: '1980-02-29',
      address: { street: '1 Example Way', city: 'Sampleton', state_province: 'OR', zip_postal_code: '97001' },
    },
    provider: { first_name: 'Max', last_name: 'Muster', npi: '1234567893', fax: '5550100', address: {} },
    insurance: [{ discrete_content: { member_number: `M-${pa}`, rx_bin: '610011', rx_pcn: 'DEMO' }, url: null }],
    diagnoses: [{ code: 'E66.9' }, { code: 'E11.9' }],
    prescription: {
      drug_name: 'Examplumab',
      strength: '10 mg/mL',
      dose_form: 'pen',
      route_of_administration: 'subcutaneous',
      directions: 'One injection a week',
      quantity: 4,
      days_supply: 28,
      prescription_date: '2026-03-01T09:00:00Z',
    },
    evidence: Array.from({ length: 4 }, (_, index) => ({
      title: `Visit note ${index}`,
      date_created: '2026-02-01T10:00:00',
      content: sentence.repeat(6),
    })),
    message_thread: {
      is_resolved: false,
      messages: Array.from({ length: messages }, (_, index) => ({
        id: `msg_${pa}_${index}`,
        timestamp: '2026-03-02T10:00:00Z',
        content: sentence.repeat(2),
        sent_by_name: 'Sandy Reviewer',
        direction: index % 2 === 0 ? 'sent' : 'received',
        is_resolution: false,
        attachments: [],
      })),
    },
    activity_log: [{ id: `act_${pa}`, created_at: '2026-03-02T10:00:00Z', type: 'sent_fax', details: { url: null } }],
    prescription_transfer: null,
  }
}

/** An X-Webhook-Secret JWT that no other request has. */
function signToken(id: string): string {
  const now = Math.floor(Date.now() / 1_000)
  const content = `${header}.${encode({ iat: now, exp: now + 86_400, jti: id })}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

/** A complete HTTP request with the PA's webhook, ready to be written to a socket. */
export function webhookRequest(state: State): Buffer {
  const body = JSON.stringify({
    title: 'Prior Authorization Updated',
    description: 'The status of a prior authorization changed.',
    event_type: 'prior_authorization.status_change',
    data: priorAuthorization(state),
  })
  const id = `${state.pa}-${state.version}`
  const head = [
    'POST /webhooks HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-webhook-secret: ${signToken(id)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** How many PAs take turns: so far apart are two events of one PA. */
const inTurn = 50

/** Requests of which no two are alike: `eventsEach` for every PA, with those of other PAs in between. */
export function webhookRequests({
  count,
  eventsEach = 1,
  firstPa = 0,
}: {
  count: number
  eventsEach?: number
  firstPa?: number
}): Buffer[] {
  const inGroup = inTurn * eventsEach
  return Array.from({ length: count }, (_, n) => {
    const pa = Math.floor(n / inGroup) * inTurn + (n % inTurn)
    return webhookRequest({ pa: firstPa + pa, version: Math.floor((n % inGroup) / inTurn) })
  })
}
