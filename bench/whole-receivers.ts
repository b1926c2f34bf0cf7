import { handWritten, handWrittenOnPostgres, pawl, type Places } from './contenders.ts'

const whole = (key: string, name: string, places?: Places, env: Record<string, string> = {}) =>
  pawl(key, name, { ROLE: 'all', ...env }, places)
/** As long as a PA rests in pawl by default (REST_MS). */
const merging = { MERGE_MS: '500' }
const plain = { CHART: 'plain' }

/** Receiver and worker in one process, written by hand: with pawl's chart code, and with a mapping of their own. */
export const written = {
  durable: handWritten('bullmq', "hand-written, pawl's chart", 'FULL'),
  usual: handWritten('bullmq-normal', "hand-written, pawl's chart, NORMAL", 'NORMAL'),
  plain: handWritten('bullmq-plain', 'hand-written, plain', 'FULL', plain),
  plainUsual: handWritten('bullmq-plain-normal', 'hand-written, plain, NORMAL', 'NORMAL', plain),
  pgBoss: handWrittenOnPostgres('pg-boss', 'hand-written, pg-boss', 'pg-boss'),
  graphileWorker: handWrittenOnPostgres('graphile-worker', 'hand-written, graphile-worker', 'graphile-worker'),
}

/** The same with one waiting job for several events of a PA, as the libraries' pages show. */
export const merged = {
  pgBoss: handWrittenOnPostgres('pg-boss-merging', 'hand-written, pg-boss by singletonKey', 'pg-boss', merging),
  graphileWorker: handWrittenOnPostgres(
    'graphile-worker-merging',
    'hand-written, graphile-worker by jobKey',
    'graphile-worker',
    merging,
  ),
}

const sealing = { SEALING: 'on', SEALING_KEYS: Buffer.alloc(32, 'a key of the bench').toString('base64') }

/** pawl, likewise in one process, with all shipped handlers; sealing is off but where the name says otherwise. */
export const ours = {
  sqlite: whole('pawl', 'pawl'),
  sealed: whole('pawl-sealed', 'pawl, sealing', {}, sealing),
  redis: whole('pawl-redis', 'pawl, queue on Redis', { queue: 'redis' }),
  postgres: whole('pawl-postgres', 'pawl, PostgreSQL alone', { ledger: 'postgres' }),
}
