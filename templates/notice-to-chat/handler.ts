import { defineHandler, PawlError } from '#pawl'
import { resultNewsOf } from '../result-news.ts'

/** Posts to a chat once per result when a PA ended or waits for review. The notice holds the PA's id and no patient data. */
export default defineHandler({
  name: 'notice-to-chat',
  on: ['prior_authorization.status_change'],
  async handle({ resource, settings, once, signal }) {
    const news = resultNewsOf(resource)
    if (news === undefined) return
    const address = 'NOTICE_URL' in settings ? settings.NOTICE_URL : undefined
    if (typeof address !== 'string') throw new NoticeFailed('Declare NOTICE_URL in src/integration/index.ts.', 'never')
    await once(news.key, async () => {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: news.text }),
        redirect: 'error',
        signal,
      })
      await answer.body?.cancel()
      if (answer.ok) return
      const isPassing = answer.status === 429 || answer.status >= 500
      throw new NoticeFailed(`The chat answered ${answer.status}; check NOTICE_URL.`, isPassing ? 'backoff' : 'never')
    })
  },
})

/** The chat did not take a notice. Quotes neither its address, which is a secret, nor its answer. */
class NoticeFailed extends PawlError {
  readonly code = 'notice_failed'
  override readonly retry: 'never' | 'backoff'
  constructor(message: string, retry: 'never' | 'backoff') {
    super(message)
    this.retry = retry
  }
}
