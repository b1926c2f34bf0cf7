import { z } from 'zod'
import { defineHandler, defineIntegration, type Given } from '../../../../../src/index.ts'
import { ehrFrom, ehrSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { resultNewsOf } from '../../../../../templates/result-news.ts'
import { shippedHandlers } from '../../../../../templates/index.ts'

const ownSettings = {
  ...ehrSettings,
  ...pharmacySettings,
  NOTICE_URL: z.url().optional().describe('where notices are posted'),
}

const noticeAndNote = defineHandler({
  name: 'notice-and-note',
  on: ['prior_authorization.status_change'],
  async handle({ resource, changes, ehr, settings, signal }) {
    const news = resultNewsOf(resource)
    // Only a change is news.
    if (news === undefined || (changes.status === undefined && changes.outcome === undefined)) return
    const address = 'NOTICE_URL' in settings ? settings.NOTICE_URL : undefined
    if (typeof address !== 'string') throw new Error('NOTICE_URL is not set.')
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ text: news.text }), signal })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`The chat answered ${answer.status}.`)
    await ehr.putNote(resource, { key: 'notice', title: 'Notice to staff', text: `Staff were told: ${news.key}.` })
  },
})

/** Wrong: posts a notice without `once` and then writes to the chart, so a retry after the chart's failure posts it again. */
export const integration = defineIntegration({
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({ ehr: ehrFrom(settings), pharmacy: pharmacyFrom(settings) }),
  handlers: [...shippedHandlers, noticeAndNote],
})
