import { z } from 'zod'
import { exactlyOneOf } from './rules.ts'
import { base64, date, dateTime, fileUrl, jsonObject, text } from './text.ts'

/** A file by content or by URL, never both (specification, Evidence item). */
export const AssetRequest = exactlyOneOf(
  z.strictObject({ file_content: base64.optional(), file_url: fileUrl.optional() }),
  ['file_content', 'file_url'],
)

/** Evidence of a PA: a text, a JSON object or a file (specification, Evidence item). */
export const EvidenceRequest = exactlyOneOf(
  z.strictObject({
    title: text,
    date_created: dateTime,
    content: z.union([text, jsonObject]).optional(),
    asset: AssetRequest.optional(),
    document_date: z.union([date, dateTime]).optional(),
  }),
  ['content', 'asset'],
)

/** Evidence of a clinical qualification: always an object (specification, Clinical qualification create request). */
export const ClinicalEvidenceRequest = z.strictObject({ title: text, date_created: dateTime, content: jsonObject })

export const QuestionnaireRequest = z.strictObject({
  questions: z.array(z.strictObject({ question: text, answer: z.string() })),
  date_created: dateTime,
})

export const VisitNoteRequest = z.strictObject({ content: text, date_created: dateTime })

/** An appeal against a denial (supplement, PA create). */
export const AppealDetailsRequest = z.strictObject({
  appeal_letter: z.strictObject({ asset: AssetRequest, title: text, date_created: dateTime }),
  is_urgent: z.boolean().optional(),
})
