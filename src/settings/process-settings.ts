import { count, oneOf, yesOrNo } from '../base/setting-types.ts'

/** The settings of the process as a whole. */
export const processSettings = {
  NODE_ENV: oneOf(['development', 'production', 'test'])
    .default('development')
    .describe(
      'production refuses to write to nowhere: without FHIR_BASE_URL or PHARMACY_URL that work is parked instead of kept in memory. It also keeps what errors of handlers and libraries say, which may be about patients, out of the log.',
    ),
  ROLE: oneOf(['all', 'receiver', 'worker'])
    .default('all')
    .describe(
      'What this process does: all, receiver (takes webhooks, needs WEBHOOK_SECRETS) or worker (runs handlers, needs API_BASE_URL and API_TOKEN).',
    ),
  HOLD: yesOrNo('false').describe(
    'Whether all work is paused when pawl starts, as after an incident: webhooks are stored, and nothing is done about them until pawl resume --all. npm start -- --hold does the same once.',
  ),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('How much is logged: debug, info, warn, error or silent.'),
  SHUTDOWN_GRACE_MS: count(10_000, 600_000).describe(
    'How long a stop waits for work and requests in hand, in milliseconds; what is unfinished then is given back.',
  ),
}
