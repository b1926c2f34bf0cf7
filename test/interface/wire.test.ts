import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../packages/client/src/api/client.ts'
import type { z } from 'zod'
import { BenefitVerificationRequest } from '../../packages/client/src/schemas/benefit-verification.ts'
import { ClinicalQualificationRequest } from '../../packages/client/src/schemas/clinical-qualification.ts'
import { PaStatusRequest } from '../../packages/client/src/schemas/pa-status.ts'
import { PatientEnrollmentRequest } from '../../packages/client/src/schemas/patient-enrollment.ts'
import {
  NdpSubmissionUpdateRequest,
  PriorAuthorizationRequest,
} from '../../packages/client/src/schemas/prior-authorization-request.ts'
import { ProviderAuthorizationRequest, ProviderLookupRequest } from '../../packages/client/src/schemas/provider.ts'
import { files, startFileServer } from '../../packages/sandbox/test/files.ts'
import { word } from '../../packages/sandbox/test/properties/arbitrary-of.ts'
import {
  endpoints,
  type ExistingResources,
  requestsTo,
} from '../../packages/sandbox/test/properties/endpoints-with-bodies.ts'
import { lost } from './spec-fixtures.ts'
import {
  createCancelledVerification,
  createPriorAuthorization,
  startInterfaceWorld,
  type InterfaceWorld,
} from './interface-world.ts'

let world: InterfaceWorld
let api: Api
let existing: ExistingResources
const open: { close(): Promise<void> }[] = []
beforeAll(async () => {
  world = await startInterfaceWorld({}, open)
  api = world.api
  const fileServer = await startFileServer({ '/a.png': { body: files.png } })
  open.push(fileServer)
  const newId = () => createPriorAuthorization(world, 'Approved')
  const endedId = await newId()
  world.finish()
  existing = {
    endedId,
    cancelledVerificationId: await createCancelledVerification(world),
    runningId: await newId(),
    fileUrl: `${fileServer.url}/a.png`,
    newId,
  }
})
afterAll(() => Promise.all(open.map((part) => part.close())))

/** Any request of this schema. */
function any<Request>(schema: z.ZodType<Request>): fc.Arbitrary<Request> {
  const endpoint = endpoints.find((each) => each.schema === schema)
  if (endpoint === undefined) throw new Error('No endpoint takes this.')
  // The compiler cannot see that the endpoint's requests fit its schema.
  return requestsTo(endpoint, existing) as fc.Arbitrary<Request>
}

/** Holds for every request; the seed is in the message of a failure. */
async function forEvery<T>(requests: fc.Arbitrary<T>, holds: (request: T) => Promise<void>, numRuns = 100) {
  await fc.assert(fc.asyncProperty(requests, holds), { numRuns })
}

/** As the wire has it: JSON knows neither undefined nor minus zero. */
const onTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Null reads as absent, on every level. */
const withoutNulls = (value: object): object =>
  JSON.parse(JSON.stringify(value), (_key, inner: unknown) => inner ?? undefined)

/** The resource as it came, which the client has to read without loss. */
async function read(kind: 'prior_authorization' | 'benefit_verification', id: string) {
  const raw = await api.readSnapshot(kind, id)
  const got =
    kind === 'prior_authorization' ? await api.getPriorAuthorization(id) : await api.getBenefitVerification(id)
  expect(lost(raw, got)).toEqual([])
  return raw
}

/** The same with the default that the service fills in (specification, Address). */
const withCountry = <T extends { address?: object | undefined }>(of: T) => ({
  ...of,
  ...(of.address && { address: { country: 'US', ...of.address } }),
})

const records = ({
  insurance,
  insurance_content,
}: {
  insurance?: unknown[] | undefined
  insurance_content?: object | undefined
}) => (insurance ?? [1]).map(() => ({ discrete_content: onTheWire(insurance_content ?? {}) }))

const shown = (item: object) => ({ ...item, ...('asset' in item && { asset: { url: expect.any(String) } }) })

describe('the sandbox accepts requests of the client, and returns their values unchanged', () => {
  it('a prior authorization', async () => {
    await forEvery(any(PriorAuthorizationRequest), async (request) => {
      const { id, provider_outreach } = await api.createPriorAuthorization(request)
      expect(provider_outreach !== undefined).toBe(request.provider_outreach?.enabled === true)
      const { patient, provider, prescription, evidence = [] } = request
      expect(await read('prior_authorization', id)).toMatchObject({
        id,
        patient: onTheWire(withCountry(patient)),
        provider: onTheWire(withCountry(provider)),
        insurance: records(request),
        prescription: 'ndc' in prescription ? { quantity_unit_of_measure: 'C38046', ...prescription } : prescription,
        diagnoses: request.diagnoses ?? [],
        evidence: evidence.map((item) => shown(JSON.parse(JSON.stringify(item)))),
        visit_notes: request.visit_notes ?? [],
        questionnaires: request.questionnaires ?? [],
        pharmacy: request.pharmacy ? withCountry(request.pharmacy) : null,
        priority: request.priority ?? 2,
        mock_result: request.mock_result ?? null,
        ndp_submission: request.ndp_submission ?? null,
        resubmission_info: request.resubmission_info ?? null,
        is_appeal: request.appeal_details !== undefined,
      })
    })
  })

  it('a benefit verification', async () => {
    await forEvery(any(BenefitVerificationRequest), async (request) => {
      const { id } = await api.createBenefitVerification(request)
      const {
        patient,
        provider,
        drugs,
        drug_history = null,
        diagnoses = [],
        entity = null,
        mock_result = null,
      } = request
      expect(await read('benefit_verification', id)).toMatchObject({
        id,
        patient: onTheWire(withCountry(patient)),
        provider: onTheWire(withCountry(provider)),
        insurance: records(request),
        drugs,
        drug_history,
        diagnoses,
        entity,
        mock_result,
        priority: request.priority ?? 3,
      })
    })
  })

  it('a clinical qualification', async () => {
    await forEvery(any(ClinicalQualificationRequest), async (request) => {
      const { id } = await api.createClinicalQualification(request)
      const {
        patient,
        provider: { in_network_payers: _payers, ...provider },
        insurance = [],
        ...rest
      } = request
      expect(await api.getClinicalQualification(id)).toMatchObject({
        // The resource leaves out the same fields as the request.
        ...JSON.parse(JSON.stringify(rest)),
        id,
        patient: withoutNulls(withCountry(patient)),
        provider: withoutNulls(withCountry(provider)),
        insurance: records({ insurance }),
      })
    })
  })

  it('a status check that is announced', async () => {
    await forEvery(
      any(PaStatusRequest),
      async (request) => {
        const { id } = await api.createPaStatusCheck(request)
        expect(await api.getPaStatusCheck(id)).toMatchObject({ id, status: 'pending' })
      },
      40,
    )
  })

  it('an authorization of a provider', async () => {
    await forEvery(
      any(ProviderAuthorizationRequest),
      async (request) => {
        await api.authorizeProvider(request)
        world.sandbox.controls.signProvider(request.npi)
        const signed = await api.getAuthorizedProviders()
        expect(signed.at(-1)).toMatchObject(withoutNulls(request))
      },
      40,
    )
  })

  it('an enrollment, which has no GET', async () => {
    await forEvery(
      any(PatientEnrollmentRequest),
      async (request) => {
        expect(await api.enrollPatient(request)).toMatchObject({ status: 'success' })
      },
      40,
    )
  })

  it('a lookup of a provider', async () => {
    await forEvery(any(ProviderLookupRequest), async (request) => {
      const { status, individual, candidates } = await api.lookUpProvider(request)
      if (status === 'active') expect(individual?.npi).toBe('npi' in request && request.npi)
      else if (status === 'search_results') expect(candidates?.[0]).toMatchObject(request)
      else expect(status).toBe('not_found')
    })
  })

  it('every change of a prior authorization', async () => {
    const changes = fc.record({
      update: any(NdpSubmissionUpdateRequest),
      category: word,
      message: word,
      reason: word,
    })
    await forEvery(
      changes,
      async ({ update, category, message, reason }) => {
        const id = await createPriorAuthorization(world, 'Approved')
        expect(await api.updatePreferredPharmacy(id, update.preferred_pharmacy_ncpdp_id)).toEqual(update)
        expect(await api.getPriorAuthorization(id)).toMatchObject({ ndp_submission: update })
        await api.sendFeedback(id, { category, message })
        await api.cancelPrescriptionTransfer(id)
        await api.cancelPriorAuthorization(id, reason)
        const ended = { status: 'cancelled', prescription_transfer: undefined }
        expect(await api.getPriorAuthorization(id)).toMatchObject(ended)
      },
      40,
    )
  })

  it('but not an id that no address can hold, which is not sent', async () => {
    for (const id of ['', '.', '..', 'pa_req_\ud83d'])
      await expect(api.getPriorAuthorization(id)).rejects.toMatchObject({ code: 'request_invalid' })
  })

  it('and an unknown id is not found, with any characters', async () => {
    const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((id) => !/^\.{1,2}$/.test(id))
    await forEvery(
      ids,
      async (id) => {
        for (const call of [
          () => api.getPriorAuthorization(id),
          () => api.getBenefitVerification(id),
          () => api.getClinicalQualification(id),
          () => api.getPaStatusCheck(id),
          () => api.cancelBenefitVerification(id),
          () => api.cancelPriorAuthorization(id, 'x'),
          () => api.sendFeedback(id, { category: 'x', message: 'y' }),
          () => api.updatePreferredPharmacy(id, '0034567'),
          () => api.cancelPrescriptionTransfer(id),
        ])
          await expect(call()).rejects.toMatchObject({ code: 'api_not_found', resourceId: id })
      },
      30,
    )
  })
})
