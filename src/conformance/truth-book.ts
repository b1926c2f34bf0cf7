import type { Sandbox } from '../sandbox/sandbox.ts'
import {
  type BenefitVerification,
  BenefitVerification as BenefitVerificationSchema,
} from '../service/schemas/benefit-verification.ts'
import { PriorAuthorization } from '../service/schemas/prior-authorization.ts'
import type { Asked, LineAnswer } from './line.ts'
import type { unknownPlaces } from './steps.ts'

/** All statuses of one PA, and of its transfer, in order. */
export interface History {
  statuses: string[]
  transfers: string[]
}

/** The service's truth and its history. */
export interface TruthBook {
  /** Records the current state of all resources. */
  note(this: void): void
  /** Makes the service answer for this PA with unknown values there until it moves. */
  makeUnknown(this: void, id: string, where: UnknownPlace): void
  makeKnown(this: void, id: string): void
  isUnknown(this: void, id: string): boolean
  /** Whether its status is documented nevertheless. */
  hasKnownStatus(this: void, id: string): boolean
  /** Alters the sandbox's answers about such PAs. */
  alter(this: void, asked: Asked, answer: LineAnswer): LineAnswer
  historyOf(this: void, id: string): History
  priorAuthorizations(this: void): PriorAuthorization[]
  benefitVerifications(this: void): BenefitVerification[]
}

/** An undocumented status. */
export const unknownStatus = 'sandbox_unheard_of'

/** Where a PA has unknown values; undefined: in its status. */
type UnknownPlace = (typeof unknownPlaces)[number] | undefined

const sandbox_extra = { nested: [1, 'two', null] }

/** The PA as a later version of the service might send it. */
export function withUnknownValues(pa: object, where?: UnknownPlace): object {
  const { outcome = {}, prescription_transfer: transfer } = pa as { [name: string]: object | null | undefined }
  if (where === undefined) return { ...pa, status: unknownStatus, sandbox_extra }
  if (where === 'outcome')
    return { ...pa, outcome: { ...outcome, result: unknownStatus, detail_code: unknownStatus, sandbox_extra } }
  if (transfer == null) return { ...pa, sandbox_extra }
  return {
    ...pa,
    prescription_transfer: { ...transfer, status: unknownStatus, error_code: unknownStatus, sandbox_extra },
  }
}

export function createTruthBook(sandbox: Pick<Sandbox, 'truth'>): TruthBook {
  const histories = new Map<string, History>()
  const unknown = new Map<string, UnknownPlace>()

  function historyOf(id: string): History {
    const history = histories.get(id) ?? { statuses: [], transfers: [] }
    histories.set(id, history)
    return history
  }

  function note(): void {
    const { prior_authorizations, benefit_verifications } = sandbox.truth()
    for (const { id, status, prescription_transfer: transfer } of prior_authorizations) {
      const { statuses, transfers } = historyOf(id)
      addNews(statuses, unknown.has(id) && unknown.get(id) === undefined ? unknownStatus : status)
      // Several changes within one state of a transfer count once.
      if (transfer?.status !== undefined)
        addNews(transfers, unknown.get(id) === 'transfer' ? unknownStatus : transfer.status)
    }
    for (const { id, status } of benefit_verifications) addNews(historyOf(id).statuses, status)
  }

  return {
    note,
    makeUnknown(id, where) {
      unknown.set(id, where)
      note()
    },
    makeKnown: (id) => void unknown.delete(id),
    isUnknown: (id) => unknown.has(id),
    hasKnownStatus: (id) => !unknown.has(id) || unknown.get(id) !== undefined,
    alter({ method, path }, answer) {
      const id = /^\/prior-authorization\/(\w+)$/.exec(path)?.[1]
      if (method !== 'GET' || id === undefined || !unknown.has(id) || answer.status !== 200) return answer
      // The body of a PA's GET is an object with `data`.
      const body = JSON.parse(answer.body) as { data: object }
      return { ...answer, body: JSON.stringify({ ...body, data: withUnknownValues(body.data, unknown.get(id)) }) }
    },
    historyOf,
    priorAuthorizations: () => sandbox.truth().prior_authorizations.map((pa) => PriorAuthorization.parse(pa)),
    benefitVerifications: () => sandbox.truth().benefit_verifications.map((bv) => BenefitVerificationSchema.parse(bv)),
  }
}

function addNews(list: string[], value: string): void {
  if (list.at(-1) !== value) list.push(value)
}
