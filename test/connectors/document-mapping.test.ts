import { createHash } from 'node:crypto'
import type { DocumentReference } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import type { ChartFile } from '../../src/connectors/ehr/ehr.ts'
import {
  renderedOnce,
  toBenefitVerificationDocument,
  toPriorAuthorizationDocument,
} from '../../src/connectors/ehr/fhir/mapping/document.ts'
import { toFileDocument, toNoteDocument } from '../../src/connectors/ehr/fhir/mapping/filed-document.ts'
import { benefitVerificationStatuses } from '../../src/service/schemas/benefit-verification.ts'
import { priorAuthorizationStatuses } from '../../src/service/schemas/prior-authorization.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { fullBenefitVerification, fullPriorAuthorization } from '../support/full-samples.ts'
import { mappingContext } from '../support/mapping-context.ts'

const context = mappingContext()
const { base } = context
const note = { system: 'http://loinc.org', code: '51851-4' }

describe('the document of a prior authorization', () => {
  const ended: readonly string[] = ['completed', 'failed', 'not_submitted', 'cancelled']
  for (const status of [...priorAuthorizationStatuses, 'paused_by_payer']) {
    it(`${status}: is ${ended.includes(status) ? 'final' : 'preliminary'}`, () => {
      const document = toPriorAuthorizationDocument(context, fullPriorAuthorization({ status }))
      expect(faultsOf(document)).toEqual([])
      expect(document).toMatchObject({
        identifier: [{ system: `${base}/prior-authorization`, value: 'pa_req_1' }],
        status: 'current',
        docStatus: ended.includes(status) ? 'final' : 'preliminary',
        type: { coding: [note] },
        category: [{ coding: [{ code: 'clinical-note' }] }],
        subject: context.patient,
        date: context.now,
        author: [context.documents.author],
      })
    })
  }

  it('has an attachment for each format, titled with what was decided', () => {
    const document = toPriorAuthorizationDocument(context, fullPriorAuthorization())
    const title = 'Prior authorization: Denied - Exampline 10 mg tablet (NDC 0000-0000-01)'
    expect(document.content.map(({ attachment }) => [attachment.contentType, attachment.title])).toEqual([
      ['text/plain', title],
      ['application/xhtml+xml', title],
    ])
    const plain = mappingContext({ documents: { ...context.documents, formats: ['text/plain'] } })
    expect(toPriorAuthorizationDocument(plain, fullPriorAuthorization()).content).toHaveLength(1)
  })

  it('has the type that the chart asks for', () => {
    const type = { coding: [{ system: 'https://chart.example/types', code: 'PA' }] }
    const documents = { ...context.documents, type }
    const document = toPriorAuthorizationDocument(mappingContext({ documents }), fullPriorAuthorization())
    expect(document.type).toEqual(type)
  })

  it('keeps the date on which it was first written', () => {
    const first = toPriorAuthorizationDocument(context, fullPriorAuthorization({ status: 'processing' }))
    const later = mappingContext({ now: '2026-04-01T12:00:00.000Z' })
    expect(renderedOnce(() => toPriorAuthorizationDocument(later, fullPriorAuthorization()))(first).date).toBe(
      context.now,
    )
  })
})

describe('the document of a benefit verification', () => {
  for (const status of [...benefitVerificationStatuses, 'partially_verified']) {
    const isRunning = status === 'pending' || status === 'partially_verified'
    it(`${status}: is ${isRunning ? 'preliminary' : 'final'}`, () => {
      const document = toBenefitVerificationDocument(context, fullBenefitVerification({ status }))
      expect(faultsOf(document)).toEqual([])
      expect(document).toMatchObject({
        identifier: [{ system: `${base}/benefit-verification`, value: 'bv_1' }],
        docStatus: isRunning ? 'preliminary' : 'final',
        type: { coding: [note] },
        subject: context.patient,
      })
    })
  }
})

describe('a file', () => {
  const content = Buffer.from('%PDF-1.7 an invented letter')
  const letter: ChartFile = {
    key: 'letter-1',
    kind: 'letter',
    title: 'Denial letter',
    at: '2026-02-28T16:00:00Z',
    contentType: 'application/pdf',
    content,
  }

  it('becomes a document of its own that can be checked', () => {
    const document = toFileDocument(context, fullPriorAuthorization(), letter)
    expect(faultsOf(document)).toEqual([])
    expect(document).toMatchObject({
      identifier: [{ system: `${base}/document`, value: 'pa_req_1/letter-1' }],
      status: 'current',
      docStatus: 'final',
      type: { coding: [{ system: 'http://loinc.org', code: '52034-6' }] },
      subject: context.patient,
      date: '2026-02-28T16:00:00.000Z',
      content: [
        {
          attachment: {
            contentType: 'application/pdf',
            title: 'Denial letter',
            size: content.length,
            hash: createHash('sha1').update(content).digest('base64'),
            data: content.toString('base64'),
          },
        },
      ],
    })
  })

  for (const kind of ['fax_sent', 'fax_received', 'attachment', 'other'] as const) {
    it(`${kind}: is an administrative note`, () => {
      const document = toFileDocument(context, fullBenefitVerification(), { ...letter, kind })
      expect(faultsOf(document)).toEqual([])
      expect(document.type?.coding?.[0]?.code).toBe('51851-4')
    })
  }

  it('without a time of its own is dated as it is filed', () => {
    for (const at of [undefined, '2026-02-28', 'yesterday']) {
      const document = toFileDocument(context, fullPriorAuthorization(), { ...letter, at })
      expect(faultsOf(document)).toEqual([])
      expect(document.date).toBe(context.now)
    }
  })
})

it('a note becomes a document of its own, in each format', () => {
  const call = {
    key: 'call-1',
    title: 'Call with the payer',
    text: 'They will <answer> soon.',
    at: '2026-03-01T08:00:00Z',
  }
  const document = toNoteDocument(context, fullPriorAuthorization(), call)
  expect(faultsOf(document)).toEqual([])
  expect(document).toMatchObject({
    identifier: [{ system: `${base}/note`, value: 'pa_req_1/call-1' }],
    date: '2026-03-01T08:00:00.000Z',
    description: 'Call with the payer',
  })
  const [plain, xhtml] = document.content.map(({ attachment }) =>
    Buffer.from(attachment.data ?? '', 'base64').toString(),
  )
  expect(plain).toBe('Call with the payer\n===================\n\nThey will <answer> soon.\n')
  expect(xhtml).toContain('They will &lt;answer&gt; soon.')
})

describe('a file of a type that the chart does not take', () => {
  const documents = { formats: ['text/plain'] as const, taken: ['text/plain'], author: { display: 'Desk' } }
  const plain = mappingContext({ documents })
  const fax: ChartFile = {
    key: 'fax-1',
    kind: 'fax_received',
    title: 'Fax received from the payer',
    at: '2026-02-28T16:00:00Z',
    contentType: 'image/tiff',
    content: Buffer.from('II*'),
  }
  const shown = (document: DocumentReference) =>
    Buffer.from(document.content[0]?.attachment.data ?? '', 'base64').toString()

  it('becomes a document that says where it is: which file, when, and of which PA', () => {
    const document = toFileDocument(plain, fullPriorAuthorization(), fax)
    expect(faultsOf(document)).toEqual([])
    expect(document).toMatchObject({ identifier: [{ value: 'pa_req_1/fax-1' }], date: '2026-02-28T16:00:00.000Z' })
    expect(document.content.map(({ attachment }) => attachment.contentType)).toEqual(['text/plain'])
    for (const line of ['Kind: Fax received', 'Date: 2026-02-28 16:00 UTC', 'Prior authorization: pa_req_1'])
      expect(shown(document)).toContain(line)
    const ofBv = shown(
      toFileDocument(plain, fullBenefitVerification(), { ...fax, kind: 'attachment', title: 'scan.tif' }),
    )
    expect(ofBv).toContain('File: scan.tif')
    expect(ofBv).toContain('Benefit verification: bv_1')
  })

  it('becomes its text where it holds text', () => {
    const pdfOnly = mappingContext({ documents: { ...documents, formats: ['text/html'], taken: ['text/html'] } })
    const note = { ...fax, contentType: 'text/plain; charset=utf-8', content: Buffer.from('They ask for <notes>.') }
    expect(shown(toFileDocument(pdfOnly, fullPriorAuthorization(), note))).toContain('They ask for &lt;notes&gt;.')
  })

  it('is filed as it came where the chart takes it', () => {
    const note = { ...fax, contentType: 'Text/Plain; charset=utf-8', content: Buffer.from('As it came.') }
    expect(shown(toFileDocument(plain, fullPriorAuthorization(), note))).toBe('As it came.')
  })
})
