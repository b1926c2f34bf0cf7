import { describe, expect, it } from 'vitest'
import * as kit from '#pawl/testing'
import { renderReference } from '../../scripts/render-reference.ts'
import { createMemoryEhr } from '../../packages/ehr/src/memory/memory-ehr.ts'
import { createMemoryPharmacy } from '../../packages/pharmacy/src/memory/memory-pharmacy.ts'
import { createApi } from '../../packages/client/src/api/client.ts'
import { createTestRun } from '../support/run-context.ts'
import { readPage } from './readme-examples.ts'

/** The rows of the tables below a heading. */
function rowsUnder(page: string, heading: string): string[][] {
  const [, after = ''] = page.split(`\n${heading}\n`)
  const [own = ''] = after.split(/^#/m)
  const rows = [...own.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(/(?<!\\\\) \| /))
  return rows.filter(([first = '']) => first.startsWith('`'))
}

const namesUnder = (page: string, heading: string) =>
  rowsUnder(page, heading).map(([signature = '']) => /^`(\w+)/.exec(signature)?.[1] ?? signature)

describe('docs/reference.md', () => {
  it('is as npm run write-reference writes it', async () => {
    expect(await readPage('docs/reference.md')).toBe(await renderReference())
  })

  it('has each method of chart, pharmacy and client, and each builder', async () => {
    const page = await readPage('docs/reference.md')
    expect(namesUnder(page, '## `ehr`').toSorted()).toEqual(
      Object.keys(createMemoryEhr().open(createTestRun())).toSorted(),
    )
    expect(namesUnder(page, '## `pharmacy`')).toEqual(Object.keys(createMemoryPharmacy().open(createTestRun())))
    const { forRun: _, ...calls } = createApi({ baseUrl: 'https://service.example', token: 'a-token' })
    expect(namesUnder(page, '## `api`').toSorted()).toEqual(Object.keys(calls).toSorted())
    const builders = Object.keys(kit).filter((name) =>
      /^an?[A-Z]|^approved$|^denied$|^notSubmitted$|^other$/.test(name),
    )
    expect(namesUnder(page, '## Builders of `#pawl/testing`').toSorted()).toEqual(builders.toSorted())
  })

  it('has each field of a resource with its type and its meaning', async () => {
    const page = await readPage('docs/reference.md')
    for (const [heading, built] of [
      ['### PriorAuthorization', kit.aPriorAuthorization({ prescription_transfer: kit.aTransfer() })],
      ['### BenefitVerification', kit.aBenefitVerification()],
      ['### ProviderOutreach', kit.aProviderOutreach()],
    ] as const) {
      const rows = rowsUnder(page, heading)
      expect(rows.filter(([, type = '', meaning = '']) => type === '' || meaning === '')).toEqual([])
      expect(rows.map(([path]) => path)).toEqual(expect.arrayContaining(pathsIn(built).map((path) => `\`${path}\``)))
    }
  })
})

function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const own = path === '' ? name : `${path}.${name}`
    return [own, ...pathsIn(field, own)]
  })
}
