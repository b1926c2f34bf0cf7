import { expect, it } from 'vitest'
import type { Message } from '../../client/src/schemas/prior-authorization.ts'
import { benefitVerificationNarrative } from '../src/narrative/benefit-verification-narrative.ts'
import { fileTitle } from '../src/narrative/file-title.ts'
import { messageNarrative } from '../src/narrative/message-narrative.ts'
import { noteNarrative } from '../src/narrative/note-narrative.ts'
import { prescriptionTransferNarrative } from '../src/narrative/prescription-transfer-narrative.ts'
import { priorAuthorizationNarrative } from '../src/narrative/prior-authorization-narrative.ts'
import { renderText } from '../src/narrative/render-text.ts'
import { staffTaskNarrative } from '../src/narrative/staff-task-narrative.ts'
import { wrap } from '../src/narrative/wrap-words.ts'
import { fullBenefitVerification, fullPriorAuthorization } from '../../../test/support/full-samples.ts'
import { sampleMessage, samplePriorAuthorization } from '../../../test/support/samples.ts'

it('two PAs with the same drug and patient are told apart by the title of everything that is filed of them', () => {
  const message = sampleMessage() as Message
  const titlesOf = (id: string) => {
    const pa = samplePriorAuthorization({ id, prescription_transfer: { status: 'completed' } })
    return [
      priorAuthorizationNarrative(pa),
      prescriptionTransferNarrative(pa),
      messageNarrative(pa, message),
      noteNarrative(pa, { key: 'n', title: 'Call', text: 'On hold.' }),
      staffTaskNarrative(pa, { title: 'Review', reason: 'awaiting_review' }),
      benefitVerificationNarrative(fullBenefitVerification({ id })),
      { title: fileTitle(pa, { kind: 'letter', title: 'Letter' }) },
    ].map(({ title }) => title)
  }
  const [one, other] = [titlesOf('pa_req_1'), titlesOf('pa_req_2')]
  for (const [index, title] of one.entries()) {
    expect(title).toContain('pa_req_1')
    expect(other[index]).toBe(title.replace('pa_req_1', 'pa_req_2'))
  }
})

/** What a reader sees first: 24 lines of 80 characters. */
function firstScreen(text: string): string {
  return wrapped(text).slice(0, 24).join('\n')
}

const wrapped = (text: string) =>
  text.split('\n').flatMap((line) => (line === '' ? [''] : wrap(line, ({ length }) => length <= 80)))

it.each([
  ['short', 'The drug is not covered without a trial of Placebomycin.'],
  ['long', `Because of ${'criteria, '.repeat(400)}and nothing else.`],
])("the payer's %s words, the result, what to do and whom to ask stand on the first screen", (_, words) => {
  const denied = fullPriorAuthorization({
    status: 'completed',
    outcome: { result: 'Denied', detail_code: 'step_therapy_criteria_not_met', detail: words },
    denial_reason_analysis: {
      categories: ['step_therapy'],
      explanation: words,
      next_steps: 'Appeal.',
      next_steps_explanation: words,
    },
  })
  const text = renderText(priorAuthorizationNarrative(denied))
  const screen = firstScreen(text)
  for (const said of [
    'Result: Denied',
    `The payer says: ${words.slice(0, 40)}`,
    'Next step: Appeal.',
    'Contact: Sam Submitter',
  ])
    expect(screen).toContain(said)
  expect(screen).toContain('More at: https://service.example/requests/pa_req_1')
  // Nothing of it is lost.
  expect(text).toContain(words)
})

it('the end of an authorization stands in the lead and on the first screen', () => {
  const outcome = { result: 'Approved', detail: 'Approved.', authorization_expiration: '2027-02-28' }
  const text = renderText(priorAuthorizationNarrative(fullPriorAuthorization({ status: 'completed', outcome })))
  expect(text.split('\n')[3]).toBe('Approved, valid until 2027-02-28.')
  expect(firstScreen(text)).toContain('Valid until: 2027-02-28')
})
