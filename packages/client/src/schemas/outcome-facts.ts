import { readCodes } from './describe-change.ts'
import { type AnyDocument, readFields, type ResourceKind } from './kinds.ts'
import { isApproved, isUnneeded } from './outcome.ts'
import { toNdc11 } from './text.ts'

/** Groupings of the report. */
export const groupings = ['payer', 'drug', 'provider'] as const
export type Grouping = (typeof groupings)[number]

/** Results of a PA or BV, in pawl's own words. */
export const results = [
  'approved',
  'denied',
  'not_required',
  'not_submitted',
  'completed',
  'other',
  'failed',
  'cancelled',
] as const
export type Result = (typeof results)[number]

/** The facts of a snapshot for the report: codes, times and identifiers of payer, drug and provider, no patient data. */
export interface OutcomeFacts {
  status: string
  /** `outcome.result` and `outcome.detail_code` of the service. */
  result?: string | undefined
  reason?: string | undefined
  isAppeal: boolean
  /** Whether `priority` is 0 or 1, which charts receive as `stat` and `urgent`. */
  isUrgent: boolean
  transfer?: { status: string; startedAt?: number | undefined; confirmedAt?: number | undefined } | undefined
  /** Identifiers of payer (BIN and PCN), drug (NDC, else its name) and provider (NPI), if they have the right shape. */
  groups: Partial<Record<Grouping, string>>
}

/** Reads the report's facts from a snapshot of a PA or BV; `undefined` without a status (an outreach attempt). */
export function readOutcomeFacts(document: unknown): OutcomeFacts | undefined {
  const codes = readCodes(document)
  const { status } = codes
  if (status === undefined) return undefined
  const data = readFields(document)
  const transferStatus = codes['prescription_transfer.status']
  const { transfer_attempts: attempts = [], confirmation_attempts: confirmations = [] } =
    data.prescription_transfer ?? {}
  return {
    status,
    result: codes['outcome.result'],
    reason: codes['outcome.detail_code'],
    isAppeal: data.is_appeal ?? false,
    isUrgent: data.priority === 0 || data.priority === 1,
    transfer:
      transferStatus === undefined
        ? undefined
        : {
            status: transferStatus,
            startedAt: earliest(attempts.map(({ timestamp }) => timestamp)),
            confirmedAt: earliest(confirmations.filter((each) => each.outcome === 'success').map((c) => c.timestamp)),
          },
    groups: readGroups(data),
  }
}

/** Whether the PA is with the payer (specification, States). */
export function isSubmitted(status: string): boolean {
  return status === 'awaiting_outcome' || status === 'validating_outcome'
}

/** Whether the status precedes any decision. */
export function isBeginning(status: string): boolean {
  return status === 'created' || status === 'processing' || status === 'pending'
}

/** The party that must act on a PA in this status, if any: the reviewing practice, or the provider. */
export function waitsFor(status: string): 'practice' | 'provider' | undefined {
  if (status === 'awaiting_review') return 'practice'
  return status === 'awaiting_provider_response' ? 'provider' : undefined
}

/** The result of a PA or BV with a terminal status (supplement, PA outcome). */
export function resultOf(kind: ResourceKind, { status, result, reason }: OutcomeFacts): Result {
  if (status === 'failed' || status === 'cancelled' || status === 'not_submitted') return status
  if (kind === 'benefit_verification') return 'completed'
  if (isUnneeded({ detail_code: reason })) return 'not_required'
  if (isApproved({ result })) return 'approved'
  return result === 'Denied' ? 'denied' : 'other'
}

/** Whether the outcome proves a submission to the payer, even if pawl saw no submitted status. An existing PA was not submitted again. */
export function showsSubmission(result: Result, reason: string | undefined): boolean {
  return (result === 'approved' || result === 'denied') && !reason?.startsWith('existing_')
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
