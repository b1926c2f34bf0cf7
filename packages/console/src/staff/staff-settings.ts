import { z } from 'zod'
import { type GivenSettings, json, type ValuesOf } from '@pawl/base/setting-types'
import type { alertSettings } from '../alerts/settings.ts'
import { takeable, Team } from './team.ts'

/** Who is told what waits for people, and when. */
export const staffSettings = {
  STAFF_TEAMS: json(
    z
      .array(Team)
      .min(1)
      .refine((teams) => new Set(teams.map(({ name }) => name)).size === teams.length),
    `must be a JSON array of teams, each with a name of its own of letters, digits, spaces, _ and -, with addresses in to, and optionally with takes out of ${takeable.join(', ')}`,
  )
    .optional()
    .describe(
      'Teams to which the list of what waits for people is mailed once a day, and by which the page For people filters it, as JSON: [{"name":"Appeals","to":["appeals@clinic.example"],"takes":["denied","file"]}]. takes: reasons and kinds; absent: all. It needs ALERT_EMAIL_FROM and SMTP_URL.',
    ),
  STAFF_DIGEST_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 07:00')
    .default('07:00')
    .describe('Time of day at which that list is mailed, in the time zone TZ; nothing is mailed where nothing waits.'),
}

type AlertSettings = typeof alertSettings

export function checkStaff({
  given,
  needed,
  installed,
}: GivenSettings<keyof typeof staffSettings | keyof AlertSettings>): void {
  if (given.STAFF_TEAMS === undefined) return
  needed('ALERT_EMAIL_FROM', 'mail to STAFF_TEAMS has a sender')
  needed('SMTP_URL', 'a mail server sends the mail to STAFF_TEAMS')
  installed('STAFF_TEAMS', ['nodemailer'])
}

/** The teams, the time of day of their mail, and the way that it goes. */
export function staffFrom(settings: ValuesOf<typeof staffSettings & AlertSettings>) {
  const { STAFF_TEAMS: teams = [], STAFF_DIGEST_AT: at, ALERT_EMAIL_FROM: from, SMTP_URL: smtpUrl } = settings
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  return { teams, at: { hours, minutes }, mail: from && smtpUrl ? { from, smtpUrl } : undefined }
}
