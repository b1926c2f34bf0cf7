import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { content, files } from './files.ts'
import { control, startSandbox } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

const { patient, provider } = priorAuthorization()
const at = ({ body }: { body: { detail: { loc: string[] }[] } }) =>
  body.detail.map(({ loc }) => loc.join('.')).toSorted()
const text = content(files.text)

describe('a request is told all its faults at once', () => {
  it('those of its schema, of its cards, of its evidence and of its appeal letter', async () => {
    const { call } = await startSandbox()
    const item = { title: 'Note', date_created: '2026-01-01T10:00:00', asset: text }
    const answer = await call('post', '/prior-authorization', {
      ...priorAuthorization(),
      patient: { ...patient, gender: 'unheard of', date_of_birth: 'long ago' },
      insurance: [content(files.png), text, { file_content: '?' }],
      evidence: [item, { ...item, asset: content(files.pdf) }, { ...item, title: 5 }],
      appeal_details: { appeal_letter: { ...item, asset: text } },
      surprise: true,
    })
    expect(answer.status).toBe(422)
    expect(at(answer)).toEqual([
      'body.appeal_details.appeal_letter.asset.file_content',
      'body.evidence.0.asset.file_content',
      'body.evidence.2.asset.file_content',
      'body.evidence.2.title',
      'body.insurance.1.file_content',
      'body.insurance.2.file_content',
      'body.patient.date_of_birth',
      'body.patient.gender',
      'body.surprise',
    ])
  })

  it('those of cards and evidence together', async () => {
    const { call } = await startSandbox()
    const evidence = [{ title: 'Note', date_created: '2026-01-01T10:00:00', asset: text }]
    const answer = await call('post', '/prior-authorization', priorAuthorization({ insurance: [text], evidence }))
    expect(at(answer)).toEqual(['body.evidence.0.asset.file_content', 'body.insurance.0.file_content'])
  })

  it('in every request that takes a card', async () => {
    const { call } = await startSandbox()
    const insurance = [content(files.pdfOfTwoPages)]
    const nobody = { ...patient, first_name: '' }
    const bodies = {
      '/benefit-verification': { ...benefitVerification(), insurance, patient: nobody },
      '/clinical-qualification': { patient: nobody, provider, drugs: [{ drug_name: 'Examplumab' }], insurance },
      '/pa-status': { patient: nobody, insurance },
    }
    for (const [path, body] of Object.entries(bodies))
      expect([path, at(await call('post', path, body).expect(422))]).toEqual([
        path,
        ['body.insurance.0.file_content', 'body.patient.first_name'],
      ])
  })
})

describe('a request is refused where its fault is', () => {
  it.each(['/prior-authorization', '/benefit-verification', '/pa-status'])(
    '%s with insurance content that says nothing, unless there is a card',
    async (path) => {
      const { call } = await startSandbox()
      const { insurance_content: _, ...rest } =
        path === '/prior-authorization' ? priorAuthorization() : benefitVerification()
      const body = path === '/pa-status' ? { patient } : rest
      const empty = { ...body, insurance_content: {} }
      expect(at(await call('post', path, empty).expect(422))).toEqual(['body.insurance_content'])
      expect(at(await call('post', path, body).expect(422))).toEqual(['body'])
      await call('post', path, { ...empty, insurance: [content(files.png)] }).expect(200)
    },
  )

  it('a lookup with a last name alone for what a lookup by name lacks', async () => {
    const { call } = await startSandbox()
    const lookUp = (body: object) => call('post', '/provider/lookup', body).expect(422)
    expect(at(await lookUp({ last_name: 'Muster' }))).toEqual(['body.first_name', 'body.state'])
    expect(at(await lookUp({ first_name: 'Max', last_name: 'Muster' }))).toEqual(['body.state'])
    expect(at(await lookUp({ npi: '1234567893', last_name: 'Muster' }))).toEqual(['body.last_name'])
    expect(at(await lookUp({}))).toEqual(['body.npi'])
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'with the content type %j in its header, by endpoints and controls alike',
    async (type) => {
      const { sandbox, call } = await startSandbox()
      const body = JSON.stringify(priorAuthorization())
      const endpoint = call('post', '/prior-authorization').set('content-type', type)
      // Serialized already.
      const answer = await endpoint.serialize(() => body).send(body)
      const fault = { loc: ['header', 'content-type'], msg: 'must be application/json', type: 'value_error' }
      expect([answer.status, answer.body]).toEqual([422, { detail: [fault] }])
      const push = request(sandbox.app).post('/_sandbox/tokens/revoke').set('content-type', type)
      expect(
        (
          await push
            .serialize(() => body)
            .send(body)
            .expect(422)
        ).body,
      ).toEqual({ detail: [fault] })
    },
  )

  it('without a body for the body, with any content type', async () => {
    const { sandbox, call } = await startSandbox()
    expect(at(await call('post', '/prior-authorization').set('content-type', 'text/plain').expect(422))).toEqual([
      'body',
    ])
    expect((await control(sandbox, 'post', '/tokens')).status).toBe(200)
  })
})
