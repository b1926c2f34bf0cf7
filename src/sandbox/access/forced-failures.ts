import type { RequestHandler } from 'express'
import { organizationOf } from './authenticate.ts'
import type { Archive } from '../platform/archive.ts'
import { operationOf } from './resolve-operation.ts'
import type { ErrorCode } from '../platform/documented-errors.ts'
import { commonErrors, nameOf, operations } from '../platform/operations.ts'
import { codedRefusal, type Refusal } from '../platform/refusal.ts'

/** An error that the next calls of one operation answer with. */
export interface ForcedFailure {
  /** As `POST /prior-authorization/{id}/cancel`. */
  operation: string
  /** One of the codes documented for the operation. */
  code: string
  /** How many calls. Default 1. */
  times?: number
}

/** Errors that a control requested in advance. */
export interface ForcedFailures {
  /** Throws `Refusal` 409 that names the legal operations or codes. */
  force(organization: string, failure: ForcedFailure): void
  /** Runs after the limits: answers with the forced errors, passes everything else on. */
  intercept: RequestHandler
}

interface Forced {
  code: ErrorCode
  /** Number of calls that are still to fail. */
  left: number
}

/** Creates the forced failures, starting with the archived ones. */
export function createForcedFailures(deps: {
  archive: Archive
  /** The answer of a code to an organization. */
  refusalOf: (code: ErrorCode, organization: string) => Refusal
}): ForcedFailures {
  const { archive, refusalOf } = deps
  // The compiler cannot see that only `force` writes failures.
  const forced = new Map(archive.list('failure').map(({ id, value }) => [id, value as Forced]))
  return {
    force: (organization, { operation, code, times = 1 }) => {
      const failure = { code: legalCode(operation, code), left: times }
      forced.set(`${organization} ${operation}`, failure)
      archive.put('failure', `${organization} ${operation}`, failure)
    },
    intercept: (_req, res, next) => {
      const organization = organizationOf(res).id
      const key = `${organization} ${nameOf(operationOf(res))}`
      const failure = forced.get(key)
      if (failure === undefined) {
        next()
        return
      }
      failure.left--
      if (failure.left > 0) archive.put('failure', key, failure)
      else {
        forced.delete(key)
        archive.remove('failure', key)
      }
      throw refusalOf(failure.code, organization)
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
