import { readCodes } from './describe-change.ts'
import { type AnyDocument, isTerminal, readFields, type ResourceKind } from './kinds.ts'
import { isApproved, isUnneeded } from './outcome.ts'
import type { Course, Result } from './outcome-course.ts'
import { isTransferEnded } from './prior-authorization.ts'
import { toNdc11 } from './text.ts'

/** Groupings of the report. */
export const groupings = ['payer', 'drug', 'provider'] as const
export type Grouping = (typeof groupings)[number]

/** The facts of a snapshot for the report. */
export interface OutcomeFacts {
  /** Codes and times: nothing of the patient. */
  course: Course
  /** Identifiers of payer (BIN and PCN), drug (NDC, else its name) and provider (NPI), if they have the right shape. */
  groups: Partial<Record<Grouping, string>>
}

/** Reads the report's facts from a snapshot of a PA or BV; `undefined` for an outreach attempt, and without a status. */
export function readOutcomeFacts(kind: ResourceKind, document: unknown): OutcomeFacts | undefined {
  const codes = readCodes(document)
  const { status } = codes
  if (status === undefined || kind === 'provider_outreach') return undefined
  const data = readFields(document)
  const reason = codes['outcome.detail_code']
  return {
    course: {
      status,
      ...(isTerminal(kind, status) && { result: resultOf(kind, status, { result: codes['outcome.result'], reason }) }),
      ...(reason !== undefined && { reason }),
      ...(data.is_appeal && { isAppeal: true }),
      ...((data.priority === 0 || data.priority === 1) && { isUrgent: true }),
      ...readTransfer(codes['prescription_transfer.status'], data),
    },
    groups: readGroups(data),
  }
}

function readTransfer(status: string | undefined, { prescription_transfer: transfer }: AnyDocument) {
  if (status === undefined) return {}
  const { transfer_attempts: attempts = [], confirmation_attempts: confirmations = [] } = transfer ?? {}
  const startedAt = earliest(attempts.map(({ timestamp }) => timestamp))
  const confirmedAt = earliest(confirmations.filter((each) => each.outcome === 'success').map((c) => c.timestamp))
  return { transfer: { status, hasEnded: isTransferEnded(status), startedAt, confirmedAt } }
}

/** The result of a PA or BV with a terminal status (supplement, PA outcome). */
function resultOf(
  kind: ResourceKind,
  status: string,
  { result, reason }: { result: string | undefined; reason: string | undefined },
): Result {
  if (status === 'failed' || status === 'cancelled' || status === 'not_submitted') return status
  if (kind === 'benefit_verification') return 'completed'
  if (isUnneeded({ detail_code: reason })) return 'not_required'
  if (isApproved({ result })) return 'approved'
  return result === 'Denied' ? 'denied' : 'other'
}

function earliest(times: readonly (string | undefined)[]): number | undefined {
  const known = times.map((time) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time))
  return known.length === 0 ? undefined : Math.min(...known)
}

function readGroups({ insurance = [], provider, prescription, drugs = [] }: AnyDocument) {
  const groups: OutcomeFacts['groups'] = {}
  const payer = insurance
    .flatMap(({ discrete_content: discrete, scanned_content: scanned }) => [discrete, scanned])
    .map((content) => payerOf(content?.rx_bin, content?.rx_pcn))
    .find((key) => key !== undefined)
  const named = (prescription === undefined ? drugs : [prescription]).map(drugOf)
  // With several drugs, the outcome does not name its drug.
  const drug = named.length === 1 ? named[0] : named.length > 1 ? 'several drugs' : undefined
  const npi = provider?.npi?.trim()
  if (payer !== undefined) groups.payer = payer
  if (drug !== undefined) groups.drug = drug
  if (npi !== undefined && /^\d{10}$/.test(npi)) groups.provider = npi
  return groups
}

function payerOf(bin = '', pcn = ''): string | undefined {
  if (!/^\d{6}$/.test(bin.trim())) return undefined
  const code = pcn.trim().toUpperCase()
  return /^[A-Z0-9]{1,10}$/.test(code) ? `${bin.trim()}/${code}` : bin.trim()
}

/** Max length of a drug name. */
const maxNameLength = 80

interface Drug {
  ndc?: string | undefined
  name?: string | undefined
  drug_name?: string | undefined
}

function drugOf({ ndc, name, drug_name: drugName = name }: Drug): string | undefined {
  const digits = toNdc11(ndc)
  if (digits !== undefined) return digits
  const said = drugName?.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  return said !== undefined && said !== '' && said.length <= maxNameLength ? said : undefined
}
