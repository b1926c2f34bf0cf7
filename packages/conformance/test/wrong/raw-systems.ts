import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import type { fhirEhr } from '@pawl/ehr'
import type { pharmacyFrom } from '@pawl/pharmacy'

const Stored = z.looseObject({ id: z.string() })
const Bundle = z.looseObject({ entry: z.array(z.looseObject({ resource: Stored })).optional() })

/** The chart without any of the care that its connector takes. */
export function rawChart({ FHIR_BASE_URL: base = '', FHIR_IDENTIFIER_BASE: names }: Parameters<typeof fhirEhr>[0]) {
  const send = async (method: string, path: string, resource?: object, headers: Record<string, string> = {}) => {
    const init = { method, headers: { 'content-type': 'application/fhir+json', ...headers } }
    const answer = await fetch(
      `${base}/${path}`,
      resource === undefined ? init : { ...init, body: JSON.stringify(resource) },
    )
    if (!answer.ok) throw new Error('The chart refused it.')
    return answer.json()
  }
  return {
    send,
    /** The first result of any kind. */
    async find(type: string, kind: string, value: string) {
      const token = encodeURIComponent(`${names.replace(/\/+$/, '')}/${kind}|${value}`)
      return Bundle.parse(await send('GET', `${type}?identifier=${token}`)).entry?.[0]?.resource
    },
  }
}

/** Tells the pharmacy something, signed as it asks for. */
export async function tellPharmacy(
  { PHARMACY_URL: url = '', PHARMACY_SECRET: secrets = [] }: Parameters<typeof pharmacyFrom>[0],
  data: object,
  { id = `msg_${randomUUID()}`, sequence = 1 }: { id?: string; sequence?: number } = {},
): Promise<void> {
  const at = new Date()
  const body = JSON.stringify({
    id,
    type: 'prescription_transfer.updated',
    sequence,
    timestamp: at.toISOString(),
    data,
  })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  }
  const answer = await fetch(url, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error('The pharmacy refused it.')
}
