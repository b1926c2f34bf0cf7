import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A test file that a document names, with fragments of it. */
export type CitedTest = readonly [file: string, fragments: readonly string[]]

/** The text of a file of the project, by its path from the root. */
export const readText = (path: string) => readFileSync(root + path, 'utf8')

/** What stands between backticks. */
export const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

/** Reads `` `test/a.test.ts`: `title`, `title`; `test/b.test.ts`: `title` ``. */
export function readCitedTests(text: string): CitedTest[] {
  return text.split(/; (?=`test\/)/).map((part): CitedTest => {
    const [file = '', ...fragments] = spans(part)
    return [file, fragments]
  })
}

/** Those of these files that are not there, or not where code and tests are. */
export function findMissingFiles(files: Iterable<string>): string[] {
  return [...new Set(files)].filter((file) => !/^(src|test)\//.test(file) || !existsSync(root + file))
}

/** What is quoted but does not stand in the file, and files of which nothing is quoted. */
export function findMissingFragments(tests: readonly CitedTest[]): string[] {
  const texts = new Map<string, string>()
  const textOf = (file: string) => {
    const text = texts.get(file) ?? readText(file)
    texts.set(file, text)
    return text
  }
  return tests.flatMap(([file, fragments]) =>
    fragments.length === 0
      ? [`${file}: nothing`]
      : fragments.filter((fragment) => !textOf(file).includes(fragment)).map((fragment) => `${file}: ${fragment}`),
  )
}
