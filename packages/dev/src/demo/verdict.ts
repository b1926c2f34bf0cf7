import type { Identifier } from 'fhir/r4.js'
import { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { benefitVerificationDifferences } from '@pawl/testing/in-sync/benefit-verification-differences'
import { isAbout } from '@pawl/testing/in-sync/differences'
import { contract } from '@pawl/console/contract/contract'
import { createAdminClient } from '@pawl/console/commands/admin-client'
import { priorAuthorizationDifferences } from '@pawl/testing/in-sync/prior-authorization-differences'
import type { Stage } from './stage.ts'
import type { Journey } from './journey.ts'

/** Final state of one resource, and its cost. */
export interface Verdict {
  id: string
  title: string
  status: string
  events: number
  /** Deliveries of an already known event. */
  duplicates: number
  /** Requests to the service. */
  reads: number
  /** Writes to chart and pharmacy. */
  writes: number
  /** Documents about it in the chart. */
  documents: number
  /** Differences from the service; empty when in sync. */
  differences: string[]
}

/** Compares FHIR server, pharmacy and pawl with the sandbox. */
export async function judge(
  stage: Pick<Stage, 'sandbox' | 'fhir' | 'pharmacy' | 'adminUrl'>,
  { titles, failures }: Pick<Journey, 'titles' | 'failures'>,
): Promise<Verdict[]> {
  const readAdmin = createAdminClient(() => ({ url: stage.adminUrl, password: undefined }))
  const truth = stage.sandbox.truth()
  const documents = await stage.fhir.search('DocumentReference')
  const verdicts: Verdict[] = []
  for (const [id, title] of titles) {
    const pa = truth.prior_authorizations.find((candidate) => candidate.id === id)
    const bv = truth.benefit_verifications.find((candidate) => candidate.id === id)
    // pawl does not know a resource without a webhook.
    const record = await readAdmin(contract.resource, { id }).catch(() => undefined)
    const { events = 0, repeats = 0, reads = 0, writes = 0, progress = [] } = record ?? {}
    const unhandled = progress.filter(({ state }) => state !== 'synced')
    // A hanging run shows only as a resource that stays due.
    const isEndless = record?.dueAt !== undefined && unhandled.length === 0
    const sent = stage.sandbox.controls.deliveries({ resourceId: id }).length
    const own = documents.filter((each) => documentKinds.some((kind) => isAbout(each, kind, id)))
    const differences = [
      ...(own.length === 1 ? [] : [`the chart has ${own.length} documents of its state`]),
      ...unhandled.map(({ handler, state }) => `${handler} is ${state}${because(failures.get(`${id} ${handler}`))}`),
      ...(isEndless ? ['a handler has not finished its run'] : []),
      ...(pa === undefined ? [] : await priorAuthorizationDifferences(stage, PriorAuthorization.parse(pa))),
      ...(bv === undefined ? [] : await benefitVerificationDifferences(stage, BenefitVerification.parse(bv))),
      // Deliveries repeated after a slow response, and changes found by polling, come on top.
      ...(events + repeats < sent ? [`the ledger has ${events + repeats} of ${sent} deliveries`] : []),
    ]
    verdicts.push({
      id,
      title,
      status: pa?.status ?? bv?.status ?? 'unknown',
      documents: filedFor(documents, id),
      differences,
      events,
      duplicates: repeats,
      reads,
      writes,
    })
  }
  if (stage.pharmacy.refused > 0) verdicts[0]?.differences.push('the pharmacy refused a signature')
  return verdicts
}

/** The verdicts as cells of a table, below its header. */
export function rowsOf(verdicts: readonly Verdict[]): string[][] {
  const header = ['', 'id', 'status', 'events', 'duplicates', 'API reads', 'writes', 'documents', 'in sync']
  const rows = verdicts.map(({ title, id, status, events, duplicates, reads, writes, documents, differences }) => [
    title,
    id,
    status,
    ...[events, duplicates, reads, writes, documents].map(String),
    differences.length === 0 ? 'yes' : 'NO',
  ])
  return [header, ...rows]
}

const documentKinds = ['prior-authorization', 'benefit-verification'] as const

/** Documents of its state, and other documents filed for it. */
function filedFor(documents: readonly { identifier?: Identifier[] | undefined }[], id: string): number {
  return documents.filter(({ identifier = [] }) => identifier.some(({ value }) => value?.split('/')[0] === id)).length
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: it failed with ${reason}`
}
