import { createHash } from 'node:crypto'
import { dayOf } from '@pawl/base/days'
import { queryOf } from '@pawl/base/pages/query'
import type { AlertMessage } from '../alerts/message.ts'
import { addressOfResource } from '../pages/words.ts'
import type { StaffEntry } from './staff-list.ts'
import type { Team } from './team.ts'

/** Where links of a digest lead; absent: nowhere. */
export interface DigestLinks {
  /** Address of the console. */
  adminUrl: string | undefined
  /** Address of a PA for people, with `{id}`. */
  caseUrl: string | undefined
}

/** The mail with all that waits for a team: ids, codes and times, nothing of a patient. */
export function staffDigestOf(
  team: Team,
  { entries, isAll, dueAt }: { entries: readonly StaffEntry[]; isAll: boolean; dueAt: number },
  links: DigestLinks,
): AlertMessage {
  const { adminUrl } = links
  const subject = `pawl: ${entries.length}${isAll ? '' : ' and more'} waiting for ${team.name}`
  const page = adminUrl && `${withoutSlash(adminUrl)}/work-queue${queryOf({ team: team.name })}`
  const text = [
    `${subject}, the longest waiting first.`,
    ...entries.flatMap((entry) => ['', ...linesOf(entry, links)]),
    ...(page === undefined ? [] : ['', `The whole list: ${page}`]),
  ].join('\n')
  const key = createHash('sha256').update(`${team.name} ${dueAt}`).digest('hex').slice(0, 24)
  return { id: `staff_${key}`, at: dueAt, subject, text, alerts: [] }
}

function linesOf({ id, kind, since, due }: StaffEntry, { adminUrl, caseUrl }: DigestLinks): string[] {
  const ofCase = kind === 'prior_authorization' ? caseUrl?.replaceAll('{id}', encodeURIComponent(id)) : undefined
  const ofConsole = adminUrl && `${withoutSlash(adminUrl)}${addressOfResource(id)}`
  return [
    `- ${due}.`,
    `  ${id}, since ${dayOf(new Date(since))}`,
    ...[ofCase, ofConsole].flatMap((link) => (link === undefined ? [] : [`  ${link}`])),
  ]
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')
