import { codedRefusal } from './refusal.ts'

/** Control over the resources of one kind. */
export interface ResourceControl {
  has(id: string): boolean
  /** Moves the resource to a legal next status, with the result in the request; returns the status. The kind's own schema checks the request. */
  push(id: string, request: unknown): string
  /** Cancels as the endpoint does; returns the new status. */
  cancel?(id: string): string
}

/** Refuses a pushed result that does not fit the status; `fitting` names the fields that do. */
export function refuseUnfit(status: string, given: object, fitting: readonly string[]): void {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const unfit = names.filter((name) => !fitting.includes(name))
  if (unfit.length === 0) return
  throw codedRefusal(409, {
    title: 'Result does not fit',
    description: `${unfit.join(', ')} cannot be given with ${status}; these can: ${fitting.join(', ') || 'none'}.`,
    code: 'result_does_not_fit',
    legal: fitting,
  })
}
