import type { AlertRecord } from '@pawl/ledger/alerts/alert-records'
import type { Away } from '@pawl/ledger/away'
import { absenceErrors, pausedErrors } from '@pawl/ledger/hot/waiting-errors'
import type { Cause } from '../causes.ts'
import type { Fault } from '../contract/status-verdict.ts'
import { faultOf } from '../faults/fault.ts'
import { pauseFacts } from '../faults/fault-of-alert.ts'
import { namesOfSystem } from '../faults/names.ts'
import { faultOfAway, joinRequests } from './absent-systems.ts'

/** The systems that are away, and the alerts about them. */
export interface KnownAbsence {
  away: readonly Away[]
  alerts: readonly AlertRecord[]
}

/** The fault that work of this cause waits for, as the verdict words it. */
export function waitingFault({ handler, system, errorCode }: Cause, { away, alerts }: KnownAbsence): Fault {
  if (errorCode === pausedErrors.handler) return faultOf('paused', pauseFacts('handler', handler ?? ''))
  if (errorCode === pausedErrors.system) return faultOf('paused', pauseFacts('system', system))
  const isOfRequest = errorCode === absenceErrors.request
  const found = joinRequests(away).find(
    (each) => each.system === system && (each.request !== undefined) === isOfRequest,
  )
  return found === undefined ? faultOf('trying', namesOfSystem(system)) : faultOfAway(found, alerts)
}
