import { verdicts } from '@pawl/sandbox/prior-authorization/pa-verdict'
import { priorAuthorizationRows } from '@pawl/sandbox/prior-authorization/states'
import { prescriptionTransferRows } from '@pawl/sandbox/prior-authorization/transfer-states'
import { benefitVerificationErrorCodes } from 'pawl-client/schemas/benefit-verification-errors'
import { benefitVerificationStatuses, patientCoverageStatuses } from 'pawl-client/schemas/benefit-verification'
import { transferErrorCodes } from 'pawl-client/schemas/outcome'
import { priorAuthorizationStatuses } from 'pawl-client/schemas/prior-authorization'
import { outreachStates } from 'pawl-client/schemas/provider-outreach'
import type { Call } from '@pawl/testing/lines/line'
import { type Step, unknownPlaces, verifiedCases } from './steps.ts'

/** How often the service showed each state, outcome or move, by its name in `all`. */
export type Reached = Map<string, number>

const pairs = (rows: readonly { from: string; to: string }[]) => [
  ...new Set(rows.map(({ from, to }) => `${from} → ${to}`)),
]

/** Everything the service can show, under its name in the report. */
export const all: Readonly<Record<string, readonly string[]>> = {
  'status of a PA': priorAuthorizationStatuses,
  'move of a PA': pairs(priorAuthorizationRows),
  'outcome of a PA': verdicts.map(({ result, detail_code }) => `${result} ${detail_code}`),
  'move of a transfer': pairs(prescriptionTransferRows),
  'error of a transfer': transferErrorCodes,
  'status of a BV': benefitVerificationStatuses,
  'finding of a BV': verifiedCases,
  'coverage found by a BV': patientCoverageStatuses,
  'error of a BV': benefitVerificationErrorCodes,
  'state of an outreach': Object.keys(outreachStates),
  'unknown value': ['status', ...unknownPlaces],
  'further content': [
    'message',
    'several messages',
    'attachment',
    'sent_fax',
    'received_fax',
    'follow_up_call',
    'benefits_check',
    'appeal',
    'several cases of a patient',
    'several drugs',
  ],
}

/** Counts what a taken step shows; `before` is the state that it moved. */
export function countStep(reached: Reached, step: Step, before: string | undefined): void {
  const add = (title: string, ...names: string[]) => {
    for (const name of names) reached.set(`${title}: ${name}`, (reached.get(`${title}: ${name}`) ?? 0) + 1)
  }
  switch (step.do) {
    case 'create_pa':
      add('status of a PA', 'created')
      if (step.appeals !== undefined) add('further content', 'appeal')
      if (step.outreach === true) add('state of an outreach', 'created')
      break
    case 'create_bv':
      add('status of a BV', 'pending')
      if ((step.drugs ?? 2) > 1) add('further content', 'several drugs')
      break
    case 'move_pa':
      add('status of a PA', step.to)
      if (before !== undefined) add('move of a PA', `${before} → ${step.to}`)
      if (step.result !== undefined) add('outcome of a PA', `${step.result} ${step.code ?? ''}`)
      break
    case 'move_transfer':
      if (before !== undefined) add('move of a transfer', `${before} → ${step.to}`)
      if (step.code !== undefined) add('error of a transfer', step.code)
      break
    case 'move_bv':
      add('status of a BV', step.to)
      if (step.case !== undefined) add('finding of a BV', step.case)
      if (step.coverage !== undefined) add('coverage found by a BV', step.coverage)
      if (step.error !== undefined) add('error of a BV', step.error)
      break
    case 'move_outreach':
      add('state of an outreach', step.to)
      break
    case 'message':
      add('further content', (step.count ?? 1) > 1 ? 'several messages' : 'message')
      if ((step.attachments ?? 0) > 0) add('further content', 'attachment')
      break
    case 'activity':
      add('further content', step.type)
      break
    case 'benefits_check':
      add('further content', 'benefits_check')
      break
    case 'answer_unknown_values':
      add('unknown value', step.where ?? 'status')
      break
    default:
  }
}

/** Counts the changes that handlers sent to own systems, and how many of them met a fault. */
export function countFaults(reached: Reached, calls: readonly Call[]): void {
  for (const { system, by, method, fault } of calls) {
    if (system !== 'own' || by === undefined || method === 'GET' || method === 'HEAD') continue
    const name = `${faultsOf}${by.handler} ${method}`
    reached.set(name, (reached.get(name) ?? 0) + 1)
    if (fault !== undefined) reached.set(`faulted ${name}`, (reached.get(`faulted ${name}`) ?? 0) + 1)
  }
}

const faultsOf = 'change by '

/** One line per handler with an own system: how many of its changes met a fault, by method. */
export function describeFaults(reached: Reached): string[] {
  const lines = new Map<string, string[]>()
  for (const [name, count] of reached) {
    if (!name.startsWith(faultsOf)) continue
    const [handler = '', method] = name.slice(faultsOf.length).split(' ')
    lines.set(handler, [...(lines.get(handler) ?? []), `${reached.get(`faulted ${name}`) ?? 0} of ${count} ${method}`])
  }
  return [...lines].map(([handler, counts]) => `${handler.padEnd(22)} ${counts.join(', ')}`)
}

/** One line per kind: how many were reached, and the names of the rest. */
export function describeReached(reached: Reached): string[] {
  return Object.entries(all).map(([title, names]) => {
    const left = names.filter((name) => !reached.has(`${title}: ${name}`))
    const count = `${String(names.length - left.length).padStart(3)} of ${names.length}`
    return `${title.padEnd(22)} ${count}${left.length === 0 ? '' : `; not reached: ${left.join(', ')}`}`
  })
}
