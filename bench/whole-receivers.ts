import { handWritten, handWrittenOnPostgres, pawl, type Places } from './contenders.ts'

/** Runs the handlers whose writes the hand-written workers make, and no others. */
export const workerSettings = { HANDLERS: 'prior-authorization-to-ehr,messages-to-ehr' }

const whole = (name: string, places?: Places) => pawl(name, { ROLE: 'all', ...workerSettings }, places)

/** Receiver and worker in one process, written by hand. */
export const written = {
  sqlite: handWritten('hand-written, NORMAL'),
  pgBoss: handWrittenOnPostgres('hand-written, pg-boss on PostgreSQL', 'pg-boss'),
  graphileWorker: handWrittenOnPostgres('hand-written, graphile-worker on PostgreSQL', 'graphile-worker'),
}

/** pawl, likewise in one process. */
export const ours = {
  sqlite: whole('pawl, in-process queue'),
  redis: whole('pawl, queue on Redis', { queue: 'redis' }),
  postgres: whole('pawl, PostgreSQL alone', { ledger: 'postgres' }),
}
