import type { Reference } from 'fhir/r4.js'
import { amendmentIn, amendmentRole } from '@pawl/base/amendment'
import type { Clock } from '@pawl/base/clock'
import { PawlError } from '@pawl/base/errors'
import { everyType, type RunContext } from '@pawl/connector/system'
import { isTerminal } from 'pawl-client/schemas/kinds'
import type { ChartFile, Ehr, StaffTask, Subject, UnfiledFile } from '../ehr.ts'
import { type ChosenFiling, type Filing, filingFor, isNoteFiled, isStateFiled } from '../filing.ts'
import { isFileRefusedByChart } from '../file-refused.ts'
import { fileTask } from '../file-task.ts'
import type { UpsertOptions, UpsertResource } from './chart-store.ts'
import { type DocumentKind, documentsOf, type StoredType, type Written } from './chart-types.ts'
import { toClaimResponse } from './mapping/claim-response.ts'
import { toCommunication } from './mapping/communication.ts'
import type { MappingContext } from './mapping/context.ts'
import { toCoverageEligibilityResponse } from './mapping/coverage-eligibility-response.ts'
import { coverageIdentifier, toCoverage } from './mapping/coverage.ts'
import { renderedOnce, toBenefitVerificationDocument, toPriorAuthorizationDocument } from './mapping/document.ts'
import { isFilable, toFileDocument, toMessageDocument, toNoteDocument } from './mapping/filed-document.ts'
import { identifierOf, type IdentifierKind, type NamedIdentifier, referenceTo } from './mapping/references.ts'
import { endingPatch, staffTaskIdentifier, toEndedStaffTask, toStaffTask } from './mapping/staff-task.ts'
import { toTask } from './mapping/task.ts'
import { toTransferTask } from './mapping/transfer-task.ts'
import type { MapResource } from './memo.ts'
import type { PdfWriter } from '../narrative/pdf-writer.ts'
import type { OneAtATime } from '@pawl/connector/one-at-a-time'
import { noParties, type PartyFinder } from './parties.ts'
import { PatientMoved, type PatientResolver, type ResolvedPatient } from './patient-resolver.ts'
import type { Plans } from './plans.ts'
import { authorDemand, conform, type Parties, practitionerDemand } from './profiles/conform.ts'
import type { VendorProfile } from './profiles/profile.ts'
import { type DocumentSettings, documentsFor } from './settings.ts'
import type { TypePlan } from './strategy.ts'
import { leaveOutFile, warnUnlessShown } from '../shown-types.ts'
import { amend } from './amend.ts'
import { applyShape, type ShapeResource } from './apply-shape.ts'

export interface ChartOptions {
  /** Base of the identifier systems, with or without a slash at its end. */
  identifierBase: string
  documents: DocumentSettings
  filing: ChosenFiling
  hasReviewActionCodes: boolean
  writePdf: PdfWriter['write']
  /** Recipient of messages, for charts that require one. */
  messageRecipient?: Reference | undefined
  /** May change each resource before it is sent. */
  shape?: ShapeResource | undefined
  clock: Clock
}

export interface MappedEhrDeps {
  options: ChartOptions
  store: UpsertResource
  plans: Plans
  findPatient: PatientResolver['find']
  /** Default: none, for a chart that demands none. */
  parties?: PartyFinder
  /** Shared by all runs of this process. */
  oneAtATime: OneAtATime
  run: Pick<RunContext, 'digest' | 'leftOut' | 'log' | 'memory'>
}

/** The chart as FHIR resources, each type written in the way that the chart takes. A resource in sync is not written again. */
export function createMappedEhr(deps: MappedEhrDeps): Ehr {
  const { options, store, plans, findPatient, parties = noParties, oneAtATime, run } = deps
  const base = options.identifierBase.replace(/\/+$/, '')

  /** Writes for a subject's patient, unless the chart takes none of the types. */
  async function writeFor(
    subject: Subject,
    wanted: readonly Written[],
    write: (patient: PatientChart) => Promise<void>,
  ): Promise<void> {
    const planned: { written: Written; plan: TypePlan }[] = []
    for (const written of wanted) planned.push({ written, plan: await plans.of(written) })
    if (planned.every(({ plan }) => plan.strategy === 'skip')) {
      for (const { written, plan } of planned) plans.skipped(written, plan, run)
      const reason = await plans.whyNothing()
      if (reason !== undefined) run.leftOut({ type: everyType, reason })
      return
    }
    const patient = await findPatient(subject.patient)
    const profile = await plans.profile()
    try {
      await write(chartOf(subject, patient, profile))
    } catch (error) {
      if (!(error instanceof PatientMoved)) throw error
      await write(chartOf(subject, error.to, profile))
    }
  }

  function chartOf(
    subject: Subject,
    { id: patientId, reference: patient }: ResolvedPatient,
    profile: VendorProfile,
  ): PatientChart {
    const { hasReviewActionCodes, messageRecipient, writePdf, clock } = options
    const now = new Date(clock.now()).toISOString()
    const documents = documentsFor(options.documents, profile)
    return {
      context: { base, digest: run.digest, patient, now, hasReviewActionCodes, documents, writePdf, messageRecipient },
      upsert: (type, identifier, map, { kind, guess, ...others } = {}) =>
        oneAtATime(`${type} ${identifier.system}|${identifier.value}`, async () => {
          const found = await partiesOf(type, subject, { patientId, profile, kind })
          const shapeContext = { subject, kind, patient, identifier, profile: profile.name }
          const amendment = amendmentIn(await run.memory.read(amendmentRole))
          const shaped = (mapped: ReturnType<NonNullable<typeof guess>>) => {
            const conforming = mapped && conform(type, mapped, profile, found)
            return conforming && applyShape(options.shape, conforming, shapeContext)
          }
          const guessed = guess && { guess: () => shaped(guess()) }
          return store({ type, identifier, patientId, kind }, async (held) => shaped(await map(held)), {
            ...others,
            ...guessed,
            ...(amendment && { amend: (shaped) => amend(type, shaped, amendment) }),
          })
        }),
    }
  }

  /** The references that the profile demands of a type. */
  async function partiesOf(
    type: StoredType,
    subject: Subject,
    { patientId, profile, kind }: { patientId: string; profile: VendorProfile; kind: DocumentKind | undefined },
  ): Promise<Parties> {
    const demand = practitionerDemand(profile, type)
    const ofAuthor = authorDemand(profile, type)
    if (type !== 'DocumentReference' && demand === undefined && ofAuthor === undefined) return {}
    if ((await plans.of(kind === undefined ? type : documentsOf(kind))).strategy === 'skip') return {}
    const isDemanded = profile.DocumentReference.encounter !== undefined
    const isAuthored = type === 'DocumentReference' || ofAuthor !== undefined
    const [encounter, practitioner, author] = await Promise.all([
      type === 'DocumentReference' ? parties.encounter(patientId, { isDemanded, subject }) : undefined,
      demand && parties.practitioner(subject.provider, demand),
      isAuthored ? parties.author(subject.provider, ofAuthor) : undefined,
    ])
    return { encounter, practitioner, author }
  }

  const identifier = (kind: IdentifierKind, value: string) => identifierOf(base, kind, value)

  /** What this chart gets. */
  async function filing(): Promise<Filing> {
    const [documents, messages] = [await plans.of('DocumentReference'), await plans.of('Communication')]
    const chart = { updatesDocuments: documents.strategy !== 'create', takesMessages: messages.strategy !== 'skip' }
    return filingFor(options.filing, chart)
  }

  /** The files to be filed. Staff are told of those that the chart cannot hold. */
  async function filable(subject: Subject, files: readonly ChartFile[]): Promise<ChartFile[]> {
    if (files.length === 0 || (await filing()).letters === 'none') return []
    const held: ChartFile[] = []
    for (const each of files) {
      // Left out with its type or kind, which is reported there.
      const isSkipped = (await plans.of(documentsOf(each.kind))).strategy === 'skip'
      if (isSkipped || isFilable(documentsFor(options.documents, await plans.profile()), each)) held.push(each)
      else await tellStaff(subject, each)
    }
    return held
  }

  async function tellStaff(subject: Subject, chartFile: UnfiledFile): Promise<void> {
    if ((await plans.of('Task')).strategy === 'skip') leaveOutFile(run, chartFile)
    else await openStaffTask(subject, fileTask(subject, chartFile))
  }

  const openStaffTask = (subject: Subject, task: StaffTask) =>
    writeFor(subject, ['Task'], async ({ context, upsert }) => {
      const name = staffTaskIdentifier(base, subject, task.key)
      await upsert('Task', name, (held) => toStaffTask(context, subject, task, held))
    })

  /** Files it and returns a reference: by id, or by identifier if the chart returned no id. Staff are told of one that the chart refuses for its size or type. */
  async function file({ context, upsert }: PatientChart, subject: Subject, chartFile: ChartFile): Promise<Reference> {
    const name = identifier('document', `${subject.id}/${chartFile.key}`)
    const { kind } = chartFile
    warnUnlessShown(run.log, chartFile)
    const write = upsert('DocumentReference', name, () => toFileDocument(context, subject, chartFile), { kind })
    const id = await write.catch(async (error: unknown) => {
      if (isFileRefusedByChart(error)) await tellStaff(subject, chartFile)
      throw error
    })
    return id === undefined ? referenceTo('DocumentReference', name) : { reference: `DocumentReference/${id}` }
  }

  return {
    async putPriorAuthorization(pa) {
      const { states } = await filing()
      const isFiled = isStateFiled(states, isTerminal('prior_authorization', pa.status))
      const documents = isFiled ? [documentsOf('prior-authorization')] : []
      await writeFor(pa, ['Task', 'ClaimResponse', ...documents], ({ context, upsert }) => {
        const name = identifier('prior-authorization', pa.id)
        // A pended determination stays pended while the PA runs.
        const guess = () => toClaimResponse(context, { ...pa, status: 'awaiting_outcome' })
        const render = renderedOnce(() => toPriorAuthorizationDocument(context, pa, states))
        return writeAll([
          () => upsert('Task', name, (held) => toTask(context, pa, held)),
          () => upsert('ClaimResponse', name, (held) => toClaimResponse(context, pa, held), { guess }),
          async () => isFiled && upsert('DocumentReference', name, render, { kind: 'prior-authorization' }),
        ])
      })
    },
    async putMessage(pa, message, files = []) {
      const { messages } = await filing()
      const held = await filable(pa, files)
      const { strategy } = await plans.of('Communication')
      const words: Written[] = messages === 'every' ? ['Communication', documentsOf('message')] : []
      const wanted = [...words, ...held.map(({ kind }) => documentsOf(kind))]
      if (wanted.length === 0) return
      await writeFor(pa, wanted, async (patient) => {
        const { context, upsert } = patient
        const filed: (Reference | undefined)[] = []
        // A message's id is unique within its PA only.
        const name = identifier('prior-authorization-message', `${pa.id}/${message.id}`)
        const failures = await tryAll(
          held.map((each, index) => async () => void (filed[index] = await file(patient, pa, each))),
        )
        const references = filed.filter((each) => each !== undefined)
        if (messages === 'every')
          failures.push(
            ...(await tryAll([
              () =>
                strategy === 'skip'
                  ? upsert('DocumentReference', name, () => toMessageDocument(context, pa, message), {
                      kind: 'message',
                    })
                  : upsert('Communication', name, () => toCommunication(context, pa, message, references)),
            ])),
          )
        throwFirst(failures)
      })
    },
    async putBenefitVerification(bv) {
      const isFiled = isStateFiled((await filing()).benefits, isTerminal('benefit_verification', bv.status))
      const documents = isFiled ? [documentsOf('benefit-verification')] : []
      await writeFor(bv, ['Coverage', 'CoverageEligibilityResponse', ...documents], ({ context, upsert }) => {
        const name = identifier('benefit-verification', bv.id)
        const card = coverageIdentifier(context, bv)
        const render = renderedOnce(() => toBenefitVerificationDocument(context, bv))
        return writeAll([
          async () => card && upsert('Coverage', card, (held) => toCoverage(context, bv, held)),
          () => upsert('CoverageEligibilityResponse', name, (held) => toCoverageEligibilityResponse(context, bv, held)),
          async () => isFiled && upsert('DocumentReference', name, render, { kind: 'benefit-verification' }),
        ])
      })
    },
    async putPrescriptionTransfer(pa) {
      if (pa.prescription_transfer === undefined) return
      await writeFor(pa, ['Task'], async ({ context, upsert }) => {
        const name = identifier('prescription-transfer', pa.id)
        await upsert('Task', name, (held) => toTransferTask(context, pa, held))
      })
    },
    openStaffTask,
    closeStaffTask: (subject, ending, key) =>
      writeFor(subject, ['Task'], async ({ upsert }) => {
        const name = staffTaskIdentifier(base, subject, key)
        await upsert('Task', name, (held) => held && toEndedStaffTask(held, ending), { ends: endingPatch(ending) })
      }),
    async putFile(subject, chartFile) {
      for (const each of await filable(subject, [chartFile]))
        await writeFor(subject, [documentsOf(each.kind)], async (patient) => void (await file(patient, subject, each)))
    },
    async tellOfFile(subject, chartFile) {
      if ((await filing()).letters !== 'none') await tellStaff(subject, chartFile)
    },
    async putNote(subject, note) {
      if (!isNoteFiled(note.kind, await filing())) return
      await writeFor(subject, [documentsOf('note')], async ({ context, upsert }) => {
        const name = identifier('note', `${subject.id}/${note.key}`)
        await upsert('DocumentReference', name, () => toNoteDocument(context, subject, note), { kind: 'note' })
      })
    },
  }
}

/** One patient's part of the chart. */
interface PatientChart {
  context: MappingContext
  upsert<T extends StoredType>(
    type: T,
    identifier: NamedIdentifier,
    map: MapResource<T>,
    options?: UpsertOptions<T> & { kind?: DocumentKind },
  ): Promise<string | undefined>
}

/** Max writes in flight for one call. */
const maxParallel = 4

/** Writes in parallel, so that a refused type does not block the others. Then throws `PatientMoved`, after which the caller writes everything again, or the first failure. */
async function writeAll(writes: readonly (() => Promise<unknown>)[]): Promise<void> {
  throwFirst(await tryAll(writes))
}

/** Tries every write and resolves with the failures. Throws as soon as the chart is down. */
async function tryAll(writes: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const failures: unknown[] = []
  const left = [...writes]
  const isOutage = (failure: unknown): failure is PawlError => failure instanceof PawlError && failure.isOutage
  const outage = () => failures.find(isOutage)
  async function writeInTurn(): Promise<void> {
    for (let write = left.shift(); write !== undefined && outage() === undefined; write = left.shift())
      await write().catch((error: unknown) => failures.push(error))
  }
  await Promise.all(writes.slice(0, maxParallel).map(writeInTurn))
  const down = outage()
  if (down !== undefined) throw down
  return failures
}

function throwFirst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures.find((each) => each instanceof PatientMoved) ?? failures[0]
}
