import { z } from 'zod'
import { count, oneOf, yesOrNo } from '@pawl/base/setting-types'

/** Settings of the whole process. */
export const processSettings = {
  NODE_ENV: oneOf(['development', 'production', 'test'])
    .default('development')
    .describe(
      'production parks writes without a chart (FHIR_BASE_URL, EHR_URL or ATHENA_BASE_URL) or PHARMACY_URL instead of keeping them in memory. It also keeps error messages of handlers and libraries, which may be about patients, out of the log.',
    ),
  ROLE: oneOf(['all', 'receiver', 'worker'])
    .default('all')
    .describe(
      'Role of this process: all, receiver (accepts webhooks, needs WEBHOOK_SECRETS) or worker (runs handlers, needs API_BASE_URL and API_TOKEN).',
    ),
  START_PAUSED: yesOrNo('false').describe(
    'Whether every start pauses all work before any begins, as after a backup was restored: webhooks are stored, and work waits until pawl resume --all. npm start -- --paused pauses once.',
  ),
  TZ: z
    .string()
    .refine(isTimeZone, 'must be a time zone as the IANA list names it, such as America/New_York')
    .optional()
    .describe(
      'Time zone of the organization by its IANA name, such as America/New_York: days of the report, the audit trail, a start and a document begin and end there. Absent: that of the machine, which is UTC in most containers.',
    ),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Log level: debug, info, warn, error or silent.'),
  SHUTDOWN_GRACE_MS: count(10_000, 600_000).describe(
    'How long a stop waits for running work and requests, in milliseconds; then unfinished work is released.',
  ),
}

/** Whether Node applies a time zone of this name. Node silently uses UTC if the case of its letters is wrong, although Intl accepts the name. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}

/** Drops an empty TZ, which Node would take for UTC. An empty setting counts as absent, so the machine's zone applies. */
export function dropEmptyZone(env: NodeJS.ProcessEnv): void {
  if (env.TZ?.trim() === '') delete env.TZ
}
