import type { Api } from 'pawl-client/api/client'
import type { RecordedResource } from '@pawl/ledger/views/recorded'
import { schemas } from 'pawl-client/schemas/kinds'
import { NotRehearsable } from '@pawl/connector/not-rehearsable'

/** A call that was recorded instead of made. */
export interface Call {
  /** `api`, or the name of the system. */
  system: string
  method: string
}

const isRead = (method: string) => /^(get|list|find|read|look|waitFor|download)/.test(method)

/** A port with any method, which records calls and returns no result. */
export function recordingPort(
  system: string,
  calls: Call[],
  answer?: (method: string, args: unknown[]) => unknown,
): object {
  return new Proxy(
    {},
    {
      get(_target, name) {
        if (typeof name !== 'string' || name === 'then') return undefined
        return async (...args: unknown[]) => {
          const answered = answer?.(name, args)
          if (answered !== undefined) return answered
          if (isRead(name)) throw new NotRehearsable(`A rehearsal does not know the result of ${system}.${name}.`)
          calls.push({ system, method: name })
          return undefined
        }
      },
    },
  )
}

/** The service, which returns the recorded resource of this run and no other. */
export function recordedApi({ kind, id }: RecordedResource, data: unknown, calls: Call[]): Api {
  const methods: Readonly<Record<string, string>> = {
    getPriorAuthorization: 'prior_authorization',
    waitForPriorAuthorization: 'prior_authorization',
    getBenefitVerification: 'benefit_verification',
    waitForBenefitVerification: 'benefit_verification',
  }
  const port = recordingPort('api', calls, (method, [first, second]) => {
    if (method === 'readSnapshot' && first === kind && second === id) return data
    return methods[method] === kind && first === id ? schemas[kind].parse(data) : undefined
  })
  // The compiler cannot see that every method exists.
  return port as Api
}
