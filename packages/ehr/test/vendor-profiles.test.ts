import type { DocumentReference, Task } from 'fhir/r4.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readCapabilities } from '../src/fhir/capabilities.ts'
import { encounterRule } from '../src/fhir/encounter-rule.ts'
import { toPriorAuthorizationDocument } from '../src/fhir/mapping/document.ts'
import { toTask } from '../src/fhir/mapping/task.ts'
import { conform } from '../src/fhir/profiles/conform.ts'
import { type ProfileName, profileNames } from '../src/fhir/profiles/profile.ts'
import { profileAsSet, vendorProfiles } from '../src/fhir/profiles/vendor-profiles.ts'
import { defaultDocuments, documentsFor } from '../src/fhir/settings.ts'
import { fullPriorAuthorization } from '../../../test/support/full-samples.ts'
import { mappingContext } from '../../../test/support/mapping-context.ts'
import { samplePriorAuthorization } from '../../../test/support/samples.ts'

const parties = {
  practitioner: { reference: 'Practitioner/5' },
  author: { reference: 'Practitioner/7' },
  encounter: { reference: 'Encounter/6' },
}
const denied = samplePriorAuthorization({
  status: 'completed',
  outcome: { result: 'Denied', detail: 'Criteria not met.', detail_code: 'plan_exclusion' },
  denial_reason_analysis: { categories: ['criteria'], explanation: 'No trial of a statin.', next_steps: 'Appeal.' },
})

async function documentFor(name: ProfileName, pa = denied): Promise<DocumentReference> {
  const documents = documentsFor(defaultDocuments, vendorProfiles[name])
  const document = await toPriorAuthorizationDocument(mappingContext({ documents }), pa)
  return conform('DocumentReference', document, vendorProfiles[name], parties)
}

const taskFor = (name: ProfileName, pa = denied): Task =>
  conform('Task', toTask(mappingContext(), pa), vendorProfiles[name], parties)

describe('a profile', () => {
  const recognised = (names: Record<string, unknown>) =>
    profileAsSet(readCapabilities({ resourceType: 'CapabilityStatement', ...names })?.names ?? [], {}).name

  it.each([
    [{ software: { name: 'Epic' } }, 'epic'],
    [{ publisher: 'Cerner', name: 'CernerCapabilityStatement' }, 'oracle-health'],
    [{ publisher: 'OracleHealth' }, 'oracle-health'],
    [{ software: { name: 'R4 API Server, athenaPractice 1.23.5045' } }, 'athenapractice'],
    [{ software: { name: 'R4 API Server, athenaFlow 1.22' } }, 'athenapractice'],
    [{ software: { name: 'medplum' } }, 'medplum'],
    [{ publisher: 'Canvas Medical' }, 'canvas'],
    [{ software: { name: 'HAPI FHIR Server' } }, 'r4'],
    [{ software: { name: 'Epicurus' }, publisher: 'athenahealth' }, 'r4'],
    [{}, 'r4'],
  ] as const)('is recognised by %j as %s', (names, name) => expect(recognised(names)).toBe(name))

  it('is the one that is set, even if the chart states another', () => {
    expect(profileAsSet(['Epic'], { name: 'r4' }).name).toBe('r4')
    expect(profileAsSet(['unknown'], { name: 'canvas' }).name).toBe('canvas')
  })

  it('has documents created anew whose form is set to one that the chart does not update', () => {
    const updates = (formats?: string[]) => profileAsSet(['Cerner'], { formats }).DocumentReference.neverUpdated?.is
    expect([updates(), updates(['application/pdf']), updates(['text/plain'])]).toEqual([undefined, undefined, true])
    expect(profileAsSet(['unknown'], { formats: ['text/plain'] }).DocumentReference.neverUpdated).toBeUndefined()
  })

  it('gives way to the settings: type, recipient', () => {
    const type = { coding: [{ system: 'urn:x', code: '1' }], text: 'Letter' }
    const set = profileAsSet(['Canvas'], { type }).DocumentReference
    expect([set.type, set.description?.is]).toEqual([undefined, 'Letter'])
    const isSent = { messageRecipient: 'Group/1', hasAuthor: true }
    expect(profileAsSet(['Cerner'], isSent).Communication.unfit).toBeUndefined()
    expect(profileAsSet(['Cerner'], { ...isSent, hasAuthor: false }).Communication.unfit?.is).toContain(
      'FHIR_DOCUMENT_AUTHOR',
    )
    for (const messageRecipient of [undefined, 'Organization/1'])
      expect(profileAsSet(['Cerner'], { messageRecipient }).Communication.unfit?.is).toContain('FHIR_MESSAGE_RECIPIENT')
  })

  it('chooses the best form of documents that its chart takes, unless it is set', () => {
    const formats = (name: ProfileName) => documentsFor(defaultDocuments, vendorProfiles[name]).formats
    expect(Object.fromEntries(profileNames.map((name) => [name, formats(name)]))).toEqual({
      r4: ['text/plain', 'application/xhtml+xml'],
      'us-core': ['text/plain', 'application/xhtml+xml'],
      medplum: ['text/plain', 'application/xhtml+xml'],
      epic: ['text/plain'],
      'oracle-health': ['application/xhtml+xml'],
      canvas: ['application/pdf'],
      athenapractice: ['text/rtf'],
    })
    const set = { ...defaultDocuments, formats: ['application/pdf'] } as const
    expect(documentsFor(set, vendorProfiles['oracle-health']).formats).toEqual(['application/pdf'])
  })
})

describe('a conforming resource', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it.each(profileNames)('stays as it is when it is conformed once more (%s)', async (name) => {
    const [document, task] = [await documentFor(name), taskFor(name)]
    const again = conform('Task', task, vendorProfiles[name], parties)
    expect(again.description).toBe(task.description)
    expect(again).toEqual(task)
    const { extension: _extension, ...rest } = conform('DocumentReference', document, vendorProfiles[name], parties)
    expect(document).toMatchObject(rest)
  })

  it.each(['r4', 'us-core', 'medplum'] as const)('is as mapped for %s', async (name) => {
    const task = toTask(mappingContext(), denied)
    expect(conform('Task', task, vendorProfiles[name], {})).toBe(task)
    const documents = documentsFor(defaultDocuments, vendorProfiles[name])
    const { context, author, ...document } = await documentFor(name)
    expect([context, author]).toEqual([{ encounter: [parties.encounter] }, [parties.author]])
    expect({ ...document, author: [defaultDocuments.author], category: [] }).toEqual({
      ...(await toPriorAuthorizationDocument(mappingContext({ documents }), denied)),
      category: [],
    })
  })

  it('says in the description of a Canvas task what the chart does not keep', () => {
    const { description = '', input, status, intent, requester } = taskFor('canvas')
    expect(description.split('\n')).toEqual([
      'Prior authorization',
      "Exampline 10 mg tablet, quantity 30, 30 days' supply",
      'Prior authorization: pa_req_1',
      'Diagnosis: E11.9',
      'Status: Completed',
      'Result: Denied',
      'Reason: Plan exclusion: Criteria not met.',
      'Denial category: Criteria',
      'Denial explanation: No trial of a statin.',
      'Next steps: Appeal.',
    ])
    expect(input).toEqual([{ type: { text: 'label' }, valueString: 'Prior authorization' }])
    expect({ status, intent, requester }).toEqual({
      status: 'completed',
      intent: 'unknown',
      requester: parties.practitioner,
    })
  })

  it('shows the period of an authorization in words', () => {
    const approved = samplePriorAuthorization({
      status: 'completed',
      outcome: { result: 'Approved', authorization_start_date: '2026-03-01', authorization_expiration: '2027-02-28' },
    })
    expect(taskFor('canvas', approved).description).toContain('Authorized period: 2026-03-01 to 2027-02-28')
  })

  it.each([
    ['created', 'requested', 'Created'],
    ['awaiting_outcome', 'requested', 'Awaiting outcome'],
    ['awaiting_review', 'requested', 'Awaiting review'],
    ['failed', 'completed', 'Failed'],
    ['not_submitted', 'cancelled', 'Not submitted'],
    ['cancelled', 'cancelled', 'Cancelled'],
  ])('has one of three statuses in Canvas: a PA that is %s is %s, in words %s', (status, shown, words) => {
    const { status: held, description } = taskFor('canvas', samplePriorAuthorization({ status }))
    expect(held).toBe(shown)
    expect(description).toContain(`Status: ${words}`)
    expect(description?.replace('pa_req_1', '')).not.toMatch(/[a-z]_[a-z]/)
  })

  it('has period, charset and one content in Oracle Health', async () => {
    const { context, content, docStatus, author } = await documentFor('oracle-health', samplePriorAuthorization())
    expect(content.map(({ attachment }) => attachment.contentType)).toEqual(['application/xhtml+xml;charset=utf-8'])
    expect(context?.period?.end).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect({ docStatus, author }).toEqual({ docStatus: 'final', author: [parties.author] })
  })

  it('has the title of its type in Canvas, and its own as a comment', async () => {
    const { description, extension = [] } = await documentFor('canvas', fullPriorAuthorization())
    expect(description).toBe('Uncategorized Administrative Document')
    expect(extension.map(({ url, ...value }) => [url.split('/').at(-1), ...Object.values(value)])).toEqual([
      ['document-reference-comment', expect.stringContaining('Prior authorization')],
      ['document-reference-clinical-date', '2026-03-01'],
      ['document-reference-review-mode', 'RN'],
      ['document-reference-reviewer', parties.practitioner],
      ['document-reference-requires-signature', false],
    ])
  })

  it('has the day of its date in the time zone of the process as its clinical date in Canvas', async () => {
    const document = { ...(await documentFor('canvas')), date: '2026-11-01T00:30:00Z' }
    const clinicalDate = (timeZone: string) => {
      vi.stubEnv('TZ', timeZone)
      const { extension = [] } = conform('DocumentReference', document, vendorProfiles.canvas, parties)
      return extension.flatMap(({ valueDate = [] }) => valueDate)
    }
    expect(clinicalDate('America/New_York')).toEqual(['2026-10-31'])
    expect(clinicalDate('UTC')).toEqual(['2026-11-01'])
  })
})

describe('FHIR_ENCOUNTER', () => {
  it.each([
    ['newest-open', { kind: 'newest-open' }],
    ['newest:30d', { kind: 'newest', days: 30 }],
    ['newest:30d:prescriber', { kind: 'newest', days: 30, ofPrescriber: true }],
    ['newest-open:prescriber', { kind: 'newest-open', ofPrescriber: true }],
    ['create', { kind: 'create' }],
  ])('takes %s', (text, rule) => expect(encounterRule.parse(text)).toEqual(rule))

  it.each(['newest', 'newest:0d', 'newest:30', 'open', 'create:prescriber', ''])('refuses "%s"', (text) =>
    expect(encounterRule.safeParse(text).success).toBe(false),
  )
})
