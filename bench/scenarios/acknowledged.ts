import { compare, medianOf } from '../compare.ts'
import { bare, handWritten, pawl } from '../contenders.ts'
import { webhookRequests } from '../envelopes.ts'
import { measureReceiver } from '../measure-receiver.ts'
import type { Scenario } from '../scenario.ts'
import { atLeast } from '../targets.ts'

const express = 'Express 5, express.raw'
const http = 'node:http'
const written = 'hand-written, NORMAL'
const writtenFull = 'hand-written, FULL'
const octokit = '@octokit/webhooks'
const ours = 'pawl'
const oursOnRedis = 'pawl, queue on Redis'

const receivers = [
  bare(http, 'node-http'),
  bare(express, 'express-raw'),
  bare(octokit, 'octokit'),
  bare('Probot', 'probot'),
  handWritten(written, { SYNCHRONOUS: 'NORMAL' }),
  handWritten(writtenFull, { SYNCHRONOUS: 'FULL' }),
  pawl(ours),
  pawl(oursOnRedis, {}, { queue: 'redis' }),
  pawl('pawl, ledger on PostgreSQL', {}, { ledger: 'postgres' }),
  pawl('pawl, LOG_LEVEL=info', { LOG_LEVEL: 'info' }),
]

/** How many deliveries one process acknowledges. */
export const acknowledged: Scenario = {
  name: 'acknowledged',
  title: 'Acknowledged deliveries a second, one process, 64 connections',
  async run(bench) {
    const warmUp = bench.pick(5_000, 1_000)
    const requests = webhookRequests({ count: warmUp + bench.pick(40_000, 4_000) })
    const load = { requests, warmUp, longestMs: bench.pick(10_000, 3_000) }
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
        { title: 'x Express', key: 'rate', to: express },
        { title: 'x node:http', key: 'rate', to: http },
        { title: 'x hand-written', key: 'rate', to: written },
      ],
      rows,
      targets: [
        atLeast(rows, { key: 'rate', contender: ours, to: express }, 1),
        atLeast(rows, { key: 'rate', contender: ours, to: written }, 3),
        atLeast(rows, { key: 'rate', contender: oursOnRedis, to: written }, 3),
        atLeast(rows, { key: 'rate', contender: ours, to: octokit }, 1),
      ],
      notes: [
        'pawl commits with synchronous=FULL; NORMAL, which most teams set with WAL, can lose acknowledged deliveries in a power cut.',
        `The load client is the same for all: it drives ${http} at ${(of(http) / of(ours)).toFixed(1)} x the rate of ${ours}.`,
      ],
    }
  },
}
