import type { Identifier, Task } from 'fhir/r4.js'
import { BenefitVerification } from '../../resources/benefit-verification.ts'
import { isApproved, PriorAuthorization } from '../../resources/prior-authorization.ts'
import type { Cast } from './play.ts'
import type { Stage } from './stage.ts'

/** How one resource stands at the end, and what it cost. */
export interface Verdict {
  id: string
  title: string
  status: string
  /** What differs from the service's truth; empty when all is in step. */
  differences: string[]
  deliveries: number
  duplicates: number
  reads: number
  writes: number
}

/** Holds FHIR server, pharmacy and ledger against the sandbox's truth. */
export async function judge(stage: Stage, cast: Cast): Promise<Verdict[]> {
  const truth = stage.sandbox.truth()
  const verdicts: Verdict[] = []
  for (const [id, title] of cast) {
    const pa = truth.prior_authorizations.find((candidate) => candidate.id === id)
    const bv = truth.benefit_verifications.find((candidate) => candidate.id === id)
    const resource = await stage.gateway.ledger.resource(id)
    const unhandled = (resource?.progress ?? []).filter(({ state }) => state !== 'in_step')
    const differences = [
      ...unhandled.map(({ handler, state }) => `${handler} is ${state}`),
      ...(pa === undefined ? [] : await priorAuthorizationDifferences(stage, PriorAuthorization.parse(pa))),
      ...(bv === undefined ? [] : await benefitVerificationDifferences(stage, BenefitVerification.parse(bv))),
    ]
    const { events = 0, repeats = 0, reads = 0, writes = 0 } = resource ?? {}
    const sent = stage.sandbox.controls.deliveries({ resourceId: id }).length
    if (events + repeats !== sent) differences.push(`${events + repeats} deliveries arrived of ${sent}`)
    const status = pa?.status ?? bv?.status ?? 'unknown'
    verdicts.push({ id, title, status, differences, deliveries: events + repeats, duplicates: repeats, reads, writes })
  }
  if (stage.pharmacy.refused > 0) verdicts[0]?.differences.push('the pharmacy refused a signature')
  return verdicts
}

async function priorAuthorizationDifferences(stage: Stage, pa: PriorAuthorization): Promise<string[]> {
  const differences: string[] = []
  const expect = (what: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) differences.push(`${what} is ${String(actual)}, not ${String(expected)}`)
  }
  const tasks = (await stage.fhir.search('Task')).filter(({ status }) => status !== 'entered-in-error')
  const chart = tasks.find((task) => isAbout(task, 'prior-authorization', pa.id))
  expect('Task.businessStatus', textOf(chart), pa.status)

  const claims = await stage.fhir.search('ClaimResponse')
  const claim = claims.find((candidate) => isAbout(candidate, 'prior-authorization', pa.id))
  if (pa.status === 'completed') {
    expect('ClaimResponse.outcome', claim?.outcome, 'complete')
    expect('ClaimResponse has an authorized period', claim?.preAuthPeriod !== undefined, isApproved(pa.outcome))
  }
  if (pa.status === 'cancelled' && claim !== undefined) expect('ClaimResponse.status', claim.status, 'cancelled')

  const ids = (pa.message_thread?.messages ?? []).map(({ id }) => id)
  const written = (await stage.fhir.search('Communication')).flatMap(({ identifier }) => identifier ?? [])
  for (const id of ids) expect(`messages ${id} in the chart`, written.filter(({ value }) => value === id).length, 1)

  const waits = pa.status === 'awaiting_review' || pa.outcome?.detail_code === 'more_information_required'
  const staffTask = tasks.find((task) => isAbout(task, 'prior-authorization-staff-task', pa.id))
  expect('an open staff task', staffTask?.status === 'requested', waits)

  const transfer = pa.prescription_transfer
  if (transfer !== undefined) {
    expect(
      'transfer Task',
      textOf(tasks.find((task) => isAbout(task, 'prescription-transfer', pa.id))),
      transfer.status,
    )
    const told = stage.pharmacy.transfers.get(pa.id)
    expect('transfer at the pharmacy', told?.status, transfer.status)
    expect('confirmed at the pharmacy', told?.confirmed, transfer.confirmed)
    expect('transfer attempts at the pharmacy', told?.attempts, transfer.transfer_attempts?.length)
  }
  return differences
}

async function benefitVerificationDifferences(stage: Stage, bv: BenefitVerification): Promise<string[]> {
  const responses = await stage.fhir.search('CoverageEligibilityResponse')
  const response = responses.find((candidate) => isAbout(candidate, 'benefit-verification', bv.id))
  const items = response?.insurance?.flatMap(({ item }) => item ?? []).length ?? 0
  const drugs = bv.drugs?.length ?? 0
  return [
    ...(response?.outcome === 'complete' ? [] : [`CoverageEligibilityResponse.outcome is ${response?.outcome}`]),
    ...(items === drugs ? [] : [`${items} drugs in the chart, not ${drugs}`]),
  ]
}

function isAbout(resource: { identifier?: Identifier[] | undefined }, kind: string, id: string): boolean {
  return (resource.identifier ?? []).some(({ system, value }) => system?.endsWith(`/${kind}`) && value === id)
}

function textOf(task: Task | undefined): string | undefined {
  return task?.businessStatus?.text ?? task?.businessStatus?.coding?.[0]?.code
}
