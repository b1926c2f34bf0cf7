import { z } from 'zod'
import { lenient, lenientList } from './lenient.ts'

/** One piece of evidence, as the service returns it (specification, Evidence item; supplement, PA resource). `content` is a text or a JSON object of the client's own; the address of a file lives for minutes. */
export const Evidence = z.looseObject({
  title: lenient(z.string()),
  date_created: lenient(z.string()),
  document_date: lenient(z.string()),
  content: lenient(z.json()),
  asset: lenient(z.looseObject({ url: lenient(z.string()), file_type: lenient(z.string()) })),
})
export type Evidence = z.infer<typeof Evidence>

/** A questionnaire with its answers (specification, Clinical qualification create request). */
export const Questionnaire = z.looseObject({
  questions: lenientList(z.looseObject({ question: lenient(z.string()), answer: lenient(z.string()) })),
  date_created: lenient(z.string()),
})
export type Questionnaire = z.infer<typeof Questionnaire>

/** A note of a visit (specification, Clinical qualification create request). */
export const VisitNote = z.looseObject({ content: lenient(z.string()), date_created: lenient(z.string()) })
export type VisitNote = z.infer<typeof VisitNote>

/** The clinical content of a resource. */
export const clinicalContent = {
  evidence: lenientList(Evidence),
  questionnaires: lenientList(Questionnaire),
  visit_notes: lenientList(VisitNote),
}
