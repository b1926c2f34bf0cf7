import type { RequestHandler } from 'express'
import { type ErrorCode, refuse } from './documented-errors.ts'
import { codedRefusal } from './errors.ts'
import { commonErrors, nameOf, operationOf, operations } from './operations.ts'
import { organizationOf } from './routes/auth.ts'

/** What the next calls of one operation are answered with. */
export interface PlannedFailure {
  /** As `POST /prior-authorization/{id}/cancel`. */
  operation: string
  /** One of the codes documented for the operation. */
  code: string
  /** How many calls. Default 1. */
  times?: number
}

/** Failures that are asked for beforehand; nothing else makes them happen. */
export interface Failures {
  /** Throws `Refusal` 409 that names the legal operations or codes. */
  plan(organization: string, failure: PlannedFailure): void
  /** To stand behind `authenticate`: refuses what was planned, lets all else through. */
  intercept: RequestHandler
}

/** Makes the register of planned failures. They are not kept over a restart. */
export function createFailures(): Failures {
  const planned = new Map<string, { code: ErrorCode; left: number }>()
  return {
    plan: (organization, { operation, code, times = 1 }) => {
      planned.set(`${organization} ${operation}`, { code: legalCode(operation, code), left: times })
    },
    intercept: (req, res, next) => {
      const operation = operationOf(req.method, req.path)
      const key = `${organizationOf(res).id} ${operation === undefined ? '' : nameOf(operation)}`
      const failure = planned.get(key)
      if (failure === undefined) {
        next()
        return
      }
      failure.left--
      if (failure.left <= 0) planned.delete(key)
      throw refuse(failure.code)
    },
  }
}

function legalCode(operation: string, code: string): ErrorCode {
  const found = operations.find((candidate) => nameOf(candidate) === operation)
  if (found === undefined) throw unknownName('operation', operation, operations.map(nameOf))
  const legal = [...commonErrors, ...found.errors]
  const chosen = legal.find((candidate) => candidate === code)
  if (chosen === undefined) throw unknownName('code', code, legal)
  return chosen
}

function unknownName(what: string, given: string, legal: readonly string[]) {
  return codedRefusal(409, {
    title: `Unknown ${what}`,
    description: `There is no ${what} ${given} here; use one of: ${legal.join(', ')}.`,
    code: `unknown_${what}`,
    legal,
  })
}
