import { ApiNotFound, defineHandler } from '../../../../../src/index.ts'

/** Odd: has once keys of its own with the result in them, and gives an effect up whose end is unknown. */
export const handler = defineHandler({
  name: 'feedback-on-denials',
  on: ['prior_authorization.status_change'],
  async handle({ resource, api, once, log, signal }) {
    const { status, outcome, is_appeal: isAppeal } = resource
    if (status !== 'completed' || outcome?.result !== 'Denied') return
    const code = outcome.detail_code ?? 'unknown'
    const kind = isAppeal === true ? 'appeal' : 'first'
    const told = await once(`feedback/${kind}/${code}`, async ({ mayHaveRun }) => {
      // Feedback has no key, so a second one would count twice; a lost one is no loss.
      if (mayHaveRun) return 'unknown'
      const feedback = { category: 'denial', message: `Denied with ${code}; the clinic will look into it.` }
      try {
        await api.sendFeedback(resource.id, feedback, { signal })
        return 'sent'
      } catch (error) {
        if (error instanceof ApiNotFound) return 'gone'
        throw error
      }
    })
    log.info({ outcome: told }, 'feedback on a denial')
  },
})
