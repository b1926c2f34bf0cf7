import { documentedErrors } from 'pawl-client/schemas/documented-errors'
import { allDetailCodes, detailCodes } from 'pawl-client/schemas/outcome'
import { commonErrors, nameOf, operations } from '../platform/operations.ts'
import type { Delay, Row } from '../platform/machine.ts'
import { detailCodeMeanings } from './detail-code-meanings.ts'
import { remedies, uncodedRemedies } from './error-texts.ts'
import { type LifeCycle, lifeCycles } from './life-cycles.ts'

/** Chapters of the reference besides the operations, as tags without operations; their text is Markdown. */
export const referenceTexts = () => [
  { name: 'Statuses', description: lifeCycles.map(lifeCycleText).join('\n\n'), 'x-traitTag': true },
  { name: 'Detail codes of an outcome', description: detailCodeText(), 'x-traitTag': true },
  { name: 'Errors', description: errorText(), 'x-traitTag': true },
]

function lifeCycleText({ title, note, rows, meanings, conditions }: LifeCycle): string {
  const states = Object.entries(meanings).map(([state, meaning]) => [
    `\`${state}\`${rows.some(({ from, to }) => from === state && to !== state) ? '' : ' (terminal)'}`,
    meaning,
  ])
  const moves = rows.map((row) => [`\`${row.from}\``, `\`${row.to}\``, ...whenAndAfter(row, conditions)])
  return `## ${title}

${note}

${table(['State', 'Meaning'], states)}

The first move whose condition holds is taken. Delays are in sandbox time, and guesses.

${table(['From', 'To', 'When', 'After'], moves)}`
}

function whenAndAfter({ when, after }: Row<string, string>, conditions: LifeCycle['conditions']): [string, string] {
  const condition = when === undefined ? (after === undefined ? 'on request' : 'otherwise') : (conditions[when] ?? when)
  return [condition, after === undefined ? 'immediately' : spanOf(after)]
}

/** A delay in minutes, or in hours where both ends are whole hours. */
function spanOf([min, max]: Delay): string {
  const isHours = min % 3_600_000 === 0 && max % 3_600_000 === 0
  const [unit, word] = isHours ? [3_600_000, 'hours'] : [60_000, 'minutes']
  return `${min / unit} to ${max / unit} ${word}`
}

function detailCodeText(): string {
  const resultsOf = (code: string) =>
    Object.entries(detailCodes)
      .filter(([, codes]) => codes.some((one) => one === code))
      .map(([result]) => result)
      .join(', ')
  const codes = [...new Set(allDetailCodes)]
  const rows = codes.map((code) => [`\`${code}\``, detailCodeMeanings[code], resultsOf(code)])
  return table(['Code', 'Meaning', 'Result'], rows)
}

function errorText(): string {
  const texts: Record<string, string> = remedies
  const coded = Object.entries(documentedErrors).map(([code, [status, title, description]]) => [
    `\`${code}\``,
    String(status),
    `${title}. ${description}`,
    texts[code] ?? '',
    placesOf(code),
  ])
  return table(
    ['Code', 'Status', 'Meaning', 'What to do', 'Answered by'],
    [
      ...coded,
      [
        '`rate_limit_exceeded`',
        '429',
        'A limit of the organization is used up.',
        remedies.rate_limit_exceeded,
        everywhere,
      ],
      ['`detail`, a sentence', '400, 404', 'Without a code.', uncodedRemedies.DetailError, 'operations on a PA'],
      ['`detail`, a list', '422', 'The request does not fit its schema.', uncodedRemedies.ValidationError, everywhere],
    ],
  )
}

const everywhere = 'every operation'

function placesOf(code: string): string {
  if (commonErrors.some((one) => one === code)) return everywhere
  return operations
    .filter(({ errors }) => errors.some((one) => one === code))
    .map((operation) => `\`${nameOf(operation)}\``)
    .join(', ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
