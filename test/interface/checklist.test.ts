import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const document = readFileSync(`${root}docs/interface.md`, 'utf8')

/** Everything from the first heading on; what stands above it explains the page. */
const lines = document.slice(document.indexOf('\n## ')).split('\n')
const statements = lines.filter((line) => line !== '' && !line.startsWith('#'))

const form =
  /^- \[(?<state>done|choice|open)\] .+?\.(?<chosen> Chosen: .+?\.)?(?<reason> Reason: .+?\.)? Code: (?<code>`[^`]+`(?:, `[^`]+`)*)\.(?: Tests: (?<tests>.+)\.)?$/

interface Statement {
  line: string
  state: string
  chosen: string | undefined
  reason: string | undefined
  code: string[]
  /** Each test file with fragments of it. */
  tests: [file: string, fragments: string[]][]
}

function parse(line: string): Statement | undefined {
  const groups = form.exec(line)?.groups
  if (groups === undefined) return undefined
  const tests = (groups.tests?.split(/; (?=`test\/)/) ?? []).map((part): [string, string[]] => {
    const [file = '', ...fragments] = spans(part)
    return [file, fragments]
  })
  return {
    line,
    state: groups.state ?? '',
    chosen: groups.chosen,
    reason: groups.reason,
    code: spans(groups.code ?? ''),
    tests,
  }
}

const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

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
    const named = new Set(read.flatMap(({ code, tests }) => [...code, ...tests.map(([file]) => file)]))
    expect([...named].filter((file) => !/^(src|test)\//.test(file) || !existsSync(root + file))).toEqual([])
  })

  it('quotes only what stands in the test that it names', () => {
    const texts = new Map<string, string>()
    const textOf = (file: string) => {
      const text = texts.get(file) ?? readFileSync(root + file, 'utf8')
      texts.set(file, text)
      return text
    }
    const missing = read.flatMap(({ tests }) =>
      tests.flatMap(([file, fragments]) =>
        fragments.length === 0
          ? [`${file}: nothing`]
          : fragments.filter((fragment) => !textOf(file).includes(fragment)).map((fragment) => `${file}: ${fragment}`),
      ),
    )
    expect(missing).toEqual([])
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
