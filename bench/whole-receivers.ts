import { handWritten, handWrittenOnPostgres, pawl, type Places } from './contenders.ts'

const whole = (key: string, name: string, places?: Places) => pawl(key, name, { ROLE: 'all' }, places)
/** As long as a PA rests in pawl by default (REST_MS). */
const merging = { MERGE_MS: '500' }

/** Receiver and worker in one process, written by hand. */
export const written = {
  sqlite: handWritten('bullmq', 'hand-written, NORMAL'),
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

/** pawl, likewise in one process, with all shipped handlers. */
export const ours = {
  sqlite: whole('pawl', 'pawl'),
  redis: whole('pawl-redis', 'pawl, queue on Redis', { queue: 'redis' }),
  postgres: whole('pawl-postgres', 'pawl, PostgreSQL alone', { ledger: 'postgres' }),
}
