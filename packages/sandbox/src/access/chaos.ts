import type { RequestHandler, Response } from 'express'
import { rateLimitExceeded, refundUnits } from './limit-requests.ts'
import type { AnsweringChaos, AnsweringFault } from '../platform/chaos-settings.ts'
import { refuse, type Refusal } from '../platform/refusal.ts'
import { operationOf } from './resolve-operation.ts'
import type { Random } from '../platform/random.ts'

/** Wall-clock milliseconds. */
const slowMs = [200, 3_000] as const

/** Injects faults into answers. 429, 500 and 503 replace the work. With `timeout`, `disconnect` and `half_body`, half of the requests take effect, so the caller cannot know. Reads `chances` at every request, because a control can change them. */
export function createAnswerChaos(deps: { chances: () => AnsweringChaos; random: Random }): RequestHandler {
  const { chances, random } = deps
  const happens = (fault: AnsweringFault) => random.chance(chances()[fault])

  return (_req, res, next) => {
    if (happens('rate_limited')) throw rateLimitExceeded(1)
    if (happens('unavailable')) throw unavailable(operationOf(res).route)
    if (happens('internal_error')) throw refuse('unexpected_error')
    for (const [fault, interrupt] of interruptions)
      if (happens(fault)) {
        if (random.chance(0.5)) res.end = (...written: unknown[]) => interrupt(res, written[0])
        else {
          refundUnits(res)
          interrupt(res, undefined)
          return
        }
        break
      }
    if (!happens('slow')) next()
    else setTimeout(next, random.between(...slowMs)).unref()
  }
}

function unavailable(route: string): Refusal {
  return refuse(route === '/benefit-verification/{id}/cancel' ? 'resource_busy' : 'service_unavailable')
}

type Interrupt = (res: Response, body: unknown) => Response

const interruptions: readonly [AnsweringFault, Interrupt][] = [
  ['timeout', (res) => res],
  ['disconnect', cut],
  ['half_body', sendHalf],
]

function cut(res: Response): Response {
  res.socket?.destroy()
  return res
}

/** Cuts the connection if the answer has no body. */
function sendHalf(res: Response, body: unknown): Response {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return cut(res)
  const bytes = Buffer.from(body)
  res.write(bytes.subarray(0, bytes.length / 2), () => res.socket?.destroy())
  return res
}
