import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { startSandbox, startWebhook } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

/** A sandbox with 60 BVs and a PA, the newest case. */
async function start() {
  const { receiver, webhook } = await startWebhook()
  const started = await startSandbox({ organizations: [{ id: 'org_a', webhooks: [webhook] }] })
  const { sandbox, create } = started
  const ids: string[] = []
  for (let made = 0; made < 60; made += 1) ids.push(await create('/benefit-verification', benefitVerification()))
  sandbox.controls.setClock({ advanceMs: 60_000 })
  const pa = await create('/prior-authorization', priorAuthorization())
  const get = async (path: string) => (await request(sandbox.app).get(path).expect(200)).text
  /** The cases on a page, in their order. */
  const casesOn = (text: string) => [...text.matchAll(/aria-label="Copy ([^"]+)"/g)].map(([, id = '']) => id)
  const olderOn = (text: string) => /id="older" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  return { ...started, receiver, ids, pa, get, casesOn, olderOn }
}

describe('the lists of the pages', () => {
  it('show the newest cases first, a page at a time, each once', async () => {
    const { ids, pa, get, casesOn, olderOn } = await start()
    const first = await get('/_sandbox/pages/cases')
    expect(casesOn(first)).toHaveLength(50)
    expect(casesOn(first)[0]).toBe(pa)
    const second = await get(olderOn(first) ?? '')
    expect(olderOn(second)).toBeUndefined()
    expect([...casesOn(first), ...casesOn(second)].toSorted()).toEqual([...ids, pa].toSorted())
  })

  it('are filtered by kind and status', async () => {
    const { sandbox, ids, pa, get, casesOn } = await start()
    expect(casesOn(await get('/_sandbox/pages/cases?kind=prior_authorization'))).toEqual([pa])
    sandbox.controls.push(ids[3] ?? '', 'completed')
    const completed = await get('/_sandbox/pages/cases?kind=benefit_verification&status=completed')
    expect(casesOn(completed)).toEqual([ids[3]])
    expect(casesOn(await get('/_sandbox/pages/cases?kind=nothing_known&status='))).toHaveLength(50)
  })

  it('answer 404 as a page for an unknown case or delivery', async () => {
    const { sandbox } = await startSandbox()
    for (const path of [
      '/_sandbox/pages/cases/pa_req_none',
      '/_sandbox/pages/deliveries/7',
      '/_sandbox/pages/nothing',
    ]) {
      const { headers, text } = await request(sandbox.app).get(path).expect(404)
      expect(headers['content-type']).toContain('text/html')
      expect(text).toContain('role="alert"')
    }
  })

  it('escape user input', async () => {
    const { sandbox, create } = await startSandbox()
    const id = await create('/prior-authorization', priorAuthorization())
    sandbox.controls.addMessage(id, { content: '<script>alert(1)</script>' })
    const { text } = await request(sandbox.app).get(`/_sandbox/pages/cases/${id}`).expect(200)
    expect(text).toContain('&lt;script>alert(1)')
    expect(text).not.toContain('<script>alert')
    const { text: echoed } = await request(sandbox.app).get('/_sandbox/pages/deliveries?resource="><script>x</script>')
    expect(echoed).not.toContain('<script>x')
  })
})
