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
} from '@pawl/base/setting-types'
import type { AlertLimits } from './find-alerts.ts'
import type { TargetSettings } from './targets-from.ts'

/** Targets and thresholds of alerts. */
export const alertSettings = {
  ALERT_URL: httpAddress
    .optional()
    .describe(
      'Address that alerts are posted to as JSON with a text, as incoming webhooks of Slack and others take it; docs/operating.md describes it.',
    )
    // The path of such a webhook lets anyone post.
    .meta({ secret: 'issued' }),
  ALERT_SECRET: signingSecrets
    .optional()
    .describe(
      'Secrets that sign what is posted to ALERT_URL as Standard Webhooks, newest first, separated by commas; whsec_ and Base64 of at least 24 bytes each. Absent: not signed.',
    )
    .meta({ secret: 'list' }),
  ALERT_EMAIL_TO: list((text) => z.email().safeParse(text).success, 'must be addresses, separated by commas')
    .optional()
    .describe('Addresses that alerts are mailed to, separated by commas.'),
  ALERT_EMAIL_FROM: z
    .email('must be one address')
    .optional()
    .describe('Required with ALERT_EMAIL_TO or STAFF_TEAMS: the sender of the mails.'),
  SMTP_URL: address(['smtp:', 'smtps:'])
    .optional()
    .describe(
      'Required with ALERT_EMAIL_TO or STAFF_TEAMS: the mail server, smtps://user:password@host or smtp://user:password@host:587; with smtp, it must offer STARTTLS unless it is on this machine.',
    ),
  ALERT_OLDEST_DUE_MINUTES: count(15, 10_080).describe('Minutes that work may be due before an alert opens.'),
  ALERT_AWAY_MINUTES: count(2, 10_080).describe('Minutes that a system may be away before an alert opens.'),
  ALERT_PAUSED_HOURS: count(4, 8_760).describe(
    'Hours that a handler, a system or all work may be paused before an alert opens.',
  ),
  ALERT_UNACKNOWLEDGED_HOURS: whole(0, 8_760)
    .default(4)
    .describe(
      'Hours in which a pharmacy that reads the feed must acknowledge a notice before an alert opens; 0: it need not.',
    ),
  ALERT_REFUSED_PER_HOUR: count(10, 10_000).describe(
    'An alert opens at this number of deliveries refused within an hour for the same fault of their token.',
  ),
  ALERT_BUDGET_PERCENT: whole(0, 100)
    .default(5)
    .describe('An alert opens when the service reports that this percentage of a rate limit is left, or less.'),
  ALERT_AUDIT_HEAD_HOURS: whole(0, 8_760)
    .default(0)
    .describe(
      'Hours between two messages with the head of the audit trail, which prove later that the trail was not put back; 0: none.',
    ),
  ALERT_BACKUP_FILE: z
    .string()
    .optional()
    .describe(
      'Path of the newest backup, or of the folder that holds the backups; an alert opens if it is too old. Set it for one process, on the machine with the backups. Absent: backups are not checked.',
    ),
  ALERT_BACKUP_HOURS: count(26, 8_760).describe('Maximum age of the newest backup, in hours.'),
  ALERT_INTERVAL_MS: count(15_000, 600_000).describe(
    'Time between two checks, in milliseconds; an alert is over after four checks without it, and a target gets a message at most every twenty, unless an alert opens.',
  ),
}

export function checkAlerts({ given, needed, installed }: GivenSettings<keyof typeof alertSettings>): void {
  if (given.ALERT_EMAIL_TO !== undefined) {
    needed('ALERT_EMAIL_FROM', 'mail to ALERT_EMAIL_TO has a sender')
    needed('SMTP_URL', 'a mail server sends the mail to ALERT_EMAIL_TO')
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
    unacknowledgedMs: settings.ALERT_UNACKNOWLEDGED_HOURS * 3_600_000,
    refusedPerHour: settings.ALERT_REFUSED_PER_HOUR,
    budgetPercent: settings.ALERT_BUDGET_PERCENT,
    auditHeadMs: settings.ALERT_AUDIT_HEAD_HOURS * 3_600_000,
    backup: path === undefined ? undefined : { path, maxAgeMs: settings.ALERT_BACKUP_HOURS * 3_600_000 },
  }
  const targets: TargetSettings = {
    url: url === undefined ? undefined : { address: url, secrets },
    email: to === undefined || from === undefined || smtpUrl === undefined ? undefined : { to, from, smtpUrl },
  }
  return { limits, targets, intervalMs: settings.ALERT_INTERVAL_MS }
}
