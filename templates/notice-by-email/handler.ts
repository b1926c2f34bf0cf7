import { defineHandler } from '#pawl'
import { listedSystem } from '../listed-system.ts'
import { resultNewsOf } from '../result-news.ts'
import type { Mail } from './mail.ts'

/** Tells staff by e-mail, once for each result, that a PA ended or waits for review: by its id, and nothing of the patient. */
export default defineHandler({
  name: 'notice-by-email',
  on: ['prior_authorization.status_change'],
  async handle(context) {
    const { resource, once } = context
    const news = resultNewsOf(resource)
    if (news === undefined) return
    // The compiler cannot see what the integration of a fork lists.
    const mail = listedSystem(context, 'mail') as Mail
    const { key, text } = news
    await once(key, () => mail.send({ key: `notice-by-email ${key}`, subject: text, text }))
  },
})
