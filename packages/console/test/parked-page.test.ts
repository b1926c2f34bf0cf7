import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import type { Away } from '../../ledger/src/away.ts'
import type { WorkGroup } from '../../ledger/src/views/work-group.ts'
import { ParkedPage } from '../src/pages/parked.tsx'
import { ViewerContext } from '../src/pages/viewer.tsx'

const now = Date.UTC(2026, 0, 31, 22, 13)
const operator = { name: undefined, rights: new Set(['operate'] as const), formToken: '', hasSession: false }
const group: WorkGroup = {
  state: 'waiting',
  handler: 'to-chart',
  system: 'api',
  errorCode: 'system_down',
  count: 12,
  cases: 12,
  newest: 1,
  newestAt: now,
  oldestAt: now,
  message: 'The system api is away (api_unauthorized); the work waits until it is back.',
}
const token: Away = { system: 'api', forMs: 1, error: { code: 'api_unauthorized', message: '', httpStatus: 401 } }

/** The page, and of its one cause the title, its main buttons and links, and where "What to do" leads. */
function show(of: Partial<WorkGroup>, away: readonly Away[] = []) {
  const matching = [{ ...group, ...of }]
  const absence = { away, alerts: [] }
  const lists = { all: matching, matching, retriable: matching, work: [] }
  const page = h(ParkedPage, { filter: {}, ...lists, amendable: undefined, next: undefined, done: {}, absence, now })
  const html = renderToString(h(ViewerContext.Provider, { value: operator, children: page }))
  const seen = {
    title: /<h2>(.*?) <span/.exec(html)?.[1],
    main: [...html.matchAll(/class="(?:button )?act"[^>]*>([^<]*)</g)].map(([, text]) => text),
    runbook: /"\/runbook#([^"]*)">\s*What to do/.exec(html)?.[1],
    canRetry: html.includes('Retry 10 first'),
  }
  return { seen, html }
}

describe('the page of failing and parked work', () => {
  it('is red, and says what to do, where waiting work needs a person', () => {
    const { html } = show({}, [token])
    expect(html).toContain('<section class="cause bad"')
    expect(html).toContain('Renew API_TOKEN')
    expect(html).not.toContain('until it is back.</p>')
    expect(show({ system: 'ehr' }).html).toContain('<section class="cause wait"')
  })

  it('titles waiting work as the catalogue does, and offers the runbook before a retry', () => {
    const asks = { main: ['What to do'], canRetry: true }
    expect(show({}, [token]).seen).toEqual({
      ...asks,
      title: "The service has refused pawl's token",
      runbook: 'the-api-token-expired',
    })
    const away = { system: 'ehr', forMs: 1, error: { code: 'ehr_write_failed', message: '', httpStatus: 503 } }
    const chart = { title: 'The chart has been away', runbook: 'the-chart-is-down' }
    expect(show({ system: 'ehr' }, [away]).seen).toEqual({ ...asks, ...chart })
    const tasks = { ...away, request: 'PUT /Task', error: { ...away.error, httpStatus: 403 } }
    expect(show({ system: 'ehr', errorCode: 'request_refused' }, [token, tasks]).seen).toEqual({
      ...asks,
      title: 'The chart has refused PUT /Task',
      runbook: 'the-chart-refuses-one-kind-of-request',
    })
    expect(show({ system: 'ehr' }).seen.title).toBe('pawl is trying the chart (ehr) again')
    expect(show({ system: 'ehr', errorCode: 'system_paused' }).seen).toMatchObject({ runbook: 'work-is-paused' })
  })

  it('offers a retry first where it may help, and not for what a system refuses', () => {
    const parked = { state: 'parked', system: '', errorCode: 'unexpected' } as const
    expect(show(parked).seen).toMatchObject({ main: ['Retry 10 first'], runbook: 'a-handlers-bug-parked-work' })
    expect(show({ ...parked, system: 'ehr', errorCode: 'ehr_write_failed', httpStatus: 422 }).seen).toEqual({
      title: 'The chart refuses: HTTP 422',
      main: ['What to do'],
      runbook: 'the-chart-refuses-one-resource',
      canRetry: true,
    })
  })
})
