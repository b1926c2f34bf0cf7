import { setTimeout as delay } from 'node:timers/promises'
import { compare, medianOf } from '../compare.ts'
import type { ReceiverSpec } from '../contenders.ts'
import { type State, webhookRequest } from '../envelopes.ts'
import { readDone, waitUntilInStep } from '../in-step.ts'
import { sendAll } from '../load.ts'
import { check, connections } from '../measure-receiver.ts'
import { startPlayedApi } from '../played-api.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { atMost } from '../targets.ts'
import { ours } from '../whole-receivers.ts'

const pas = 10
const events = 1_000
const limit = 30
const statuses = ['created', 'processing', 'awaiting_review', 'awaiting_outcome', 'validating_outcome']
const handlerNames = [
  'prior-authorization-to-ehr',
  'staff-task-for-prior-authorization',
  'prescription-transfer-to-pharmacy',
]
const contenders = [ours.sqlite, ours.redis]
/** Would let pawl look again, if it found its snapshot behind the webhooks. */
const afterwardsMs = 5_000

/** The state of which event `n` tells: every event of a PA tells of another one. */
const stateOf = (n: number): State => {
  const version = Math.floor(n / pas)
  return { pa: n % pas, version, status: statuses[version % statuses.length] ?? '', messages: 0 }
}

/** Cost of a burst for the service and the chart. */
export const burst: Scenario = {
  name: 'burst',
  title: `A burst of ${events.toLocaleString('en')} events on ${pas} PAs, all handlers active`,
  contenders,
  async run(bench) {
    const rows = await compare(
      (await bench.select(contenders)).map((spec) => ({ name: spec.name, measure: () => measure(bench.stage, spec) })),
      bench,
    )
    return {
      columns: [
        { key: 'reads', title: 'API reads' },
        { key: 'runs', title: 'handler runs' },
        ...handlerNames.map((name) => ({ key: name, title: name.replace(/-(for|to)-.*/, '') })),
      ],
      rows,
      targets: rows.flatMap(({ contender }) => [
        atMost(`${contender}: API reads`, medianOf(rows, contender, 'reads'), limit),
        ...handlerNames.map((name) =>
          atMost(`${contender}: writes of ${name}`, medianOf(rows, contender, name), limit),
        ),
      ]),
      notes: [
        'The last columns count FHIR resources created or changed, by handler. The API is always in the state of the newest event sent. The PAs have no messages: each is written once, for any number of jobs.',
      ],
    }
  },
}

async function measure(stage: Stage, spec: ReceiverSpec): Promise<Record<string, number>> {
  let newest = 0
  const api = await startPlayedApi((pa) => stateOf(newest - ((newest - pa) % pas)))
  const { env, dispose } = await spec.prepare(stage)
  const child = await stage.start(spec.script, { ...env, API_BASE_URL: api.url })
  try {
    const requests = Array.from({ length: events }, (_, n) => webhookRequest(stateOf(n)))
    check(await sendAll(child.port, requests, connections, { onSend: (n) => (newest = n) }))
    await waitUntilInStep(child)
    await delay(afterwardsMs)
    await waitUntilInStep(child)
    const writes = (await child.ask('writes')) as Record<string, number> // as pawl.ts answers
    const { runs } = await readDone(child)
    return { reads: api.reads(), runs, ...Object.fromEntries(handlerNames.map((name) => [name, writes[name] ?? 0])) }
  } finally {
    await child.stop()
    await dispose()
    api.close()
  }
}
