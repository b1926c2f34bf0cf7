import { handWritten, handWrittenOnPostgres, nodeRed, pawl, type Places } from './contenders.ts'

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
  pgBossPlain: handWrittenOnPostgres('pg-boss-plain', 'hand-written, pg-boss, plain', 'pg-boss', plain),
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

/** A flow of Node-RED that answers before the work, and one that answers after it. */
export const flows = {
  first: nodeRed('node-red', 'Node-RED, answers first', 'first'),
  last: nodeRed('node-red-last', 'Node-RED, answers last', 'last'),
}

/** pawl, likewise in one process, with all shipped handlers; sealing is off but where the name says otherwise. */
export const ours = {
  sqlite: whole('pawl', 'pawl'),
  sealed: whole('pawl-sealed', 'pawl, sealing', {}, sealing),
  redis: whole('pawl-redis', 'pawl, queue on Redis', { queue: 'redis' }),
  postgres: whole('pawl-postgres', 'pawl, PostgreSQL alone', { ledger: 'postgres' }),
}
