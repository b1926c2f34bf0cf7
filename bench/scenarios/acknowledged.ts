import { medianOf } from '../compare.ts'
import { bare, handWritten, pawl } from '../contenders.ts'
import { webhookRequests } from '../envelopes.ts'
import { acknowledge } from '../measure-receiver.ts'
import type { Scenario } from '../scenario.ts'
import { atLeast } from '../targets.ts'
import { takeTurns } from '../turns.ts'

const http = 'node:http'
const express = 'Express 5 with jose, nothing stored'
const written = 'hand-written receiver, FULL'
const ours = 'pawl'

const receivers = [
  bare('node-http', http),
  bare('express-jose', express),
  handWritten('receiver', written, 'FULL'),
  handWritten('receiver-normal', 'hand-written receiver, NORMAL', 'NORMAL'),
  pawl('pawl', ours),
  pawl('pawl-redis', 'pawl, queue on Redis', {}, { queue: 'redis' }),
  pawl('pawl-postgres', 'pawl, PostgreSQL alone', {}, { ledger: 'postgres' }),
]

/** How many deliveries one process acknowledges. */
export const acknowledged: Scenario = {
  name: 'acknowledged',
  title: 'Acknowledged deliveries, one process, 64 connections, in turns',
  contenders: receivers,
  async run(bench) {
    const count = bench.pick(8_000, 1_000)
    let made = { turn: NaN, requests: [] as Buffer[] }
    const requestsOf = (turn: number) => {
      if (made.turn !== turn) made = { turn, requests: webhookRequests({ count, firstPa: turn * count }) }
      return made.requests
    }
    const rows = await takeTurns(bench, receivers, {
      turns: bench.rounds * bench.pick(3, 1),
      slice: (running, turn) => acknowledge(running, requestsOf(turn)),
    })
    const of = (name: string) => medianOf(rows, name, 'rate')
    return {
      columns: [
        { key: 'rate', title: 'deliveries/s' },
        { key: 'cpu', title: 'CPU us each' },
        { key: 'servers', title: 'of servers' },
        { key: 'clientLoad', title: 'client CPU %' },
      ],
      ratios: [express, written].flatMap((to) => [
        { title: `x CPU, ${to.split(',')[0]}`, key: 'perCpuSecond', to },
        { title: 'x wall', key: 'rate', to },
      ]),
      rows,
      targets: [
        atLeast(rows, { key: 'perCpuSecond', where: 'CPU', contender: ours, to: express }, 1.1),
        atLeast(rows, { key: 'perCpuSecond', where: 'CPU', contender: ours, to: written }, 2.5),
      ],
      notes: [
        'FULL waits for the disk as pawl does; NORMAL, which most teams set with WAL, can lose acknowledged deliveries in a power cut.',
        ...(Number.isNaN(of(http) / of(ours))
          ? []
          : [
              `The load client is the same for all: it drives ${http} at ${(of(http) / of(ours)).toFixed(1)} x ${ours}.`,
            ]),
      ],
    }
  },
}
