import { z } from 'zod'
import { defineHandler, defineIntegration, type Given, PawlError } from '../../../../../src/index.ts'
import { ehrFrom, ehrSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { resultNewsOf } from '../../../../../templates/result-news.ts'
import { shippedHandlers } from '../../../../../templates/index.ts'

const ownSettings = {
  ...ehrSettings,
  ...pharmacySettings,
  NOTICE_URL: z.url().optional().describe('where notices are posted'),
}

const ownNotice = defineHandler({
  name: 'own-notice',
  on: ['prior_authorization.status_change'],
  async handle({ resource, once, settings, signal }) {
    const news = resultNewsOf(resource)
    if (news === undefined) return
    const address = 'NOTICE_URL' in settings ? settings.NOTICE_URL : undefined
    if (typeof address !== 'string') throw new NoticeFailed('Set NOTICE_URL.', 'never')
    await once(news.key, async () => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': `${resource.id}/${news.key}` }
      const body = JSON.stringify({ text: news.text })
      const answer = await fetch(address, { method: 'POST', headers, body, redirect: 'error', signal })
      await answer.arrayBuffer()
      if (answer.ok) return
      const isPassing = answer.status === 429 || answer.status >= 500
      throw new NoticeFailed(`The chat answered ${answer.status}.`, isPassing ? 'backoff' : 'never')
    })
  },
})

class NoticeFailed extends PawlError {
  readonly code = 'notice_failed'
  override readonly retry: 'never' | 'backoff'
  constructor(message: string, retry: 'never' | 'backoff') {
    super(message)
    this.retry = retry
  }
}

/** Odd: posts by HTTP of its own, past every port, with `once` and the same idempotency key for each retry. */
export const integration = defineIntegration({
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({ ehr: ehrFrom(settings), pharmacy: pharmacyFrom(settings) }),
  handlers: [...shippedHandlers, ownNotice],
})
