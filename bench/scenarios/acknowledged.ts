import { compare, medianOf } from '../compare.ts'
import { bare, handWritten, pawl } from '../contenders.ts'
import { webhookRequests } from '../envelopes.ts'
import { measureReceiver } from '../measure-receiver.ts'
import type { Scenario } from '../scenario.ts'
import { atLeast } from '../targets.ts'

const http = 'node:http'
const express = 'Express 5 with jose, nothing stored'
const written = 'hand-written, NORMAL'
const ours = 'pawl'

const receivers = [
  bare('node-http', http),
  bare('express', 'Express 5, nothing verified, nothing stored'),
  bare('express-jose', express),
  bare('octokit', '@octokit/webhooks'),
  bare('probot', 'Probot'),
  handWritten('bullmq', written),
  handWritten('bullmq-full', 'hand-written, FULL', { SYNCHRONOUS: 'FULL' }),
  pawl('pawl', ours),
  pawl('pawl-redis', 'pawl, queue on Redis', {}, { queue: 'redis' }),
  pawl('pawl-postgres', 'pawl, PostgreSQL alone', {}, { ledger: 'postgres' }),
  pawl('pawl-log', 'pawl, LOG_LEVEL=info', { LOG_LEVEL: 'info' }),
]

/** How many deliveries one process acknowledges. */
export const acknowledged: Scenario = {
  name: 'acknowledged',
  title: 'Acknowledged deliveries a second, one process, 64 connections',
  contenders: receivers,
  async run(bench) {
    const warmUp = bench.pick(3_000, 500)
    const requests = webhookRequests({ count: warmUp + bench.pick(25_000, 2_000) })
    const load = { requests, warmUp, longestMs: bench.pick(4_000, 2_000) }
    const contenders = (await bench.select(receivers)).map((spec) => ({
      name: spec.name,
      measure: () => measureReceiver(bench.stage, spec, load),
    }))
    const rows = await compare(contenders, bench)
    const of = (name: string) => medianOf(rows, name, 'rate')
    return {
      columns: [
        { key: 'rate', title: 'deliveries/s' },
        { key: 'cpuMicros', title: 'CPU us each' },
        { key: 'clientLoad', title: 'client CPU %' },
      ],
      ratios: [
        { title: 'x Express with jose', key: 'rate', to: express },
        { title: 'x node:http', key: 'rate', to: http },
        { title: 'x hand-written', key: 'rate', to: written },
      ],
      rows,
      targets: [
        atLeast(rows, { key: 'rate', contender: ours, to: express }, 1),
        atLeast(rows, { key: 'rate', contender: ours, to: written }, 3),
      ],
      notes: [
        'pawl commits with synchronous=FULL; NORMAL, which most teams set with WAL, can lose acknowledged deliveries in a power cut.',
        ...(Number.isNaN(of(http) / of(ours))
          ? []
          : [
              `The load client is the same for all: it drives ${http} at ${(of(http) / of(ours)).toFixed(1)} x ${ours}.`,
            ]),
      ],
    }
  },
}
