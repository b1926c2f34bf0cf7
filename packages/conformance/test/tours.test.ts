import { readFileSync } from 'node:fs'
import { stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findMissing, readWalk } from '../../../test/docs/walked-page.ts'
import { conformance, root } from './run-conformance.ts'

/** What a page shows of a conformance run. */
const shownOf = (page: string) =>
  readWalk(readFileSync(join(root, page), 'utf8'))
    .flatMap(({ blocks }) => blocks)
    .find(({ kind, text }) => kind === 'text' && text.includes('every rule holds'))?.text ?? 'none'

it('a run without any time goes through the lists that each run has, prints what the page about the first handler shows, and says that a handler was edited meanwhile', async () => {
  const handler = join(root, 'templates/benefit-verification-to-ehr/handler.ts')
  const { atime, mtime } = await stat(handler)
  await utimes(handler, atime, new Date(Date.now() + 3_600_000))
  try {
    const { code, output } = await conformance('--minutes', '0', '--seed', '1')
    expect(findMissing(shownOf('docs/first-handler.md'), output), output).toBeUndefined()
    expect(output).toContain('The integration was edited during the run')
    expect(code).toBe(0)
  } finally {
    await utimes(handler, atime, mtime)
  }
})
