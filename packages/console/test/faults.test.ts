import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { sayFinding } from '../src/contract/status-verdict.ts'
import { catalogue, erasureSection, type FaultCode } from '../src/faults/catalogue.ts'
import type { FaultEntry } from '../src/faults/fault-entry.ts'
import { faultOf } from '../src/faults/fault.ts'
import { type WordedAlert, faultOfAlert } from '../src/faults/fault-of-alert.ts'
import { slugOf } from '../src/markdown.tsx'
import { refusalCheckOf } from '../src/faults/refusal-checks.ts'

const entries: [FaultCode, FaultEntry][] = Object.entries(catalogue).map(([code, entry]) => [code as FaultCode, entry])
const runbook = await readFile(new URL('../../../docs/runbook.md', import.meta.url), 'utf8')

describe('the catalogue of faults', () => {
  it('has a section of the runbook for each fault, and a fault for each section but that of erasure', () => {
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) => slugOf(title))
    const anchors = new Set(entries.map(([, { runbook: anchor }]) => anchor))
    expect(headings.toSorted()).toEqual([...anchors, erasureSection].toSorted())
  })

  it('has the titles that the first table of the runbook leads from', () => {
    const rows = [...runbook.matchAll(/^\| (`.*`) +\| \[.*\]\(#(.+)\) +\|$/gm)]
    expect(rows.length).toBeGreaterThan(15)
    for (const [, said = '', anchor] of rows)
      for (const [, title = ''] of said.matchAll(/`([^`]+)`/g)) {
        const isSaid = ({ title: template }: FaultEntry) =>
          new RegExp(`^${template.replaceAll(/\{\w+\}/g, '.+')}( \\(.*\\))?$`).test(title)
        const found = entries.filter(([, entry]) => entry.runbook === anchor && isSaid(entry))
        expect(found.length, title).toBeGreaterThan(0)
      }
  })

  it.each(entries)('%s says what to do, and names no init system', (_code, entry) => {
    const { title, effect = 'None.', todo, note = 'None.', command = 'pawl', page, act } = entry
    expect(title).not.toMatch(/[.:]$/)
    expect(effect).toMatch(/[.}]$/)
    expect(todo).toMatch(/[.:?]$/)
    expect(note).toMatch(/[.}]$/)
    expect(command).toMatch(/^(pawl|\{)/)
    expect(page === undefined).toBe(act === undefined)
    expect(JSON.stringify(entry)).not.toMatch(/systemctl|systemd|journalctl|launchd|docker/i)
  })

  it('leaves out the sentences whose facts are not known', () => {
    expect(faultOf('away', { name: 'ehr', System: 'The chart' })).not.toHaveProperty('effect')
    expect(faultOf('disk_full').todo).toBe("Make room in the ledger's folder, sparing its files.")
    expect(faultOf('disk_full')).toMatchObject({
      note: expect.not.stringContaining('MB are left') as string,
      command: 'df -h',
    })
  })
})

describe('the words of an alert', () => {
  const said = (alert: Omit<WordedAlert, 'level'> & { level?: number }) =>
    sayFinding(faultOfAlert({ level: 0, ...alert }), String)
  const about = (kind: WordedAlert['kind'], subject = '', count = 1) => ({ kind, subject, count })

  it.each([
    [
      { ...about('work', 'to-chart chart_locked', 2), level: 100 },
      '2 cases parked (to-chart: chart_locked). Nothing lost.',
    ],
    [
      { ...about('work_at_system', 'ehr timeout'), level: 50 },
      '1 case failing (the chart (ehr): no answer in time). Half of the attempts are used.',
    ],
    [
      { ...about('work_before_handlers', 'not_found_yet'), level: 100 },
      '1 case parked (before any handler: not_found_yet). Nothing lost.',
    ],
    [about('oldest_due', '', 18), 'Work has been due for 18 min.'],
    [about('paused', 'handler to-chart', 4), 'to-chart has been paused.'],
    [about('paused', 'all ', 4), 'All work has been paused.'],
    [about('unacknowledged', '1234567'), 'The pharmacy 1234567 has not acknowledged 1 transfer.'],
    [about('refused', 'token_invalid', 10), 'Deliveries have been refused (token_invalid). 10 within an hour.'],
    [about('refused', 'token_expired', 10), 'Deliveries have been refused (token_expired). 10 within an hour.'],
    [about('turned_away', 'disk_full'), 'Deliveries have been turned away (disk full). Some may be missed.'],
    [
      about('turned_away', 'too_many_in_flight', 10),
      'Deliveries have been turned away (too many at once). 10 within two minutes.',
    ],
    [
      { ...about('away', 'ehr'), errorCode: 'ehr_write_failed', httpStatus: 503 },
      'The chart has been away (HTTP 503).',
    ],
    [{ ...about('away', 'ehr'), errorCode: 'ehr_write_failed' }, 'The chart has been away.'],
    [
      { ...about('away', 'ehr'), errorCode: 'no answer within 15 s' },
      'The chart has been away (no answer within 15 s).',
    ],
    [{ ...about('away', 'ehr'), httpStatus: 401 }, "The chart has refused pawl's login (HTTP 401)."],
    [{ ...about('away', 'api'), httpStatus: 401 }, "The service has refused pawl's token (HTTP 401)."],
    [{ ...about('away', 'fax'), httpStatus: 403 }, 'The system fax has refused pawl (HTTP 403).'],
    [{ ...about('refuses', 'ehr', 2), httpStatus: 403 }, 'The chart has refused 2 kinds of request (HTTP 403).'],
    [
      { ...about('queue'), errorCode: 'ECONNREFUSED' },
      "The queue's server has not answered (ECONNREFUSED). Work begins later, nothing lost.",
    ],
    [about('audit'), 'The audit trail has been broken. All work continues.'],
    [about('audit_head', '7:abc'), 'The audit trail ends with 7:abc.'],
    [about('budget', 'read-endpoint-minute', 5), 'The rate limit read-endpoint-minute is nearly spent. 5 % are left.'],
    [about('retention', '', 26), 'Old contents have not been deleted for 26 h.'],
    [about('backup', '', 0), 'There is no backup.'],
    [about('backup', '', 27), 'The newest backup is 27 h old.'],
    [about('differs', 'ehr', 2), 'The chart does not show all as pawl wrote it. 2 cases differ.'],
    [about('target', 'url', 3), 'Alerts do not reach the target url. 3 attempts failed.'],
  ])('of %j are those of the catalogue', (alert, words) => {
    expect(said(alert)).toBe(words)
  })

  it('say since when, unless they state an age, and how many cases wait; of an alert that is over, the most', () => {
    const beganAt = Date.UTC(2026, 0, 31, 22, 3)
    const away = { ...about('away', 'ehr'), level: 0, httpStatus: 503, beganAt }
    const waitingCases = [{ system: 'ehr', count: 5 }]
    const say = (...of: Parameters<typeof faultOfAlert>) => sayFinding(faultOfAlert(...of), clock)
    const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
    expect(say(away, { waitingCases })).toBe(
      'The chart has been away since 22:03 (HTTP 503). 5 cases wait, nothing lost.',
    )
    const closedAt = beganAt + 1
    expect(say({ ...away, closedAt }, { waitingCases })).toBe('The chart has been away since 22:03 (HTTP 503).')
    expect(say({ ...about('oldest_due', '', 18), level: 0, beganAt })).toBe('Work has been due for 18 min.')
    const parked = { ...about('work', 'to-chart chart_locked', 6), most: 12, level: 100, beganAt }
    expect(faultOfAlert(parked).title).toBe('6 cases parked')
    expect(faultOfAlert({ ...parked, closedAt }).title).toBe('12 cases parked')
    expect(faultOfAlert({ ...about('budget', 'minute', 2), most: 9, level: 0, closedAt }).effect).toBe('2 % are left.')
  })

  it('name the command and the page for exactly the work that failed', () => {
    expect(faultOfAlert({ ...about('work', 'to-chart chart_locked'), level: 100 })).toMatchObject({
      command: 'pawl retry --handler to-chart --error chart_locked',
      page: '/parked?handler=to-chart&error=chart_locked',
    })
    expect(faultOfAlert({ ...about('work_at_system', 'ehr timeout'), level: 50 })).toMatchObject({
      command: 'pawl due --error timeout',
      page: '/parked?system=ehr&error=timeout',
    })
    expect(faultOfAlert({ ...about('paused', 'all '), level: 0 }).command).toBe('pawl resume --all')
    expect(faultOfAlert({ ...about('paused', 'handler to-chart'), level: 0 }).command).toBe(
      'pawl resume to-chart --kind handler',
    )
  })

  it('hold no text that may be about a patient', () => {
    const alert = { ...about('work', 'to-chart Testa Sample'), level: 100, errorCode: 'Testa Sample' }
    expect(JSON.stringify(faultOfAlert(alert))).not.toContain('Testa')
    expect(JSON.stringify(faultOfAlert({ ...alert, kind: 'away', subject: 'Testa Sample' }))).not.toContain('Sample')
  })

  it('advise on each reason of a refusal', () => {
    expect(faultOfAlert({ ...about('refused', 'token_expired'), level: 0 }).note).toBe(refusalCheckOf('token_expired'))
  })
})
