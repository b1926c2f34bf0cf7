import { hash, randomUUID } from 'node:crypto'
import type { CheckReport, RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../../ehr-write-failed.ts'
import type { Capabilities } from '../capabilities.ts'
import type { ChartClient } from '../chart-client.ts'
import type { StoredResource } from '../stored-resource.ts'
import type { Target, UpsertResource } from '../chart-store.ts'
import { documentsOf, type StoredType, storedTypes, type Written } from '../chart-types.ts'
import { findByMark, markOf } from '../content-mark.ts'
import { forgetful } from '../forgetful.ts'
import { type ChartOptions, createMappedEhr } from '../mapped-ehr.ts'
import type { NamedIdentifier } from '../mapping/references.ts'
import { createOneAtATime } from '@pawl/connector/one-at-a-time'
import { type Content, toContent } from '../owned.ts'
import { type PartyFinder, PractitionerNotFound } from '../parties.ts'
import { createPlans, type Plans, type Strategies } from '../plans.ts'
import type { VendorProfile } from '../profiles/profile.ts'
import type { TypePlan } from '../strategy.ts'
import { withdraw, type Withdrawal } from '../withdraw.ts'
import { differencesOf } from './kept-differences.ts'
import { trialWrites } from './trial-subjects.ts'

/** The chart of the settings, to check. */
export interface ChartToTry {
  client: ChartClient
  strategies: Strategies
  options: ChartOptions
  /** The profile of a chart by its stated names. */
  profileOf(this: void, names: readonly string[]): VendorProfile
  /** Finds encounters and practitioners, and remembers none. */
  createParties(
    this: void,
    client: ChartClient,
    plans: Plans,
    run: Pick<RunContext, 'resourceId' | 'wrote'>,
  ): PartyFinder
}

export interface TryWritesDeps extends ChartToTry {
  capabilities: Capabilities
  /** The test patient's id in the chart. */
  patientId: string
  npi: string | undefined
  /** Message of an error, without the chart's words. */
  sentence: (error: unknown) => string
}

/** An accepted trial write. */
interface Taken {
  written: Written
  identifier: NamedIdentifier
  plan: TypePlan
  sent: Content
  held: StoredResource
}

const digest = (text: string) => hash('sha256', text).slice(0, 32)

/** Writes one resource of each type and kind for a test patient, as pawl writes its own, reports the differences in the chart, and takes them back. */
export async function tryWrites(deps: TryWritesDeps): Promise<CheckReport> {
  const { client, capabilities, strategies, options, profileOf, patientId, npi, sentence } = deps
  const findings: string[] = []
  const faults = new Set<string>()
  const taken: Taken[] = []
  /** Ids of encounters that FHIR_ENCOUNTER had created. */
  const encounters = new Set<string>()
  const key = randomUUID()
  const plans = createPlans({
    load: () => Promise.resolve(capabilities),
    overrides: strategies,
    profileOf,
    clock: options.clock,
  })
  const store: UpsertResource = async (target, map) => {
    const written = target.kind === undefined ? target.type : documentsOf(target.kind)
    const plan = await plans.of(written)
    const mapped = plan.strategy === 'skip' ? undefined : await map(undefined)
    if (mapped === undefined) return undefined
    const sent = toContent(mapped)
    try {
      const held = await writeAndRead({ client, plan, target, sent })
      if (typeof held === 'string') {
        faults.add(`${written}: the chart does not show the ${held} that it took: look for it by hand.`)
        return undefined
      }
      taken.push({ written, identifier: target.identifier, plan, sent, held })
      findings.push(`${written}: written to the test patient and read back${differencesIn(sent, held)}.`)
      return held.id
    } catch (error) {
      faults.add(`${written}: ${oneOf(target.type)} for the test patient was refused: ${sentence(error)}`)
      return undefined
    }
  }
  const reference = { reference: `Patient/${patientId}`, type: 'Patient' }
  const ehr = createMappedEhr({
    options,
    store,
    plans,
    findPatient: () => Promise.resolve({ id: patientId, reference }),
    parties: deps.createParties(client, plans, {
      resourceId: `check-${key}`,
      wrote: ({ id }) => void encounters.add(id),
    }),
    oneAtATime: createOneAtATime(),
    run: { ...forgetful, digest, leftOut() {}, log: silent },
  })
  const { contentTypes } = (await plans.profile()).DocumentReference
  const takesPdf = contentTypes?.is.includes('application/pdf') ?? true
  for (const write of trialWrites(ehr, { key, npi, takesPdf }))
    await write().catch((error: unknown) => {
      const isUnnamed = error instanceof PractitionerNotFound && (npi ?? '') === ''
      const remedy = isUnnamed ? ' For this check, --npi names a prescriber whom the chart knows.' : ''
      faults.add(`Not tried on the test patient: ${sentence(error)}${remedy}`)
    })
  for (const type of storedTypes) {
    const first = taken.find(({ held }) => held.resourceType === type)
    if (first !== undefined) findings.push(await describeFound(client, type, first))
  }
  const created = await Promise.all([...encounters].map(async (id) => client.read('Encounter', id)))
  const toTakeBack = created.flatMap((held) => (held === undefined ? [] : { written: 'Encounter', held }))
  const back = await takeBack(deps, [...toTakeBack, ...taken])
  if (taken.length + faults.size === 0) findings.push('Nothing was tried, since nothing is written.')
  return {
    ok: faults.size === 0,
    findings: [...findings, ...faults, ...back],
    faults: [...faults],
  }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** The resource as the chart holds it; its name alone where the chart does not show it. */
async function writeAndRead({
  client,
  plan,
  target,
  sent,
}: {
  client: ChartClient
  plan: TypePlan
  target: Target<StoredType>
  sent: Content
}): Promise<StoredResource | string> {
  const { type, identifier, patientId } = target
  const isConditional = plan.strategy === 'conditional-update'
  const { id } = await (isConditional ? client.conditionalUpdate(type, identifier, sent) : client.create(type, sent))
  if (id !== undefined) return (await client.read(type, id)) ?? `${type}/${id}`
  const { patientParameter } = plan
  const all = patientParameter === undefined ? [] : await client.search(type, { [patientParameter]: patientId })
  const mark = markOf(digest, type, sent) ?? ''
  const found = all.find((each) => isNamed(each, identifier))
  return found ?? (await findByMark({ readAttachment: client.readAttachment, digest }, { type, mark }, all)) ?? type
}

function isNamed({ identifier = [] }: StoredResource, { system, value }: NamedIdentifier): boolean {
  return identifier.some((each) => each.system === system && each.value === value)
}

function differencesIn(sent: Content, held: StoredResource): string {
  const { missing, changed, added } = differencesOf(sent, held)
  const parts = [
    ['not kept', missing],
    ['changed', changed],
    ['added', added],
  ] as const
  const said = parts.flatMap(([words, paths]) => (paths.length === 0 ? [] : `; ${words}: ${paths.join(', ')}`))
  return said.length === 0 ? ', kept as sent' : said.join('')
}

/** How pawl finds a resource again if the answer to its create is lost. */
async function describeFound(
  client: ChartClient,
  type: StoredType,
  { identifier, plan, sent, held }: Taken,
): Promise<string> {
  const mark = markOf(digest, type, sent)
  const seen = { readAttachment: client.readAttachment, digest }
  const keepsContent = mark !== undefined && (await findByMark(seen, { type, mark }, [held])) !== undefined
  const isListed = plan.patientParameter !== undefined
  const isSearched = isListed || plan.hasConditionalCreate || isByName.has(plan.strategy)
  if (isNamed(held, identifier) && isSearched) {
    return `${type}: the chart keeps pawl's identifier: ${oneOf(type)} is found again if the answer is lost.`
  }
  if (keepsContent && isListed) {
    return `${type}: the chart keeps no identifier, but keeps the content, by which ${oneOf(type)} is found again if the answer is lost.`
  }
  return `${type}: pawl cannot find ${oneOf(type)} again if the answer is lost: a second one may be created beside it.`
}

function oneOf(type: StoredType): string {
  return type === 'DocumentReference' ? 'a document' : `a ${type}`
}

/** Strategies that search by identifier. */
const isByName: ReadonlySet<string> = new Set(['conditional-update', 'search'])

/** A resource that a check wrote; an encounter has no plan. */
type TakenBack = Pick<Taken, 'held'> & { written: string; plan?: TypePlan }

const withdrawals: Record<Withdrawal, string> = {
  deleted: 'deleted again',
  'entered in error': 'marked as entered in error',
  cancelled: 'cancelled',
}

async function takeBack({ client, capabilities }: TryWritesDeps, taken: readonly TakenBack[]): Promise<string[]> {
  const done = new Map<string, string[]>()
  const left: string[] = []
  // The last first, since it may refer to earlier ones.
  for (const { written, ...each } of taken.toReversed()) {
    const { resourceType: type, id } = each.held
    const stated = capabilities.types.get(type)
    const way = await withdraw(client, { ...each, stated }, ['deleted', 'entered in error', 'cancelled']).catch(noWay)
    if (way === undefined) left.unshift(`${type}/${id}`)
    else done.set(withdrawals[way], [written, ...(done.get(withdrawals[way]) ?? [])])
  }
  const stays = `Stays in the chart, which does not let pawl take it back: delete ${left.join(', ')} of the test patient by hand.`
  return [
    ...[...done].map(([how, all]) => `Taken back, ${how}: ${all.join(', ')}.`),
    ...(left.length === 0 ? [] : [stays]),
  ]
}

function noWay(error: unknown): undefined {
  if (!(error instanceof EhrWriteFailed)) throw error
}
