import { readFile, writeFile } from 'node:fs/promises'
import { syncPas } from './sync-pas.ts'
import { medianOf, ratiosOf } from './compare.ts'
import { formatRatio } from './report.ts'
import type { Bench, Row } from './scenario.ts'
import { median } from './statistics.ts'
import { ours, written } from './whole-receivers.ts'

/** How many PAs pawl brings into step for the CPU that one costs the hand-written worker: the same on every machine. */
export interface Figure {
  date: string
  /** One event a PA. */
  one: number
  /** Five events a PA. */
  five: number
}

/** A loss of this part of the kept figure fails. */
const tolerated = 0.1
const file = new URL('guard.json', import.meta.url)
const [byHand, us] = [written.durable.name, ours.sqlite.name]
const kinds = [
  { key: 'one', title: 'one event a PA', suffix: '' },
  { key: 'five', title: 'five events a PA', suffix: 'OfFive' },
] as const

/** Measures pawl against the hand-written worker that shares its chart code, and holds it against the kept figure. */
export async function runGuard(
  bench: Bench,
  { keeps }: { keeps: boolean },
): Promise<{ text: string; isWorse: boolean }> {
  const size = { one: bench.pick(300, 100), five: bench.pick(150, 50) }
  const rows = await syncPas(bench, [written.durable, ours.sqlite], {
    size,
    turns: bench.pick(100, 2),
    longestMs: 155_000,
  })
  const ratio = (suffix: string) => median(ratiosOf(rows, `perCpuSecond${suffix}`, us, byHand))
  const measured = { date: new Date().toISOString().slice(0, 10), one: ratio(''), five: ratio('OfFive') }
  const elsewhere = medianOf(rows, us, 'foreign').toFixed(0)
  const lines = [
    `${rows[0]?.rounds.length} turns; others kept ${elsewhere} % of the cores busy`,
    ...kinds.flatMap((kind) => describe(rows, kind)),
  ]
  if (keeps && !Number.isNaN(measured.one + measured.five)) {
    await writeFile(file, `${JSON.stringify(measured, rounded, 2)}\n`)
    return { text: [...lines, 'kept    as the new figure'].join('\n'), isWorse: false }
  }
  // As it was kept.
  const verdict = judge(JSON.parse(await readFile(file, 'utf8')) as Figure, measured)
  return { text: [...lines, ...verdict.lines].join('\n'), isWorse: verdict.isWorse }
}

/** Whether pawl needs more CPU for a PA than when the figure was kept, and a sentence on each kind. */
export function judge(kept: Figure, measured: Figure): { lines: string[]; isWorse: boolean } {
  const verdicts = kinds.map(({ key, title }) => {
    const change = measured[key] / kept[key] - 1
    const isWorse = !(measured[key] > kept[key] * (1 - tolerated))
    if (Number.isNaN(change)) return { isWorse, line: `missed  ${title}: one of the two was not measured` }
    const compared = `CPU ratio ${measured[key].toFixed(2)}, ${kept[key].toFixed(2)} on ${kept.date} (${change < 0 ? '' : '+'}${(100 * change).toFixed(0)} %)`
    const line = isWorse
      ? `missed  ${title}: ${compared}: a PA takes more CPU than it did. Find out why, or keep the new figure with --guard --keep.`
      : `met     ${title}: ${compared}`
    return { isWorse, line }
  })
  return { lines: verdicts.map(({ line }) => line), isWorse: verdicts.some(({ isWorse }) => isWorse) }
}

function describe(rows: readonly Row[], { title, suffix }: (typeof kinds)[number]): string[] {
  const micros = (name: string, key: string) => medianOf(rows, name, `${key}${suffix}`).toFixed(0)
  const ratios = (key: string) => formatRatio(ratiosOf(rows, `${key}${suffix}`, us, byHand))
  const parts = ['main', 'ledger', 'others', 'servers'].map((key) => `${key} ${micros(us, key)}`)
  return [
    title,
    `  CPU us a PA   ${byHand} ${micros(byHand, 'cpu')} (Redis ${micros(byHand, 'servers')}), ${us} ${micros(us, 'cpu')} (${parts.join(', ')})`,
    `  CPU ratio     ${ratios('perCpuSecond')}   wall ratio ${ratios('rate')}`,
  ]
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(3)) : value
}
