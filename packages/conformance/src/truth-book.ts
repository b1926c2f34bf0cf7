import type { Observation } from '@pawl/sandbox/platform/observe'
import { publicStatus, type TransferState } from '@pawl/sandbox/prior-authorization/transfer-states'
import type { Sandbox } from '@pawl/sandbox/sandbox'
import {
  type BenefitVerification,
  BenefitVerification as BenefitVerificationSchema,
} from 'pawl-client/schemas/benefit-verification'
import { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { LineRequest, LineAnswer } from '@pawl/testing/lines/line'
import type { unknownPlaces } from './steps.ts'

/** All statuses of one PA and of its transfer, in order. */
export interface History {
  statuses: string[]
  transfers: string[]
  /** When the service entered each status; monotonic clock, milliseconds. */
  times: { status: string; at: number }[]
}

/** The service's current state and its history. */
export interface TruthBook {
  /** Records a state that the sandbox entered, however briefly and whatever caused it. */
  record(this: void, observation: Observation): void
  /** Adds unknown values to the service's answers: about this PA until it moves, or to the findings of this BV. */
  makeUnknown(this: void, id: string, where: UnknownPlace): void
  /** `where`: only if the unknown values are there. */
  makeKnown(this: void, id: string, where?: UnknownPlace): void
  /** Makes the service omit the addresses of the PA's faxes, or give them again. */
  holdBackFaxes(this: void, id: string, isHeldBack: boolean): void
  /** Makes the service omit the PA's optional fields. */
  makeSparse(this: void, id: string): void
  /** Expires the file addresses in the service's next answer about this PA. */
  expireFiles(this: void, id: string): void
  isUnknown(this: void, id: string): boolean
  /** Whether its status is documented nevertheless. */
  hasKnownStatus(this: void, id: string): boolean
  /** Alters the sandbox's answers about such PAs. */
  alter(this: void, request: LineRequest, answer: LineAnswer): LineAnswer
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
  if (where === 'detail_code') return { ...pa, outcome: { ...outcome, detail_code: unknownStatus }, sandbox_extra }
  if (where === 'outcome')
    return { ...pa, outcome: { ...outcome, result: unknownStatus, detail_code: unknownStatus, sandbox_extra } }
  if (where === 'activity') {
    const { activity_log: log = [] } = pa as { activity_log?: object[] }
    return { ...pa, activity_log: [...log, { id: 'act_unknown', type: unknownStatus, details: sandbox_extra }] }
  }
  if (transfer == null) return { ...pa, sandbox_extra }
  if (where === 'error_code')
    return (transfer as { status?: string }).status !== 'error'
      ? { ...pa, sandbox_extra }
      : { ...pa, prescription_transfer: { ...transfer, error_code: unknownStatus }, sandbox_extra }
  return {
    ...pa,
    prescription_transfer: { ...transfer, status: unknownStatus, error_code: unknownStatus, sandbox_extra },
  }
}

/** The BV as a later version of the service might send it. */
function withUnknownFindings(bv: object): object {
  const { drugs = [], error } = bv as { drugs?: object[]; error?: object | null }
  return {
    ...bv,
    patient_coverage_status: unknownStatus,
    drugs: drugs.map((drug) => ({
      ...drug,
      coverage: unknownStatus,
      coverage_detail_code: unknownStatus,
      prior_authorization_required: unknownStatus,
    })),
    ...(error != null && { error: { ...error, code: unknownStatus, detail_code: unknownStatus } }),
    sandbox_extra,
  }
}

/** The PA with no addresses for its faxes. */
function withoutFaxes<T extends object>(pa: T): T {
  const { activity_log: log = [] } = pa as { activity_log?: readonly { type?: string; details?: unknown }[] }
  const held = log.map((entry) => (entry.type?.endsWith('_fax') === true ? { ...entry, details: {} } : entry))
  return { ...pa, activity_log: held }
}

/** PA fields that handlers must be able to do without. */
const mayBeAbsent: ReadonlySet<string> = new Set([
  'url',
  'priority',
  'diagnoses',
  'out_of_pocket_costs',
  'denial_reason_analysis',
  'real_time_benefits_check_response',
])

/** The PA without fields that the interface calls optional; nullable ones are null. */
function sparse<T extends object>(pa: T): T {
  const { outcome, ...all } = pa as T & { outcome?: object | null }
  const others = Object.fromEntries(Object.entries(all).filter(([name]) => !mayBeAbsent.has(name)))
  const { result, detail_code } = { ...outcome } as { result?: unknown; detail_code?: unknown }
  // The compiler cannot see that the omitted fields are optional.
  return { ...others, ...(outcome != null && { outcome: { result, detail_code, detail: null } }) } as unknown as T
}

export function createTruthBook(sandbox: Pick<Sandbox, 'truth'>): TruthBook {
  const histories = new Map<string, History>()
  const unknown = new Map<string, UnknownPlace>()
  const sparseIds = new Set<string>()
  const expiring = new Set<string>()
  const faxless = new Set<string>()

  /** The resource as the service gives it, before unknown values. */
  function told<T extends { id?: unknown }>(resource: T, id = String(resource.id)): T {
    const held = faxless.has(id) ? withoutFaxes(resource) : resource
    return sparseIds.has(id) ? sparse(held) : held
  }

  function historyOf(id: string): History {
    const history = histories.get(id) ?? { statuses: [], transfers: [], times: [] }
    histories.set(id, history)
    return history
  }

  function record(observation: Observation): void {
    if (observation.kind !== 'transition') return
    const { machine, id, to } = observation
    const { statuses, transfers, times } = historyOf(id)
    // The sandbox reports more transfer states than the service shows.
    if (machine === 'prescription_transfer' && isTransferState(to))
      addNews(transfers, unknown.get(id) === 'transfer' ? unknownStatus : publicStatus[to])
    if (machine !== 'prior_authorization' && machine !== 'benefit_verification') return
    times.push({ status: to, at: performance.now() })
    addNews(statuses, machine === 'prior_authorization' && hasUnknownStatus(id) ? unknownStatus : to)
  }

  const hasUnknownStatus = (id: string) => unknown.has(id) && unknown.get(id) === undefined

  /** Records how the service shows the PA from now on. */
  function noteShown(id: string): void {
    const pa = sandbox.truth().prior_authorizations.find((each) => each.id === id)
    if (pa === undefined) return
    const { statuses, transfers } = historyOf(id)
    addNews(statuses, hasUnknownStatus(id) ? unknownStatus : pa.status)
    const transfer = pa.prescription_transfer?.status
    if (transfer !== undefined) addNews(transfers, unknown.get(id) === 'transfer' ? unknownStatus : transfer)
  }

  return {
    record,
    makeUnknown(id, where) {
      unknown.set(id, where)
      noteShown(id)
    },
    makeKnown(id, where) {
      if (unknown.has(id) && (where === undefined || where === unknown.get(id))) {
        unknown.delete(id)
        noteShown(id)
      }
    },
    holdBackFaxes: (id, isHeldBack) => void (isHeldBack ? faxless.add(id) : faxless.delete(id)),
    makeSparse: (id) => void sparseIds.add(id),
    expireFiles: (id) => void expiring.add(id),
    isUnknown: (id) => unknown.has(id),
    hasKnownStatus: (id) => !unknown.has(id) || unknown.get(id) !== undefined,
    alter({ method, path }, answer) {
      const [, kind, id] = /^\/(prior-authorization|benefit-verification)\/(\w+)$/.exec(path) ?? []
      if (method !== 'GET' || id === undefined || answer.status !== 200) return answer
      const isExpired = answer.body.includes('/files/') && expiring.delete(id)
      const isTold = !unknown.has(id) && !sparseIds.has(id) && !faxless.has(id)
      if (!isExpired && isTold) return answer
      const text = isExpired ? answer.body.replaceAll(/([?&]expires=)\d+/g, '$10') : answer.body
      // The body of such a GET is an object with `data`.
      const body = JSON.parse(text) as { data: object }
      const known = told(body.data, id)
      const changed = () =>
        kind === 'benefit-verification' ? withUnknownFindings(known) : withUnknownValues(known, unknown.get(id))
      const data = unknown.has(id) ? changed() : known
      return { ...answer, body: JSON.stringify({ ...body, data }) }
    },
    historyOf,
    priorAuthorizations: () => sandbox.truth().prior_authorizations.map((pa) => PriorAuthorization.parse(told(pa))),
    benefitVerifications: () => sandbox.truth().benefit_verifications.map((bv) => BenefitVerificationSchema.parse(bv)),
  }
}

function isTransferState(state: string): state is TransferState {
  return state in publicStatus
}

function addNews(list: string[], value: string): void {
  if (list.at(-1) !== value) list.push(value)
}
