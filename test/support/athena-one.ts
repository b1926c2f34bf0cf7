import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { startServer } from '../../packages/base/src/net/server.ts'

export const practiceId = '195900'
export const departmentId = '1'
export const clientId = 'pawl-at-the-practice'
export const clientSecret = 'a-secret-of-the-preview'

/** A document that was filed. */
export interface HeldDocument {
  id: number
  patientId: string
  documentClass: string
  subclass: string
  status: 'REVIEW' | 'CLOSED' | 'DELETED'
  originalfilename: string
  internalnote: string
  day: string | undefined
  pdf: Buffer
}

/** athenaOne's interface for tokens, departments, patients and documents. */
export interface AthenaOne {
  /** On 127.0.0.1. */
  port: number
  documents(): readonly HeldDocument[]
  /** A patient of the practice, with a birth date as MM/DD/YYYY. */
  addPatient(id: string, dob: string): void
  /** Answers every request for documents with this status, and names patient data in the body; undefined: no more. */
  refuse(status?: number): void
  /** Leaves requests for documents without an answer, and does nothing; false: no more. */
  fallSilent(isSilent: boolean): void
  /** Requests that file or delete, so far. */
  changes(): number
  /** Does not delete documents from now on. */
  keepDocuments(): void
  /** Withdraws every token that was issued. */
  withdrawTokens(): void
  tokenRequests(): number
  close(): Promise<void>
}

/** The subclasses of each class, from athenahealth's document classification guide. */
const subclasses: Readonly<Record<string, readonly string[]>> = {
  clinicaldocument: ['ADMISSIONDISCHARGE', 'CONSULTNOTE', 'MENTALHEALTH', 'OPERATIVENOTE', 'URGENTCARE'],
  admin: [
    'BILLING',
    'CONSENT',
    'HIPAA',
    'INSURANCEAPPROVAL',
    'INSURANCECARD',
    'INSURANCEDENIAL',
    'LEGAL',
    'MEDICALRECORDREQ',
    'REFERRAL',
    'SIGNEDFORMSLETTERS',
    'VACCINATIONRECORD',
  ],
}
const fieldsOf = {
  common: ['departmentid', 'documentsubclass', 'attachmentcontents', 'attachmenttype', 'autoclose', 'documentdata'],
  more: ['documenttypeid', 'entityid', 'entitytype', 'internalnote', 'originalfilename', 'priority', 'providerid'],
  clinicaldocument: ['clinicalproviderid', 'observationdate', 'observationtime'],
  admin: ['documentdate'],
} as const
/** Documents on a page of a list. */
const pageSize = 2

/**
 * A stand-in for athenaOne on a free port of 127.0.0.1. It refuses what its interface's description refuses (docs/athena.md names the source): a token by anything but the
 * client's secret and scope, a department, patient or subclass that is not there, a missing or unknown field, a name over 200 characters, a date in another form, content
 * that is no Base64 of a PDF. It recognises no repeated document, and cannot change the file of one.
 */
export async function startAthenaOne(): Promise<AthenaOne> {
  const tokens = new Set<string>()
  const patients = new Map<string, string>()
  const held: HeldDocument[] = []
  let refusal: number | undefined
  let keeps = false
  let isSilent = false
  let changes = 0
  let tokenRequests = 0

  const server = await startServer((request, response) => void answer(request, response), {
    host: '127.0.0.1',
    port: 0,
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    if (request.url?.includes('/documents/')) {
      if (request.method !== 'GET') changes += 1
      if (isSilent) return
    }
    const { status, json } = await decide(request, body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  }

  async function decide(request: IncomingMessage, body: string): Promise<{ status: number; json: unknown }> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const { method, headers } = request
    if (pathname === '/oauth2/v1/token') return grant(headers.authorization, new URLSearchParams(body))
    if (!tokens.has(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''))
      return { status: 401, json: { error: 'invalid_token' } }
    const [, version, practice, ...path] = pathname.split('/')
    if (version !== 'v1' || practice !== practiceId)
      return { status: 403, json: { error: 'No access to the practice.' } }
    if (path[0] === 'departments' && path.length === 2)
      return path[1] === departmentId ? { status: 200, json: [{ departmentid: departmentId }] } : absent
    const [patientsWord, patientId = '', documentsWord, documentClass = '', id] = path
    const dob = patients.get(patientId)
    if (patientsWord !== 'patients' || dob === undefined) return absent
    if (documentsWord === undefined) return { status: 200, json: [{ patientid: patientId, dob }] }
    if (refusal !== undefined) return { status: refusal, json: { error: `born ${dob}` } }
    if (documentsWord !== 'documents' || !(documentClass in subclasses)) return absent
    if (method === 'GET') return listOf(patientId, documentClass, searchParams, pathname)
    if (method === 'DELETE') return remove(patientId, documentClass, id)
    if (method !== 'POST' || headers['content-type'] !== 'application/x-www-form-urlencoded')
      return refused('Use a form.')
    return add(patientId, documentClass as 'admin' | 'clinicaldocument', new URLSearchParams(body))
  }

  function grant(authorization: string | undefined, form: URLSearchParams): { status: number; json: unknown } {
    tokenRequests += 1
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    if (authorization !== basic) return { status: 401, json: { error: 'invalid_client' } }
    if (form.get('grant_type') !== 'client_credentials')
      return { status: 400, json: { error: 'unsupported_grant_type' } }
    if (form.get('scope') !== 'athena/service/Athenanet.MDP.*') return { status: 400, json: { error: 'invalid_scope' } }
    const token = randomUUID()
    tokens.add(token)
    return { status: 200, json: { access_token: token, token_type: 'Bearer', expires_in: '3600' } }
  }

  function listOf(patientId: string, documentClass: string, query: URLSearchParams, pathname: string) {
    if (query.get('departmentid') !== departmentId) return missing('departmentid')
    const offset = Number(query.get('offset') ?? 0)
    const own = held.filter(
      (each) => each.patientId === patientId && each.documentClass === documentClass && each.status !== 'DELETED',
    )
    const page = own
      .slice(offset, offset + pageSize)
      .map(({ id, status, originalfilename, internalnote, subclass }) => ({
        [`${documentClass}id`]: id,
        documentsubclass: subclass,
        status,
        internalnote,
        ...(query.get('showmetadata') === 'true' && { originalfilename, filetype: 'PDF' }),
      }))
    query.set('offset', String(offset + pageSize))
    const next = offset + pageSize < own.length && { next: `${pathname}?${query.toString()}` }
    return { status: 200, json: { [`${documentClass}s`]: page, totalcount: own.length, ...next } }
  }

  function add(patientId: string, documentClass: 'admin' | 'clinicaldocument', form: URLSearchParams) {
    const known: readonly string[] = [...fieldsOf.common, ...fieldsOf.more, ...fieldsOf[documentClass]]
    const unknown = [...form.keys()].find((name) => !known.includes(name))
    if (unknown !== undefined) return refused(`There is no field ${unknown}.`)
    for (const name of ['departmentid', 'documentsubclass']) if (!form.get(name)) return missing(name)
    const field = (name: string) => form.get(name) ?? ''
    const subclass = field('documentsubclass')
    if (field('departmentid') !== departmentId) return refused('There is no such department.')
    if (!subclasses[documentClass]?.includes(subclass)) return refused('There is no such subclass.')
    if (field('originalfilename').length > 200) return refused('The name is too long.')
    const day = form.get(documentClass === 'admin' ? 'documentdate' : 'observationdate') ?? undefined
    if (day !== undefined && !/^(0[1-9]|1[0-2])\/\d{2}\/\d{4}$/.test(day)) return refused('A date is mm/dd/yyyy.')
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(field('attachmentcontents'))) return refused('The content is no Base64.')
    const pdf = Buffer.from(field('attachmentcontents'), 'base64')
    if (field('attachmenttype') !== 'PDF' || !pdf.subarray(0, 5).equals(Buffer.from('%PDF-')))
      return refused('The content is no PDF.')
    const id = held.length + 204_000
    const status = form.get('autoclose') === 'true' ? 'CLOSED' : 'REVIEW'
    const words = { originalfilename: field('originalfilename'), internalnote: field('internalnote') }
    held.push({ id, patientId, documentClass, subclass, status, day, pdf, ...words })
    return { status: 200, json: { [`${documentClass}id`]: id, success: true } }
  }

  function remove(patientId: string, documentClass: string, id: string | undefined) {
    const document = held.find(
      (each) => each.patientId === patientId && each.documentClass === documentClass && String(each.id) === id,
    )
    if (document === undefined || document.status === 'DELETED') return absent
    if (keeps) return { status: 200, json: { success: false, errormessage: 'A closed document stays.' } }
    document.status = 'DELETED'
    return { status: 200, json: { success: true } }
  }

  return {
    port: Number(new URL(server.url).port),
    documents: () => held,
    addPatient: (id, dob) => void patients.set(id, dob),
    refuse: (status) => void (refusal = status),
    fallSilent: (silent) => void (isSilent = silent),
    changes: () => changes,
    keepDocuments: () => void (keeps = true),
    withdrawTokens: () => tokens.clear(),
    tokenRequests: () => tokenRequests,
    close: () => server.close(0),
  }
}

const absent = { status: 404, json: { error: 'The requested resource is not there.' } }

function refused(error: string) {
  return { status: 400, json: { error } }
}

function missing(name: string) {
  return { status: 400, json: { error: 'Additional fields are required.', missingfields: [name] } }
}
