import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The text of a file of the project, by its path from the root. */
export const readText = (path: string) => readFileSync(root + path, 'utf8')

/** Texts between backticks. */
export const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

/** Paths from the root of the test files in links of a page in docs, such as `[a.test.ts](../test/a.test.ts)`. */
export const citedTests = (text: string) => [...text.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file)

/** Those of these files that are not there, or not where code and tests are. */
export function findMissingFiles(files: Iterable<string>): string[] {
  return [...new Set(files)].filter(
    (file) => !/^(src|packages|test|templates)\//.test(file) || !existsSync(root + file),
  )
}
