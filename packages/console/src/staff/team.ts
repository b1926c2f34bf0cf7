import { z } from 'zod'
import { waitReasons } from 'pawl-client/schemas/waits-for-people'

/** As a kind, files that a chart could not hold. */
export const filesKind = 'file'

/** Reasons and kinds that a team may take. */
export const takeable: readonly string[] = ['prior_authorization', 'benefit_verification', filesKind, ...waitReasons]

/** Staff who see to some of what waits for people. */
export const Team = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w -]{0,39}$/),
  /** Who gets the list by mail. */
  to: z.array(z.email()).min(1),
  /** Reasons and kinds; absent: all. */
  takes: z
    .array(z.string().refine((each) => takeable.includes(each)))
    .min(1)
    .optional(),
})
export type Team = z.infer<typeof Team>

/** Whether a team takes what has one of these reasons and kinds; every one is taken without a team. */
export function isTakenBy(team: Pick<Team, 'takes'> | undefined, ...named: readonly string[]): boolean {
  return team?.takes === undefined || team.takes.some((each) => named.includes(each))
}
