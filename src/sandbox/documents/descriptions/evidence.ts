import { type FieldTexts, fieldTexts } from './field-text.ts'

export const Asset = fieldTexts('specification, Evidence item', {
  file_content: {
    text: 'The file as Base64: PDF, JPEG, PNG, HEIC or HEIF. Not together with `file_url`.',
    example: 'JVBERi0xLjQK',
  },
  file_url: {
    text: 'Where the file is fetched from, at once, by http or https and without a sign-in. Not together with `file_content`.',
    example: 'https://files.sandbox.invalid/note.pdf',
  },
})

const documentDate = {
  text: 'Date of the clinical document itself, with or without a time; never that of the upload.',
  example: '2026-02-20',
}

export const Evidence = fieldTexts('specification, Evidence item', {
  title: 'What the evidence is called; not empty.',
  date_created: 'When the evidence was made; the zone may be left out.',
  content: {
    text: 'The evidence as text or as a JSON object. Not together with `asset`; one of the two is needed.',
    example: 'BMI 42 on 20 February.',
  },
  asset: 'The evidence as a file. Not together with `content`; one of the two is needed.',
  document_date: documentDate,
})

/** Evidence as a PA shows it. */
export const ShownEvidence: FieldTexts = fieldTexts('supplement, PA resource', {
  title: 'What the evidence is called.',
  date_created: 'When the evidence was made, as it was submitted.',
  document_date: documentDate,
  content: 'The text or JSON object that was submitted; absent where it was a file.',
  asset: 'The file that was submitted; absent where it was content.',
  'asset.url': {
    text: 'Where the file can be downloaded; signed, for about 15 minutes.',
    format: 'uri',
    example: 'https://files.sandbox.invalid/files/pa_req_a1b2/evidence/0.pdf',
  },
  'asset.file_type': { text: 'Media type of the file; null where it is not known.', example: 'application/pdf' },
})

export const ClinicalEvidence = fieldTexts('specification, Clinical qualification create request', {
  title: 'What the evidence is called; not empty.',
  date_created: 'When the evidence was made; usually without a zone.',
  content: 'The evidence, as a JSON object of any shape.',
})

export const Questionnaire = fieldTexts('specification, Clinical qualification create request', {
  questions: 'What was asked and answered, in order.',
  'questions[].question': 'The question; not empty.',
  'questions[].answer': 'The answer; may be empty.',
  date_created: 'When it was filled in; the zone may be left out.',
})

export const VisitNote = fieldTexts('specification, Clinical qualification create request', {
  content: 'Text of the note; not empty.',
  date_created: 'When it was written; the zone may be left out.',
})

export const AppealDetails = fieldTexts('supplement, PA create', {
  appeal_letter: 'The letter of the appeal.',
  'appeal_letter.asset': 'The letter as a file.',
  'appeal_letter.title': { text: 'What the letter is called; not empty.', example: 'Letter of medical necessity' },
  'appeal_letter.date_created': {
    text: 'When the letter was written; the zone may be left out.',
    example: '2026-03-06T09:00:00Z',
  },
  is_urgent: { text: 'Whether the appeal cannot wait.', default: false },
})
