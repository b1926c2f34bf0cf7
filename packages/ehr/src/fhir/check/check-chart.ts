import { type CheckReport, type CheckSample, isFault } from '@pawl/connector/system'
import { PawlError } from '@pawl/base/errors'
import { EhrWriteFailed } from '../../ehr-write-failed.ts'
import { type Filing, filingFor } from '../../filing.ts'
import { MissingInChart } from '../../missing-in-chart.ts'
import { readCapabilities, type TypeCapabilities } from '../capabilities.ts'
import { searchToken } from '../search-token.ts'
import { documentKinds, documentsOf, type StoredType, storedTypes } from '../chart-types.ts'
import { markedTypes } from '../content-mark.ts'
import { forgetful } from '../forgetful.ts'
import { createPatientResolver, type PatientOptions } from '../patient-resolver.ts'
import { FhirTokenRefused } from '../auth/token-errors.ts'
import { checkDemands } from './check-demands.ts'
import { type ChartToTry, tryWrites } from './check-write.ts'
import type { EncounterRule } from '../encounter-rule.ts'
import { strategyFor } from '../plans.ts'
import type { ProfileName, ProfileOverrides, VendorProfile } from '../profiles/profile.ts'
import { demandsOf } from '../profiles/vendor-profiles.ts'
import { planFor, type Strategy, type TypePlan } from '../strategy.ts'

export interface CheckChartDeps extends ChartToTry {
  /** Scopes that pawl requests; absent if it requests no token. */
  scopes: string | undefined
  draftScopes: string | undefined
  patient: PatientOptions
  /** FHIR_PROFILE. */
  profileName: ProfileName | undefined
  /** FHIR_PROFILE_OVERRIDES. */
  profileOverrides: ProfileOverrides | undefined
  encounter: EncounterRule | undefined
}

/** Each strategy in words for a clinic's IT. */
const strategyTexts: Record<Strategy, string> = {
  'conditional-update': 'created and updated by its identifier (conditional update)',
  search: 'searched by its identifier, then created, or updated if unchanged',
  remember: 'created once, then updated by the id that the chart gave',
  create: 'created, never updated',
  skip: 'not written',
}

/** Content that the chart lacks without a type. */
const contents: Record<StoredType, string> = {
  DocumentReference: 'documents with the state of a PA or BV, letters, faxes, attachments, notes',
  Task: 'PAs and transfers in work lists, staff tasks',
  Communication: 'the messages of a PA',
  ClaimResponse: "the payer's determination as a coded resource",
  CoverageEligibilityResponse: 'benefits drug by drug as a coded resource',
  Coverage: 'the insurance as a coded resource',
}

/** Where the same content appears in a document, if documents are written. */
function inDocuments(type: StoredType, { states, benefits, messages }: Filing): string | undefined {
  const ofBenefits = benefits === 'none' ? undefined : 'the document of the BV says it'
  const places: Record<StoredType, string | undefined> = {
    DocumentReference: undefined,
    Task: states === 'none' ? undefined : `the ${states === 'every' ? 'state' : 'result'} of a PA is in its document`,
    Communication: messages === 'none' ? undefined : 'each is filed as a document',
    ClaimResponse: states === 'none' ? undefined : 'the document of the PA says it',
    CoverageEligibilityResponse: ofBenefits,
    Coverage: ofBenefits,
  }
  return places[type]
}

/** What is filed, and the settings that choose otherwise. */
function describeFiling({ states, benefits, letters, messages }: Filing): string {
  const how = { every: 'in each state', results: 'once it has ended', none: 'not filed' }
  const each = { every: 'each filed', none: 'not filed' }
  return `Filed: a PA ${how[states]}, a BV ${how[benefits]} (EHR_FILED_STATES, EHR_FILED_BENEFITS); letters, faxes and attachments ${each[letters]} (EHR_FILED_LETTERS); messages and notes of calls ${each[messages]} (EHR_FILED_MESSAGES).`
}

/** Reads the server's capabilities and the rights of the credentials, and reports for each type how pawl will write it. Writes only if `sample.write` is set. */
export async function checkChart(given: CheckChartDeps, sample: CheckSample = {}): Promise<CheckReport> {
  const { ok, findings, faults = ok ? [] : findings } = await checkServer(given, sample)
  const { scopes, draftScopes } = given
  const asked = [
    ...(scopes === undefined ? [] : [`Scopes that pawl asks for: ${scopes}`]),
    ...(draftScopes === undefined || draftScopes === scopes ? [] : [`Scopes to start requests: ${draftScopes}`]),
  ]
  return { ok, findings: [...asked, ...findings], faults }
}

async function checkServer(given: CheckChartDeps, sample: CheckSample): Promise<CheckReport> {
  const { client } = given
  let statement: unknown
  try {
    statement = await client.metadata()
  } catch (error) {
    return { ok: false, findings: [`${problemOf(error)}: ${sentence(error)}`] }
  }
  const capabilities = readCapabilities(statement)
  if (capabilities === undefined) return { ok: false, findings: ['The server at FHIR_BASE_URL is not a FHIR server.'] }
  const { fhirVersion, software = 'a FHIR server', types } = capabilities
  const deps = { ...given, profile: given.profileOf(capabilities.names) }
  if (fhirVersion?.startsWith('4.0') !== true) {
    return {
      ok: false,
      findings: [`The server is not a FHIR R4 (4.0) server: it states ${fhirVersion ?? 'no version'}.`],
    }
  }

  const reports: CheckReport[] = [{ ok: true, findings: [`${software}, FHIR ${fhirVersion}.`] }]
  const isWritten = (type: StoredType) => planOf(type, types.get(type), deps).strategy !== 'skip'
  const hasDocuments = isWritten('DocumentReference')
  const filing = filingFor(deps.options.filing, {
    updatesDocuments: planOf('DocumentReference', types.get('DocumentReference'), deps).strategy !== 'create',
    takesMessages: isWritten('Communication'),
  })
  const instead = (type: StoredType) => (hasDocuments ? inDocuments(type, filing) : undefined)
  for (const type of storedTypes) reports.push(await checkType(type, types.get(type), deps, instead(type)))
  if (hasDocuments) reports.push({ ok: true, findings: [describeFiling(filing)] })
  reports.push({ ok: true, findings: describeKinds(deps) })
  const ofType = (type: StoredType) => planOf(type, types.get(type), deps)
  const { documents } = deps.options
  reports.push(await checkDemands({ ...deps, documents, types, planOf: ofType, sentence }))
  if (!storedTypes.some(isWritten)) {
    reports.push({ ok: false, findings: ['The chart takes no type that pawl writes: it needs another interface.'] })
  } else if (!hasDocuments) {
    reports.push({ ok: true, findings: ['No document shows the content of the other resources to people.'] })
  }
  const { patientId, ...patients } = await checkPatients(deps, sample)
  reports.push(patients)
  if (sample.write === true && patientId !== undefined)
    reports.push(await tryWrites({ ...deps, capabilities, patientId, npi: sample.npi, sentence }))
  else if (sample.write === true && sample.patient === undefined) reports.push(nobodyNamed)
  return {
    ok: reports.every(({ ok }) => ok),
    findings: reports.flatMap(({ findings }) => findings),
    faults: reports.flatMap((report) => report.findings.filter((finding) => isFault(report, finding))),
  }
}

/** The kinds of documents with a setting of their own. */
function describeKinds({ strategies }: CheckDeps): string[] {
  return documentKinds.flatMap((kind) => {
    const strategy = strategies[documentsOf(kind)]
    return strategy === undefined
      ? []
      : `${documentsOf(kind)}: ${strategyTexts[strategy]}, since FHIR_STRATEGIES says so.`
  })
}

const nobodyNamed: CheckReport = {
  ok: false,
  findings: ['Nothing was tried: name a test patient of the chart with --patient.'],
}

/** Inputs of a check once the chart's profile is known. */
type CheckDeps = CheckChartDeps & { profile: VendorProfile }

function planOf(type: StoredType, stated: TypeCapabilities | undefined, { strategies, profile }: CheckDeps): TypePlan {
  return planFor(type, stated, { override: strategyFor(strategies, type), demands: demandsOf(profile, type) })
}

async function checkType(
  type: StoredType,
  stated: TypeCapabilities | undefined,
  deps: CheckDeps,
  instead: string | undefined,
): Promise<CheckReport> {
  const plan = planOf(type, stated, deps)
  const planLine = `${type}: ${strategyTexts[plan.strategy]}, since ${plan.reason}.`
  if (plan.strategy === 'skip') {
    const missing = instead === undefined ? contents[type] : `${contents[type]}; ${instead}`
    return { ok: true, findings: [`${planLine} Missing from the chart: ${missing}.`] }
  }
  const findings = [planLine]
  if (plan.strategy === 'create' && type === 'DocumentReference') {
    findings.push(`${type}: a changed document is created again, and names the one that it replaces.`)
  }
  const mayDuplicate = (plan.strategy === 'remember' || plan.strategy === 'create') && !plan.hasConditionalCreate
  if (mayDuplicate && plan.patientParameter === undefined) {
    findings.push(
      `${type}: if the answer to a create is lost, a second one may be created: pawl cannot find the first.`,
    )
  } else if (mayDuplicate) {
    findings.push(
      markedTypes.includes(type)
        ? `${type}: if the answer to a create is lost, pawl finds it among the patient's by identifier or content, if the chart keeps one of them: --write tries that.`
        : `${type}: if the answer to a create is lost, pawl finds it among the patient's by identifier alone; if the chart keeps none, a second one may be created: --write tries that.`,
    )
  }
  if (type === 'Communication' && deps.options.messageRecipient === undefined) {
    findings.push(
      `${type}: has no recipient in the chart (FHIR_MESSAGE_RECIPIENT is not set), which some charts refuse.`,
    )
  }
  try {
    await probe(type, plan, stated, deps)
    return { ok: true, findings }
  } catch (error) {
    // Without a status it is no refusal: there was no answer, or one that is not FHIR.
    const isRefusal = !(error instanceof EhrWriteFailed) || error.httpStatus !== undefined
    const cause = isRefusal ? 'the credentials lack a right, or the server refuses: ' : ''
    const fault = `${type}: ${cause}${sentence(error)}`
    return { ok: false, findings: [...findings, fault], faults: [fault] }
  }
}

/** Tries a read or search for a resource that cannot exist. */
async function probe(
  type: StoredType,
  { strategy }: TypePlan,
  stated: TypeCapabilities | undefined,
  { client, options: { identifierBase } }: CheckChartDeps,
): Promise<void> {
  if (strategy === 'conditional-update' || strategy === 'search') {
    await client.search(type, { identifier: searchToken({ system: `${identifierBase}/check`, value: 'none' }) })
  } else if (stated?.canRead === true) await client.read(type, 'pawl-check')
}

async function checkPatients(
  { client, patient }: CheckChartDeps,
  sample: CheckSample,
): Promise<CheckReport & { patientId?: string }> {
  const { field, system } = patient
  const by = field === 'fhir_id' ? 'internal_id as the id of the chart' : `${field} as an identifier`
  const of = field === 'fhir_id' ? '' : ` of ${system ?? 'any system (FHIR_PATIENT_SYSTEM is not set)'}`
  const birthDate = patient.checksBirthDate ? 'birth dates must agree' : 'birth dates are not compared'
  const findings = [`Patients are found by ${by}${of}; ${birthDate}.`]
  if (sample.patient === undefined) {
    return {
      ok: true,
      findings: [...findings, 'Name a test patient to see whether it is found: pawl ehr check --patient <number>.'],
    }
  }
  const { find } = createPatientResolver({ ...patient, checksBirthDate: false }, { client, run: forgetful })
  try {
    const { id } = await find({ internal_id: sample.patient, mrn: sample.patient })
    return { ok: true, findings: [...findings, `The sample patient is Patient/${id}.`], patientId: id }
  } catch (error) {
    const verdict = error instanceof MissingInChart ? 'is not found' : 'cannot be looked for'
    const fault = `The sample patient ${verdict}: ${sentence(error)}`
    return { ok: false, findings: [...findings, fault], faults: [fault] }
  }
}

/** Why the capabilities could not be read. */
function problemOf(error: unknown): string {
  if (error instanceof FhirTokenRefused) return 'The credentials are refused'
  if (!(error instanceof EhrWriteFailed)) return 'FHIR_BASE_URL cannot be reached'
  if (error.httpStatus === 401 || error.httpStatus === 403) return 'FHIR_BASE_URL refuses the credentials'
  return error.retry === 'never' ? 'FHIR_BASE_URL does not show its capabilities' : 'FHIR_BASE_URL does not answer'
}

const rights: Readonly<Record<string, string>> = {
  search: 's',
  read: 'r',
  create: 'c',
  update: 'u',
  patch: 'u',
  delete: 'd',
}

/** The message of pawl's own errors, with the missing right of a refusal; other messages are withheld, since they may quote data. */
function sentence(error: unknown): string {
  if (error instanceof EhrWriteFailed) {
    const { tried, httpStatus: status, resourceType: type } = error
    const right = rights[tried.split(' ', 1)[0] ?? '']
    const isRefused = (status === 401 || status === 403) && right !== undefined && type !== 'CapabilityStatement'
    return `${tried}${isRefused ? `; give the credentials system/${type}.${right}` : ''}.`
  }
  if (error instanceof MissingInChart) return error.missing
  return error instanceof PawlError ? error.message : 'an unexpected error.'
}
