import type { Finding } from '../contract/status-verdict.ts'
import { allWork, isPaused } from '../pausing.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts } from './facts.ts'
import { inCases } from './phrases.ts'

/** A time of which deliveries may be missing. */
export interface Gap {
  from: number
  to: number
  why: string
  runbook: string
  /** What else is lost with it; a sentence after a space. */
  note?: string
  /** A command that reads what the log of pawl knows of it. */
  command?: string
}

/** Whether all that changed since its beginning was asked for after its end. */
export function isAskedFor({ from, to }: Pick<Gap, 'from' | 'to'>, { reconciled }: Facts): boolean {
  return reconciled !== undefined && reconciled.at > to && reconciled.since <= from
}

/** The cases that asking for all that pawl knows does not bring: those that were new while deliveries were missed. Told until somebody says that none is missing, as pawl cannot know of them. */
export function unheardCases(gaps: readonly Gap[], facts: Facts): Finding[] {
  const { noneMissingAt = 0, readById = [] } = facts
  return gaps
    .filter((gap) => isAskedFor(gap, facts) && noneMissingAt <= gap.to)
    .map(({ from, to, why, runbook, note = '', command }) => {
      const read = readById.filter(({ at }) => at > to).reduce((sum, { count }) => sum + count, 0)
      return {
        tone: 'warn',
        what: read === 0 ? 'New cases may be missing' : 'Other new cases may be missing',
        since: from,
        why,
        effect:
          read === 0
            ? 'Who asked for them has their ids.'
            : `${inCases(read)} ${read === 1 ? 'was' : 'were'} read by id.`,
        todo: 'Read them by id.',
        note: `Cases that were new then are not known to pawl, until their next webhook.${note}`,
        runbook,
        page: '/ask#resources',
        act: 'Read them by id',
        deeds: [{ do: 'none_missing', isRest: read > 0 }],
        ...(command !== undefined && { command }),
      }
    })
}

/** Whether it tells of cases that pawl cannot know. */
export function isAboutUnheard({ deeds = [] }: Finding): boolean {
  return deeds.some((deed) => deed.do === 'none_missing')
}

/** The time that a ledger lacks which a start found, with all work paused: since its newest delivery. */
export function gapOfPausedStart({ pausedStart, pauses }: Facts): Gap[] {
  if (pausedStart === undefined || isPaused(pauses, allWork)) return []
  const { at, newestAt = at } = pausedStart
  return [
    {
      from: newestAt,
      to: at,
      why: 'a restored backup',
      runbook: runbookSections.backup,
      note: ' Erase again who was erased since that backup. The log has ids, too; this reads them:',
      command: `journalctl -u 'pawl@*' -o cat --since @${Math.floor(newestAt / 1_000)} | grep '"msg":"delivery"' | grep -oE '"resource_id":"[^"]+' | cut -d'"' -f4 | sort -u | xargs pawl sync`,
    },
  ]
}
