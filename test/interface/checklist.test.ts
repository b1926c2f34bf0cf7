import { describe, expect, it } from 'vitest'
import { citedTests, findMissingFiles, readText, spans } from './cited-tests.ts'

const document = readText('docs/interface.md')

/** Everything from the first heading on; what stands above it explains the page. */
const lines = document.slice(document.indexOf('\n## ')).split('\n')
const statements = lines.filter((line) => line !== '' && !line.startsWith('#'))

const form =
  /^- (?:\[(?<state>choice|open)\] )?(?!\[).+?\.(?<chosen> Chosen: .+?\.)?(?<reason> Reason: .+?\.)? (?<code>`(?:src|packages)\/[^`]+`(?:, `(?:src|packages)\/[^`]+`)*)(?:; (?<tests>.+))?\.$/

interface Statement {
  line: string
  state: string
  chosen: string | undefined
  reason: string | undefined
  code: string[]
  tests: string[]
}

function parse(line: string): Statement | undefined {
  const groups = form.exec(line)?.groups
  if (groups === undefined) return undefined
  return {
    line,
    state: groups.state ?? 'done',
    chosen: groups.chosen,
    reason: groups.reason,
    code: spans(groups.code ?? ''),
    tests: citedTests(groups.tests ?? ''),
  }
}

const parsed = statements.map((line) => ({ line, statement: parse(line) }))
const read = parsed.flatMap(({ statement }) => statement ?? [])

describe('the checklist of the interface', () => {
  it('has a state, its code and its tests on every line', () => {
    expect(parsed.filter(({ statement }) => statement === undefined).map(({ line }) => line)).toEqual([])
    for (const { line, state, chosen, reason, tests } of read) {
      expect({ line, isChosen: chosen !== undefined }).toEqual({ line, isChosen: state === 'choice' })
      expect({ line, hasReason: reason !== undefined }).toEqual({ line, hasReason: state === 'open' })
      if (state !== 'open') expect({ line, tests: tests.length }).not.toEqual({ line, tests: 0 })
    }
  })

  it('names only files that exist', () => {
    expect(findMissingFiles(read.flatMap(({ code, tests }) => [...code, ...tests]))).toEqual([])
  })

  it('has the headings of both documents, each with statements', () => {
    const headings = lines.filter((line) => line.startsWith('## '))
    expect(headings.filter((line) => line.startsWith('## Specification: ')).length).toBeGreaterThanOrEqual(9)
    expect(headings.filter((line) => line.startsWith('## Supplement: ')).length).toBeGreaterThanOrEqual(7)
    const count = (state: string) => read.filter((statement) => statement.state === state).length
    const counts = ['done', 'choice', 'open'].map((state) => `${count(state)} ${state}`)
    process.stdout.write(`docs/interface.md: ${read.length} statements, ${counts.join(', ')}\n`)
    expect(read.length).toBe(statements.length)
  })
})
