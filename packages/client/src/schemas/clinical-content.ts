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
          'URL that the service downloads at once, by http or https and without a sign-in. Not together with `file_content`.',
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
    ofEvidence('Date of the clinical document itself, with or without a time; never of the upload.', {
      examples: ['2026-02-20'],
    }),
  )

/** Evidence of a PA: a text, a JSON object or a file (specification, Evidence item). */
export const EvidenceRequest = exactlyOneOf(
  z.strictObject({
    title: text.meta(ofEvidence('Title of the evidence; not empty.')),
    date_created: dateTime.meta(ofEvidence('Time of creation; the zone may be omitted.')),
    content: z
      .union([text, jsonObject])
      .optional()
      .meta(ofEvidence('The evidence as text or JSON object. Not together with `asset`; one of the two is required.')),
    asset: AssetRequest.optional().meta(
      ofEvidence('The evidence as a file. Not together with `content`; one of the two is required.'),
    ),
    document_date,
  }),
  ['content', 'asset'],
)

const shown = saidIn('supplement, PA resource')

/** Evidence as a PA shows it (supplement, PA resource). */
export const ShownEvidence = z.strictObject({
  title: z.string().meta(shown('Title of the evidence.')),
  date_created: dateTime.meta(shown('Time of creation, as submitted.')),
  document_date,
  content: z.unknown().optional().meta(shown('The submitted text or JSON object; absent for a file.')),
  asset: z
    .strictObject({
      url: z.string().meta(
        shown('Download URL of the file; signed, valid for about 15 minutes.', {
          format: 'uri',
          examples: ['https://files.sandbox.invalid/files/pa_req_a1b2/evidence/0.pdf'],
        }),
      ),
      file_type: z
        .string()
        .nullable()
        .meta(shown('Media type of the file; null if unknown.', { examples: ['application/pdf'] })),
    })
    .optional()
    .meta(shown('The submitted file; absent for content.')),
})

const ofClinical = saidIn('specification, Clinical qualification create request')

/** Evidence of a clinical qualification: always an object (specification, Clinical qualification create request). */
export const ClinicalEvidenceRequest = z.strictObject({
  title: text.meta(ofClinical('Title of the evidence; not empty.')),
  date_created: dateTime.meta(ofClinical('Time of creation; usually without a zone.')),
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
    .meta(ofClinical('Questions and answers, in order.')),
  date_created: dateTime.meta(ofClinical('Time of completion; the zone may be omitted.')),
})

/** A note of a visit. */
export const VisitNoteRequest = z.strictObject({
  content: text.meta(ofClinical('Text of the note; not empty.')),
  date_created: dateTime.meta(ofClinical('Time of writing; the zone may be omitted.')),
})

const ofAppeal = saidIn('supplement, PA create')

/** An appeal against a denial (supplement, PA create). */
export const AppealDetailsRequest = z.strictObject({
  appeal_letter: z
    .strictObject({
      asset: AssetRequest.meta(ofAppeal('The letter as a file.')),
      title: text.meta(ofAppeal('Title of the letter; not empty.', { examples: ['Letter of medical necessity'] })),
      date_created: dateTime.meta(
        ofAppeal('Time of writing; the zone may be omitted.', { examples: ['2026-03-06T09:00:00Z'] }),
      ),
    })
    .meta(ofAppeal('The letter of the appeal.')),
  is_urgent: z
    .boolean()
    .optional()
    .meta(ofAppeal('Whether the appeal is urgent.', { default: false })),
})
