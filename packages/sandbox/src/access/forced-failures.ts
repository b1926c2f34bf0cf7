import type { RequestHandler } from 'express'
import { organizationOf } from './authenticate-token.ts'
import type { Archive } from '../platform/archive.ts'
import { rateLimitExceeded } from './limit-requests.ts'
import { operationOf } from './resolve-operation.ts'
import type { ErrorCode } from 'pawl-client/schemas/documented-errors'
import { commonErrors, nameOf, operations } from '../platform/operations.ts'
import { codedRefusal, type Refusal, withRetryAfter } from '../platform/refusal.ts'

/** A documented error for the next calls of one operation. */
export interface ForcedFailure {
  /** Such as `POST /prior-authorization/{id}/cancel`. */
  operation: string
  /** One of the codes documented for the operation, or `rate_limit_exceeded`. */
  code: string
  /** Number of calls. Default 1. */
  times?: number
  /** `Retry-After` header. Default: 60 with a 429, else none. */
  retryAfterSeconds?: number
}

/** Failures planned by a control, in order for each operation. */
export interface ForcedFailures {
  /** Adds all failures or none; throws `Refusal` 409 that names the legal operations or codes. */
  add(organization: string, failures: readonly ForcedFailure[]): void
  /** Remaining failures, in order within each operation. */
  list(organization: string): Required<Omit<ForcedFailure, 'retryAfterSeconds'>>[]
  /** Clears the failures of an operation, or all; returns the number of calls that would have failed. Throws `Refusal` 409 for an unknown operation. */
  clear(organization: string, operation?: string): number
  /** Runs after the limits; answers the calls that must fail. */
  intercept: RequestHandler
}

type ForcedCode = ErrorCode | 'rate_limit_exceeded'

interface Forced {
  operation: string
  code: ForcedCode
  /** Remaining calls. */
  times: number
  retryAfterSeconds?: number
}

/** Invented default for a 429: no limit was reached. */
const usualRetryAfterSeconds = 60

/** Starts with the archived failures. */
export function createForcedFailures(deps: {
  archive: Archive
  /** The refusal with this code for an organization. */
  refusalOf: (code: ErrorCode, organization: string) => Refusal
}): ForcedFailures {
  const { archive, refusalOf } = deps
  // The compiler cannot see that only `save` writes failures.
  const forced = new Map(archive.list('failure').map(({ id, value }) => [id, value as Forced[]]))

  function save(organization: string, failures: Forced[]): void {
    forced.set(organization, failures)
    archive.put('failure', organization, failures)
  }

  const listed = (organization: string) => forced.get(organization) ?? []

  function answerOf({ code, retryAfterSeconds }: Forced, organization: string): Refusal {
    if (code === 'rate_limit_exceeded') return rateLimitExceeded(retryAfterSeconds ?? usualRetryAfterSeconds)
    const refusal = refusalOf(code, organization)
    return retryAfterSeconds === undefined ? refusal : withRetryAfter(refusal, retryAfterSeconds)
  }

  return {
    add: (organization, failures) => {
      const added = failures.map(({ operation, code, times = 1, retryAfterSeconds }) => ({
        operation,
        code: legalCode(operation, code),
        times,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      }))
      save(organization, [...listed(organization), ...added])
    },
    list: (organization) => listed(organization).map((failure) => ({ ...failure })),
    clear: (organization, operation) => {
      if (operation !== undefined) checkOperation(operation)
      const cleared = listed(organization).filter((failure) => failure.operation === (operation ?? failure.operation))
      const kept = listed(organization).filter((failure) => !cleared.includes(failure))
      save(organization, kept)
      return cleared.reduce((calls, { times }) => calls + times, 0)
    },
    intercept: (_req, res, next) => {
      const organization = organizationOf(res).id
      const operation = nameOf(operationOf(res))
      const failure = listed(organization).find((one) => one.operation === operation)
      if (failure === undefined) {
        next()
        return
      }
      failure.times--
      save(
        organization,
        listed(organization).filter(({ times }) => times > 0),
      )
      throw answerOf(failure, organization)
    },
  }
}

function checkOperation(operation: string) {
  const found = operations.find((candidate) => nameOf(candidate) === operation)
  if (found === undefined) throw unknownName('operation', operation, operations.map(nameOf))
  return found
}

function legalCode(operation: string, code: string): ForcedCode {
  const legal = [...commonErrors, ...checkOperation(operation).errors, 'rate_limit_exceeded'] as const
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
