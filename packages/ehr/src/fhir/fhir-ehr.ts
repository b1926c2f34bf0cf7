import type { JWK } from 'jose'
import { type Clock, systemClock } from '@pawl/base/clock'
import { type Fetch, leanFetch } from '@pawl/base/net/fetch'
import type { System } from '@pawl/connector/system'
import { noRun } from '@pawl/connector/exchange'
import { notConfigured } from '@pawl/connector/not-configured'
import type { Ehr } from '../ehr.ts'
import { type ChosenFiling, chosenFiling } from '../filing.ts'
import { createMemoryEhr } from '../memory/memory-ehr.ts'
import { amendFault } from './amend.ts'
import { tokenProviderFrom } from './auth/token-provider-from.ts'
import { staticToken, type TokenProvider } from './auth/token-provider.ts'
import { type ChartRun, createChartClient } from './chart-client.ts'
import { createChartStore } from './chart-store.ts'
import { storedTypes } from './chart-types.ts'
import { checkChart } from './check/check-chart.ts'
import { type ChartOptions, createMappedEhr } from './mapped-ehr.ts'
import type { EncounterRule } from './encounter-rule.ts'
import { createPdfWriter } from '../narrative/pdf-writer.ts'
import { createOneAtATime } from '@pawl/connector/one-at-a-time'
import { createPartyFinder } from './parties.ts'
import { createPatientResolver, createPatientLookups, type PatientOptions, patientRole } from './patient-resolver.ts'
import { createPlans, type Strategies } from './plans.ts'
import { missedDemands } from './profiles/missed-demands.ts'
import type { ProfileName, ProfileOverrides } from './profiles/profile.ts'
import { profileAsSet } from './profiles/vendor-profiles.ts'
import { createRecentAnswers } from './recent-answers.ts'
import { forgetful } from './forgetful.ts'
import { loadCapabilities } from './load-capabilities.ts'
import { mendRecord } from './mend-record.ts'
import { defaultDocuments, documentOptions, type DocumentSettings, type FhirSettings } from './settings.ts'
import { createChartDrafts, startingScopes } from './starting/chart-drafts.ts'
import type { ShapeResource } from './apply-shape.ts'
import { verifyResource } from './verify-resource.ts'

/** The chart that the settings name; `shape` may change each resource before it is sent. Without a chart, production parks writes and development keeps them in memory. */
export function fhirEhr(
  settings: FhirSettings & { NODE_ENV: string; FHIR_IDENTIFIER_BASE: string },
  { shape }: { shape?: ShapeResource | undefined } = {},
): System<Ehr> {
  const { FHIR_BASE_URL: baseUrl, FHIR_IDENTIFIER_BASE: identifierBase } = settings
  if (baseUrl !== undefined) {
    const ehr = createFhirEhr({
      baseUrl,
      identifierBase,
      ...tokenProviderFrom(baseUrl, settings),
      draftTokens: tokenProviderFrom(baseUrl, settings, startingScopes).tokens,
      patient: {
        field: settings.FHIR_PATIENT_FIELD ?? defaultPatient.field,
        system: settings.FHIR_PATIENT_SYSTEM,
        checksBirthDate: settings.FHIR_PATIENT_CHECK_BIRTH_DATE ?? defaultPatient.checksBirthDate,
      },
      strategies: settings.FHIR_STRATEGIES,
      profile: settings.FHIR_PROFILE,
      profileOverrides: settings.FHIR_PROFILE_OVERRIDES,
      encounter: settings.FHIR_ENCOUNTER,
      documents: documentOptions(settings),
      filing: chosenFiling(settings),
      hasReviewActionCodes: settings.FHIR_REVIEW_ACTION_CODES,
      messageRecipient: settings.FHIR_MESSAGE_RECIPIENT,
      shape,
    })
    return { ...ehr, verifyAt: settings.EHR_VERIFY_AT }
  }
  if (settings.NODE_ENV === 'production') return notConfigured('FHIR_BASE_URL')
  return {
    ...createMemoryEhr({ identifierBase, shape }),
    notice: 'FHIR_BASE_URL is not set: writes to the EHR stay in memory',
  }
}

/** FHIR's ids. A receipt holds pawl's own id, known by its underscores, if the server returned none. */
const fhirId = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/

const defaultPatient: PatientOptions = { field: 'internal_id', checksBirthDate: true }

export interface FhirEhrOptions {
  /** FHIR R4 base URL of the server, for example `https://ehr.example/fhir/R4`. */
  baseUrl: string
  /** Base of the identifier systems of pawl's resources. */
  identifierBase: string
  /** Default: no token is sent. */
  tokens?: TokenProvider
  /** For reading prescriptions, to start requests. Default: `tokens`. */
  draftTokens?: TokenProvider
  /** Public keys to serve, by which the EHR verifies token requests. */
  publicKeys?: () => readonly JWK[]
  /** Default: `internal_id` is an identifier of any system, and birth dates must agree. */
  patient?: PatientOptions
  /** Strategies by type, or by kind of documents, that override the server's stated capabilities. */
  strategies?: Strategies | undefined
  /** The profile of the chart's demands beyond R4. Default: recognised by its capabilities. */
  profile?: ProfileName | undefined
  /** Parts that replace the profile's. */
  profileOverrides?: ProfileOverrides | undefined
  /** Which encounter documents are filed under. Default: none. */
  encounter?: EncounterRule | undefined
  documents?: DocumentSettings
  /** What is filed. Default: as the chart's abilities suggest. */
  filing?: ChosenFiling | undefined
  /** Whether determinations carry X12 306 codes. Default: they do. */
  hasReviewActionCodes?: boolean | undefined
  /** The recipient of messages: a reference of the chart, for example `Group/123`. */
  messageRecipient?: string | undefined
  /** May change each resource before it is sent. */
  shape?: ShapeResource | undefined
  fetch?: Fetch
  /** Time limit of one request, in milliseconds. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/** The chart on a FHIR R4 server. Each type is written in the way that the server takes. Methods throw `EhrWriteFailed` with its retry verdict, `PatientNotFound`, `PatientAmbiguous`, `EncounterNotFound` and `PractitionerNotFound`. */
export function createFhirEhr(options: FhirEhrOptions): System<Ehr> {
  const { baseUrl, clock = systemClock, fetch = leanFetch, timeoutMs = 15_000 } = options
  const { tokens = staticToken(undefined), draftTokens = tokens, patient = defaultPatient } = options
  const { strategies = {}, documents = defaultDocuments, hasReviewActionCodes = true, identifierBase } = options
  const messageRecipient = options.messageRecipient === undefined ? undefined : { reference: options.messageRecipient }
  const pdfs = createPdfWriter()
  const deps = { baseUrl, tokens, fetch, clock, timeoutMs, demandsOf }
  const chartOptions: ChartOptions = {
    identifierBase,
    documents,
    filing: options.filing ?? {},
    hasReviewActionCodes,
    writePdf: pdfs.write,
    messageRecipient,
    shape: options.shape,
    clock,
  }
  const oneAtATime = createOneAtATime()
  const lookups = createPatientLookups(clock)
  const { author } = documents
  const named = author.reference?.startsWith('Practitioner/') === true ? author : undefined
  const load = () => loadCapabilities(createChartClient(deps, bareRun(new AbortController().signal, timeoutMs)))
  const profileOf = (names: readonly string[]) =>
    profileAsSet(names, {
      name: options.profile,
      overrides: options.profileOverrides,
      formats: documents.formats,
      type: documents.type,
      messageRecipient: options.messageRecipient,
      hasAuthor: named !== undefined || documents.isByPrescriber === true,
    })
  const plans = createPlans({ load, overrides: strategies, profileOf, clock })
  function demandsOf(name: string, sent: object | undefined): string | undefined {
    const type = storedTypes.find((each) => each === name)
    const profile = plans.knownProfile() ?? (options.profile && profileOf([]))
    return type && profile && missedDemands(type, sent, { profile, documents })
  }
  const partyDeps = {
    base: identifierBase.replace(/\/+$/, ''),
    rule: options.encounter,
    named,
    isByPrescriber: documents.isByPrescriber === true,
    shape: options.shape,
    clock,
    answers: createRecentAnswers<string>(clock, 5_000),
  }
  return {
    ...(options.publicKeys && { publicKeys: options.publicKeys }),
    open(run) {
      const client = createChartClient(deps, run)
      const ownPlans = plans.during(run)
      const patients = createPatientResolver(patient, { client, run, lookups })
      return createMappedEhr({
        options: chartOptions,
        store: createChartStore({ client, plans: ownPlans, assertPatient: patients.assertCurrent, run }),
        plans: ownPlans,
        findPatient: patients.find,
        parties: createPartyFinder({
          ...partyDeps,
          client,
          plans: ownPlans,
          assertPatient: patients.assertCurrent,
          run,
        }),
        oneAtATime,
        run,
      })
    },
    draft: createChartDrafts({ ...deps, tokens: draftTokens, patient, identifierBase }),
    takes: () => plans.taken(),
    verify: (memory, run) =>
      verifyResource(
        {
          client: createChartClient(deps, { ...bareRun(run.signal, timeoutMs), resourceId: run.resourceId }),
          plans,
          base: partyDeps.base,
          run,
        },
        memory,
      ),
    mend: (record, run) => mendRecord({ client: createChartClient(deps, run), plans: plans.during(run), run }, record),
    patientRole,
    amendFault,
    close: pdfs.close,
    link: ({ type, id }) => (fhirId.test(id) ? `${baseUrl.replace(/\/+$/, '')}/${type}/${id}` : undefined),
    check: (signal, sample) =>
      checkChart(
        {
          client: createChartClient(deps, bareRun(signal, timeoutMs)),
          scopes: tokens.scopes,
          draftScopes: draftTokens.scopes,
          strategies,
          patient,
          profileName: options.profile,
          profileOverrides: options.profileOverrides,
          encounter: options.encounter,
          options: chartOptions,
          profileOf,
          createParties: (client, plans, run) =>
            createPartyFinder({
              ...partyDeps,
              client,
              plans,
              assertPatient: async () => {},
              run: { ...forgetful, ...run },
            }),
        },
        sample,
      ),
  }
}

/** The run of a capabilities request, which belongs to no resource and changes nothing. */
function bareRun(signal: AbortSignal, timeoutMs: number): ChartRun {
  return { resourceId: 'no resource', ...noRun(signal, timeoutMs) }
}
