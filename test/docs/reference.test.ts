import { describe, expect, it } from 'vitest'
import { renderReference } from '../../scripts/render-reference.ts'
import { readPage } from './readme-examples.ts'
import { eventKinds } from '../../packages/client/src/events/event-types.ts'

describe('docs/reference.md', () => {
  it('is as npm run write-reference writes it', async () => {
    expect(await readPage('docs/reference.md')).toBe(await renderReference())
  })
})

it('docs/handlers.md has a row for each event type', async () => {
  const page = await readPage('docs/handlers.md')
  const rows = [...page.matchAll(/^\| `((?:prior_authorization|benefit_verification)\.\w+)` +\|/gm)].map(
    ([, type = '']) => type,
  )
  expect(rows.toSorted()).toEqual(Object.keys(eventKinds).toSorted())
})
