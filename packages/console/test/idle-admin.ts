import type { Express } from 'express'
import { type AdminDeps, createAdmin } from '../src/admin.ts'
import { createMetrics } from '../src/metrics.ts'
import { createVitals } from '../src/vitals.ts'
import type { Ledger } from '../../ledger/src/ledger.ts'
import { startIdleAlerts } from '../../../test/support/idle-alerts.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { openToThisMachine } from './open-to-this-machine.ts'

/** The admin listener's app over a ledger, without work, handlers or systems. */
export function createIdleAdmin({ ledger, ...deps }: { ledger: Ledger } & Partial<AdminDeps>): Express {
  return createAdmin({
    keep: { keepMs: 1, parkedKeepMs: 1, reportKeepMs: 1 },
    ledger,
    handlerNames: [],
    systemNames: [],
    patientRoles: [],
    noticeRoles: [],
    readTaken: () => undefined,
    amendFaultOf: () => undefined,
    lookAtPauses: async () => {},
    poll() {},
    linkTo: () => undefined,
    sync: () => Promise.resolve(0),
    readBreakers: () => ({}),
    readAway: () => [],
    registry: createMetrics({
      readCounts: ledger.counts,
      readLags: ledger.projectionLags,
      readBreakers: () => ({}),
      readPauses: () => [],
    }).registry,
    sealing: 'on',
    access: openToThisMachine,
    enqueue() {},
    vitals: createVitals(Date.now),
    alerts: startIdleAlerts({ ledger }),
    role: 'all',
    queueName: 'this process',
    inWork: () => 0,
    settings: [],
    teams: [],
    readDrift: () => [],
    stopping: new AbortController().signal,
    log: captureLog().log,
    ...deps,
  })
}
