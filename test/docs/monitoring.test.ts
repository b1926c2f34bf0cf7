import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createMetrics } from '../../packages/console/src/metrics.ts'
import { describeWithPromtool, promtool } from '../support/promtool.ts'

const folder = fileURLToPath(new URL('../../docs/monitoring', import.meta.url))
const read = (name: string) => readFile(`${folder}/${name}`, 'utf8')

const Dashboard = z.looseObject({
  panels: z.array(z.looseObject({ title: z.string(), targets: z.array(z.looseObject({ expr: z.string() })) })),
})

/** The names of all time series that a pawl shows. */
function knownSeries(): Set<string> {
  const { registry } = createMetrics({
    readCounts: () => Promise.reject(new Error('not asked')),
    readLags: () => Promise.reject(new Error('not asked')),
    readBreakers: () => ({}),
    readPauses: () => [],
  })
  // Its type knows no more of a metric than its help; what is registered has a kind too.
  const metrics = registry.getMetricsAsArray() as { name: string; type?: unknown }[]
  return new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
  )
}

const seriesIn = (text: string) => [...text.matchAll(/\bpawl_[a-z_]+/g)].map(([name]) => name)

async function readExpressions(): Promise<string[]> {
  const { panels } = Dashboard.parse(JSON.parse(await read('dashboard.json')))
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}

it('rules, their tests and the dashboard name only what pawl shows, and the dashboard all of it', async () => {
  const known = knownSeries()
  const rules = [...(await read('alerts.yml')).matchAll(/^ +expr: (.*)$/gm)].map(([, expr = '']) => expr)
  const shown = (await readExpressions()).flatMap(seriesIn)
  const named = [...seriesIn(rules.join('\n')), ...seriesIn(await read('alert-cases.yml')), ...shown]
  expect(rules.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.has(name))).toEqual([])
  const families = [...known].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  expect(families.filter((family) => !shown.some((name) => name.startsWith(family)))).toEqual([])
})

it('every rule says what happened, what to do, and where docs/operating.md goes on, and has a test', async () => {
  const text = await read('alerts.yml')
  const tests = await read('alert-cases.yml')
  const page = await readFile(`${folder}/../operating.md`, 'utf8')
  const anchors = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  for (const rule of text.split('- alert: ').slice(1)) {
    const name = rule.split('\n', 1)[0] ?? ''
    expect(rule, name).toMatch(/^ +summary: \S.{15}/m)
    expect(rule, name).toMatch(/^ +action: \S.{30}/m)
    expect(anchors, name).toContain(/runbook: docs\/operating\.md#(.*)$/m.exec(rule)?.[1])
    expect(tests).toContain(`- name: ${name}\n`)
  }
})

describeWithPromtool('the alert rules', () => {
  it('are rules that Prometheus takes', () => {
    expect(promtool(['check', 'rules', 'alerts.yml'], { folder })).toMatchObject({ code: 0 })
  })

  it('fire when they should, and not before', () => {
    expect(promtool(['test', 'rules', 'alert-cases.yml'], { folder })).toMatchObject({ code: 0 })
  })
})

describeWithPromtool('the expressions of the dashboard', () => {
  it('are expressions that Prometheus takes', async () => {
    const rules = (await readExpressions()).map((expr, n) => ({
      record: `shown:${n}`,
      expr: expr.replaceAll(/\$\w+/g, '5m'),
    }))
    const folder = await mkdtemp(join(tmpdir(), 'pawl-rules-'))
    try {
      // Every JSON document is YAML.
      await writeFile(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'shown', rules }] }))
      expect(promtool(['check', 'rules', 'rules.yml'], { folder })).toMatchObject({ code: 0 })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
