import { z } from 'zod'
import { exactlyOneOf } from './rules.ts'
import { saidIn } from './said.ts'
import { base64, date, dateTime, fileUrl, jsonObject, text } from './text.ts'

const ofEvidence = saidIn('specification, Evidence item')

/** A file by content or by URL, never both (specification, Evidence item). */
export const AssetRequest = exactlyOneOf(
  z.strictObject({
    file_content: base64.optional().meta(
      ofEvidence('The file as Base64: PDF, JPEG, PNG, HEIC or HEIF. Not together with `file_url`.', {
        examples: ['JVBERi0xLjQK'],
      }),
    ),
    file_url: fileUrl
      .optional()
      .meta(
        ofEvidence(
          'Where the file is fetched from, at once, by http or https and without a sign-in. Not together with `file_content`.',
          { examples: ['https://files.sandbox.invalid/note.pdf'] },
        ),
      ),
  }),
  ['file_content', 'file_url'],
)

const document_date = z
  .union([date, dateTime])
  .optional()
  .meta(
    ofEvidence('Date of the clinical document itself, with or without a time; never that of the upload.', {
      examples: ['2026-02-20'],
    }),
  )

/** Evidence of a PA: a text, a JSON object or a file (specification, Evidence item). */
export const EvidenceRequest = exactlyOneOf(
  z.strictObject({
    title: text.meta(ofEvidence('What the evidence is called; not empty.')),
    date_created: dateTime.meta(ofEvidence('When the evidence was made; the zone may be left out.')),
    content: z
      .union([text, jsonObject])
      .optional()
      .meta(
        ofEvidence('The evidence as text or as a JSON object. Not together with `asset`; one of the two is needed.'),
      ),
    asset: AssetRequest.optional().meta(
      ofEvidence('The evidence as a file. Not together with `content`; one of the two is needed.'),
    ),
    document_date,
  }),
  ['content', 'asset'],
)

const shown = saidIn('supplement, PA resource')

/** Evidence as a PA shows it (supplement, PA resource). */
export const ShownEvidence = z.strictObject({
  title: z.string().meta(shown('What the evidence is called.')),
  date_created: dateTime.meta(shown('When the evidence was made, as it was submitted.')),
  document_date,
  content: z
    .unknown()
    .optional()
    .meta(shown('The text or JSON object that was submitted; absent where it was a file.')),
  asset: z
    .strictObject({
      url: z.string().meta(
        shown('Where the file can be downloaded; signed, for about 15 minutes.', {
          format: 'uri',
          examples: ['https://files.sandbox.invalid/files/pa_req_a1b2/evidence/0.pdf'],
        }),
      ),
      file_type: z
        .string()
        .nullable()
        .meta(shown('Media type of the file; null where it is not known.', { examples: ['application/pdf'] })),
    })
    .optional()
    .meta(shown('The file that was submitted; absent where it was content.')),
})

const ofClinical = saidIn('specification, Clinical qualification create request')

/** Evidence of a clinical qualification: always an object (specification, Clinical qualification create request). */
export const ClinicalEvidenceRequest = z.strictObject({
  title: text.meta(ofClinical('What the evidence is called; not empty.')),
  date_created: dateTime.meta(ofClinical('When the evidence was made; usually without a zone.')),
  content: jsonObject.meta(ofClinical('The evidence, as a JSON object of any shape.')),
})

/** A questionnaire with its answers. */
export const QuestionnaireRequest = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        question: text.meta(ofClinical('The question; not empty.')),
        answer: z.string().meta(ofClinical('The answer; may be empty.')),
      }),
    )
    .meta(ofClinical('What was asked and answered, in order.')),
  date_created: dateTime.meta(ofClinical('When it was filled in; the zone may be left out.')),
})

/** A note of a visit. */
export const VisitNoteRequest = z.strictObject({
  content: text.meta(ofClinical('Text of the note; not empty.')),
  date_created: dateTime.meta(ofClinical('When it was written; the zone may be left out.')),
})

const ofAppeal = saidIn('supplement, PA create')

/** An appeal against a denial (supplement, PA create). */
export const AppealDetailsRequest = z.strictObject({
  appeal_letter: z
    .strictObject({
      asset: AssetRequest.meta(ofAppeal('The letter as a file.')),
      title: text.meta(
        ofAppeal('What the letter is called; not empty.', { examples: ['Letter of medical necessity'] }),
      ),
      date_created: dateTime.meta(
        ofAppeal('When the letter was written; the zone may be left out.', { examples: ['2026-03-06T09:00:00Z'] }),
      ),
    })
    .meta(ofAppeal('The letter of the appeal.')),
  is_urgent: z
    .boolean()
    .optional()
    .meta(ofAppeal('Whether the appeal cannot wait.', { default: false })),
})
