import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { testValues } from '../src/platform/test-values.ts'
import { content, files, savedPdfs, startFileServer } from './files.ts'
import { startSandbox } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

async function serve(...args: Parameters<typeof startFileServer>) {
  const server = await startFileServer(...args)
  onTestFinished(server.close)
  return server
}

const { patient, provider } = priorAuthorization()
const cards = ['jpeg', 'png', 'tiff', 'bmp', 'heic', 'pdf'] as const
const at = (detail: { loc: string[] }[]) => detail.map(({ loc }) => loc.join('.'))

/** The nine fields of a card that was read (specification, Insurance record). */
const fieldsOfCards =
  'client_name group_number member_name member_number payer_name plan_name rx_bin rx_group rx_pcn'.split(' ')

describe('an insurance card', () => {
  it('is shown as nine fields in every answer, null where nothing was read', async () => {
    const { create, read } = await startSandbox()
    const insurance = [content(files.png), content(files.jpeg)]
    const content_ = { member_number: 'M-1', rx_bin: '012345' }
    const ways = [{ insurance }, { insurance_content: content_ }, { insurance, insurance_content: content_ }]
    const { insurance_content: _pa, ...pa } = priorAuthorization()
    const { insurance_content: _bv, ...bv } = benefitVerification()
    for (const way of ways)
      for (const [path, body] of [
        ['/prior-authorization', pa],
        ['/benefit-verification', bv],
      ] as const) {
        const resource = await read(`${path}/${await create(path, { ...body, ...way })}`)
        expect(resource.insurance).toHaveLength(way.insurance?.length ?? 1)
        for (const { scanned_content: scanned, discrete_content: discrete } of resource.insurance) {
          expect(Object.keys(scanned).toSorted()).toEqual(fieldsOfCards)
          expect(discrete).toEqual(way.insurance_content ?? {})
          const isRead = way.insurance !== undefined
          expect(scanned.member_number === null).toBe(!isRead)
        }
      }
  })

  it("may have six formats, is read, and yields to the client's own data", async () => {
    const { create, read } = await startSandbox()
    const insurance = cards.map((format) => content(files[format]))
    const { insurance_content: _, ...bare } = benefitVerification({ insurance })
    const scanned = (await read(`/benefit-verification/${await create('/benefit-verification', bare)}`)).insurance
    expect(scanned).toHaveLength(6)
    for (const { scanned_content, discrete_content, url } of scanned) {
      expect(Object.keys(scanned_content).toSorted()).toEqual(fieldsOfCards)
      expect(Object.values(scanned_content)).toEqual(Array(9).fill(expect.any(String)))
      expect([discrete_content, url]).toEqual([{}, expect.any(String)])
    }
    const id = await create('/prior-authorization', priorAuthorization({ insurance: insurance.slice(0, 1) }))
    expect((await read(`/prior-authorization/${id}`)).insurance).toMatchObject([
      { scanned_content: { member_number: 'M-1' }, discrete_content: { member_number: 'M-1' } },
    ])
  })

  it('is refused with its position, in every request with cards', async () => {
    const { call } = await startSandbox()
    const large = Buffer.concat([files.png, Buffer.alloc(4_194_304 - files.png.length)])
    const insurance = [content(files.text), content(large), content(files.pdfOfTwoPages), content(files.heif)]
    const all = insurance.map((_, index) => `body.insurance.${index}.file_content`)
    const pa = await call('post', '/prior-authorization', priorAuthorization({ insurance })).expect(422)
    expect(at(pa.body.detail)).toEqual(all)
    const qualification = { patient, provider, drugs: [{ drug_name: 'Examplumab' }], insurance }
    const cq = await call('post', '/clinical-qualification', qualification).expect(422)
    expect(at(cq.body.detail)).toEqual(all)
    const readable = insurance.slice(1, 3)
    const bv = await call('post', '/benefit-verification', benefitVerification({ insurance: readable })).expect(422)
    expect(at(bv.body.detail)).toEqual(all.slice(0, 2))
    const below = content(Buffer.concat([files.png, Buffer.alloc(4_194_303 - files.png.length)]))
    await call('post', '/prior-authorization', priorAuthorization({ insurance: [below] })).expect(200)
  })

  it.each(Object.entries(savedPdfs))('that is a PDF is counted by its newest page tree: %s', async (_name, pdf) => {
    const { call } = await startSandbox()
    const send = (file: Buffer) =>
      call('post', '/prior-authorization', priorAuthorization({ insurance: [content(file)] }))
    await send(pdf.onePage).expect(200)
    const { body } = await send(pdf.twoPages).expect(422)
    expect(body.detail).toMatchObject([{ msg: 'must be a PDF of one page' }])
  })

  it('in a format that a BV cannot read is an unsupported file type, there alone', async () => {
    const { call } = await startSandbox()
    const insurance = [content(files.heif)]
    const { body } = await call('post', '/benefit-verification', benefitVerification({ insurance })).expect(400)
    expect(body).toMatchObject({ status: 'error', error: { code: 'unsupported_file_type' } })
  })

  it('that cannot be read shows an error, and fails a BV which has nothing else', async () => {
    const { sandbox, create, read } = await startSandbox()
    const insurance = [content(Buffer.concat([files.png, Buffer.from(testValues.unreadableCard)]))]
    const { insurance_content: _, ...bare } = benefitVerification({ insurance })
    const path = `/benefit-verification/${await create('/benefit-verification', bare)}`
    expect((await read(path)).insurance[0].scanned_content).toEqual({ error: expect.any(String) })
    while (sandbox.controls.step() !== undefined);
    const error = { code: 'Insurance Card OCR Failure', detail_code: 'missing_member_id' }
    expect(await read(path)).toMatchObject({ status: 'failed', error })
  })
})

describe('a file of evidence', () => {
  const item = { title: 'Note', date_created: '2026-01-01T10:00:00' }

  it('is shown with the type that its bytes say', async () => {
    const { create, read } = await startSandbox()
    const formats = ['pdf', 'jpeg', 'png', 'heic', 'heif'] as const
    const evidence = [
      ...formats.map((format) => ({ ...item, asset: content(files[format]) })),
      { ...item, content: 'text' },
    ]
    const id = await create('/prior-authorization', priorAuthorization({ evidence }))
    const shown: { asset?: object }[] = (await read(`/prior-authorization/${id}`)).evidence
    // The date of the source is the client's to say: nothing stands in for it.
    for (const one of shown) expect(one).not.toHaveProperty('document_date')
    expect(shown.map(({ asset }) => asset)).toEqual([
      ...['application/pdf', 'image/jpeg', 'image/png', 'image/heic', 'image/heif'].map((file_type) => ({
        file_type,
        url: expect.any(String),
      })),
      undefined,
    ])
  })

  it('in another format is refused with its position, the appeal letter too', async () => {
    const { call } = await startSandbox()
    const evidence = [files.tiff, files.pdf, files.text].map((file) => ({ ...item, asset: content(file) }))
    const appeal_details = { appeal_letter: { ...item, asset: content(files.bmp) } }
    const request = priorAuthorization({ evidence, appeal_details })
    const { body } = await call('post', '/prior-authorization', request).expect(422)
    expect(at(body.detail)).toEqual([
      'body.evidence.0.asset.file_content',
      'body.evidence.2.asset.file_content',
      'body.appeal_details.appeal_letter.asset.file_content',
    ])
    const broken = [{ ...item, asset: { file_content: 'not base64!' } }]
    const refused = await call('post', '/prior-authorization', priorAuthorization({ evidence: broken })).expect(422)
    expect(at(refused.body.detail)).toEqual(['body.evidence.0.asset.file_content'])
  })

  it('is downloaded at once if private addresses are allowed', async () => {
    const server = await serve({
      '/a.png': { body: files.png },
      '/moved': { status: 302, headers: { location: '/a.png' } },
      '/twice': { status: 301, headers: { location: '/moved' } },
      '/thrice': { status: 307, headers: { location: '/twice' } },
      '/too-often': { status: 308, headers: { location: '/thrice' } },
      '/sign-in': { status: 401, body: files.png },
      '/part': { status: 206, body: files.png },
      '/text': { body: files.text },
      '/large': { body: Buffer.concat([files.pdf, Buffer.alloc(2_000)]) },
      '/loop': { status: 302, headers: { location: '/loop' } },
      '/ftp': { status: 302, headers: { location: 'ftp://127.0.0.1/a.png' } },
      '/slow': 'silence',
    })
    const allowed = (timeoutMs: number) => ({ allowPrivateFileUrls: true, files: { maxBytes: 1_000, timeoutMs } })
    const { call, read } = await startSandbox(allowed(30_000))
    const impatient = await startSandbox(allowed(100))
    const post = (path: string, by = call) => {
      const evidence = [{ ...item, asset: { file_url: `${server.url}${path}` } }]
      return by('post', '/prior-authorization', priorAuthorization({ evidence }))
    }
    const { body } = await post('/moved').expect(200)
    expect((await read(`/prior-authorization/${body.data.id}`)).evidence[0].asset).toEqual({
      url: expect.stringMatching(/\/files\/pa_req_\w+\/evidence\/0\.png\?/),
      file_type: 'image/png',
    })
    await post('/thrice').expect(200)
    expect(at((await post('/text').expect(422)).body.detail)).toEqual(['body.evidence.0.asset.file_url'])
    const answers = [post('/slow', impatient.call)]
    for (const path of ['/gone', '/sign-in', '/part', '/large', '/too-often', '/loop', '/ftp']) answers.push(post(path))
    const told: unknown[] = []
    for (const answer of answers) told.push((await answer.expect(400)).body)
    // Why is not told, in no other field either.
    const error = { title: expect.any(String), description: expect.any(String), code: 'evidence_file_download_failed' }
    for (const body of told) expect(body).toEqual({ status: 'error', error })
    expect(new Set(told.map((body) => JSON.stringify(body))).size).toBe(1)
  })

  it('may have 20 MiB and take 10 s by default', async () => {
    const bytes = 20 * 1024 * 1024
    const body = Buffer.concat([files.pdf, Buffer.alloc(bytes - files.pdf.length)])
    const server = await serve({ '/most': { body }, '/more': { body: Buffer.concat([body, files.text]) } })
    const { call } = await startSandbox({ allowPrivateFileUrls: true })
    // However slow the machine is: only what was asked for counts.
    const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
    const post = (path: string) => {
      const evidence = [{ ...item, asset: { file_url: `${server.url}${path}` } }]
      return call('post', '/prior-authorization', priorAuthorization({ evidence }))
    }
    try {
      await post('/most').expect(200)
      await post('/more').expect(400)
      expect(limit.mock.calls).toEqual([[10_000], [10_000]])
    } finally {
      limit.mockRestore()
    }
  })

  it('is never fetched from an address that is not public', async () => {
    const server = await serve({ '/a.png': { body: files.png } })
    const { call } = await startSandbox()
    for (const host of ['127.0.0.1', 'localhost', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]']) {
      const evidence = [{ ...item, asset: { file_url: `http://${host}:${new URL(server.url).port}/a.png` } }]
      const { body } = await call('post', '/prior-authorization', priorAuthorization({ evidence })).expect(400)
      expect(body.error.code).toBe('evidence_file_download_failed')
    }
    expect(server.requests).toEqual([])
  })
})
