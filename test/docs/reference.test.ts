import { describe, expect, it } from 'vitest'
import { renderReference } from '../../scripts/render-reference.ts'
import { readPage } from './readme-examples.ts'

describe('docs/reference.md', () => {
  it('is as npm run write-reference writes it', async () => {
    expect(await readPage('docs/reference.md')).toBe(await renderReference())
  })
})
