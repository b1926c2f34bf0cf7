import { findMissing, pdfPackages } from '@pawl/base/optional-packages'
import type { CheckReport } from '@pawl/connector/system'
import type { TypeCapabilities } from '../capabilities.ts'
import type { ChartClient } from '../chart-client.ts'
import { searchToken } from '../search-token.ts'
import { everyWritten, type StoredType, storedTypes, typeOf, type Written } from '../chart-types.ts'
import type { EncounterRule } from '../encounter-rule.ts'
import { npiSystem } from '../mapping/references.ts'
import type { Strategies } from '../plans.ts'
import { authorDemand, practitionerDemand } from '../profiles/conform.ts'
import { demandsInWords } from '../profiles/demands-in-words.ts'
import type { Demand, PractitionerDemand, ProfileName, ProfileOverrides, VendorProfile } from '../profiles/profile.ts'
import { demandsOf } from '../profiles/vendor-profiles.ts'
import { type DocumentSettings, documentsFor } from '../settings.ts'
import type { TypePlan } from '../strategy.ts'

export interface CheckDemandsDeps {
  client: Pick<ChartClient, 'read' | 'search'>
  profile: VendorProfile
  /** FHIR_PROFILE. */
  profileName: ProfileName | undefined
  /** FHIR_PROFILE_OVERRIDES. */
  profileOverrides: ProfileOverrides | undefined
  documents: DocumentSettings
  encounter: EncounterRule | undefined
  strategies: Strategies
  types: ReadonlyMap<string, TypeCapabilities>
  planOf: (type: StoredType) => TypePlan
  /** Message of an error, without the chart's words. */
  sentence: (error: unknown) => string
}

/** Compares the demands of the chart's profile with settings and capabilities: a fault, with its remedy, for each demand for which the chart would refuse writes. */
export async function checkDemands(deps: CheckDemandsDeps): Promise<CheckReport> {
  const { profile, profileName, planOf } = deps
  const isUnknown = profileName === undefined && profile.name === 'r4'
  const how = profileName === undefined ? 'by what the chart states of itself' : 'since FHIR_PROFILE says so'
  const title = isUnknown
    ? 'Profile r4: the chart states no name of a vendor whose demands pawl knows. FHIR_PROFILE names one.'
    : `Profile ${profile.name} (${profile.title}), ${how}.`
  const isWritten = (type: StoredType) => planOf(type).strategy !== 'skip'
  const written = storedTypes.filter(isWritten)
  const practitioners = await checkPractitioners(deps, written)
  const faults = [
    ...everyWritten.flatMap((written) => againstStrategies(written, deps)),
    ...(isWritten('DocumentReference') ? [...contentFaults(deps), ...(await encounterFaults(deps))] : []),
    ...practitioners.faults,
  ]
  const findings = [
    title,
    ...overridesIn(deps),
    ...written.flatMap((type) => describe(type, deps)),
    ...practitioners.notes,
    ...faults,
  ]
  return { ok: faults.length === 0, findings, faults }
}

/** The setting's overrides of the vendor's profile, one sentence each. */
function overridesIn({ profileOverrides = {} }: CheckDemandsDeps): string[] {
  return Object.entries(profileOverrides).flatMap(([type, parts]) =>
    Object.entries({ ...parts }).map(([part, is]) => {
      const demand = is === null ? 'not demanded' : JSON.stringify(is)
      return `${type}.${part}: ${demand}, since FHIR_PROFILE_OVERRIDES says so.`
    }),
  )
}

/** Strategies of the settings that the chart refuses. */
function againstStrategies(written: Written, { profile, strategies }: CheckDemandsDeps): string[] {
  const { unfit, neverUpdated } = demandsOf(profile, typeOf(written))
  const chosen = strategies[written]
  if (chosen === undefined || chosen === 'skip') return []
  if (unfit !== undefined) {
    return [`${written}: refused, since ${unfit.is}: take ${written}=${chosen} out of FHIR_STRATEGIES.${cited(unfit)}`]
  }
  if (neverUpdated === undefined || chosen === 'create') return []
  return [
    `${written}: updates are refused, since the chart only creates: set ${written}=create in FHIR_STRATEGIES, or take ${written}=${chosen} out.${cited(neverUpdated)}`,
  ]
}

function contentFaults({ profile, documents }: CheckDemandsDeps): string[] {
  const { contentTypes, attachments } = profile.DocumentReference
  const { formats } = documentsFor(documents, profile)
  const faults: string[] = []
  const refused = formats.filter((format) => contentTypes?.is.includes(format) === false)
  if (contentTypes !== undefined && refused.length > 0) {
    const taken = `leave FHIR_DOCUMENT_FORMATS out, or name of ${contentTypes.is.join(', ')}`
    faults.push(`DocumentReference: ${refused.join(', ')} is refused: ${taken}.${cited(contentTypes)}`)
  }
  const named = documents.formats?.length ?? 0
  if (attachments !== undefined && named > attachments.is) {
    faults.push(
      `DocumentReference: only ${formats.join()} of the ${named} FHIR_DOCUMENT_FORMATS is sent, since a document has one attachment there: name one.${cited(attachments)}`,
    )
  }
  const missing = formats.includes('application/pdf') ? findMissing('application/pdf', pdfPackages) : undefined
  if (missing !== undefined) faults.push(`DocumentReference: ${missing}.`)
  return faults
}

async function encounterFaults({ client, profile, encounter, types, sentence }: CheckDemandsDeps): Promise<string[]> {
  const demand = profile.DocumentReference.encounter
  if (encounter === undefined) {
    return demand === undefined
      ? []
      : [
          `DocumentReference: refused without an encounter: set FHIR_ENCOUNTER, such as newest:90d, to choose one.${cited(demand)}`,
        ]
  }
  const { canSearch = false, searchParameters, canCreate, hasConditionalCreate } = types.get('Encounter') ?? {}
  if (encounter.kind === 'create') {
    const isFound = hasConditionalCreate === true || (canSearch && searchParameters?.has('identifier') === true)
    return canCreate === true && isFound
      ? []
      : [
          'DocumentReference: FHIR_ENCOUNTER=create needs encounters that are created and found by identifier: set another rule.',
        ]
  }
  if (!canSearch || searchParameters?.has('patient') !== true) {
    return [
      `DocumentReference: FHIR_ENCOUNTER needs encounters that are found by patient, which the chart does not offer: ${demand === undefined ? 'leave it out' : 'its documents need another interface'}.`,
    ]
  }
  try {
    await client.search('Encounter', { patient: 'pawl-check' })
    return []
  } catch (error) {
    return [`Encounter: cannot be searched: ${sentence(error)}`]
  }
}

/** Why practitioners of the chart cannot be named: a fault if the chart demands one, else a note. */
async function checkPractitioners(
  deps: CheckDemandsDeps,
  written: readonly StoredType[],
): Promise<{ faults: string[]; notes: string[] }> {
  const { profile, documents } = deps
  const [kind, id] = documents.author.reference?.split('/') ?? []
  const named = kind === 'Practitioner' ? id : undefined
  const hasAuthor = named !== undefined || documents.isByPrescriber === true
  const demandsOn = (type: StoredType) => [
    practitionerDemand(profile, type),
    ...(hasAuthor ? [authorDemand(profile, type)] : []),
  ]
  const typesWith = (demand: PractitionerDemand) =>
    written.filter((type) => demandsOn(type).includes(demand)).join(', ')
  const [demanding, optional] = [typesWith('demanded'), typesWith('if-known')]
  const { faults, notes } = hasAuthor ? { faults: [], notes: [] } : authorLacks(profile, written)
  const isFault = named !== undefined || demanding !== ''
  if (!isFault && optional === '') return { faults, notes }
  const without = demanding === '' ? `${optional}: written without` : `${demanding}: refused without`
  const lacks = await practitionerLacks(deps, named, without)
  return isFault ? { faults: [...faults, ...lacks], notes } : { faults, notes: [...notes, ...lacks] }
}

/** Types that get no author, since no setting names a practitioner and the prescriber did not write them. */
function authorLacks(profile: VendorProfile, written: readonly StoredType[]): { faults: string[]; notes: string[] } {
  const said = (demand: PractitionerDemand, words: string) =>
    written.flatMap((type) => (authorDemand(profile, type) === demand ? [`${type}: ${words}`] : []))
  const remedy =
    "FHIR_DOCUMENT_AUTHOR=Practitioner/<id> names that of pawl's service account, and FHIR_DOCUMENT_AUTHOR=prescriber the prescriber."
  return {
    faults: said('demanded', `refused without a practitioner as author: ${remedy}`),
    notes: said('if-known', `written without an author, which the chart allows: ${remedy}`),
  }
}

async function practitionerLacks(
  { client, types, sentence }: CheckDemandsDeps,
  named: string | undefined,
  without: string,
): Promise<string[]> {
  try {
    if (named !== undefined) {
      const held = await client.read('Practitioner', named)
      return held === undefined
        ? ['FHIR_DOCUMENT_AUTHOR names a practitioner whom the chart does not have: correct it, or writes are refused.']
        : []
    }
    const { canSearch = false, searchParameters } = types.get('Practitioner') ?? {}
    if (!canSearch || searchParameters?.has('identifier') !== true) {
      return [
        `${without} a practitioner of the chart, which finds none by NPI: set FHIR_DOCUMENT_AUTHOR=Practitioner/<id>.`,
      ]
    }
    await client.search('Practitioner', { identifier: searchToken({ system: npiSystem, value: 'pawl-check' }) })
    return []
  } catch (error) {
    return [`Practitioner: cannot be read: ${sentence(error)}`]
  }
}

/** How pawl meets the demands of a type, and the elements that the chart does not keep. */
function describe(type: StoredType, { profile, documents, encounter }: CheckDemandsDeps): string[] {
  const stated = [...demandsInWords(type, profile, documents)]
    .filter(([part]) => part !== 'encounter' || encounter !== undefined)
    .map(([, words]) => words)
  const { unkept } = demandsOf(profile, type)
  const others = type === 'DocumentReference' ? profile.DocumentReference.contentTypes : undefined
  return [
    ...(stated.length === 0 ? [] : [`${type}: written as the chart demands, with ${stated.join(', ')}.`]),
    ...(unkept === undefined ? [] : [`${type}: the chart does not keep ${unkept.is.join(', ')}.`]),
    ...(others === undefined
      ? []
      : [`${type}: of a file other than ${others.is.join(', ')}, staff are told, or its text is filed.`]),
  ]
}

function cited({ source, lookedUp }: Demand<unknown>): string {
  return ` (${lookedUp === undefined ? source : `${source}, ${lookedUp}`})`
}
