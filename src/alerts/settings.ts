import { z } from 'zod'
import {
  address,
  count,
  type GivenSettings,
  httpAddress,
  list,
  signingSecrets,
  type ValuesOf,
  whole,
} from '../base/setting-types.ts'
import type { AlertLimits } from './find-alerts.ts'
import type { TargetSettings } from './targets-from.ts'

/** Where alerts go, and from where on something is wrong. */
export const alertSettings = {
  ALERT_URL: httpAddress
    .optional()
    .describe(
      'Where alerts are posted to as JSON, signed as Standard Webhooks; docs/operating.md says what is in them.',
    ),
  ALERT_SECRET: signingSecrets
    .optional()
    .describe(
      'Required with ALERT_URL: the secrets that they are signed with, newest first, separated by commas; whsec_ and Base64 of at least 24 bytes each.',
    ),
  ALERT_SLACK_URL: httpAddress
    .optional()
    .describe('Incoming webhook of Slack, or of another service that takes the same JSON (an object with text).'),
  ALERT_EMAIL_TO: list((text) => z.email().safeParse(text).success, 'must be addresses, separated by commas')
    .optional()
    .describe('Addresses that alerts are mailed to, separated by commas.'),
  ALERT_EMAIL_FROM: z
    .email('must be one address')
    .optional()
    .describe('Required with ALERT_EMAIL_TO: the address that they are from.'),
  SMTP_URL: address(['smtp:', 'smtps:'])
    .optional()
    .describe(
      'Required with ALERT_EMAIL_TO: the mail server, smtps://user:password@host or smtp://user:password@host:587, which must then change to TLS unless it is on this machine.',
    ),
  ALERT_OLDEST_DUE_MINUTES: count(15, 10_080).describe('Minutes for which work may be due before an alert opens.'),
  ALERT_AWAY_MINUTES: count(2, 10_080).describe('Minutes for which a system may be away before an alert opens.'),
  ALERT_PAUSED_HOURS: count(4, 8_760).describe(
    'Hours for which a handler, a system or all work may be paused before an alert opens.',
  ),
  ALERT_REFUSED_PER_HOUR: count(10, 10_000).describe(
    'Deliveries refused for one reason of their token, within an hour, at which an alert opens.',
  ),
  ALERT_BUDGET_PERCENT: whole(0, 100)
    .default(5)
    .describe('An alert opens where the service says that of a rate limit so many percent are left, or less.'),
  ALERT_BACKUP_FILE: z
    .string()
    .optional()
    .describe(
      'Path of the newest backup, or of the folder that holds the backups; an alert opens where none is young enough. Set it for one process, on the machine that has them. Absent: backups are not looked at.',
    ),
  ALERT_BACKUP_HOURS: count(26, 8_760).describe('Hours that the newest backup may be old.'),
  ALERT_MAX_PER_HOUR: count(12, 100).describe(
    'Messages that each target gets within an hour at the most; what is more comes together in one.',
  ),
  ALERT_INTERVAL_MS: count(15_000, 600_000).describe(
    'Maximum time between two looks at what is wrong, in milliseconds; an alert is over once it was not found for four of them.',
  ),
}

export function checkAlerts({ given, needed, installed }: GivenSettings<keyof typeof alertSettings>): void {
  if (given.ALERT_URL !== undefined) needed('ALERT_SECRET', 'what goes to ALERT_URL is signed with it')
  if (given.ALERT_EMAIL_TO !== undefined) {
    needed('ALERT_EMAIL_FROM', 'mail to ALERT_EMAIL_TO has a sender')
    needed('SMTP_URL', 'a mail server sends what goes to ALERT_EMAIL_TO')
    installed('ALERT_EMAIL_TO', ['nodemailer'])
  }
}

export function alertsFrom(settings: ValuesOf<typeof alertSettings>) {
  const { ALERT_URL: url, ALERT_SECRET: secrets = [], ALERT_BACKUP_FILE: path } = settings
  const { ALERT_EMAIL_TO: to, ALERT_EMAIL_FROM: from, SMTP_URL: smtpUrl } = settings
  const limits: AlertLimits = {
    oldestDueMs: settings.ALERT_OLDEST_DUE_MINUTES * 60_000,
    awayMs: settings.ALERT_AWAY_MINUTES * 60_000,
    pausedMs: settings.ALERT_PAUSED_HOURS * 3_600_000,
    refusedPerHour: settings.ALERT_REFUSED_PER_HOUR,
    budgetPercent: settings.ALERT_BUDGET_PERCENT,
    backup: path === undefined ? undefined : { path, maxAgeMs: settings.ALERT_BACKUP_HOURS * 3_600_000 },
  }
  const targets: TargetSettings = {
    url: url === undefined ? undefined : { address: url, secrets },
    slack: settings.ALERT_SLACK_URL,
    email: to === undefined || from === undefined || smtpUrl === undefined ? undefined : { to, from, smtpUrl },
  }
  return { limits, targets, maxPerHour: settings.ALERT_MAX_PER_HOUR, intervalMs: settings.ALERT_INTERVAL_MS }
}
