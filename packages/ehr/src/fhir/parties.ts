import type { Encounter, Reference } from 'fhir/r4.js'
import { z } from 'zod'
import type { Clock } from '@pawl/base/clock'
import { dayOf } from '@pawl/base/days'
import { retryOf } from '@pawl/base/errors'
import type { Provider } from 'pawl-client/schemas/people'
import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { MissingInChart } from '../missing-in-chart.ts'
import { applyShape, type ShapeResource } from './apply-shape.ts'
import type { ChartClient } from './chart-client.ts'
import { searchToken } from './search-token.ts'
import type { EncounterRule } from './encounter-rule.ts'
import { isActive } from './follow-replacements.ts'
import { text } from '../primitives.ts'
import type { Subject } from '../ehr.ts'
import { isBenefitVerification } from './mapping/is-benefit-verification.ts'
import { identifierOf, npiSystem, prescriberReference } from './mapping/references.ts'
import type { Plans } from './plans.ts'
import type { PractitionerDemand } from './profiles/profile.ts'
import type { RecentAnswers } from './recent-answers.ts'
import { maxConflicts } from './try-ways.ts'

const dayMs = 86_400_000

/** The chart demands an encounter, and the rule finds none. Parks with a daily retry. */
export class EncounterNotFound extends MissingInChart {
  readonly code = 'encounter_not_found'
}

/** The chart demands a practitioner of its own, and has none with the request's NPI, or several. Parks with a daily retry. */
export class PractitionerNotFound extends MissingInChart {
  readonly code = 'practitioner_not_found'
}

/** Finds the encounters and practitioners of one run in the chart. All throw `EhrWriteFailed`. */
export interface PartyFinder {
  /** The encounter by the rule, kept for the resource; undefined if none is found and none demanded. Throws `EncounterNotFound`, and `PractitionerNotFound` if the rule needs the prescriber. */
  encounter(
    this: void,
    patientId: string,
    search: { isDemanded: boolean; subject: Subject },
  ): Promise<Reference | undefined>
  /** The practitioner who counts as author: that of the settings, or, where they say so, the prescriber; undefined if neither and none demanded. Throws `PractitionerNotFound`. */
  author(
    this: void,
    provider: Provider | undefined,
    demand: PractitionerDemand | undefined,
  ): Promise<Reference | undefined>
  /** The practitioner of the settings, or the one with the NPI; undefined if none is found and none demanded. Throws `PractitionerNotFound`. */
  practitioner(this: void, provider: Provider | undefined, demand: PractitionerDemand): Promise<Reference | undefined>
}

/** Finds none. */
export const noParties: PartyFinder = {
  encounter: () => Promise.resolve(undefined),
  author: () => Promise.resolve(undefined),
  practitioner: () => Promise.resolve(undefined),
}

export interface PartyFinderDeps {
  client: Pick<ChartClient, 'search' | 'create'>
  plans: Pick<Plans, 'capabilitiesOf' | 'profile'>
  run: Pick<RunContext, 'resourceId' | 'memory' | 'digest' | 'wrote'>
  /** Base of pawl's identifier systems, without a slash at its end. */
  base: string
  /** Called before an encounter is created, with the id of its patient. */
  assertPatient: (id: string) => Promise<void>
  clock: Clock
  rule: EncounterRule | undefined
  /** The practitioner of the settings. */
  named: Reference | undefined
  /** The prescriber counts as author. */
  isByPrescriber: boolean
  /** May change a created encounter before it is sent. */
  shape: ShapeResource | undefined
  /** Shared by all runs of this process. */
  answers: RecentAnswers<string>
}

/** Makes the finder of one run. Answers are remembered for the resource. */
export function createPartyFinder(deps: PartyFinderDeps): PartyFinder {
  const { client, plans, run, base, assertPatient, clock, rule, named, isByPrescriber, shape, answers } = deps

  /** The id remembered under `role` for the same question, or else a new answer. */
  async function remembered(role: string, question: readonly unknown[], ask: () => Promise<string>): Promise<string> {
    const digest = run.digest(JSON.stringify([role, ...question]))
    const known = await run.memory.read(role)
    if (known?.digest === digest) return known.id
    const id = await answers(digest, ask)
    run.memory.note(role, { id, digest })
    return id
  }

  async function newestEncounter(rule: NewestRule, patientId: string, prescriber: string | undefined): Promise<string> {
    const now = clock.now()
    const stated = await plans.capabilitiesOf('Encounter')
    const { name, value } = narrowing(rule, now)
    const narrowed = stated?.searchParameters.has(name) === true && { [name]: value }
    const all = await client.search('Encounter', { patient: patientId, ...narrowed })
    const newest = all
      .map((each) => ({ id: each.id, ...AnEncounter.parse(each) }))
      // Some servers ignore an unknown parameter.
      .filter(({ subject }) => subject?.reference?.endsWith(`Patient/${patientId}`))
      .filter(({ participant = [] }) => {
        const isPrescriber = (each: (typeof participant)[number]) =>
          each.individual?.reference?.endsWith(`/${prescriber}`)
        return prescriber === undefined || participant.some(isPrescriber)
      })
      .map(({ id, status, period }) => ({ id, status, at: instantOf(period?.start ?? period?.end) }))
      .filter(({ status, at }) => at <= now && isFitting(rule, status, now - at))
      .toSorted((one, other) => other.at - one.at)[0]
    if (newest !== undefined) return newest.id
    throw new EncounterNotFound(
      `The chart files documents under an encounter, and none of the patient's fits FHIR_ENCOUNTER: enter one in the chart, or set another rule.`,
    )
  }

  /** The encounter that pawl created for the resource; creates one if there is none, provided that its identifier finds it again. */
  async function ownEncounter(patientId: string, subject: Subject): Promise<string> {
    const stated = await plans.capabilitiesOf('Encounter')
    const isFound = stated?.canSearch === true && stated.searchParameters.has('identifier')
    if (stated?.canCreate !== true || (!isFound && !stated.hasConditionalCreate)) {
      throw new EncounterNotFound(
        `The chart does not take encounters that are found again by identifier: set FHIR_ENCOUNTER to another rule than create.`,
      )
    }
    const identifier = identifierOf(base, 'encounter', `${run.resourceId}/${patientId}`)
    const isIt = ({ system, value }: { system?: string | undefined; value?: string | undefined }) =>
      system === identifier.system && value === identifier.value
    const readHeld = async () => {
      const found = isFound ? await client.search('Encounter', { identifier: searchToken(identifier) }) : []
      return found.find((each) => each.identifier?.some(isIt))?.id
    }
    const held = await readHeld()
    if (held !== undefined) return held
    await assertPatient(patientId)
    const at = new Date(clock.now()).toISOString()
    const prescriber = prescriberReference(subject.provider)
    const patient = { reference: `Patient/${patientId}`, type: 'Patient' }
    const encounter: Encounter = {
      resourceType: 'Encounter',
      identifier: [identifier],
      status: 'finished',
      class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'VR', display: 'virtual' },
      type: [{ text: isBenefitVerification(subject) ? 'Benefit verification' : 'Prior authorization' }],
      subject: patient,
      ...(prescriber && { participant: [{ individual: prescriber }] }),
      period: { start: at, end: at },
    }
    const { name: profile } = await plans.profile()
    const shaped = applyShape(shape, encounter, { subject, patient, identifier, profile })
    let condition = stated.hasConditionalCreate ? identifier : undefined
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        const { id, version } = await client.create('Encounter', shaped, condition)
        if (id === undefined) throw new EncounterNotFound(`The chart created an encounter and returned no id.`)
        run.wrote({ type: 'Encounter', id, version })
        return id
      } catch (error) {
        const isRefused = error instanceof EhrWriteFailed && error.conditional === 'create' && error.httpStatus === 412
        if (!isRefused || error.retry === 'never' || !isFound) throw error
        // Some charts refuse all conditions, others only for a while: a new search decides, as in try-ways.ts.
        const found = await readHeld()
        if (found !== undefined) return found
        if (conflicts === maxConflicts) condition = undefined
      }
    }
  }

  async function practitionerBy(npi: string): Promise<string> {
    const found = await client.search('Practitioner', { identifier: searchToken({ system: npiSystem, value: npi }) })
    const fitting = found.filter(({ identifier }) => identifier?.some(({ value }) => value === npi))
    const inUse = fitting.some(isActive) ? fitting.filter(isActive) : fitting
    const [only, ...others] = inUse
    if (only !== undefined && others.length === 0) return only.id
    throw new PractitionerNotFound(
      `The chart has ${inUse.length} practitioners with the NPI of the request's provider, and demands one: enter the NPI there once, or name a practitioner in FHIR_DOCUMENT_AUTHOR.`,
    )
  }

  async function prescriberOf(provider: Provider | undefined): Promise<Reference> {
    if (named !== undefined) return named
    const npi = text(provider?.npi)?.trim()
    if (npi === undefined) {
      throw new PractitionerNotFound(
        `The chart demands a practitioner, and the service's resource has no provider.npi: name a practitioner in FHIR_DOCUMENT_AUTHOR.`,
      )
    }
    const id = await remembered('Practitioner', [npi], () => practitionerBy(npi))
    return { reference: `Practitioner/${id}`, type: 'Practitioner' }
  }

  async function practitioner(provider: Provider | undefined, demand: PractitionerDemand) {
    try {
      return await prescriberOf(provider)
    } catch (error) {
      // None was found, or pawl may not search: the chart takes the resource without one.
      if (demand === 'if-known' && retryOf(error) === 'never') return undefined
      throw error
    }
  }

  return {
    practitioner,
    async author(provider, demand) {
      // Any reference will do: the document has that of the settings, and the prescriber needs no look-up.
      if (demand === undefined) return isByPrescriber ? prescriberReference(provider) : undefined
      if (named !== undefined || isByPrescriber) return practitioner(provider, demand)
      if (demand !== 'demanded') return undefined
      throw new PractitionerNotFound(
        `The chart demands a practitioner as author, and the prescriber did not write this: set FHIR_DOCUMENT_AUTHOR to Practitioner/<id> of a service account, or to prescriber.`,
      )
    },
    async encounter(patientId, { isDemanded, subject }) {
      if (rule === undefined) {
        if (!isDemanded) return undefined
        throw new EncounterNotFound(
          `The chart files documents under an encounter, and pawl does not guess which: set FHIR_ENCOUNTER.`,
        )
      }
      try {
        return { reference: `Encounter/${await encounterBy(rule, patientId, subject)}` }
      } catch (error) {
        const isNotFound = error instanceof EncounterNotFound || error instanceof PractitionerNotFound
        if (isNotFound && !isDemanded) return undefined
        throw error
      }
    },
  }

  async function encounterBy(rule: EncounterRule, patientId: string, subject: Subject): Promise<string> {
    if (rule.kind === 'create')
      return remembered('Encounter', [patientId, rule, run.resourceId], () => ownEncounter(patientId, subject))
    const prescriber =
      rule.ofPrescriber === true ? (await prescriberOf(subject.provider)).reference?.split('/')[1] : undefined
    const ask = () => newestEncounter(rule, patientId, prescriber)
    return remembered('Encounter', [patientId, rule, prescriber], ask)
  }
}

type NewestRule = Exclude<EncounterRule, { kind: 'create' }>

/** The search parameter that narrows a long record. */
function narrowing(rule: NewestRule, now: number): { name: string; value: string } {
  if (rule.kind === 'newest-open') return { name: 'status', value: open.join(',') }
  return { name: 'date', value: `ge${dayOf(new Date(now - rule.days * dayMs))}` }
}

const open: readonly string[] = ['arrived', 'triaged', 'in-progress', 'onleave']
const invalid: readonly string[] = ['cancelled', 'entered-in-error', 'planned']

function isFitting(rule: NewestRule, status: string | undefined, ageMs: number): boolean {
  if (rule.kind === 'newest-open') return open.includes(status ?? '')
  return !invalid.includes(status ?? '') && ageMs <= rule.days * dayMs
}

/** Milliseconds since 1970; minus infinity without a time. */
function instantOf(time: string | undefined): number {
  const at = Date.parse(time ?? '')
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
}

const word = z.string().optional().catch(undefined)
const AnEncounter = z.looseObject({
  status: word,
  subject: z.looseObject({ reference: word }).optional().catch(undefined),
  participant: z
    .array(z.looseObject({ individual: z.looseObject({ reference: word }).optional().catch(undefined) }))
    .optional()
    .catch(undefined),
  period: z.looseObject({ start: word, end: word }).optional().catch(undefined),
})
