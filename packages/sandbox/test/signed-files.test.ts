import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { formatOf, visiblePdfPages } from '../../client/src/schemas/file-format.ts'
import { until } from '../../../test/support/until.ts'
import { eventTypes } from '../src/webhooks/settings.ts'
import { testValues } from '../src/platform/test-values.ts'
import { content, files, startFileServer } from './files.ts'
import { startSandbox, startWebhook } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

const minuteMs = 60_000

/** A sandbox that listens, and its API over that listener. */
async function startListening(options: Parameters<typeof startSandbox>[0] = {}) {
  const { sandbox } = await startSandbox(options)
  const { url } = await sandbox.listen()
  const authorization = `Bearer ${await sandbox.issueToken()}`
  const create = async (path: string, body: object): Promise<string> =>
    (await request(url).post(path).set({ authorization }).send(body).expect(200)).body.data.id
  const read = async (path: string) => (await request(url).get(path).set({ authorization }).expect(200)).body.data
  return { sandbox, create, read, url }
}

const get = (address: string) => {
  const { origin, pathname, search } = new URL(address)
  return request(origin)
    .get(pathname + search)
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () => done(null, Buffer.concat(chunks)))
    })
}

async function withFax(options: Parameters<typeof startSandbox>[0] = {}) {
  const world = await startListening(options)
  const id = await world.create('/prior-authorization', priorAuthorization())
  const { id: activity } = world.sandbox.controls.addActivity(id, { type: 'received_fax' })
  const path = `/prior-authorization/${id}`
  const faxUrl = async (): Promise<string> => (await world.read(path)).activity_log[0].details.url
  return { ...world, id, activity, path, faxUrl }
}

describe('the files of a resource', () => {
  it('are served to any holder of the URL, as a page that names kind and PA', async () => {
    const { url, id, activity, faxUrl } = await withFax()
    const address = await faxUrl()
    expect(address.startsWith(`${url}/files/`)).toBe(true)
    const { headers, body } = await get(address).expect(200)
    expect(headers['content-type']).toBe('application/pdf')
    expect(headers['content-disposition']).toBe(`attachment; filename=${activity}.pdf`)
    expect([await formatOf(body), visiblePdfPages(body)]).toEqual(['pdf', 1])
    expect(body.toString('latin1')).toContain(`(Fax of ${id})`)
  })

  it('expire after 15 minutes of sandbox time, and then have a new URL', async () => {
    const { sandbox, faxUrl } = await withFax()
    const address = await faxUrl()
    sandbox.controls.setClock({ advanceMs: 15 * minuteMs - 1 })
    await get(address).expect(200)
    const later = await faxUrl()
    sandbox.controls.setClock({ advanceMs: 1 })
    const { headers, body } = await get(address).expect(403)
    expect(headers['content-type']).toMatch('application/xml')
    expect(body.toString()).toContain('<Code>AccessDenied</Code>')
    await get(later).expect(200)
    expect(later).not.toBe(address)
  })

  it("are refused under an altered URL and under another sandbox's", async () => {
    const { id, faxUrl } = await withFax()
    const address = await faxUrl()
    const other = await withFax()
    const foreign = address.replace(new URL(address).host, new URL(other.url).host)
    const longer = address.replace(/expires=\d/, 'expires=9')
    const longest = `${address}0`
    for (const changed of [longer, longest, address.split('?')[0] ?? '', address.replace(id, 'pa_x'), foreign]) {
      const { body } = await get(changed).expect(403)
      expect(body.toString()).toContain('<Code>SignatureDoesNotMatch</Code>')
    }
  })

  it('have new URLs in every webhook', async () => {
    const { receiver, webhook } = await startWebhook({ events: ['prior_authorization.activity_log_updated'] })
    const { sandbox, id, faxUrl, url } = await withFax()
    sandbox.controls.putWebhook(webhook)
    sandbox.controls.setClock({ advanceMs: 1 })
    sandbox.controls.addActivity(id, { type: 'sent_fax' })
    await until('the webhook', () => receiver.received.length > 0)
    const [envelope] = receiver.received.map((each) => JSON.parse(each.body))
    const told: string[] = envelope.data.activity_log.map((entry: { details: { url: string } }) => entry.details.url)
    expect(told).toHaveLength(2)
    for (const address of told) {
      expect(address.startsWith(`${url}/files/`)).toBe(true)
      await get(address).expect(200)
    }
    sandbox.controls.setClock({ advanceMs: 1 })
    expect(told).not.toContain(await faxUrl())
  })

  it('equal the uploaded insurance cards and evidence', async () => {
    const { create, read } = await startListening()
    const evidence = [{ title: 'Note', date_created: '2026-01-01T10:00:00', asset: content(files.png) }]
    const insurance = [content(files.jpeg)]
    const id = await create('/prior-authorization', priorAuthorization({ insurance, evidence }))
    const pa = await read(`/prior-authorization/${id}`)
    const evidenceFile = await get(pa.evidence[0].asset.url).expect(200)
    expect(evidenceFile.body.equals(files.png)).toBe(true)
    const card = await get(pa.insurance[0].url).expect(200)
    expect([card.headers['content-type'], card.body.equals(files.jpeg)]).toEqual(['image/jpeg', true])
  })
})

/** Every address in an answer, with the path of the property that holds it. */
function addressesIn(value: unknown, path = ''): [path: string, address: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const at = Array.isArray(value) ? `${path}[]` : `${path}.${name}`
    return typeof field === 'string' && name.includes('url') ? [[at, field]] : addressesIn(field, at)
  })
}

describe('every address in an answer or a webhook', () => {
  /** All resources that show files, in answers and in webhooks. */
  async function startWithFiles(speed = 0) {
    const { receiver, webhook } = await startWebhook({ events: [...eventTypes] })
    const world = await startListening({
      speed,
      organizations: [{ id: 'org_p', pharmacy: true, webhooks: [webhook] }],
      allowPrivateFileUrls: true,
    })
    const { create, read, sandbox } = world
    const server = await startFileServer({ '/letter.pdf': { body: files.pdf } })
    const item = { title: 'Note', date_created: '2026-01-01T10:00:00' }
    const evidence = [content(files.png), { file_url: `${server.url}/letter.pdf` }].map((asset) => ({ ...item, asset }))
    const insurance = [content(files.jpeg), content(files.pdf)]
    const { mock_result: _, provider, ...request } = priorAuthorization({ insurance, evidence })
    const outreach = { provider: { ...provider, fax: '555-0100' }, provider_outreach: { enabled: true } }
    const pa = await create('/prior-authorization', { ...request, ...outreach })
    await server.close()
    const { patient } = request
    const bv = await create('/benefit-verification', {
      ...benefitVerification({ insurance }),
      insurance_content: { member_number: `${testValues.patientCoverage}human_unable_to_answer` },
    })
    const drugs = [{ drug_name: 'Examplumab' }]
    const cq = await create('/clinical-qualification', { patient, provider, insurance, drugs })
    sandbox.controls.addMessage(pa, { content: 'x', attachments: [{ fileName: 'a.pdf' }] })
    for (const type of ['sent_fax', 'received_fax', 'follow_up_call'] as const)
      sandbox.controls.addActivity(pa, { type })
    while (sandbox.controls.step() !== undefined);
    await sandbox.settled()
    const answered = async () => [
      ['PA', await read(`/prior-authorization/${pa}`)],
      ['BV', await read(`/benefit-verification/${bv}`)],
      ['CQ', await read(`/clinical-qualification/${cq}`)],
      ['outreach', sandbox.controls.outreach(pa)],
    ]
    const told = () => receiver.received.map(({ envelope }) => ['webhook', envelope.data])
    const all = async () =>
      [...(await answered()), ...told()]
        .flatMap(([name, value]) => addressesIn(value).map(([path, address]) => [`${name}${path}`, address] as const))
        // The page of a PA in the service's web platform: no file.
        .filter(([path]) => !/^(PA|webhook)\.url$/.test(path))
    return { ...world, all }
  }

  it('downloads, for every kind and place', async () => {
    // So fast that the addresses of the first webhook outlive the last transition.
    const { all } = await startWithFiles(1_000_000)
    const addresses = await all()
    for (const [path, address] of addresses) {
      const { status, headers, body } = await get(address)
      const isFile = Buffer.isBuffer(body) && body.length > 0
      expect([path, status, isFile, headers['content-disposition']]).toEqual([path, 200, true, expect.anything()])
    }
    expect([...new Set(addresses.map(([path]) => path))].toSorted()).toEqual([
      'BV.insurance[].url',
      'BV.verification_methods[].recording_url',
      'CQ.insurance[].url',
      'PA.activity_log[].details.recording_url',
      'PA.activity_log[].details.url',
      'PA.evidence[].asset.url',
      'PA.insurance[].url',
      'PA.message_thread.messages[].attachments[].url',
      'outreach[].transmission.attachments[].url',
      'webhook.activity_log[].details.recording_url',
      'webhook.activity_log[].details.url',
      'webhook.evidence[].asset.url',
      'webhook.insurance[].url',
      'webhook.message_thread.messages[].attachments[].url',
      'webhook.transmission.attachments[].url',
      'webhook.verification_methods[].recording_url',
    ])
  })

  it('expires after a quarter of an hour', async () => {
    const { all, sandbox } = await startWithFiles()
    const addresses = await all()
    sandbox.controls.setClock({ advanceMs: 15 * minuteMs })
    const alive: string[] = []
    for (const [path, address] of addresses) if ((await get(address)).status !== 403) alive.push(path)
    expect(alive).toEqual([])
    for (const [path, address] of (await all()).filter(([path]) => !path.startsWith('webhook')))
      expect([path, (await get(address)).status]).toEqual([path, 200])
  })
})
