import { z } from 'zod'
import { count, oneOf } from '../base/setting-types.ts'

/** Settings of the whole process. */
export const processSettings = {
  NODE_ENV: oneOf(['development', 'production', 'test'])
    .default('development')
    .describe(
      'production parks writes without a chart (FHIR_BASE_URL or EHR_URL) or PHARMACY_URL instead of keeping them in memory. It also keeps error messages of handlers and libraries, which may be about patients, out of the log.',
    ),
  ROLE: oneOf(['all', 'receiver', 'worker'])
    .default('all')
    .describe(
      'Role of this process: all, receiver (accepts webhooks, needs WEBHOOK_SECRETS) or worker (runs handlers, needs API_BASE_URL and API_TOKEN).',
    ),
  HOLD: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'must be true, false, or a word of up to 64 signs without spaces, such as the time')
    .default('false')
    .transform((word) => (word === 'true' || word === 'false' ? word === 'true' : word))
    .describe(
      'Whether pawl starts with all work paused, as after an incident: webhooks are stored, and handlers wait until pawl resume --all. true: at every start. A word, such as the date and time: at the first start alone with which the ledger sees it. npm start -- --hold pauses once.',
    ),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Log level: debug, info, warn, error or silent.'),
  SHUTDOWN_GRACE_MS: count(10_000, 600_000).describe(
    'How long a stop waits for running work and requests, in milliseconds; then unfinished work is released.',
  ),
}
