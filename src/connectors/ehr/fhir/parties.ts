import type { Reference } from 'fhir/r4.js'
import type { Clock } from '../../../base/clock.ts'
import { PawlError } from '../../../base/errors.ts'
import type { Provider } from '../../../service/schemas/people.ts'
import type { RunContext } from '../../../systems/system.ts'
import { type ChartClient, searchToken, type StoredResource } from './chart-client.ts'
import type { EncounterRule } from './encounter-rule.ts'
import { isActive } from './follow-replacements.ts'
import { text } from './mapping/primitives.ts'
import { npiSystem } from './mapping/references.ts'
import type { Plans } from './plans.ts'
import type { RecentAnswers } from './recent-answers.ts'

const dayMs = 86_400_000
const retried = 'pawl retries daily and at the next event; "pawl retry" retries now.'

/** The chart demands an encounter, and the rule finds none. Parks with a daily retry. */
export class EncounterNotFound extends PawlError {
  readonly code = 'encounter_not_found'
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
}

/** The chart demands a practitioner of its own, and has none with the request's NPI, or several. Parks with a daily retry. */
export class PractitionerNotFound extends PawlError {
  readonly code = 'practitioner_not_found'
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
}

/** Finds the encounters and practitioners of one run in the chart. All throw `EhrWriteFailed`. */
export interface PartyFinder {
  /** The encounter by the rule, which then stays the resource's; undefined where none is demanded and found. Throws `EncounterNotFound`. */
  encounter(this: void, patientId: string, isDemanded: boolean): Promise<Reference | undefined>
  /** The practitioner whom the settings name. */
  named: Reference | undefined
  /** The practitioner whom the settings name, or the one with the NPI. Throws `PractitionerNotFound`. */
  practitioner(this: void, provider: Provider | undefined): Promise<Reference>
}

/** Finds none. */
export const noParties: PartyFinder = {
  named: undefined,
  encounter: () => Promise.resolve(undefined),
  practitioner: () => Promise.reject(new PractitionerNotFound('No practitioner was looked for.')),
}

export interface PartyFinderDeps {
  client: Pick<ChartClient, 'search'>
  plans: Pick<Plans, 'parametersOf'>
  run: Pick<RunContext, 'memory' | 'digest'>
  clock: Clock
  rule: EncounterRule | undefined
  /** The practitioner whom the settings name. */
  named: Reference | undefined
  /** Shared by all runs of this process. */
  asked: RecentAnswers<string>
}

/** Makes the finder of one run. Answers are remembered for the resource. */
export function createPartyFinder({ client, plans, run, clock, rule, named, asked }: PartyFinderDeps): PartyFinder {
  /** Under `role`, as long as it was asked for the same. */
  async function remembered(role: string, question: readonly unknown[], ask: () => Promise<string>): Promise<string> {
    const digest = run.digest(JSON.stringify([role, ...question]))
    const known = await run.memory.read(role)
    if (known?.digest === digest) return known.id
    const id = await asked(digest, ask)
    run.memory.note(role, { id, digest })
    return id
  }

  async function newestEncounter(patientId: string): Promise<string> {
    const now = clock.now()
    const stated = await plans.parametersOf('Encounter')
    const { name, value } = narrowing(rule, now)
    const all = await client.search('Encounter', { patient: patientId, ...(stated.has(name) && { [name]: value }) })
    const newest = all
      .map((each) => ({ id: each.id, status: each.status, patient: patientIn(each), at: startOf(each) }))
      // Some servers ignore a parameter that they do not know.
      .filter(({ patient, at }) => patient === patientId && at <= now)
      .filter(({ status, at }) => isFitting(rule, status, now - at))
      .toSorted((a, b) => b.at - a.at)[0]
    if (newest !== undefined) return newest.id
    throw new EncounterNotFound(
      `The chart files documents under an encounter, and none of the patient's fits FHIR_ENCOUNTER: enter one in the chart, or set another rule. ${retried}`,
    )
  }

  async function practitionerBy(npi: string): Promise<string> {
    const found = await client.search('Practitioner', { identifier: searchToken({ system: npiSystem, value: npi }) })
    const fitting = found.filter(({ identifier }) => identifier?.some(({ value }) => value === npi))
    const inUse = fitting.some(isActive) ? fitting.filter(isActive) : fitting
    const [only, ...others] = inUse
    if (only !== undefined && others.length === 0) return only.id
    throw new PractitionerNotFound(
      `The chart has ${inUse.length} practitioners with the NPI of the request's provider, and demands one: enter the NPI there once, or name a practitioner in FHIR_DOCUMENT_AUTHOR. ${retried}`,
    )
  }

  return {
    named,
    async encounter(patientId, isDemanded) {
      if (rule === undefined) {
        if (!isDemanded) return undefined
        throw new EncounterNotFound(
          `The chart files documents under an encounter, and pawl does not guess which: set FHIR_ENCOUNTER. ${retried}`,
        )
      }
      try {
        const id = await remembered('Encounter', [patientId, rule], () => newestEncounter(patientId))
        return { reference: `Encounter/${id}` }
      } catch (error) {
        if (error instanceof EncounterNotFound && !isDemanded) return undefined
        throw error
      }
    },
    async practitioner(provider) {
      if (named !== undefined) return named
      const npi = text(provider?.npi)?.trim()
      if (npi === undefined) {
        throw new PractitionerNotFound(
          `The chart demands a practitioner, and the service's resource has no provider.npi: name a practitioner in FHIR_DOCUMENT_AUTHOR. ${retried}`,
        )
      }
      const id = await remembered('Practitioner', [npi], () => practitionerBy(npi))
      return { reference: `Practitioner/${id}`, type: 'Practitioner' }
    },
  }
}

/** Spares the pages of a long record, where the server knows the parameter. */
function narrowing(rule: EncounterRule | undefined, now: number): { name: string; value: string } {
  if (rule?.kind !== 'newest') return { name: 'status', value: open.join(',') }
  return { name: 'date', value: `ge${new Date(now - rule.days * dayMs).toISOString().slice(0, 10)}` }
}

const open: readonly unknown[] = ['arrived', 'triaged', 'in-progress', 'onleave']
const invalid: readonly unknown[] = ['cancelled', 'entered-in-error', 'planned']

function isFitting(rule: EncounterRule | undefined, status: unknown, ageMs: number): boolean {
  if (rule?.kind === 'newest-open') return open.includes(status)
  return !invalid.includes(status) && ageMs <= (rule?.days ?? 0) * dayMs
}

/** Milliseconds since the epoch; without a start, as old as can be. */
function startOf({ period }: StoredResource): number {
  const { start, end } = Object(period) as { start?: unknown; end?: unknown }
  const at = Date.parse(String(start ?? end))
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
}

function patientIn({ subject }: StoredResource): string | undefined {
  const { reference } = Object(subject) as { reference?: unknown }
  return typeof reference === 'string' ? /(?:^|\/)Patient\/([^/]+)$/.exec(reference)?.[1] : undefined
}
