import { codedRefusal } from './refusal.ts'

/** What a control can do to the resources of one kind. */
export interface ResourceControl {
  has(id: string): boolean
  /** Moves the resource to a legal next status, with the result that the request gives it; its new status. The request is checked by the kind's own schema. */
  push(id: string, request: unknown): string
  /** Cancels as the endpoint does, where there is one; its new status. */
  cancel?(id: string): string
}

/** Refuses what a control asks for beside the status if it does not go with it; `fitting` names what does. */
export function refuseUnfit(status: string, given: object, fitting: readonly string[]): void {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const unfit = names.filter((name) => !fitting.includes(name))
  if (unfit.length === 0) return
  throw codedRefusal(409, {
    title: 'Result does not fit',
    description: `${unfit.join(', ')} cannot be given with ${status}; what can: ${fitting.join(', ') || 'nothing'}.`,
    code: 'result_does_not_fit',
    legal: fitting,
  })
}
