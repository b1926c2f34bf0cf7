import { randomUUID } from 'node:crypto'
import type { CheckReport } from '../../../systems/system.ts'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { TypeCapabilities } from './capabilities.ts'
import type { ChartClient, StoredResource } from './chart-client.ts'
import { findByMark, markOf } from './content-mark.ts'
import type { MappingContext } from './mapping/context.ts'
import { toTestDocument } from './mapping/filed-document.ts'
import { identifierOf } from './mapping/references.ts'
import { toContent } from './owned.ts'
import type { TypePlan } from './strategy.ts'

export interface TryDocumentDeps {
  client: ChartClient
  plan: TypePlan
  stated: TypeCapabilities | undefined
  context: MappingContext
  /** The test patient's id in the chart. */
  patientId: string
  /** Message of an error, without the chart's words. */
  sentence: (error: unknown) => string
}

const type = 'DocumentReference'

/** Writes a document for a test patient as pawl writes its own, reports which parts the chart kept, and takes it back. */
export async function tryDocument(deps: TryDocumentDeps): Promise<CheckReport> {
  const { client, plan, context, sentence } = deps
  if (plan.strategy === 'skip') {
    return { ok: true, findings: ['No document was tried, since none is written.'] }
  }
  const identifier = identifierOf(context.base, 'check', randomUUID())
  const wanted = toContent(toTestDocument(context, identifier.value))
  let told: string | undefined
  try {
    const isConditional = plan.strategy === 'conditional-update'
    const written = await (isConditional
      ? client.conditionalUpdate(type, identifier, wanted)
      : client.create(type, wanted))
    told = written.id
  } catch (error) {
    const fault = `${type}: a document for the test patient was refused: ${sentence(error)}`
    return { ok: false, findings: [fault], faults: [fault] }
  }
  const findings = [`${type}: the chart took a document for the test patient.`]
  try {
    const held = await readBack(deps, wanted, told)
    if (held === undefined) {
      const fault = `${type}: the chart does not show the document that it took (${told ?? 'it told no id'}): look for it by hand.`
      return { ok: false, findings: [...findings, fault], faults: [fault] }
    }
    findings.push(await describeKept(deps, wanted, held, identifier))
    const taken = await takeBack(deps, held)
    const faults = taken.isGone ? [] : [taken.says]
    return { ok: taken.isGone, findings: [...findings, taken.says], faults }
  } catch (error) {
    const fault = `${type}: the test document stays in the chart (${told ?? 'it told no id'}), take it back by hand: ${sentence(error)}`
    return { ok: false, findings: [...findings, fault], faults: [fault] }
  }
}

async function readBack(
  { client, plan, context: { digest }, patientId }: TryDocumentDeps,
  wanted: Record<string, unknown>,
  id: string | undefined,
): Promise<StoredResource | undefined> {
  if (id !== undefined) return client.read(type, id)
  if (plan.patientParameter === undefined) return undefined
  const all = await client.search(type, { [plan.patientParameter]: patientId })
  return findByMark({ readAttachment: client.readAttachment, digest }, type, markOf(digest, type, wanted) ?? '', all)
}

/** Reports how a document is found again if the answer to its create is lost. */
async function describeKept(
  { client, plan, context: { digest } }: TryDocumentDeps,
  wanted: Record<string, unknown>,
  held: StoredResource,
  { system, value }: { system: string; value: string },
): Promise<string> {
  const keepsName = held.identifier?.some((each) => each.system === system && each.value === value) === true
  const mark = markOf(digest, type, wanted) ?? ''
  const keepsContent =
    (await findByMark({ readAttachment: client.readAttachment, digest }, type, mark, [held])) !== undefined
  const isListed = plan.patientParameter !== undefined
  const finds = keepsName && (isListed || plan.hasConditionalCreate || isByName.has(plan.strategy))
  if (finds) return `${type}: the chart keeps pawl's identifier: a document is found again if the answer is lost.`
  if (keepsContent && isListed) {
    return `${type}: the chart keeps no identifier, but keeps the content, by which a document is found again if the answer is lost.`
  }
  return `${type}: pawl cannot find a document again if the answer is lost: a second one may be created beside it.`
}

/** Strategies that search by identifier. */
const isByName: ReadonlySet<string> = new Set(['conditional-update', 'search'])

/** Deletes it, or marks it as entered in error. */
async function takeBack(
  { client, stated }: TryDocumentDeps,
  held: StoredResource,
): Promise<{ isGone: boolean; says: string }> {
  const stays = `${type}: the chart does not let pawl take a document back: delete ${type}/${held.id} of the test patient by hand.`
  if (stated?.canDelete === true && (await isDone(client.remove(type, held.id)))) {
    return { isGone: true, says: `${type}: the test document was deleted again.` }
  }
  const wrong = { ...held, status: 'entered-in-error' }
  const mayUpdate = stated?.canUpdate ?? true
  if (mayUpdate && (await isDone(client.update(type, held.id, held.meta?.versionId, wrong)))) {
    return { isGone: true, says: `${type}: the test document was marked as entered in error.` }
  }
  return { isGone: false, says: stays }
}

async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    // The caller may have another way.
    if (error instanceof EhrWriteFailed) return false
    throw error
  }
}
