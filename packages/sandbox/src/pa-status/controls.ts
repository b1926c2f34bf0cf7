import { readControl } from '../platform/read-control.ts'
import type { ResourceControl } from '../platform/resource-control.ts'
import type { PaStatusChecks } from './pa-status-checks.ts'
import { PaStatusPush } from './pushed-result.ts'

export function paStatusControl(paStatusChecks: PaStatusChecks): ResourceControl {
  return {
    has: paStatusChecks.has,
    push: (id, request) => {
      const { status, ...result } = readControl(PaStatusPush, request)
      return paStatusChecks.push(id, status, result)
    },
  }
}
