import { describe, expect, it } from 'vitest'
import { citedTests, findMissingFiles, readText } from './cited-tests.ts'

interface Promised {
  section: string
  text: string
  tests: string[]
}

/** Every line of the lists, with the tests that the line below it names. */
function readPromises(): Promised[] {
  const [, ...sections] = readText('docs/failure.md').split('\n## ')
  return sections.flatMap((section) => {
    const [heading = '', ...lines] = section.split('\n')
    return lines.flatMap((text, index) => {
      const tests = /^ {2}Tests: (.+)\.$/.exec(lines[index + 1] ?? '')?.[1]
      return text.startsWith('- ') ? [{ section: heading, text, tests: citedTests(tests ?? '') }] : []
    })
  })
}

const promises = readPromises()

describe('the page about failure', () => {
  it('names tests for every promise', () => {
    expect(promises.length).toBeGreaterThan(80)
    const shown = promises.filter(({ section }) => section !== 'What is not promised')
    expect(shown.filter(({ tests }) => tests.length === 0).map(({ text }) => text)).toEqual([])
    expect(readText('docs/failure.md').match(/^ +Tests: /gm)).toHaveLength(
      promises.filter(({ tests }) => tests.length > 0).length,
    )
  })

  it('names only files that exist', () => {
    expect(findMissingFiles(promises.flatMap(({ tests }) => tests))).toEqual([])
  })
})
