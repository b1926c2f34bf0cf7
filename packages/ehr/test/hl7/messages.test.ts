import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { contentOf } from '../../src/hl7/document-content.ts'
import {
  benefitVerificationDocument,
  fileDocument,
  messageDocument,
  noteDocument,
  priorAuthorizationDocument,
  type SubjectDocument,
  transferDocument,
} from '../../src/documents/subject-document.ts'
import { encodeText, fitText } from '../../src/hl7/fit-text.ts'
import { isShown } from '../../src/shown-types.ts'
import { writeMdm } from '../../src/hl7/mdm-message.ts'
import { charsets, type Content, hl7Versions } from '../../src/hl7/settings.ts'
import type { Subject } from '../../src/ehr.ts'
import type { Narrative } from '../../src/narrative/narrative.ts'
import { renderPdf } from '../../src/narrative/render-pdf.ts'
import { renderText } from '../../src/narrative/render-text.ts'
import { fullPriorAuthorization } from '../../../../test/support/full-samples.ts'
import { readPdf } from '../../../../test/support/read-pdf.ts'
import { samplePatient, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { benefitVerificationCases } from '../charts/benefit-verification-cases.ts'
import { priorAuthorizationCases } from '../charts/prior-authorization-cases.ts'
import { mdm } from './open-hl7.ts'
import { readByMedplum, readers } from './read-mdm.ts'

const writePdf = async (narrative: Narrative) => renderPdf(narrative)

interface Written {
  subject: Subject
  document: SubjectDocument
}

/** Every document of the 58 PAs and the 9 BVs, in every state. */
const everyDocument = (): Written[] => [
  ...priorAuthorizationCases().flatMap(({ snapshots, files, notes }) =>
    snapshots.flatMap((subject) => [
      { subject, document: priorAuthorizationDocument(subject) },
      ...(subject.prescription_transfer === undefined ? [] : [{ subject, document: transferDocument(subject) }]),
      ...(subject.message_thread?.messages ?? []).map((each) => ({
        subject,
        document: messageDocument(subject, each),
      })),
      ...files.map((each) => ({ subject, document: fileDocument(subject, each, isShown(each)) })),
      ...notes.map((each) => ({ subject, document: noteDocument(subject, each) })),
    ]),
  ),
  ...benefitVerificationCases().flatMap(({ snapshots }) =>
    snapshots.map((subject) => ({ subject, document: benefitVerificationDocument(subject) })),
  ),
]

async function write(
  { subject, document }: Written,
  options = mdm,
  form: Content = 'TX',
  event: 'T02' | 'T10' = 'T10',
): Promise<string> {
  return writeMdm(options, {
    event,
    controlId: '0123456789ABCDEF',
    number: 'AAAAAAAAAAAAAAAA',
    parent: event === 'T10' ? 'BBBBBBBBBBBBBBBB' : undefined,
    at: Date.UTC(2026, 0, 31, 8),
    patientNumber: subject.patient?.internal_id ?? '',
    patient: subject.patient,
    provider: subject.provider,
    documentType: 'CN',
    loinc: document.loinc,
    kind: document.kind,
    title: document.title,
    isSettled: document.isSettled,
    content: await contentOf(document.source, { form, charset: options.charset, writePdf }),
  })
}

function linesOf({ source }: SubjectDocument): string[] {
  if ('bytes' in source) return [Buffer.from(source.bytes).toString('base64')]
  return fitText(renderText(source.narrative), mdm.charset)
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
}

describe.each(hl7Versions)('a message of version %s', (version) => {
  it('is read alike by two libraries, and says what the document says', async () => {
    const written = everyDocument()
    expect(written.length).toBeGreaterThan(200)
    for (const each of written) {
      const text = await write(each, { ...mdm, version })
      const read = readByMedplum(text)
      for (const each of readers) expect(each(text)).toEqual(read)
      expect(read.values).toEqual(linesOf(each.document))
      const { patient } = each.subject
      expect(read).toMatchObject({
        event: 'T10',
        version,
        controlId: '0123456789ABCDEF',
        patientNumber: patient?.internal_id,
        lastName: patient?.last_name,
        firstName: patient?.first_name,
        birthDate: patient?.date_of_birth?.replaceAll('-', ''),
        documentNumber: 'AAAAAAAAAAAAAAAA',
        parentNumber: 'BBBBBBBBBBBBBBBB',
        completion: each.document.isSettled ? 'DO' : 'IP',
        availability: 'AV',
      })
    }
  })

  it('has the segments and no more than the version knows', async () => {
    const [each] = everyDocument()
    if (each === undefined) throw new Error('no case')
    const segments = (await write(each, { ...mdm, version })).split('\r')
    expect(segments.at(-1)).toBe('')
    expect(segments.slice(0, 5).map((line) => line.slice(0, 3))).toEqual(['MSH', 'EVN', 'PID', 'PV1', 'TXA'])
    expect(segments[0]).toContain('|MDM^T10^MDM_T02|0123456789ABCDEF|T|')
    expect(segments[1]?.startsWith(version === '2.7' ? 'EVN||2026' : 'EVN|T10|2026')).toBe(true)
    // TXA-25, the title, came with 2.7.
    expect(segments[4]?.split('|').length).toBe(version === '2.7' ? 26 : 20)
    const without = await write(each, { ...mdm, version, patientClass: undefined })
    expect(without).not.toContain('\rPV1|')
  })

  it('names the signer and the time of a settled document alone', async () => {
    const options = { ...mdm, version, settledStatus: 'LA', signer: '1234567893^Muster^Max' }
    for (const each of everyDocument()) {
      const signed = readByMedplum(await write(each, options))
      expect(signed).toMatchObject(
        each.document.isSettled
          ? { completion: 'LA', signer: options.signer, signedAt: '20260131080000+0000' }
          : { completion: 'IP', signer: '', signedAt: '' },
      )
    }
  })

  it.each([
    ['male', 'M'],
    ['female', 'F'],
    ['other', 'O'],
    ['not_specified', 'U'],
    [undefined, ''],
  ])('has for the gender %s the sex %j', async (gender, sex) => {
    const subject = samplePriorAuthorization({ patient: { ...samplePatient, gender } })
    const text = await write({ subject, document: priorAuthorizationDocument(subject) }, { ...mdm, version })
    expect(new Set(readers.map((read) => read(text).sex))).toEqual(new Set([sex]))
  })
})

describe('text in a message of HL7 v2', () => {
  afterEach(() => void vi.unstubAllEnvs())

  const subject = samplePriorAuthorization()
  const withText = (words: string): Written => ({
    subject,
    document: noteDocument(subject, { key: 'n', title: 'Note', text: words }),
  })

  it('of any characters is read as it was written, in TX and in FT', async () => {
    const hard = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '|',
          '^',
          '~',
          '\\',
          '&',
          '\n',
          '\r',
          '"',
          '.br',
          '\\.br\\',
          '\\F\\',
          '\\X0D\\',
          'MSH|',
          '\u000B',
          '\u001C',
        ),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
        fc.constantFrom('é', 'ß', '€', '中', '😀', '\u2028', '\uD800', '\u0085'),
      ),
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(hard, async (words) => {
        const each = withText(words)
        const lines = linesOf(each.document)
        const shown = lines.map((line) => (line === '""' ? '" "' : line))
        const asLines = Buffer.from(encodeText(await write(each), mdm.charset)).toString()
        for (const framing of ['\u000B', '\u001C']) expect(asLines).not.toContain(framing)
        for (const read of readers) expect(read(asLines).values).toEqual(shown)
        const asOne = await write(each, mdm, 'FT')
        for (const read of readers) expect(read(asOne).values).toEqual([lines.join('\n')])
      }),
      { numRuns: 300 },
    )
  })

  it('of two quotes alone, which would delete a value, is told apart from that', async () => {
    const text = await write(withText('"")\n""'))
    expect(readByMedplum(text).values.slice(-2)).toEqual(['"")', '" "'])
  })

  it('of a name with separators stays a name', async () => {
    const subject = samplePriorAuthorization({
      patient: { internal_id: '1|2', last_name: 'O^Sample & Söhne~\\', first_name: 'Te|sta' },
    })
    const text = await write({ subject, document: priorAuthorizationDocument(subject) })
    for (const read of readers.map((each) => each(text)))
      expect(read).toMatchObject({ patientNumber: '1|2', lastName: 'O^Sample & Söhne~\\', firstName: 'Te|sta' })
  })

  it('has the day of birth as it was told, in any time zone, and none that the calendar lacks', async () => {
    const bornOn = async (timeZone: string, day: string) => {
      vi.stubEnv('TZ', timeZone)
      const subject = samplePriorAuthorization({ patient: { ...samplePatient, date_of_birth: day } })
      return readByMedplum(await write({ subject, document: priorAuthorizationDocument(subject) })).birthDate
    }
    for (const timeZone of ['America/New_York', 'Pacific/Auckland']) {
      expect(await bornOn(timeZone, '1990-03-01')).toBe('19900301')
      expect(await bornOn(timeZone, '1990-02-30')).toBe('')
    }
  })

  it.each(charsets)(
    'in %s has as many bytes as characters that fit, and no control character but line ends',
    (charset) => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (words) => {
          const fitted = fitText(words, charset)
          expect(fitted).toMatch(/^[\P{Cc}\n]*$/u)
          expect(fitText(fitted, charset)).toBe(fitted)
          const decoded = encodeText(fitted, charset).toString(charset === 'UNICODE UTF-8' ? 'utf8' : 'latin1')
          expect(decoded).toBe(fitted)
        }),
      )
    },
  )
})

it('a file comes as it was, with any bytes and of any size', async () => {
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256))
  const subject = samplePriorAuthorization()
  const file = {
    key: 'fax',
    kind: 'fax_received',
    title: 'Fax | of 3 pages',
    contentType: 'application/pdf',
    content,
  } as const
  const text = await write({ subject, document: fileDocument(subject, file, isShown(file)) })
  expect(text).toContain('^application^pdf^Base64^')
  expect(text).toContain(String.raw`Fax \F\ of 3 pages`)
  expect(Buffer.from(readByMedplum(text).values[0] ?? '', 'base64').equals(content)).toBe(true)
})

it('a document may come as one PDF, whose words are those of the text', async () => {
  const subject = fullPriorAuthorization()
  const each = { subject, document: priorAuthorizationDocument(subject) }
  const pdf = await write(each, mdm, 'PDF')
  expect(pdf).toContain('|AP|')
  expect(pdf).toMatch(/^OBX\|1\|ED\|51851-4\^[^|]+\|\|\^application\^pdf\^Base64\^JVBER/m)
  const [value = ''] = readByMedplum(pdf).values
  for (const read of readers) expect(read(pdf).values).toEqual([value])
  const { pages } = await readPdf(Buffer.from(value, 'base64'))
  const read = pages.join('').replaceAll(/\s/g, '')
  const words = linesOf(each.document).flatMap((line) => line.split(/[\s:]+/))
  expect(words).toContain('Exampline')
  for (const word of words) if (!/^[-=]+$/.test(word)) expect(read).toContain(word)
  // The same content twice is the same message: a repeated one must not differ.
  expect(await write(each, mdm, 'PDF')).toBe(pdf)
})
