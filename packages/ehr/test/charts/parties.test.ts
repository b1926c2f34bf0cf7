import { afterEach, describe, expect, it, vi } from 'vitest'
import type { FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import { demandingAthenaPractice } from '../../../../test/support/charts/demanding/demanding-athenapractice.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile, TypeRules } from '../../../../test/support/charts/profile.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun, type TestRun } from '../../../../test/support/run-context.ts'
import { sampleMessage, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { createChartEhr, token } from './connect.ts'
import { nurseId, nurseNpi, people, populate, prescriberId, prescriberNpi } from './people.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const [{ mrn, birthDate }] = people
const pa = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ patient: { mrn, date_of_birth: birthDate }, ...different })
const days = (count: number) => ({ kind: 'newest', days: count }) as const

async function start(profile: ChartProfile, options: Partial<FhirEhrOptions> = {}) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  const { patientIds } = populate(chart)
  let aheadMs = 0
  const open = (different: typeof options = {}) => {
    const system = createChartEhr(chart, {
      clock: { now: () => Date.now() + aheadMs },
      ...options,
      ...different,
    })
    return (run: TestRun) => system.open(run)
  }
  const documents = () => chart.all('DocumentReference', ({ description = '' }) => description !== '')
  const encounters = () => documents().map(({ context }) => context?.encounter?.[0]?.reference)
  const asked = (type: string) => chart.requests.get(`GET ${type}`) ?? 0
  return {
    chart,
    patientId: patientIds[0] ?? '',
    open,
    documents,
    encounters,
    asked,
    ahead: (ms: number) => void (aheadMs += ms),
  }
}

describe('the encounter of a document', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('is the newest that began within the days of the rule, and stays the same', async () => {
    const { chart, patientId, open, encounters, asked, ahead } = await start(demandingEpic, { encounter: days(30) })
    const run = createTestRun()
    await open()(run).putPriorAuthorization(pa())
    const before = asked('Encounter')
    chart.seed({
      resourceType: 'Encounter',
      status: 'finished',
      class: { code: 'AMB' },
      subject: { reference: `Patient/${patientId}` },
      period: { start: new Date().toISOString() },
    })
    ahead(60_000)
    await open()(run).putPriorAuthorization(pa({ status: 'awaiting_outcome' }))
    expect(encounters()).toEqual([`Encounter/recent-${patientId}`, `Encounter/recent-${patientId}`])
    expect(asked('Encounter')).toBe(before)
  })

  it('is the newest that is open', async () => {
    const { chart, patientId, open, encounters } = await start(demandingEpic, { encounter: { kind: 'newest-open' } })
    await expect(open()(createTestRun()).putPriorAuthorization(pa())).rejects.toMatchObject({
      code: 'encounter_not_found',
    })
    chart.edit('Encounter', `old-${patientId}`, (held) => void (held.status = 'in-progress'))
    await open()(createTestRun()).putPriorAuthorization(pa())
    expect(encounters()).toEqual([`Encounter/old-${patientId}`])
  })

  it("is one of the prescriber's, where the rule says so", async () => {
    const rule = { ...days(30), ofPrescriber: true }
    const { chart, patientId, open, encounters } = await start(demandingEpic, { encounter: rule })
    await expect(open()(createTestRun()).putPriorAuthorization(pa())).rejects.toMatchObject({
      code: 'encounter_not_found',
    })
    const individual = { reference: `Practitioner/${prescriberId}` }
    chart.edit('Encounter', `earlier-${patientId}`, (held) => void (held.participant = [{ individual }]))
    await open()(createTestRun()).putPriorAuthorization(pa())
    expect(encounters()).toEqual([`Encounter/earlier-${patientId}`])
  })

  it('is never guessed: without a rule, or where none fits, the work parks with a sentence', async () => {
    const { chart, patientId, open } = await start(demandingEpic)
    const without = open()(createTestRun()).putPriorAuthorization(pa())
    await expect(without).rejects.toMatchObject({
      code: 'encounter_not_found',
      retry: 'never',
      parkedAgainMs: 86_400_000,
    })
    await expect(without).rejects.toThrow('pawl does not guess which: set FHIR_ENCOUNTER')
    const unfitting = open({ encounter: days(3) })(createTestRun()).putPriorAuthorization(pa())
    await expect(unfitting).rejects.toThrow("none of the patient's fits FHIR_ENCOUNTER")
    expect(chart.writes).toEqual([])
    const sentence = await unfitting.catch((error: unknown) => String(error))
    for (const secret of [patientId, mrn, birthDate]) expect(sentence).not.toContain(secret)
  })

  it('is taken where a rule finds one, and left out where not, on a chart that demands none', async () => {
    const Encounter: TypeRules = { interactions: ['search-type'], searchParams: ['patient'], versioning: 'versioned' }
    const withEncounters = { ...everything, types: { ...everything.types, Encounter } }
    const { patientId, open, encounters } = await start(withEncounters, { encounter: days(30) })
    await open()(createTestRun()).putPriorAuthorization(pa())
    await open({ encounter: days(3) })(createTestRun({ resourceId: 'pa_req_2' })).putPriorAuthorization(
      pa({ id: 'pa_req_2' }),
    )
    expect(encounters()).toEqual([`Encounter/recent-${patientId}`, undefined])
  })
})

describe('an encounter that pawl creates', () => {
  const encountersAre = (conditionalCreate: boolean): ChartProfile => {
    const Encounter: TypeRules = {
      interactions: ['read', 'search-type', 'create'],
      searchParams: ['_id', 'identifier', 'patient'],
      versioning: 'versioned',
      conditionalCreate,
    }
    return { ...everything, types: { ...everything.types, Encounter } }
  }
  const created = (chart: Chart) => chart.all('Encounter', ({ type }) => type?.[0]?.text === 'Prior authorization')

  it.each([
    ['finds it when it is created again', true],
    ['finds it by its identifier', false],
  ])('is one for each PA, though answers are lost, on a chart that %s', async (_, conditionalCreate) => {
    const profile = encountersAre(conditionalCreate)
    const { chart, patientId, open, encounters } = await start(profile, { encounter: { kind: 'create' } })
    const run = createTestRun()
    chart.loseNextAnswer({ type: 'Encounter' })
    await expect(open()(run).putPriorAuthorization(pa())).rejects.toMatchObject({ code: 'ehr_write_failed' })
    await open()(run).putPriorAuthorization(pa())
    await open()(createTestRun({ resourceId: 'pa_req_2' })).putPriorAuthorization(pa({ id: 'pa_req_2' }))
    expect(created(chart).map(({ subject, identifier }) => [subject?.reference, identifier?.[0]?.value])).toEqual([
      [`Patient/${patientId}`, `pa_req_1/${patientId}`],
      [`Patient/${patientId}`, `pa_req_2/${patientId}`],
    ])
    expect(encounters()).toEqual(created(chart).map(({ id }) => `Encounter/${id}`))
  })

  it('waits for its turn where the chart answers 409 for a while', async () => {
    const { chart, open } = await start(encountersAre(true), { encounter: { kind: 'create' } })
    const run = createTestRun()
    chart.failNext({ method: 'POST', type: 'Encounter', status: 409 })
    await expect(open()(run).putPriorAuthorization(pa())).rejects.toMatchObject({ httpStatus: 409, retry: 'backoff' })
    await open()(run).putPriorAuthorization(pa())
    expect(created(chart)).toHaveLength(1)
  })

  it.each([1, 5])('is created once where the chart answers 412 to its condition %i times', async (times) => {
    const { chart, open } = await start(encountersAre(true), { encounter: { kind: 'create' } })
    for (let time = 0; time < times; time += 1) chart.failNext({ method: 'POST', type: 'Encounter', status: 412 })
    await open()(createTestRun()).putPriorAuthorization(pa())
    expect(created(chart)).toHaveLength(1)
  })
})

describe('the practitioner of a task', () => {
  const requesters = (chart: Chart) =>
    chart.all('Task', ({ intent }) => intent === 'unknown').map(({ requester }) => requester?.reference)

  it('is the prescriber, found once by NPI', async () => {
    const { chart, open, asked, ahead } = await start(demandingCanvas)
    const run = createTestRun()
    await open()(run).putPriorAuthorization(pa())
    ahead(60_000)
    await open()(run).putPriorAuthorization(pa({ status: 'awaiting_outcome' }))
    expect(requesters(chart)).toEqual([`Practitioner/${prescriberId}`])
    expect(asked('Practitioner')).toBe(1)
  })

  it('is the one whom the settings name', async () => {
    const author = { reference: `Practitioner/${nurseId}` }
    const { chart, open, asked } = await start(demandingCanvas, { documents: { author } })
    await open()(createTestRun()).putPriorAuthorization(pa())
    expect(requesters(chart)).toEqual([author.reference])
    expect(asked('Practitioner')).toBe(0)
  })

  it.each([
    ['has none with the NPI', 'has 0 practitioners', [] as const],
    ['has several', 'has 2 practitioners', ['one', 'two'] as const],
  ])('is never guessed where the chart %s', async (_, sentence, ids) => {
    const { chart, open } = await start(demandingCanvas)
    const identifier = [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '1111111112' }]
    for (const id of ids) chart.seed({ resourceType: 'Practitioner', id, identifier })
    const write = open()(createTestRun()).putPriorAuthorization(
      pa({ provider: { first_name: 'Max', last_name: 'Muster', npi: '1111111112' } }),
    )
    await expect(write).rejects.toMatchObject({ code: 'practitioner_not_found', parkedAgainMs: 86_400_000 })
    await expect(write).rejects.toThrow(sentence)
    expect(chart.writes).toEqual([])
  })
})

describe.each<[string, ChartProfile, readonly string[]]>([
  ['Epic', demandingEpic, ['author']],
  ['Oracle Health', demandingOracleHealth, ['author', 'sender']],
  ['Canvas', demandingCanvas, ['author', 'requester', 'reviewer']],
  ['athenaPractice', demandingAthenaPractice, ['author', 'authenticator']],
])('each practitioner in %s', (_, profile, parts) => {
  /** References to practitioners in what pawl wrote, by their element. */
  function practitionersIn({ chart, documents }: Awaited<ReturnType<typeof start>>) {
    const ofTasks = chart.all('Task', ({ intent }) => intent === 'unknown')
    const ofMessages = chart.all('Communication', ({ payload }) => payload !== undefined)
    const references = {
      author: documents().map(({ author }) => author?.[0]),
      authenticator: documents().map(({ authenticator }) => authenticator),
      requester: ofTasks.map(({ requester }) => requester),
      reviewer: documents().map(
        ({ extension = [] }) => extension.find(({ url }) => url.endsWith('-reviewer'))?.valueReference,
      ),
      sender: ofMessages.map(({ sender }) => sender),
    }
    return Object.fromEntries(
      Object.entries(references)
        .filter(([, all]) => all.some((each) => each !== undefined))
        .map(([part, all]) => [part, new Set(all.map((each) => each?.reference))]),
    )
  }

  it.each([
    ['the one with the NPI of the provider, where the settings say so', {}, nurseId],
    [
      'the one whom FHIR_DOCUMENT_AUTHOR names',
      { documents: { author: { reference: `Practitioner/${prescriberId}` } } },
      prescriberId,
    ],
  ] as const)('is %s', async (_, options, id) => {
    const encounter = 'Encounter' in profile.types ? days(30) : undefined
    const started = await start(profile, { encounter, messageRecipient: 'Group/prior-authorizations', ...options })
    const asked = pa({
      provider: { first_name: 'Nora', last_name: 'Nurse', npi: nurseNpi },
      message_thread: { messages: [sampleMessage()] },
    })
    const ehr = started.open()(createTestRun())
    await ehr.putPriorAuthorization(asked)
    for (const message of asked.message_thread?.messages ?? []) await ehr.putMessage(asked, message)
    const reference = new Set([`Practitioner/${id}`])
    expect(practitionersIn(started)).toEqual(Object.fromEntries(parts.map((part) => [part, reference])))
  })
})

describe.each([demandingEpic, demandingOracleHealth])('the author of a document in $name', (profile) => {
  const identifier = [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '1111111112' }]
  const provider = { first_name: 'Max', last_name: 'Muster', npi: '1111111112' }
  const encounter = 'Encounter' in profile.types ? days(30) : undefined
  const authors = ({ documents }: Awaited<ReturnType<typeof start>>) => documents().map(({ author }) => author)

  it.each<[string, Record<string, unknown>, (chart: Chart) => void]>([
    ['the chart has none with the NPI', { provider }, () => {}],
    [
      'the chart has several',
      { provider },
      (chart) => {
        for (const id of ['one', 'two']) chart.seed({ resourceType: 'Practitioner', id, identifier })
      },
    ],
    ['the request has no NPI', { provider: { last_name: 'Muster' } }, () => {}],
    ['the credentials may not look', {}, (chart) => chart.refuse('Practitioner', 403)],
  ])('is left out where %s', async (_, different, prepare) => {
    const started = await start(profile, { encounter })
    prepare(started.chart)
    await started.open()(createTestRun()).putPriorAuthorization(pa(different))
    expect(authors(started)).toEqual([undefined])
  })

  it('is waited for where the chart does not answer', async () => {
    const started = await start(profile, { encounter })
    const run = createTestRun()
    started.chart.failNext({ type: 'Practitioner', status: 503 })
    await expect(started.open()(run).putPriorAuthorization(pa())).rejects.toMatchObject({ code: 'ehr_write_failed' })
    expect(authors(started)).toEqual([])
    await started.open()(run).putPriorAuthorization(pa())
    expect(authors(started)).toEqual([[{ reference: `Practitioner/${prescriberId}`, type: 'Practitioner' }]])
  })
})

describe.each([demandingEpic, demandingOracleHealth, demandingCanvas, demandingAthenaPractice, everything])(
  'who wrote a document in $name',
  (profile) => {
    const documents = { author: { display: 'Prior authorization service' } }
    const service = { reference: `Practitioner/${nurseId}` }
    const given = {
      encounter: 'Encounter' in profile.types ? days(30) : undefined,
      messageRecipient: 'Group/prior-authorizations',
    }
    const asked = pa({ status: 'completed', message_thread: { messages: [sampleMessage()] } })
    async function put(options: Partial<FhirEhrOptions>): Promise<Awaited<ReturnType<typeof start>>> {
      const started = await start(profile, { ...given, ...options })
      const ehr = started.open()(createTestRun())
      await ehr.putPriorAuthorization(asked)
      for (const message of asked.message_thread?.messages ?? []) await ehr.putMessage(asked, message)
      return started
    }
    const authorsOf = ({ documents: all }: Awaited<ReturnType<typeof start>>) =>
      all().map(({ author: [author] = [] }) => author?.reference ?? author?.identifier?.value ?? author?.display)

    it('is never the prescriber without a setting that says so', async () => {
      if (profile === demandingAthenaPractice) {
        await expect(put({ documents })).rejects.toThrow(
          'FHIR_DOCUMENT_AUTHOR to Practitioner/<id> of a service account',
        )
        return
      }
      const started = await put({ documents })
      const wanted = profile === everything ? documents.author.display : undefined
      expect(new Set(authorsOf(started))).toEqual(new Set([wanted]))
      const senders = started.chart.all('Communication', ({ payload }) => payload !== undefined)
      expect(senders.filter(({ sender }) => sender?.reference !== undefined)).toEqual([])
    })

    it('is the service account that a setting names', async () => {
      expect(new Set(authorsOf(await put({ documents: { author: service } })))).toEqual(new Set([service.reference]))
    })

    it('is the prescriber where a setting says so', async () => {
      const wanted = profile === everything ? prescriberNpi : `Practitioner/${prescriberId}`
      expect(new Set(authorsOf(await put({ documents: { ...documents, isByPrescriber: true } })))).toEqual(
        new Set([wanted]),
      )
    })

    it('does not make it verified, unless somebody signs', async () => {
      const statesOf = (started: Awaited<ReturnType<typeof start>>) =>
        new Set(started.documents().map(({ docStatus, authenticator }) => `${docStatus} ${authenticator?.reference}`))
      // Oracle Health takes final and amended alone; athenaPractice routes to the prescriber, unsigned.
      const unsigned = profile === demandingOracleHealth ? 'final' : 'preliminary'
      const routed = profile === demandingAthenaPractice ? service.reference : undefined
      expect(statesOf(await put({ documents: { author: service } }))).toEqual(new Set([`${unsigned} ${routed}`]))
      const signer = { reference: `Practitioner/${prescriberId}` }
      expect(statesOf(await put({ documents: { author: service, signer } }))).toEqual(
        new Set([`final ${signer.reference}`]),
      )
    })
  },
)

describe('a task that staff ended in a chart that shows its words alone', () => {
  it('stays ended, and opens for another reason', async () => {
    const { chart, open } = await start(demandingCanvas)
    const run = createTestRun()
    const task = { title: 'Call the payer', reason: 'appeal' }
    await open()(run).openStaffTask(pa(), task)
    const [opened] = chart.all('Task', ({ intent }) => intent === 'unknown')
    expect(opened?.description).toContain('Reason: Appeal')
    // An update without an answer leaves nothing in memory but the id.
    chart.failNext({ method: 'PUT', type: 'Task', status: 503 })
    const changed = { ...task, instructions: 'By telephone.' }
    await expect(open()(run).openStaffTask(pa(), changed)).rejects.toMatchObject({ code: 'ehr_write_failed' })
    chart.edit('Task', opened?.id ?? '', (held) => void (held.status = 'completed'))
    await open()(run).openStaffTask(pa(), changed)
    expect(chart.all('Task', ({ id }) => id === opened?.id)[0]?.status).toBe('completed')
    await open()(run).openStaffTask(pa(), { ...task, reason: 'more_information_required' })
    expect(chart.all('Task', ({ id }) => id === opened?.id)[0]?.status).toBe('requested')
    await open()(run).closeStaffTask(pa(), 'completed')
    expect(chart.all('Task', ({ id }) => id === opened?.id)[0]?.status).toBe('completed')
  })
})
