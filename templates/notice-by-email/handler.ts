import { defineHandler } from '#pawl'
import { listedSystem } from '../listed-system.ts'
import { resultNewsOf } from '../result-news.ts'
import type { Mail } from './mail.ts'

/** E-mails staff once per result when a PA ended or waits for review. The notice holds the PA's id and no patient data. */
export default defineHandler({
  name: 'notice-by-email',
  on: ['prior_authorization.status_change'],
  async handle(context) {
    const { resource, once } = context
    const news = resultNewsOf(resource)
    if (news === undefined) return
    // The compiler cannot see the systems that a fork lists.
    const mail = listedSystem(context, 'mail') as Mail
    const { key, text } = news
    await once(key, () => mail.send({ key: `notice-by-email ${key}`, subject: text, text }))
  },
})
