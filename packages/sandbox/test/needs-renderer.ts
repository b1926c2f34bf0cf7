import { findRenderer } from '../src/documents/reference.tsx'

/** The file that renders the reference. Where it is not installed: in CI an error; elsewhere `undefined`, after one line that says what is skipped. */
export const renderer = needsRenderer()

function needsRenderer(): string | undefined {
  const found = findRenderer()
  if (found !== undefined) return found
  const line = 'Redoc is not installed: the tests that need it are skipped (npm run reference installs it)'
  if (process.env.CI === 'true') throw new Error(line)
  process.stderr.write(`${line}\n`)
  return undefined
}
