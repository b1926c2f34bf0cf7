import { oneOf } from '@pawl/base/setting-types'

/** Settings that choose what is filed, one for each kind of content. */
export const filingSettings = {
  EHR_FILED_STATES: oneOf(['every', 'results', 'none'])
    .optional()
    .describe(
      'Documents of a PA: every (each state), results (only its end) or none; absent: results where the chart cannot update a document, else every, as one document that is updated.',
    ),
  EHR_FILED_BENEFITS: oneOf(['every', 'results', 'none'])
    .optional()
    .describe('Documents of a BV, in the same way; none also leaves out notes of real-time benefits checks.'),
  EHR_FILED_LETTERS: oneOf(['every', 'none'])
    .optional()
    .describe('Letters, faxes and attachments: every (the default) or none.'),
  EHR_FILED_MESSAGES: oneOf(['every', 'none'])
    .optional()
    .describe(
      'Messages, and notes of calls and outreach attempts: every or none; absent: none where the chart cannot update a document and takes no messages either, else every.',
    ),
}

/** What a chart gets: each state of a PA or BV, its end alone, or nothing; of letters and messages every one or none. */
export interface Filing {
  states: 'every' | 'results' | 'none'
  benefits: 'every' | 'results' | 'none'
  letters: 'every' | 'none'
  messages: 'every' | 'none'
}

/** What the settings choose; the rest is up to the chart. */
export type ChosenFiling = { [Kind in keyof Filing]?: Filing[Kind] | undefined }

/** The abilities of a chart that decide the defaults. */
export interface FilingChart {
  /** Otherwise each change would be one more document. */
  updatesDocuments: boolean
  takesMessages: boolean
}

/** What a chart gets by the settings, else by its abilities. */
export function filingFor(
  { states, benefits, letters = 'every', messages }: ChosenFiling,
  { updatesDocuments, takesMessages }: FilingChart,
): Filing {
  const usual = updatesDocuments ? 'every' : 'results'
  return {
    states: states ?? usual,
    benefits: benefits ?? usual,
    letters,
    messages: messages ?? (updatesDocuments || takesMessages ? 'every' : 'none'),
  }
}

/** What the settings choose. */
export function chosenFiling(settings: {
  EHR_FILED_STATES?: Filing['states'] | undefined
  EHR_FILED_BENEFITS?: Filing['benefits'] | undefined
  EHR_FILED_LETTERS?: Filing['letters'] | undefined
  EHR_FILED_MESSAGES?: Filing['messages'] | undefined
}): ChosenFiling {
  return {
    states: settings.EHR_FILED_STATES,
    benefits: settings.EHR_FILED_BENEFITS,
    letters: settings.EHR_FILED_LETTERS,
    messages: settings.EHR_FILED_MESSAGES,
  }
}

/** Whether a state is filed; `isEnd`: no other one follows. */
export function isStateFiled(filed: Filing['states'], isEnd: boolean): boolean {
  return filed === 'every' || (filed === 'results' && isEnd)
}

/** Whether a note is filed: a handler's own note always is. */
export function isNoteFiled(kind: 'contact' | 'benefits' | undefined, { messages, benefits }: Filing): boolean {
  if (kind === undefined) return true
  return (kind === 'contact' ? messages : benefits) !== 'none'
}
